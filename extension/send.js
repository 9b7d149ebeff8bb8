// Read the page of a tab, and send it to the server as a form: that needs no permission for the
// server's address, and shows the print in this tab.
const form = document.getElementById("send");
const told = document.getElementById("told");
const asked = new URLSearchParams(location.search);

const read = async (tab) => {
  const [frame] = await chrome.scripting.executeScript({ target: { tabId: tab }, files: ["capture.js"] });
  if (!frame || !frame.result) throw new Error("it cannot be read");
  return frame.result;
};

const fail = (text, needsOptions) => {
  told.textContent = text;
  told.className = "bad";
  document.getElementById("options").hidden = !needsOptions;
};

const { server, key } = await chrome.storage.local.get(["server", "key"]);
if (!server || !key) {
  fail("No server is set yet.", true);
} else {
  try {
    const page = asked.has("url") ? { url: asked.get("url") } : await read(Number(asked.get("tab")));
    form.action = `${server}/send`;
    form.elements.key.value = key;
    form.elements.url.value = page.url;
    form.elements.later.value = asked.get("later") || "";
    form.elements.html.value = page.html || "";
    form.elements.pictures.value = JSON.stringify(page.pictures || {});
    form.submit();
  } catch (error) {
    fail(`The browser lets no extension read this page: ${error.message}`, false);
  }
}
