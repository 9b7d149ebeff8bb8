// Capture the page of a tab and send it to the server as a form, which needs no permission for the
// server's address and shows the print in this tab.
const form = document.getElementById("send");
const status = document.getElementById("status");
const query = new URLSearchParams(location.search);

const capture = async (tab) => {
  const [frame] = await chrome.scripting.executeScript({ target: { tabId: tab }, files: ["capture.js"] });
  if (!frame || !frame.result) throw new Error("it has no content");
  return frame.result;
};

const fail = (message, needsOptions) => {
  status.textContent = message;
  status.className = "bad";
  document.getElementById("options").hidden = !needsOptions;
};

const { server, key } = await chrome.storage.local.get(["server", "key"]);
if (!server || !key) {
  fail("No server is set up yet.", true);
} else {
  try {
    const page = query.has("url") ? { url: query.get("url") } : await capture(Number(query.get("tab")));
    form.action = `${server}/send`;
    form.elements.key.value = key;
    form.elements.url.value = page.url;
    form.elements.later.value = query.get("later") || "";
    form.elements.missing.value = page.missing || "";
    form.elements.html.value = page.html || "";
    form.elements.pictures.value = JSON.stringify(page.pictures || {});
    form.submit();
  } catch (error) {
    fail(`The extension cannot read this page: ${error.message}`, false);
  }
}
