// Take a page from the bookmarklet and send it on as a form of this server's own.
const form = document.getElementById("send");
const told = document.getElementById("told");

function send(page) {
  if (form.dataset.sent) return;
  form.dataset.sent = "yes";
  for (const name of ["key", "url", "html", "pictures", "later"]) {
    form.elements[name].value = String(page[name] || "");
  }
  form.submit();
}

async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

if (location.hash.startsWith("#later,")) {
  const [, key, packed] = location.hash.split(",", 3);
  history.replaceState(null, "", location.pathname);
  let url = "";
  try { url = decodeURIComponent(packed); } catch { told.textContent = told.dataset.broken; }
  if (url) send({ key, url, later: "yes" });
} else if (location.hash.length > 1) {
  const packed = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  unpack(packed).then(send, () => { told.textContent = told.dataset.broken; });
} else if (window.opener) {
  addEventListener("message", (event) => {
    if (event.source === window.opener && event.data && event.data.webprint === "page") {
      send(event.data);
    }
  });
  window.opener.postMessage({ webprint: "ready" }, "*");
} else {
  told.textContent = told.dataset.alone;
}
