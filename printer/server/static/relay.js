// Receive a page from the bookmarklet and send it as a form of this server.
const form = document.getElementById("send");
const status = document.getElementById("status");

function send(page) {
  if (form.dataset.sent) return;
  form.dataset.sent = "yes";
  for (const name of ["key", "url", "html", "pictures", "later", "missing"]) {
    form.elements[name].value = String(page[name] || "");
  }
  form.submit();
}

async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const fragment = location.hash.slice(1);
if (fragment) history.replaceState(null, "", location.pathname);
if (fragment.startsWith("later,")) {
  const [, key, encoded] = fragment.split(",", 3);
  let url = "";
  try { url = decodeURIComponent(encoded); } catch { status.textContent = status.dataset.invalid; }
  if (url) send({ key, url, later: "yes" });
} else if (fragment) {
  unpack(fragment).then(send, () => { status.textContent = status.dataset.invalid; });
} else if (window.opener) {
  addEventListener("message", (event) => {
    if (event.source !== window.opener || !event.data) return;
    if (event.data.webprint === "page") send(event.data);
    if (event.data.webprint === "progress") {
      status.textContent = `${status.dataset.progress} ${String(event.data.detail).slice(0, 20)}`;
    }
  });
  window.opener.postMessage({ webprint: "ready" }, "*");
} else {
  status.textContent = status.dataset.nothing;
}
