// The page as its reader sees it: what shadow roots show in its place, what is selected alone if
// anything is, and the pictures that only this browser may be able to fetch.  One expression, a
// promise of {url, html, pictures}; the bookmarklet and the extension run the same file.
(async () => {
  const most = { pictures: 60, one: 5e6, together: 12e6, seconds: 4, at_once: 6, least: 10000, wide: 1600 };
  const dropped = new Set(["SCRIPT", "STYLE", "LINK", "TEMPLATE", "OBJECT", "EMBED", "DIALOG"]);
  const wanted = new Map(), originals = new Map();
  const original = (node) => originals.get(node) || node;

  // A copy of a node with what open shadow roots show in the place of what they hide.
  const copy = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.cloneNode();
    if (node.nodeType !== Node.ELEMENT_NODE) return null;
    if (dropped.has(node.tagName) && node.type !== "application/ld+json") return null;
    if (node.tagName === "SLOT" && node.getRootNode() instanceof ShadowRoot) {
      const shown = node.assignedNodes();
      return fill(document.createElement("span"), shown.length ? shown : node.childNodes);
    }
    if (node.tagName === "CANVAS") return canvas(node);
    if (node.tagName === "SOURCE" && node.parentNode.tagName === "PICTURE") {
      const image = node.parentNode.querySelector("img");
      if (image && reachable(original(image))) return null;
    }
    const made = node.cloneNode(false);
    if (/^(INPUT|TEXTAREA|SELECT|OPTION)$/.test(node.tagName)) made.removeAttribute("value");
    if (node.tagName === "IMG") picture(original(node), made);
    return fill(made, (node.shadowRoot || node).childNodes);
  };
  const fill = (made, nodes) => {
    for (const node of nodes) {
      const part = copy(node);
      if (part) made.append(part);
    }
    return made;
  };
  const canvas = (node) => {
    try {
      const image = document.createElement("img");
      image.src = node.toDataURL("image/png");
      image.width = node.width;
      image.height = node.height;
      return node.width > 50 ? image : null;
    } catch { return null; }
  };

  // Pictures.  One of this site is sent along: the server has none of its cookies.
  const source = (image) => image.naturalWidth ? image.currentSrc || image.src : "";
  const reachable = (image) => {
    let url;
    try { url = new URL(source(image)); } catch { return false; }
    if (url.protocol === "blob:") return true;
    const site = (name) => /^[\d.]+$|:/.test(name) ? name : name.split(".").slice(-2).join(".");
    const own = url.origin === location.origin || site(url.hostname) === site(location.hostname);
    return /^https?:$/.test(url.protocol) && (own || image.crossOrigin !== null);
  };
  // The version of a picture that is best for print, of those that the page offers.
  const best = (image) => {
    const offered = [];
    for (const each of (image.getAttribute("srcset") || "").matchAll(/(\S*[^\s,])\s+(\d+)w/g)) {
      offered.push([Number(each[2]), each[1]]);
    }
    offered.sort((one, other) => one[0] - other[0]);
    const found = offered.find(([width]) => width >= most.wide) || offered.at(-1);
    const wider = found && found[0] > image.naturalWidth;
    try { return wider ? new URL(found[1], document.baseURI).href : source(image); } catch { return source(image); }
  };
  const picture = (image, made) => {
    const shown = source(image);
    if (!shown) return;
    if (image.width > 1) {
      made.setAttribute("width", image.width);
      made.setAttribute("height", image.height);
    }
    made.removeAttribute("loading");
    made.setAttribute("src", shown);
    if (!reachable(image)) return;
    for (const name of ["srcset", "sizes"]) made.removeAttribute(name);
    if (image.naturalWidth * image.naturalHeight < most.least) return;
    const url = best(image).replace(/#.*/, "");
    made.setAttribute("src", url);
    if (wanted.size < most.pictures && url.length < 2000) wanted.set(url, { image, made });
  };
  const fetched = async (url, signal) => {
    const answer = await fetch(url, { credentials: "include", cache: "force-cache", signal });
    const blob = await answer.blob();
    if (!answer.ok || !/^image\//.test(blob.type)) throw new Error("no picture");
    return blob;
  };
  // As it was drawn, where the page's policy forbids to fetch it again.
  const drawn = (image, type) => new Promise((done, failed) => {
    const paper = document.createElement("canvas");
    paper.width = image.naturalWidth;
    paper.height = image.naturalHeight;
    paper.getContext("2d").drawImage(image, 0, 0);
    paper.toBlob((blob) => blob ? done(blob) : failed(new Error("not drawn")), type, 0.92);
  });
  const data = (blob) => new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = failed;
    reader.readAsDataURL(blob);
  });
  const pictures = async () => {
    const signal = AbortSignal.timeout(most.seconds * 1000);
    const found = {}, waiting = [...wanted];
    let left = most.together;
    const one = async (url, { image, made }) => {
      let blob;
      try { blob = await fetched(url, signal); } catch {
        blob = await drawn(image, /\.jpe?g\b/i.test(url) ? "image/jpeg" : "image/png");
        if (blob.size > most.one) blob = await drawn(image, "image/jpeg");
      }
      if (blob.size > most.one || blob.size > left) return;
      left -= blob.size;
      if (url.startsWith("blob:")) made.setAttribute("src", await data(blob));
      else found[url] = await data(blob);
    };
    const some = async () => {
      while (waiting.length && !signal.aborted) await one(...waiting.shift()).catch(() => {});
    };
    await Promise.all(Array.from({ length: most.at_once }, some));
    return found;
  };

  const body = () => {
    const chosen = getSelection();
    if (!chosen || chosen.isCollapsed || !String(chosen).trim()) return copy(document.body);
    const article = document.createElement("article");
    const title = document.createElement("h1");
    title.textContent = document.title;
    article.append(title);
    for (let n = 0; n < chosen.rangeCount; n++) fill(article, [...selected(chosen.getRangeAt(n))]);
    const made = document.createElement("body");
    made.append(article);
    return made;
  };
  // The nodes of a selection; its pictures are loaded, as those of a clone are not.
  const selected = (range) => {
    const clone = range.cloneContents();
    const all = [...document.images].filter((image) => range.intersectsNode(image));
    const same = [...clone.querySelectorAll("img")];
    if (all.length === same.length) same.forEach((image, n) => originals.set(image, all[n]));
    return clone.childNodes;
  };

  const url = location.href.replace(/#.*/, "");
  try {
    const root = document.documentElement.cloneNode(false).outerHTML.replace(/<\/html>$/, "");
    const head = document.head ? copy(document.head).innerHTML : "";
    const made = body();
    const sent = await pictures();
    return { url, html: `<!doctype html>${root}<head>${head}</head>${made.outerHTML}</html>`, pictures: sent };
  } catch {
    return { url, html: document.documentElement.outerHTML, pictures: {} };
  }
})();
