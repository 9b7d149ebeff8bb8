// Send a page to the print server, which fills in SERVER, KEY and CAPTURE.
(() => {
  const server = "SERVER", key = "KEY", origin = new URL(server).origin;
  // The one tab that a click may open.  While it is empty it belongs to this page, whatever the
  // page's policy, so that it can still be decided how the captured page gets to the server.
  const tab = window.open("about:blank", "_blank");
  const show = (text) => { try { tab.document.body.textContent = text; } catch { /* It is the server's now. */ } };
  show("Reading the page…");
  document.addEventListener("webprint-progress", (event) => show(`Fetching the pictures: ${event.detail}`));
  const captured = CAPTURE;
  const message = (page) => ({ webprint: "page", key, ...page, pictures: JSON.stringify(page.pictures) });

  // In the fragment of an address, which is not sent over the network, with the pictures that fit.
  const address = async () => {
    const page = await captured;
    const pictures = {};
    let room = 900000, missing = page.missing;
    for (const [url, data] of Object.entries(page.pictures)) {
      if ((room -= data.length) > 0) pictures[url] = data;
      else missing += 1;
    }
    const stream = new Blob([JSON.stringify(message({ ...page, pictures, missing }))]).stream().pipeThrough(new CompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let packed = "";
    for (let n = 0; n < bytes.length; n += 32768) packed += String.fromCharCode(...bytes.subarray(n, n + 32768));
    return `${server}/send#${btoa(packed)}`;
  };
  // A browser opens a second tab only for a second click.
  const askAgain = async () => {
    const target = await address();
    const button = document.createElement("button");
    button.textContent = "Click here to send this page to webprint";
    button.style.cssText = "all:initial;position:fixed;inset:1rem 1rem auto;z-index:2147483647;padding:1rem;"
      + "font:bold 18px sans-serif;text-align:center;background:#8a2b0e;color:#fff;border-radius:8px;cursor:pointer";
    button.addEventListener("click", () => { button.remove(); window.open(target, "_blank"); });
    document.documentElement.append(button);
    button.focus();
  };
  let answered = false;
  addEventListener("message", async (event) => {
    if (event.origin === origin && event.data && event.data.webprint === "ready") {
      answered = true;
      const { source } = event;
      document.addEventListener("webprint-progress", ({ detail }) => source.postMessage({ webprint: "progress", detail }, origin));
      source.postMessage(message(await captured), origin);
    }
  });
  // A page that cuts itself off from tabs of other sites says so in a header; its own policy may
  // forbid to ask for it, and then the tab seems to be closed as soon as it shows the server.
  const isCutOff = () => fetch(location.href, { method: "HEAD", signal: AbortSignal.timeout(1500) }).then(
    ({ headers }) => /^\s*same-origin(?!-allow-popups)/.test(headers.get("cross-origin-opener-policy") || ""),
    () => false,
  );
  const send = async () => {
    if (!tab) return askAgain();
    if (await isCutOff()) return tab.location.replace(await address());
    tab.location.replace(`${server}/send`);
    for (let n = 0; n < 100 && !answered; n++) {
      await new Promise((resolve) => { setTimeout(resolve, 100); });
      if (tab.closed && !answered) return askAgain();
    }
  };
  send();
})();
