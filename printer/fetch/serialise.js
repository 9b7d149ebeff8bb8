// The page as it stands after its scripts, as one string of HTML, and as it is drawn.
//
// Shadow trees are laid out in place of their hosts, as they are shown.  What a browser with
// scripts does not show (noscript) and what has done its work (scripts, templates) is left out.
// The copy lives in a document of its own, where no custom element can come to life.
//
// Elements that something is told about carry a number in the attribute `mark` of the copy.  All
// is told as flat lists of numbers, whole pixels, which cost a fraction of nested objects:
//   boxes     number, display, left, top, right, bottom, sight   (displays: their names)
//   texts     number, tail, font, left, top, right, bottom, sight   (fonts: size, colour, weight)
//   graphics  number, background, width, height, left, top, right, bottom, sight   (sources: src)
// Of a text leaf that is all its element holds the element's box is told.
// `sight` has the bits of printer.model.Sight.  Inline elements with nothing to tell of have no box.
// Returns JSON: the address, the media type, the HTML (null when longer than `limit`), and the
// layout (null when there is more to tell of than `most`).
((limit, mark, most) => {
  const [NONE, INVISIBLE, TRANSPARENT, CLIPPED, AWAY, LAYER, LIFTED] = [1, 2, 4, 8, 16, 32, 64];
  const LONGEST = 10000;
  const inert = document.implementation.createHTMLDocument("");
  const runs = /^(|module|importmap|speculationrules|(text|application)\/(x-)?(java|ecma)script)$/i;
  const inline = new Set(("a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd " +
    "mark q rb rp rt ruby s samp small span strike strong sub sup time tt u var wbr br").split(" "));
  const drawn = new Set("img svg video canvas iframe object embed".split(" "));
  const unread = new Set("head svg math select textarea iframe object video audio".split(" "));
  const skipped = (node) =>
    node.localName === "noscript" ||
    node.localName === "template" ||
    (node.localName === "script" && runs.test((node.type || "").trim()));
  // What is shown of an element's inside when that is not its children.
  const replaced = (node) => {
    if (node.shadowRoot) return node.shadowRoot.childNodes;
    if (node.localName === "slot" && node.assignedNodes) {
      const given = node.assignedNodes();
      if (given.length) return given;
    }
    return null;
  };

  const displays = new Map(), fonts = new Map(), numbers = new Map();
  const boxes = [], texts = [], graphics = [], sources = [];
  let told = 0;
  const range = document.createRange();
  const x = scrollX, y = scrollY;  // Asked once: each asks whether the layout is still right.
  const right = Math.max(innerWidth, document.documentElement.clientWidth);
  const px = (value) => Math.max(-1e6, Math.min(1e6, Math.round(value))) || 0;
  const index = (map, key) => {
    let at = map.get(key);
    if (at === undefined) map.set(key, (at = map.size));
    return at;
  };
  const number = (copy) => {
    let found = numbers.get(copy);
    if (found === undefined) {
      numbers.set(copy, (found = numbers.size + 1));
      copy.setAttribute(mark, found);
    }
    return found;
  };
  // Where a rectangle stands, and what of `sight` that alone tells.
  const placed = (rect, clip, roams) => {
    let sight = 0;
    if (clip && (rect.right <= clip[0] || rect.left >= clip[2] ||
                 rect.bottom <= clip[1] || rect.top >= clip[3])) sight |= CLIPPED;
    if (rect.right + x <= 0 || rect.bottom + y <= 0) sight |= AWAY;
    else if (!roams && rect.left + x >= right) sight |= AWAY;
    return sight;
  };
  const put = (list, rect, sight) => {
    list.push(px(rect.left + x), px(rect.top + y),
              px(rect.right + x), px(rect.bottom + y), sight);
  };
  const narrowed = (clip, rect) => clip === null
    ? [rect.left, rect.top, rect.right, rect.bottom]
    : [Math.max(clip[0], rect.left), Math.max(clip[1], rect.top),
       Math.min(clip[2], rect.right), Math.min(clip[3], rect.bottom)];
  const image = (source, copy, rect, sight) => {
    const src = source.currentSrc || source.src || source.poster || source.data || "";
    const text = typeof src === "string" && src.length < LONGEST ? src : "";
    graphics.push(number(copy), 0, px(source.naturalWidth || source.videoWidth || 0),
                  px(source.naturalHeight || source.videoHeight || 0));
    put(graphics, rect, sight);
    sources.push(text);
    told++;
  };
  const background = (style, copy, rect, sight) => {
    if (rect.width < 80 || rect.height < 60 || sources.length > 2000) return;
    const value = style.backgroundImage;
    if (value === "none" || value.length >= LONGEST) return;
    const found = /url\("((?:https?|data):[^"]*)"\)/.exec(value);
    if (!found) return;
    graphics.push(number(copy), 1, 0, 0);
    put(graphics, rect, sight);
    sources.push(found[1]);
    told++;
  };
  // What is handed down: how it is seen, the clip of what flows and of what is lifted out of the
  // flow, whether it may be scrolled into view sideways; null where nothing is measured.
  const measured = (source, copy, above) => {
    const name = source.localName;
    const style = getComputedStyle(source);
    let display = style.display;
    if (display === "none") {
      told++;
      boxes.push(number(copy), index(displays, display), 0, 0, 0, 0, above.sight | NONE);
      return null;
    }
    const plain = display === "inline" && inline.has(name);
    const state = { sight: above.sight & ~INVISIBLE, clip: above.clip, lifted: above.lifted,
                    roams: above.roams, style, rect: null, plain: false, font: undefined, faint: 0 };
    if (style.visibility !== "visible") state.sight |= INVISIBLE;
    if (style.opacity === "0") state.sight |= TRANSPARENT;
    state.plain = plain;
    if (plain && style.position === "static") return state;
    const position = style.position;
    if (position === "fixed" || position === "sticky") state.sight |= LAYER;
    if (position === "fixed") state.clip = state.lifted = null;
    if (position === "absolute") { state.sight |= LIFTED; state.clip = above.lifted; }
    if (display === "contents") return state;
    const rect = (state.rect = source.getBoundingClientRect());
    const sight = state.sight | placed(rect, state.clip, state.roams);
    // Lifted out of the line, by a float as well (drop caps), it is a block but breaks no line.
    if (inline.has(name) && display === "block" &&
        (position === "absolute" || position === "fixed" || style.float !== "none"))
      display = "inline-block";
    told++;
    boxes.push(number(copy), index(displays, display));
    put(boxes, rect, sight);
    if (drawn.has(name)) image(source, copy, rect, sight);
    else background(style, copy, rect, sight);
    const overflow = display === "inline" ? "visible" : style.overflowX;
    if (name === "html" || name === "body") return state;
    if (overflow === "hidden" || overflow === "clip") state.clip = narrowed(state.clip, rect);
    else if (overflow !== "visible") { state.roams = true; state.clip = null; }
    if (overflow !== "visible" && style.overflowY === "hidden" && state.clip === null)
      state.clip = [-Infinity, rect.top, Infinity, rect.bottom];
    const cut = style.clip;
    if (cut && cut !== "auto" && /rect\((0|1)px,? (0|1)px,? (0|1)px,? (0|1)px\)/.test(cut))
      state.clip = [0, 0, 0, 0];
    if (position !== "static" || overflow === "clip") state.lifted = state.clip;
    return state;
  };
  const write = (node, source, target, last, state) => {
    const style = state.style;
    if (state.font === undefined) {
      const size = parseFloat(style.fontSize) || 0;
      const color = style.color;
      const glass = color.startsWith("rgba(") && color.endsWith(", 0)");
      state.faint = size < 1 || glass ? TRANSPARENT : 0;
      state.font = index(fonts, Math.round(size * 10) / 10 + "|" + color + "|" + style.fontWeight);
    }
    let rect = state.rect;
    if (node.previousSibling || node.nextSibling || !(rect || state.plain)) {
      range.selectNode(node);
      rect = range.getBoundingClientRect();
    } else if (!rect) rect = source.getBoundingClientRect();  // at half the cost
    const sight = state.sight | state.faint |
      (rect.width && rect.height ? placed(rect, state.clip, state.roams) : NONE);
    told++;
    texts.push(number(last || target), last === null ? 0 : 1, state.font);
    put(texts, rect, sight);
  };

  // The page and its copy are walked side by side.
  const root = inert.importNode(document.documentElement, true);
  const whole = { sight: 0, clip: null, lifted: null, roams: false };
  const work = [[document.documentElement, root,
                 most ? measured(document.documentElement, root, whole) : null]];
  while (work.length) {
    const [source, target, state] = work.pop();
    const given = replaced(source);
    if (given) target.replaceChildren(...[...given].map((node) => inert.importNode(node, true)));
    let at = 0, child = given ? given[0] : source.firstChild;
    let copy = target.firstChild, last = null;
    while (child && copy) {
      const following = copy.nextSibling;
      const kind = child.nodeType;
      if (kind === 1) {
        if (skipped(child)) copy.remove();
        else {
          const inner = state !== null && told < most ? measured(child, copy, state) : null;
          work.push([child, copy, unread.has(child.localName) ? null : inner]);
          last = copy;
        }
      } else if (kind === 3 || kind === 4) {
        if (state !== null && told < most && /\S/.test(child.data))
          write(child, source, target, last, state);
      } else copy.remove();
      copy = following;
      child = given ? given[++at] : child.nextSibling;
    }
  }
  const html = "<!DOCTYPE html>\n" + root.outerHTML;
  const xhtml = /xml$/.test(document.contentType) && root instanceof HTMLHtmlElement;
  const page = document.documentElement;
  return JSON.stringify({
    url: document.URL,
    type: xhtml ? "application/xhtml+xml" : document.contentType,
    html: html.length > limit ? null : html,
    layout: !most || told >= most ? null : {
      width: px(page.scrollWidth), height: px(page.scrollHeight), view: px(right),
      displays: [...displays.keys()], fonts: [...fonts.keys()],
      boxes, texts, graphics, sources,
    },
  });
})
