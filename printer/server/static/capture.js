// Capture the page as its reader sees it: open shadow roots are replaced by what they show, a
// selection replaces the page, and pictures that perhaps only this browser can fetch are included.
// One expression, a promise of {url, html, pictures}; the bookmarklet and the extension share it.
(async () => {
  const limits = { pictures: 60, bytes: 5e6, totalBytes: 12e6, seconds: 4, parallel: 6, pixels: 10000, width: 1600 };
  const dropped = new Set(["SCRIPT", "STYLE", "LINK", "TEMPLATE", "OBJECT", "EMBED", "DIALOG"]);
  const toFetch = new Map(), originals = new Map();
  const original = (node) => originals.get(node) || node;

  // Copy a node, replacing the hidden children of open shadow roots by what is shown.
  const copy = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.cloneNode();
    if (node.nodeType !== Node.ELEMENT_NODE) return null;
    if (dropped.has(node.tagName) && node.type !== "application/ld+json") return null;
    if (node.tagName === "SLOT" && node.getRootNode() instanceof ShadowRoot) {
      const assigned = node.assignedNodes();
      return copyChildren(document.createElement("span"), assigned.length ? assigned : node.childNodes);
    }
    if (node.tagName === "CANVAS") return copyCanvas(node);
    if (node.tagName === "SOURCE" && node.parentNode.tagName === "PICTURE") {
      const image = node.parentNode.querySelector("img");
      if (image && isReachable(original(image))) return null;
    }
    const clone = node.cloneNode(false);
    if (/^(INPUT|TEXTAREA|SELECT|OPTION)$/.test(node.tagName)) clone.removeAttribute("value");
    if (node.tagName === "IMG") preparePicture(original(node), clone);
    return copyChildren(clone, (node.shadowRoot || node).childNodes);
  };
  const copyChildren = (parent, nodes) => {
    for (const node of nodes) {
      const child = copy(node);
      if (child) parent.append(child);
    }
    return parent;
  };
  const copyCanvas = (node) => {
    try {
      const image = document.createElement("img");
      image.src = node.toDataURL("image/png");
      image.width = node.width;
      image.height = node.height;
      return node.width > 50 ? image : null;
    } catch { return null; }
  };

  // Include pictures of this site, as the server has none of its cookies.
  const source = (image) => image.naturalWidth ? image.currentSrc || image.src : "";
  const isReachable = (image) => {
    let url;
    try { url = new URL(source(image)); } catch { return false; }
    if (url.protocol === "blob:") return true;
    const site = (name) => /^[\d.]+$|:/.test(name) ? name : name.split(".").slice(-2).join(".");
    const sameSite = url.origin === location.origin || site(url.hostname) === site(location.hostname);
    return /^https?:$/.test(url.protocol) && (sameSite || image.crossOrigin !== null);
  };
  // Return the version of a picture that is best for print.
  const bestSource = (image) => {
    const candidates = [];
    for (const match of (image.getAttribute("srcset") || "").matchAll(/(\S*[^\s,])\s+(\d+)w/g)) {
      candidates.push([Number(match[2]), match[1]]);
    }
    candidates.sort((a, b) => a[0] - b[0]);
    const best = candidates.find(([width]) => width >= limits.width) || candidates.at(-1);
    const isWider = best && best[0] > image.naturalWidth;
    try { return isWider ? new URL(best[1], document.baseURI).href : source(image); } catch { return source(image); }
  };
  const preparePicture = (image, clone) => {
    const current = source(image);
    if (!current) return;
    if (image.width > 1) {
      clone.setAttribute("width", image.width);
      clone.setAttribute("height", image.height);
    }
    clone.removeAttribute("loading");
    clone.setAttribute("src", current);
    if (!isReachable(image)) return;
    for (const name of ["srcset", "sizes"]) clone.removeAttribute(name);
    if (image.naturalWidth * image.naturalHeight < limits.pixels) return;
    const url = bestSource(image).replace(/#.*/, "");
    clone.setAttribute("src", url);
    if (toFetch.size < limits.pictures && url.length < 2000) toFetch.set(url, { image, clone });
  };
  const fetchPicture = async (url, signal) => {
    const response = await fetch(url, { credentials: "include", cache: "force-cache", signal });
    const blob = await response.blob();
    if (!response.ok || !/^image\//.test(blob.type)) throw new Error("no picture");
    return blob;
  };
  // Draw a picture as on the screen if the page's policy forbids fetching it again.
  const drawPicture = (image, type) => new Promise((resolve, reject) => {
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    canvas.getContext("2d").drawImage(image, 0, 0);
    canvas.toBlob((blob) => blob ? resolve(blob) : reject(new Error("not drawn")), type, 0.92);
  });
  const dataUrl = (blob) => new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = reject;
    reader.readAsDataURL(blob);
  });
  const fetchPictures = async () => {
    const signal = AbortSignal.timeout(limits.seconds * 1000);
    const pictures = {}, queue = [...toFetch];
    let room = limits.totalBytes;
    const fetchOne = async (url, { image, clone }) => {
      let blob;
      try { blob = await fetchPicture(url, signal); } catch {
        blob = await drawPicture(image, /\.jpe?g\b/i.test(url) ? "image/jpeg" : "image/png");
        if (blob.size > limits.bytes) blob = await drawPicture(image, "image/jpeg");
      }
      if (blob.size > limits.bytes || blob.size > room) return;
      room -= blob.size;
      if (url.startsWith("blob:")) clone.setAttribute("src", await dataUrl(blob));
      else pictures[url] = await dataUrl(blob);
    };
    const work = async () => {
      while (queue.length && !signal.aborted) await fetchOne(...queue.shift()).catch(() => {});
    };
    await Promise.all(Array.from({ length: limits.parallel }, work));
    return pictures;
  };

  const copyBody = () => {
    const selection = getSelection();
    if (!selection || selection.isCollapsed || !String(selection).trim()) return copy(document.body);
    const article = document.createElement("article");
    const title = document.createElement("h1");
    title.textContent = document.title;
    article.append(title);
    for (let n = 0; n < selection.rangeCount; n++) copyChildren(article, [...selectedNodes(selection.getRangeAt(n))]);
    const body = document.createElement("body");
    body.append(article);
    return body;
  };
  // The nodes of a selection are clones, so remember the loaded pictures they were made from.
  const selectedNodes = (range) => {
    const clone = range.cloneContents();
    const images = [...document.images].filter((image) => range.intersectsNode(image));
    const clones = [...clone.querySelectorAll("img")];
    if (images.length === clones.length) clones.forEach((image, n) => originals.set(image, images[n]));
    return clone.childNodes;
  };

  const url = location.href.replace(/#.*/, "");
  try {
    const root = document.documentElement.cloneNode(false).outerHTML.replace(/<\/html>$/, "");
    const head = document.head ? copy(document.head).innerHTML : "";
    const body = copyBody();
    const pictures = await fetchPictures();
    return { url, html: `<!doctype html>${root}<head>${head}</head>${body.outerHTML}</html>`, pictures };
  } catch {
    return { url, html: document.documentElement.outerHTML, pictures: {} };
  }
})();
