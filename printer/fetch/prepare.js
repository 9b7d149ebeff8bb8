// Makes a page ready to be read as a reader would see all of its article.
//
// stirs()        whether the page may still change by itself: it has scripts or frames, or goes on
// ready(budget)  undoes locks on scrolling, lays open what of the article is folded away, wakes
//                pictures that load when they are seen, in `budget` milliseconds; whether that
//                may have made the page load something
//
// bare()         hides the layers over the page, for a picture of it
//
// Nothing is clicked that leads elsewhere or sends a form: only controls that say of themselves
// that they unfold a part of this page, where that part belongs to running text.
({
  stirs() {
    return document.scripts.length > 0 ||
      document.querySelector("iframe,frame,meta[http-equiv=refresh i]") !== null;
  },

  async ready(budget) {
    const end = performance.now() + budget;
    this.unlock();
    const opened = this.open();
    const woken = this.wake();
    if (opened || this.stirs()) await this.scroll(end);
    return opened || woken;
  },

  bare() {
    for (const element of [...document.querySelectorAll("body *")].slice(0, 20000))
      if (getComputedStyle(element).position === "fixed")
        element.style.setProperty("visibility", "hidden", "important");
  },

  // Layers that cover a page often keep it from scrolling, and what loads on scrolling away.
  unlock() {
    for (const element of [document.documentElement, document.body]) {
      if (!element) continue;
      const style = getComputedStyle(element);
      const set = (name, value) => element.style.setProperty(name, value, "important");
      if (style.overflowY === "hidden" || style.overflowY === "clip") set("overflow", "visible");
      if (style.position === "fixed") set("position", "static");
      if (style.filter.includes("blur")) set("filter", "none");
    }
  },

  open() {
    const folded = [...document.querySelectorAll("details:not([open])")].slice(0, 500);
    for (const details of folded) if (!this.apart(details)) details.open = true;
    let clicked = 0;
    const controls = [...document.querySelectorAll("[aria-expanded=false]")].slice(0, 500);
    for (const control of controls) {
      if (clicked >= 20) break;
      if (this.unfolds(control)) { control.click(); clicked++; }
    }
    this.unclip();
    return clicked > 0;
  },

  // Whether something stands among what is not the text: menus, forms, layers over the page.
  apart(element) {
    const away = "nav,header,footer,aside,form,dialog,menu,[role=navigation],[role=banner]," +
      "[role=contentinfo],[role=complementary],[role=menu],[role=menubar],[role=toolbar]," +
      "[role=dialog],[role=search],[role=tablist],[aria-haspopup]";
    return element.closest(away) !== null;
  },

  // Whether a control unfolds text of the article: it stands right by running text, leads nowhere,
  // and what it controls is not seen and neither a list of links nor a layer.
  unfolds(control) {
    if (this.apart(control)) return false;
    const link = control.closest("a[href]");
    if (link && !/^\s*#/.test(link.getAttribute("href"))) return false;
    if (control.localName === "select" || control.localName === "input") return false;
    const named = control.getAttribute("aria-controls");
    const around = control.closest("h1,h2,h3,h4,h5,h6,p") || control;
    const region = named
      ? document.getElementById(named.trim().split(/\s+/)[0])
      : around.nextElementSibling || around.previousElementSibling;
    if (!region || region.contains(control) && !named || this.apart(region)) return false;
    const position = getComputedStyle(region).position;
    if (position === "fixed" || position === "absolute") return false;
    if (region.textContent.trim() && !this.prose(region, 80)) return false;
    return this.near(region) || this.near(control);
  },

  // Whether running text stands right before or after an element, or after one it is the end of.
  near(element) {
    for (let at = element, up = 0; at && up < 4; at = at.parentElement, up++) {
      for (const next of [at.previousElementSibling, at.nextElementSibling])
        if (next && this.prose(next, 80)) return true;
    }
    return false;
  },

  // Whether an element holds so many characters of text that is not linked.
  prose(element, chars) {
    const text = (element.textContent || "").trim().length;
    if (text < chars) return false;
    let linked = 0;
    for (const link of [...element.querySelectorAll("a[href],button")].slice(0, 300))
      linked += link.textContent.trim().length;
    return linked < text / 2;
  },

  // Undoes limits of height that hide the rest of a text, with whatever shades its end.
  unclip() {
    let looked = 0;
    for (const element of document.querySelectorAll("div,section,article,main,p,span")) {
      if (++looked > 20000) return;
      if (element.scrollHeight <= element.clientHeight + 16 || element.clientHeight < 1) continue;
      if (element.scrollWidth > element.clientWidth + 16) continue;  // a row of slides
      const style = getComputedStyle(element);
      if (style.overflowY !== "hidden" && style.overflowY !== "clip") continue;
      if (style.position === "fixed" || this.apart(element)) continue;
      if (!this.prose(element, 200)) continue;
      for (const [name, value] of [["max-height", "none"], ["height", "auto"],
          ["overflow", "visible"], ["-webkit-line-clamp", "none"], ["mask-image", "none"]])
        element.style.setProperty(name, value, "important");
    }
  },

  wake() {
    const lazy = [...document.querySelectorAll("img[loading=lazy],iframe[loading=lazy]")];
    for (const element of lazy.slice(0, 500)) element.loading = "eager";
    return lazy.length > 0;
  },

  // Scrolls through the page once, so that what loads late loads, and back to its top.
  async scroll(end) {
    const page = document.scrollingElement || document.documentElement;
    for (let y = 0; y < page.scrollHeight && performance.now() < end; y += innerHeight) {
      scrollTo(0, y);
      await new Promise((done) => {  // what watches for it is told with the second frame
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
        setTimeout(done, 150);
      });
    }
    scrollTo(0, 0);
  },
})
