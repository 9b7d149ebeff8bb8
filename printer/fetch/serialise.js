// The page as it stands after its scripts, as one string of HTML.
//
// Shadow trees are laid out in place of their hosts, as they are shown.  What a browser with
// scripts does not show (noscript) and what has done its work (scripts, templates) is left out.
// The copy lives in a document of its own, where no custom element can come to life.
// Returns JSON: the address, the media type, and the HTML (null when longer than the limit).
((limit) => {
  const inert = document.implementation.createHTMLDocument("");
  const runs = /^(|module|importmap|speculationrules|(text|application)\/(x-)?(java|ecma)script)$/i;
  const skipped = (node) =>
    node.localName === "noscript" ||
    node.localName === "template" ||
    (node.localName === "script" && runs.test((node.type || "").trim()));
  const shown = (node) => {
    if (node.shadowRoot) return node.shadowRoot.childNodes;
    if (node.localName === "slot" && node.assignedNodes) {
      const given = node.assignedNodes();
      if (given.length) return given;
    }
    return node.childNodes;
  };
  const root = inert.importNode(document.documentElement, false);
  const work = [[document.documentElement, root]];
  while (work.length) {
    const [source, target] = work.pop();
    for (const child of shown(source)) {
      if (child.nodeType !== 1 && child.nodeType !== 3 && child.nodeType !== 4) continue;
      if (child.nodeType === 1 && skipped(child)) continue;
      const copy = inert.importNode(child, false);
      target.appendChild(copy);
      if (child.nodeType === 1) work.push([child, copy]);
    }
  }
  const html = "<!DOCTYPE html>\n" + root.outerHTML;
  const xhtml = /xml$/.test(document.contentType) && root instanceof HTMLHtmlElement;
  return JSON.stringify({
    url: document.URL,
    type: xhtml ? "application/xhtml+xml" : document.contentType,
    html: html.length > limit ? null : html,
  });
})
