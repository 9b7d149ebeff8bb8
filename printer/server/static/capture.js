// Capture the page as its reader sees it: open shadow roots are replaced by what they show, a
// selection replaces the page, and pictures that perhaps only this browser can fetch are included.
// One expression, a promise of {url, html, pictures, missing}; the bookmarklet and the extension share
// it.  It reports its progress by events of the document.
(async () => {
  const limits = {
    pictures: 60, bytes: 5e6, totalBytes: 12e6, seconds: 4, lazySeconds: 12, parallel: 6, pixels: 10000, width: 1600,
  };
  const dropped = new Set(["SCRIPT", "STYLE", "LINK", "TEMPLATE", "OBJECT", "EMBED", "DIALOG"]);
  const fields = "input, textarea, select, option";
  const lazySets = ["data-srcset", "data-lazy-srcset"];
  const lazyNames = ["data-src", "data-lazy-src", "data-original"];
  const toFetch = new Map(), originals = new Map();
  const original = (node) => originals.get(node) || node;

  // Copy a node, replacing the hidden children of open shadow roots by what is shown.
  const copy = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.cloneNode();
    if (node.nodeType !== Node.ELEMENT_NODE || isDropped(node)) return null;
    if (node.tagName === "SLOT" && node.getRootNode() instanceof ShadowRoot) return copySlot(node);
    if (node.tagName === "CANVAS") return copyCanvas(node);
    const clone = node.cloneNode(false);
    if (clone.matches(fields)) clone.removeAttribute("value");
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
  // A picture that this browser fetches needs no other versions.
  const isDropped = (node) => {
    if (dropped.has(node.tagName.toUpperCase())) return node.type !== "application/ld+json";
    const image = node.tagName === "SOURCE" && node.closest("picture")?.querySelector("img");
    return Boolean(image) && isReachable(original(image));
  };
  const copySlot = (node) => {
    const assigned = node.assignedNodes();
    return copyChildren(document.createElement("span"), assigned.length ? assigned : node.childNodes);
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
    try { url = new URL(lazySource(image) || source(image)); } catch { return false; }
    if (url.protocol === "blob:") return true;
    const site = (name) => /^[\d.]+$|:/.test(name) ? name : name.split(".").slice(-2).join(".");
    const sameSite = url.origin === location.origin || site(url.hostname) === site(location.hostname);
    return /^https?:$/.test(url.protocol) && (sameSite || image.crossOrigin !== null);
  };
  const absolute = (address) => {
    try { return new URL(address, document.baseURI).href.replace(/#.*/, ""); } catch { return ""; }
  };
  // Return the version of a set that is best for print: its width and address.
  const bestOfSet = (set) => {
    const candidates = [];
    for (const match of (set || "").matchAll(/(\S*[^\s,])(?:\s+([\d.]+)([wx]))?\s*(?:,|$)/g)) {
      candidates.push([match[3] === "x" ? 400 * match[2] : Number(match[2] || 1), match[1]]);
    }
    candidates.sort((a, b) => a[0] - b[0]);
    return candidates.find(([width]) => width >= limits.width) || candidates.at(-1);
  };
  const bestSource = (image) => {
    const best = /\dw/.test(image.getAttribute("srcset") || "") && bestOfSet(image.getAttribute("srcset"));
    return best && best[0] > image.naturalWidth && absolute(best[1]) || source(image);
  };
  const firstAttribute = (node, names) => names.map((name) => node.getAttribute(name)).find(
    (text) => text && !text.startsWith("data:"),
  );
  // A picture that could not be loaded has no other address than the one that failed.
  const isBroken = (image) => image.complete && image.currentSrc && !image.naturalWidth
    && !lazyNames.some((name) => image.hasAttribute(name));
  // Return the address of a picture that the page has not loaded yet, below the fold for example.
  const lazySource = (image) => {
    const isLoaded = image.naturalWidth > 0;
    if (image.naturalWidth * image.naturalHeight >= limits.pixels || isBroken(image)) return "";
    const sources = isLoaded ? [] : image.parentElement?.closest("picture")?.querySelectorAll("source") || [];
    for (const node of [image, ...sources]) {
      const best = bestOfSet(firstAttribute(node, isLoaded ? lazySets : [...lazySets, "srcset"]));
      if (best) return absolute(best[1]);
    }
    const address = firstAttribute(image, isLoaded ? lazyNames : [...lazyNames, "src"]);
    return address ? absolute(address) : "";
  };
  let missing = 0, isAnyLazy = false;
  const fetchLater = (url, job) => {
    if (toFetch.has(url)) return;
    if (toFetch.size < limits.pictures && url.length < 2000) toFetch.set(url, job);
    else if (job.lazy) missing += 1;
  };
  const preparePicture = (image, clone) => {
    const lazy = lazySource(image);
    if (lazy) {
      if (!isReachable(image)) return; // The server fetches it from the other site.
      for (const { name } of Array.from(clone.attributes)) {
        if (/^(loading|srcset|sizes|data-.*(src|original).*)$/.test(name)) clone.removeAttribute(name);
      }
      clone.setAttribute("src", lazy);
      isAnyLazy = true;
      fetchLater(lazy, { clone, lazy: true });
      return;
    }
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
    fetchLater(url, { image, clone, lazy: false });
  };
  const fetchPicture = async (url, signal) => {
    const response = await fetch(url, { credentials: "include", cache: "force-cache", signal });
    const blob = await response.blob();
    if (!response.ok || !blob.type.startsWith("image/")) throw new Error("no picture");
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
  // Load a picture as the page would; its policy allows that even if it forbids fetching.
  const loadPicture = async (url, signal) => {
    const image = new Image();
    image.src = url;
    const late = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    await Promise.race([image.decode(), late]);
    return image;
  };
  const dataUrl = (blob) => new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result));
    reader.addEventListener("error", reject);
    reader.readAsDataURL(blob);
  });
  const fetchPictures = async () => {
    const signal = AbortSignal.timeout((isAnyLazy ? limits.lazySeconds : limits.seconds) * 1000);
    const pictures = {}, queue = [...toFetch];
    let room = limits.totalBytes, done = 0;
    const fetchOne = async (url, { image: loaded, clone }) => {
      let blob;
      try { blob = await fetchPicture(url, signal); } catch {
        const image = loaded || await loadPicture(url, signal);
        blob = await drawPicture(image, /\.jpe?g\b/i.test(url) ? "image/jpeg" : "image/png");
        if (blob.size > limits.bytes) blob = await drawPicture(image, "image/jpeg");
      }
      if (blob.size > limits.bytes || blob.size > room) throw new Error("too large");
      room -= blob.size;
      if (url.startsWith("blob:")) clone.setAttribute("src", await dataUrl(blob));
      else pictures[url] = await dataUrl(blob);
    };
    const work = async () => {
      while (queue.length && !signal.aborted) {
        const [url, job] = queue.shift();
        await fetchOne(url, job).catch(() => { missing += job.lazy ? 1 : 0; });
        done += 1;
        document.dispatchEvent(new CustomEvent("webprint-progress", { detail: `${done} of ${toFetch.size}` }));
      }
    };
    await Promise.all(Array.from({ length: limits.parallel }, work));
    missing += queue.filter(([, job]) => job.lazy).length;
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
    return { url, html: `<!doctype html>${root}<head>${head}</head>${body.outerHTML}</html>`, pictures, missing };
  } catch { // The page has replaced something that is called above.
    const page = document.importNode(document.documentElement, true);
    const names = Array.from(dropped).join().toLowerCase();
    for (const node of page.querySelectorAll(names)) if (isDropped(node)) node.remove();
    for (const field of page.querySelectorAll(fields)) field.removeAttribute("value");
    return { url, html: page.outerHTML, pictures: {}, missing: 0 };
  }
})();
