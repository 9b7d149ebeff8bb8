// Prepares a page for reading: unfolds all of its article and loads its pictures.
//
// stirs()        Returns whether the page may still change by itself: it has scripts or frames, or
//                refreshes.
// ready(budget)  Undoes scroll locks, unfolds the article and triggers lazy loading, in `budget`
//                milliseconds; returns whether that may have made the page load something.
//
// Only controls are clicked that claim, by ARIA or in words, to unfold a part of this page which
// belongs to running text; never links to other pages or buttons that submit forms.  Text already
// in the page is unfolded without a click.  After a click the page is kept from navigating.
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

  // Undoes the scroll locks of overlays, which also prevent loading on scroll.
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
    const closed = [...document.querySelectorAll("details:not([open])")].slice(0, 500);
    for (const details of closed) if (!this.apart(details)) details.open = true;
    let clicked = 0;
    const click = (control) => {
      if (clicked++ === 0) this.stay();
      control.click();
    };
    const controls = [...document.querySelectorAll("[aria-expanded=false]")].slice(0, 500);
    for (const control of controls)
      if (clicked < 20 && this.unfolds(control)) click(control);
    for (const control of this.promising()) {
      if (this.unhide(control)) continue;
      const folded = this.unclip();
      if (!folded && clicked < 20 && this.near(control)) click(control);
    }
    this.unclip();
    return clicked > 0;
  },

  // Prevents our clicks from navigating away from the page.
  stay() {
    if (!window.navigation) return;
    navigation.addEventListener("navigate", (event) => {
      if (!event.destination.sameDocument && event.cancelable) event.preventDefault();
    });
  },

  // Returns the controls whose words promise the rest of a text, and that link nowhere else.
  promising() {
    const words = new RegExp("^\\W{0,3}(" + [
      "(read|show|see|view|display) (more|all|on|the (rest|full|whole)|full|further)", "more$",
      "(continue|keep) reading", "read the (full|whole|rest)", "full (story|article|text)",
      "expand",
      "weiterlesen", "mehr (lesen|anzeigen|erfahren)", "(ganzen|vollständigen) (artikel|text)",
      "lire (la suite|plus)", "(afficher|voir) (plus|la suite)", "leer m[áa]s", "seguir leyendo",
      "(mostrar|ver) m[áa]s", "leggi (tutto|di più|altro)", "continua a leggere",
      "mostra (tutto|altro)",
      "(ler|ver|mostrar) mais", "continuar (a ler|lendo)", "lees (meer|verder)", "toon meer",
      "läs (mer|vidare)", "visa mer", "les mer", "vis mere?", "læs (mere|videre)", "lue lisää",
      "czytaj (dalej|więcej)", "pokaż więcej", "(číst|zobrazit) (dál|dále|více)", "tovább",
      "читать (далее|дальше|полностью)", "показать (ещё|еще|полностью|весь)", "читати далі",
      "devamını (oku|gör|göster)", "daha fazla", "もっと(見る|読む)", "続きを(読む|見る)",
      "全文を(読む|表示|見る)", "(阅读|查看|显示|展开|閱讀|查看|顯示|展開)(更多|全文|全部|剩余)",
      "더 ?(보기|읽기)", "전체 ?(보기|읽기)", "계속 ?읽기",
      "(اقرأ|قراءة|عرض) (المزيد|أكثر)", "المزيد$", "ادامه (مطلب|متن)", "קרא (עוד|המשך)",
      "और पढ़ें", "xem thêm", "baca selengkapnya", "อ่าน(ต่อ|เพิ่มเติม)",
    ].join("|") + ")", "i");
    const asks = /subscri|sign.?(in|up)|log.?in|regist|member|abonn|inloggen|anmeld|connect|suscr/i;
    const every = "button,a:not([href]),a[href^='#'],a[href^='javascript:' i],a[href='']," +
      "summary,label,[role=button],[onclick]," +
      "span[class*=more i],div[class*=more i]";
    const found = [];
    for (const control of [...document.querySelectorAll(every)].slice(0, 5000)) {
      if (found.length >= 10) break;
      const said = (control.textContent || "").trim();
      if (said.length > 40 || !words.test(said) || this.apart(control)) continue;
      if (control.hasAttribute("aria-expanded") || !control.checkVisibility()) continue;
      const link = control.closest("a[href]");
      const href = link ? link.getAttribute("href").trim() : "#";
      if (!/^(#|javascript:|$)/i.test(href) || asks.test(href)) continue;
      const around = control.parentElement;
      if (around && around.textContent.length < 400 && asks.test(around.textContent)) continue;
      if (found.some((other) => other.contains(control))) continue;
      found.push(control);
    }
    return found;
  },

  // Shows hidden text right beside a control; returns whether it found any.
  unhide(control) {
    const hidden = [];
    for (let at = control, up = 0; at && up < 4 && !hidden.length; at = at.parentElement, up++) {
      if (/^(body|main|article)$/.test(at.localName)) break;
      for (const step of ["previousElementSibling", "nextElementSibling"]) {
        let looked = 0;
        for (let next = at[step]; next && looked < 50; next = next[step], looked++) {
          if (getComputedStyle(next).display !== "none") {
            if ((next.textContent || "").trim().length < 4) continue;  // an ellipsis
            break;
          }
          if (!this.apart(next) && this.prose(next, 40)) hidden.push(next);
        }
      }
    }
    for (const element of hidden) {
      element.hidden = false;
      element.style.setProperty("display", "revert", "important");
      this.withdraw(element);
    }
    return hidden.length > 0;
  },

  // Hides the excerpt that stood in for a text while it was hidden.
  withdraw(whole) {
    const said = (element) => (element ? element.textContent : "").replace(/\s+/g, " ").trim();
    const text = said(whole);
    for (const other of [whole.previousElementSibling, whole.nextElementSibling]) {
      const part = said(other).replace(/[\s.…[\]()]+$/, "");
      if (part.length >= 40 && part.length < text.length && text.startsWith(part))
        other.style.setProperty("display", "none", "important");
    }
  },

  // Returns whether an element is outside the text: in a menu, a form, a layer over the page.
  apart(element) {
    const away = "nav,header,footer,aside,form,dialog,menu,[role=navigation],[role=banner]," +
      "[role=contentinfo],[role=complementary],[role=menu],[role=menubar],[role=toolbar]," +
      "[role=dialog],[role=search],[role=tablist],[aria-haspopup]";
    return element.closest(away) !== null;
  },

  // Returns whether a control unfolds text of the article: it or its region is right beside running
  // text, it is no link to another page, and its region is neither a list of links nor a layer.
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

  // Returns whether running text is right before or after an element or its nearest ancestors.
  near(element) {
    for (let at = element, up = 0; at && up < 4; at = at.parentElement, up++) {
      for (const next of [at.previousElementSibling, at.nextElementSibling])
        if (next && this.prose(next, 80)) return true;
    }
    return false;
  },

  // Returns whether an element has at least `chars` characters of text, less than half of it
  // linked.
  prose(element, chars) {
    const text = (element.textContent || "").trim().length;
    if (text < chars) return false;
    let linked = 0;
    for (const link of [...element.querySelectorAll("a[href],button")].slice(0, 300))
      linked += link.textContent.trim().length;
    return linked < text / 2;
  },

  // Removes height limits that hide the rest of a text, and the shades over its end; returns
  // whether it found any.
  unclip() {
    let looked = 0, any = false;
    for (const element of document.querySelectorAll("div,section,article,main,p,span")) {
      if (++looked > 20000) break;
      if (element.scrollHeight <= element.clientHeight + 16 || element.clientHeight < 1) continue;
      if (element.scrollWidth > element.clientWidth + 16) continue;  // a row of slides
      const style = getComputedStyle(element);
      if (style.overflowY !== "hidden" && style.overflowY !== "clip") continue;
      if (style.position === "fixed" || this.apart(element)) continue;
      if (!this.prose(element, 200)) continue;
      for (const [name, value] of [["max-height", "none"], ["height", "auto"],
          ["overflow", "visible"], ["-webkit-line-clamp", "none"], ["mask-image", "none"]])
        element.style.setProperty(name, value, "important");
      any = true;
    }
    return any;
  },

  wake() {
    const lazy = [...document.querySelectorAll("img[loading=lazy],iframe[loading=lazy]")];
    for (const element of lazy.slice(0, 500)) element.loading = "eager";
    return lazy.length > 0;
  },

  // Scrolls through the page once and back to its top, to trigger lazy loading.
  async scroll(end) {
    const page = document.scrollingElement || document.documentElement;
    const show = async (y, limit) => {
      scrollTo(0, y);
      await new Promise((done) => {  // observers are notified with the second frame
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
        setTimeout(done, limit);
      });
    };
    let y = 0;
    for (; y < page.scrollHeight && performance.now() < end; y += innerHeight) await show(y, 150);
    // Out of time: at least the end, however slow the machine is.
    if (y < page.scrollHeight) await show(page.scrollHeight, 1000);
    await new Promise((done) => { setTimeout(done, 30); });  // what was seen last begins to load
    scrollTo(0, 0);
  },
})
