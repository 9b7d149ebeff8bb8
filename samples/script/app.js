// A small reader: fetches a story as JSON and builds the page from it.
(function () {
  "use strict";
  const root = document.getElementById("root");

  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  function rich(text) {
    return text.split(/(\*[^*]+\*)/).map((part) =>
      part.startsWith("*") ? make("em", {}, part.slice(1, -1)) : part);
  }

  const draw = {
    p: (block) => make("p", { class: "css-1x9k" }, ...rich(block.text)),
    h: (block) => make("h2", { class: "css-77ab" }, block.text),
    q: (block) => make("blockquote", { class: "css-q0" }, make("p", {}, ...rich(block.text))),
    li: (block) => make("ul", { class: "css-ul" }, ...block.items.map((item) => make("li", {}, ...rich(item)))),
    img: (block) => make("figure", { class: "css-fig" },
      make("img", { src: block.src, alt: block.alt, width: block.width, height: block.height }),
      make("figcaption", {}, block.caption)),
    promo: (block) => make("div", { class: "css-promo" }, make("strong", {}, block.title), " ", make("a", { href: "/join" }, block.action)),
  };

  function page(data) {
    const menu = data.menu.map((name) => make("a", { href: "/" + name.toLowerCase() }, name));
    const story = data.story;
    document.title = story.title + " · " + data.site;
    root.replaceChildren(
      make("div", { class: "css-top" }, make("a", { href: "/", class: "css-brand" }, data.site), make("nav", {}, ...menu), make("button", {}, "Get the app")),
      make("div", { class: "css-grid" },
        make("div", { class: "css-main" },
          make("h1", {}, story.title),
          make("div", { class: "css-by" }, "By " + story.by + " · ", make("time", { datetime: story.date }, story.shown)),
          ...story.blocks.map((block) => draw[block.type](block))),
        make("div", { class: "css-rail" }, make("h4", {}, "Trending on " + data.site), ...data.trending.map((name) => make("a", { href: "#" }, name)))),
      make("div", { class: "css-foot" }, data.foot));
  }

  root.append(make("div", { class: "css-spin", role: "status" }, "Loading…"));
  fetch("data/story.json")
    .then((answer) => answer.json())
    .then((data) => setTimeout(() => page(data), 150))
    .catch((fault) => root.replaceChildren(make("p", {}, "Something went wrong: " + fault.message)));
})();
