// The page as its reader sees it, to the print server.  SERVER and KEY are put in by the server.
(() => {
  const server = "SERVER", key = "KEY";
  const dropped = new Set(["SCRIPT", "STYLE", "LINK", "TEMPLATE", "OBJECT", "EMBED", "DIALOG"]);

  // A copy of a node with what open shadow roots show in the place of what they hide.
  const copy = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.cloneNode();
    if (node.nodeType !== Node.ELEMENT_NODE) return null;
    if (dropped.has(node.tagName) && node.type !== "application/ld+json") return null;
    if (node.tagName === "SLOT" && node.getRootNode() instanceof ShadowRoot) {
      const shown = node.assignedNodes();
      return fill(document.createElement("span"), shown.length ? shown : node.childNodes);
    }
    if (node.tagName === "CANVAS") return drawn(node);
    const made = node.cloneNode(false);
    if (/^(INPUT|TEXTAREA|SELECT|OPTION)$/.test(node.tagName)) made.removeAttribute("value");
    if (node.tagName === "IMG") picture(node, made);
    return fill(made, (node.shadowRoot || node).childNodes);
  };
  const fill = (made, nodes) => {
    for (const node of nodes) {
      const part = copy(node);
      if (part) made.append(part);
    }
    return made;
  };
  const drawn = (canvas) => {
    try {
      const image = document.createElement("img");
      image.src = canvas.toDataURL("image/png");
      image.width = canvas.width;
      image.height = canvas.height;
      return canvas.width > 50 ? image : null;
    } catch { return null; }
  };
  // A picture that came late stands in the copy with the address it came from.
  const picture = (image, made) => {
    const source = image.currentSrc || image.src;
    if (!source || !image.naturalWidth) return;
    made.setAttribute("src", source);
    for (const name of ["srcset", "sizes", "loading"]) made.removeAttribute(name);
    if (image.width > 1) {
      made.setAttribute("width", image.width);
      made.setAttribute("height", image.height);
    }
  };

  const page = () => {
    const chosen = getSelection();
    const head = document.head ? copy(document.head).innerHTML : "";
    let body;
    if (chosen && !chosen.isCollapsed && String(chosen).trim()) {
      const article = document.createElement("article");
      const title = document.createElement("h1");
      title.textContent = document.title;
      article.append(title);
      for (let n = 0; n < chosen.rangeCount; n++) article.append(chosen.getRangeAt(n).cloneContents());
      const copied = document.createElement("body");
      fill(copied, [article]);
      body = copied.outerHTML;
    } else {
      body = copy(document.body).outerHTML;
    }
    const root = document.documentElement.cloneNode(false).outerHTML.replace(/<\/html>$/, "");
    return `<!doctype html>${root}<head>${head}</head>${body}</html>`;
  };

  const sent = { webprint: "page", key, url: location.href.replace(/#.*/, ""), html: "", pictures: "" };
  try { sent.html = page(); } catch { sent.html = document.documentElement.outerHTML; }

  // A window of the server's own takes the page: no policy of the page forbids to open one.
  const opened = window.open(`${server}/send`, "_blank");
  let arrived = false;
  addEventListener("message", (event) => {
    if (event.origin === server && event.data && event.data.webprint === "ready") {
      arrived = true;
      event.source.postMessage(sent, server);
    }
  });
  // A page may cut itself off from the windows it opens: then the page goes in the address, after
  // the sign that no browser sends over the network.
  setTimeout(async () => {
    if (arrived || (opened && !opened.closed)) return;
    const stream = new Blob([JSON.stringify(sent)]).stream().pipeThrough(new CompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let packed = "";
    for (let n = 0; n < bytes.length; n += 32768) packed += String.fromCharCode(...bytes.subarray(n, n + 32768));
    window.open(`${server}/send#${btoa(packed)}`, "_blank");
  }, 1500);
})();
