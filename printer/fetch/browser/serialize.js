// Serializes the page after its scripts have run: its HTML as one string, and its layout.
//
// Shadow trees replace the content of their hosts, as displayed.  What a browser with scripts does
// not display (noscript) and what is no longer needed (scripts, templates) is omitted.  The copy is
// made in a separate document, where custom elements stay inert.
//
// Elements in the layout carry a number in the attribute `mark` of the copy.  The layout consists
// of flat lists of numbers, in whole pixels, which cost a fraction of nested objects:
//   boxes     number, display, left, top, right, bottom, visibility   (displays: their names)
//   texts     number, tail, font, left, top, right, bottom, visibility   (fonts: size, colour, weight)
//   graphics  number, background, width, height, left, top, right, bottom, visibility   (sources: src)
// A text leaf that is its element's only content has the element's box.
// `visibility` has the bits of printer.capture.Visibility.  Inline elements with nothing to report have
// no box.
// Returns JSON: the address, the media type, the HTML (null if longer than `limit`), and the layout
// (null if it has more than `most` entries).
((limit, mark, most) => {
  const NOT_DISPLAYED = 1, HIDDEN = 2, TRANSPARENT = 4, CLIPPED = 8, OFF_PAGE = 16, LAYER = 32,
    OUT_OF_FLOW = 64;
  const INLINE = 1, DRAWN = 2, UNREAD = 4, GONE = 8, SCRIPT = 16;
  const LONGEST = 10000;
  const inert = document.implementation.createHTMLDocument("");
  const runs = /^(|module|importmap|speculationrules|(text|application)\/(x-)?(java|ecma)script)$/i;
  const kinds = new Map();
  for (const [kind, names] of [
    [INLINE, "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q rb rp rt " +
      "ruby s samp small span strike strong sub sup time tt u var wbr br"],
    [DRAWN, "img svg video canvas iframe object embed"],
    [UNREAD, "head svg math select textarea iframe object video audio"],
    [GONE, "noscript template"], [SCRIPT, "script"],
  ]) for (const name of names.split(" ")) kinds.set(name, kinds.get(name) | kind);
  // Returns the nodes displayed inside an element if they are not its children.
  const replaced = (node, name) => {
    if (node.shadowRoot) return node.shadowRoot.childNodes;
    if (name === "slot" && node.assignedNodes) {
      const given = node.assignedNodes();
      if (given.length) return given;
    }
    return null;
  };

  // This runs once, uncompiled, so that a call of our own functions costs about as much as one of
  // the browser's: code that runs for every element and text is inlined, and queries only what it
  // needs.
  const displays = new Map(), fonts = new Map();
  const boxes = [], texts = [], graphics = [], sources = [];
  let told = 0, numbers = 0;
  let size = "", color = "", weight = "", font = 0, faint = 0;  // of the last text
  let shown = "", display = 0;  // of the last box
  const range = document.createRange();
  const x = scrollX, y = scrollY;  // Read once: each read checks whether the layout is up to date.
  const right = Math.max(innerWidth, document.documentElement.clientWidth);
  const px = (value) => value > -1e6 && value < 1e6 ? Math.round(value)
    : value > 0 ? 1e6 : value < 0 ? -1e6 : 0;
  const index = (map, key) => {
    let at = map.get(key);
    if (at === undefined) map.set(key, (at = map.size));
    return at;
  };
  const numbered = (item) => {
    if (item.number === 0) {
      item.number = ++numbers;
      item.copy.setAttribute(mark, item.number);
    }
    return item.number;
  };
  const narrowed = (clip, left, top, end, bottom) => clip === null
    ? [left, top, end, bottom]
    : [Math.max(clip[0], left), Math.max(clip[1], top),
       Math.min(clip[2], end), Math.min(clip[3], bottom)];

  // An element being serialized: its copy, and what its content inherits: the visibility, the clips
  // of content in the flow and of content lifted out of it, whether it can be scrolled into view
  // sideways.
  class Item {
    constructor(source, name, copy, above) {
      this.source = source;
      this.name = name;
      this.copy = copy;
      this.number = 0;
      this.measured = false;
      this.visibility = above.visibility;
      this.clip = above.clip;
      this.lifted = above.lifted;
      this.roams = above.roams;
      this.style = null;
      this.rect = null;
      this.plain = false;
      this.font = -1;
      this.faint = 0;
    }
  }
  // Appends a rectangle and its visibility, with flags if it is clipped or off the page.
  const put = (list, rect, visibility, clip, roams) => {
    const left = rect.x, top = rect.y, end = left + rect.width, bottom = top + rect.height;
    if (clip !== null && (end <= clip[0] || left >= clip[2] || bottom <= clip[1] || top >= clip[3]))
      visibility |= CLIPPED;
    if (end + x <= 0 || bottom + y <= 0 || (!roams && left + x >= right)) visibility |= OFF_PAGE;
    list.push(px(left + x), px(top + y), px(end + x), px(bottom + y), visibility);
  };
  const image = (item, clip) => {
    const source = item.source;
    const src = source.currentSrc || source.src || source.poster || source.data || "";
    graphics.push(numbered(item), 0, px(source.naturalWidth || source.videoWidth || 0),
                  px(source.naturalHeight || source.videoHeight || 0));
    put(graphics, item.rect, item.visibility, clip, item.roams);
    sources.push(typeof src === "string" && src.length < LONGEST ? src : "");
    told++;
  };
  const background = (item, clip) => {
    if (item.rect.width < 80 || item.rect.height < 60 || sources.length > 2000) return;
    const value = item.style.backgroundImage;
    if (value === "none" || value.length >= LONGEST) return;
    const found = /url\("((?:https?|data):[^"]*)"\)/.exec(value);
    if (!found) return;
    graphics.push(numbered(item), 1, 0, 0);
    put(graphics, item.rect, item.visibility, clip, item.roams);
    sources.push(found[1]);
    told++;
  };
  const measure = (item, kind) => {
    const source = item.source;
    const style = (item.style = getComputedStyle(source));
    let value = style.display;
    if (value === "none") {
      told++;
      boxes.push(numbered(item), index(displays, value), 0, 0, 0, 0, item.visibility | NOT_DISPLAYED);
      return;
    }
    item.measured = true;
    item.visibility &= ~HIDDEN;
    if (style.visibility !== "visible") item.visibility |= HIDDEN;
    if (style.opacity === "0") item.visibility |= TRANSPARENT;
    item.plain = value === "inline" && (kind & INLINE) !== 0;
    const position = style.position;
    const still = position === "static";
    if (item.plain && still) return;
    const away = position === "absolute" || position === "fixed";
    if (!still) {
      if (position === "fixed" || position === "sticky") item.visibility |= LAYER;
      if (position === "fixed") item.clip = item.lifted = null;
      if (position === "absolute") { item.visibility |= OUT_OF_FLOW; item.clip = item.lifted; }
    }
    if (value === "contents") return;
    const rect = (item.rect = source.getBoundingClientRect());
    // Lifted out of the line, also by a float (drop caps), it is a block but breaks no line.
    if ((kind & INLINE) && value === "block" && (away || style.float !== "none"))
      value = "inline-block";
    told++;
    if (value !== shown) { shown = value; display = index(displays, value); }
    const clip = item.clip;
    boxes.push(numbered(item), display);
    put(boxes, rect, item.visibility, clip, item.roams);
    if (kind & DRAWN) image(item, clip);
    else background(item, clip);
    if (item.name === "html" || item.name === "body") return;
    const overflow = value === "inline" ? "visible" : style.overflowX;
    if (overflow !== "visible") {
      if (overflow === "hidden" || overflow === "clip")
        item.clip = narrowed(clip, rect.left, rect.top, rect.right, rect.bottom);
      else { item.roams = true; item.clip = null; }
      if (item.clip === null && style.overflowY === "hidden")
        item.clip = [-Infinity, rect.top, Infinity, rect.bottom];
    }
    if (away) {
      const cut = style.clip;
      if (cut !== "auto" && /rect\((0|1)px,? (0|1)px,? (0|1)px,? (0|1)px\)/.test(cut))
        item.clip = [0, 0, 0, 0];
    }
    if (!still || overflow === "clip") item.lifted = item.clip;
  };
  const write = (node, item, last) => {
    const style = item.style;
    if (item.font < 0) {
      const [one, other, third] = [style.fontSize, style.color, style.fontWeight];
      if (one !== size || other !== color || third !== weight) {
        size = one; color = other; weight = third;
        const letters = parseFloat(size) || 0;
        const glass = color.startsWith("rgba(") && color.endsWith(", 0)");
        faint = letters < 1 || glass ? TRANSPARENT : 0;
        font = index(fonts, `${Math.round(letters * 10) / 10}|${color}|${weight}`);
      }
      item.font = font;
      item.faint = faint;
    }
    let rect = item.rect;
    if (node.previousSibling || node.nextSibling || !(rect || item.plain)) {
      range.selectNode(node);
      rect = range.getBoundingClientRect();
    } else if (!rect) rect = item.source.getBoundingClientRect();  // at half the cost
    const visibility = item.visibility | item.faint;
    told++;
    texts.push(numbered(last || item), last === null ? 0 : 1, item.font);
    if (rect.width && rect.height) put(texts, rect, visibility, item.clip, item.roams);
    else texts.push(px(rect.left + x), px(rect.top + y),
                    px(rect.right + x), px(rect.bottom + y), visibility | NOT_DISPLAYED);
  };

  // Walk the page and its copy side by side.
  const page = document.documentElement;
  const root = inert.importNode(page, true);
  const whole = { visibility: 0, clip: null, lifted: null, roams: false };
  const work = [new Item(page, page.localName, root, whole)];
  if (most) measure(work[0], 0);
  while (work.length) {
    const item = work.pop();
    const source = item.source, target = item.copy;
    const given = replaced(source, item.name);
    if (given) target.replaceChildren(...[...given].map((node) => inert.importNode(node, true)));
    let at = 0, child = given ? given[0] : source.firstChild;
    let copy = target.firstChild, last = null;
    while (child && copy) {
      const following = copy.nextSibling;
      const type = child.nodeType;
      if (type === 1) {
        const name = child.localName;
        const kind = kinds.get(name) | 0;
        if (kind & GONE || (kind & SCRIPT && runs.test((child.type || "").trim()))) copy.remove();
        else {
          last = new Item(child, name, copy, item);
          if (item.measured && told < most) {
            measure(last, kind);
            if (kind & UNREAD) last.measured = false;
          }
          work.push(last);
        }
      } else if (type === 3 || type === 4) {
        if (item.measured && told < most && /\S/.test(child.data)) write(child, item, last);
      } else copy.remove();
      copy = following;
      child = given ? given[++at] : child.nextSibling;
    }
  }
  const html = `<!DOCTYPE html>\n${root.outerHTML}`;
  const xhtml = document.contentType.endsWith("xml") && root instanceof HTMLHtmlElement;
  return JSON.stringify({
    url: document.URL,
    type: xhtml ? "application/xhtml+xml" : document.contentType,
    html: html.length > limit ? null : html,
    layout: !most || told >= most ? null : {
      displays: [...displays.keys()], fonts: [...fonts.keys()],
      boxes, texts, graphics, sources,
    },
  });
})
