// Send a page to the print server.  SERVER, KEY and CAPTURE are put in by the server.
(() => {
  const server = "SERVER", key = "KEY";
  const captured = CAPTURE;
  const sent = (page) => ({ webprint: "page", key, ...page, pictures: JSON.stringify(page.pictures) });

  // A window of the server's own takes the page: no policy of the page forbids to open one.
  const opened = window.open(`${server}/send`, "_blank");
  let arrived = false;
  addEventListener("message", async (event) => {
    if (event.origin === server && event.data && event.data.webprint === "ready") {
      arrived = true;
      event.source.postMessage(sent(await captured), server);
    }
  });
  // A page may cut itself off from the windows it opens: then the page goes in the address, after
  // the sign that no browser sends over the network, with as many pictures as have room there.
  const pack = async (page) => {
    const stream = new Blob([JSON.stringify(sent(page))]).stream().pipeThrough(new CompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let packed = "";
    for (let n = 0; n < bytes.length; n += 32768) packed += String.fromCharCode(...bytes.subarray(n, n + 32768));
    return btoa(packed);
  };
  setTimeout(async () => {
    if (arrived || (opened && !opened.closed)) return;
    const page = await captured;
    const few = {};
    let left = 900000;
    for (const [url, data] of Object.entries(page.pictures)) {
      if ((left -= data.length) > 0) few[url] = data;
    }
    window.open(`${server}/send#${await pack({ ...page, pictures: few })}`, "_blank");
  }, 1500);
})();
