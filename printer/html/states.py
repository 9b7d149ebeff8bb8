"""What an element stands in, as its name and its attributes say."""

from __future__ import annotations

import re
from enum import IntFlag, auto

from lxml.html import HtmlElement

#: Elements whose text is never seen.
INVISIBLE_TAGS = frozenset({
    "script", "style", "template", "noscript", "head", "title", "meta", "link", "svg", "math",
    "iframe", "object", "embed", "audio", "video", "canvas", "select", "datalist", "textarea",
})  # fmt: skip

#: Elements a browser displays as blocks (its own style sheet), table cells among them.
BLOCK_TAGS = frozenset({
    "address", "article", "aside", "blockquote", "body", "button", "center", "caption", "dd",
    "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer",
    "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "html", "legend",
    "li", "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p", "plaintext", "pre",
    "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    "xmp",
})  # fmt: skip


class ElementFlag(IntFlag):
    """What an element stands in, itself included."""

    LINK = auto()
    STRONG = auto()
    EMPHASIS = auto()
    BUTTON = auto()
    LABEL = auto()
    CODE = auto()
    PARAGRAPH = auto()
    HEADING = auto()
    ITEM = auto()
    LIST = auto()
    CELL = auto()
    TABLE = auto()
    DEFINITION = auto()
    QUOTE = auto()
    FIGURE = auto()
    CAPTION = auto()
    FORM = auto()
    NAV = auto()
    ASIDE = auto()
    HEADER = auto()
    FOOTER = auto()
    MAIN = auto()
    ARTICLE = auto()
    SECTION = auto()
    DETAILS = auto()
    DIALOG = auto()
    TIME = auto()
    SMALL = auto()
    NOSCRIPT = auto()
    HIDDEN = auto()
    UNSEEN = auto()
    BREAK = auto()


_NAMES = {
    ElementFlag.LINK: "a",
    ElementFlag.STRONG: "b strong",
    ElementFlag.EMPHASIS: "i em cite",
    ElementFlag.BUTTON: "button",
    ElementFlag.LABEL: "label legend fieldset",
    ElementFlag.CODE: "pre code kbd samp tt listing xmp",
    ElementFlag.PARAGRAPH: "p",
    ElementFlag.HEADING: "h1 h2 h3 h4 h5 h6",
    ElementFlag.ITEM: "li",
    ElementFlag.LIST: "ul ol menu dir",
    ElementFlag.CELL: "td th",
    ElementFlag.TABLE: "table",
    ElementFlag.DEFINITION: "dl",
    ElementFlag.QUOTE: "blockquote q",
    ElementFlag.FIGURE: "figure picture",
    ElementFlag.CAPTION: "figcaption caption",
    ElementFlag.FORM: "form",
    ElementFlag.NAV: "nav",
    ElementFlag.ASIDE: "aside",
    ElementFlag.HEADER: "header hgroup",
    ElementFlag.FOOTER: "footer",
    ElementFlag.MAIN: "main",
    ElementFlag.ARTICLE: "article",
    ElementFlag.SECTION: "section",
    ElementFlag.DETAILS: "details summary",
    ElementFlag.DIALOG: "dialog",
    ElementFlag.TIME: "time",
    ElementFlag.SMALL: "small sub sup",
    ElementFlag.NOSCRIPT: "noscript",
    ElementFlag.UNSEEN: " ".join(INVISIBLE_TAGS),
    ElementFlag.BREAK: " ".join(BLOCK_TAGS) + " br hr",
}
_ROLES = {
    "navigation": int(ElementFlag.NAV),
    "banner": int(ElementFlag.HEADER),
    "contentinfo": int(ElementFlag.FOOTER),
    "complementary": int(ElementFlag.ASIDE),
    "main": int(ElementFlag.MAIN),
    "article": int(ElementFlag.ARTICLE),
    "dialog": int(ElementFlag.DIALOG),
    "alertdialog": int(ElementFlag.DIALOG),
    "button": int(ElementFlag.BUTTON),
    "heading": int(ElementFlag.HEADING),
}
#: The attributes that :func:`stated` reads.
FLAG_ATTRIBUTES = frozenset({"style", "hidden", "aria-hidden", "role"})
IS_HIDDEN, IS_UNSEEN, IS_BREAK, IS_LINK = map(
    int, (ElementFlag.HIDDEN, ElementFlag.UNSEEN, ElementFlag.BREAK, ElementFlag.LINK)
)
#: The states that an element's name brings; and the same where ``noscript`` is read.
TAG_FLAGS: dict[str, int] = {}
for _flag, _tags in _NAMES.items():
    for _tag in _tags.split():
        TAG_FLAGS[_tag] = TAG_FLAGS.get(_tag, 0) | int(_flag)
TAG_FLAGS_WITH_NOSCRIPT = TAG_FLAGS | {"noscript": int(ElementFlag.NOSCRIPT)}

_DISPLAY_NONE = re.compile(r"display\s{0,9}:\s{0,9}none")


def attribute_flags(element: HtmlElement) -> int:
    """Return what an element's attributes say of its role and display."""
    state = 0
    style = element.get("style")
    if style and "none" in style and _DISPLAY_NONE.search(style):
        state |= IS_HIDDEN
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        state |= IS_HIDDEN
    role = element.get("role")
    if role:
        state |= _ROLES.get(role, 0)
    return state
