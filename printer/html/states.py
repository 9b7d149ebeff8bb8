"""What an element stands in, as its name and its attributes say."""

from __future__ import annotations

import re
from enum import IntFlag, auto

from lxml.html import HtmlElement

#: Elements whose text is never seen.
UNSEEN = frozenset({
    "script", "style", "template", "noscript", "head", "title", "meta", "link", "svg", "math",
    "iframe", "object", "embed", "audio", "video", "canvas", "select", "datalist", "textarea",
})  # fmt: skip

#: Elements a browser displays as blocks (its own style sheet), table cells among them.
BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "button", "center", "caption", "dd",
    "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer",
    "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "html", "legend",
    "li", "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p", "plaintext", "pre",
    "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    "xmp",
})  # fmt: skip


class Within(IntFlag):
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
    Within.LINK: "a",
    Within.STRONG: "b strong",
    Within.EMPHASIS: "i em cite",
    Within.BUTTON: "button",
    Within.LABEL: "label legend fieldset",
    Within.CODE: "pre code kbd samp tt listing xmp",
    Within.PARAGRAPH: "p",
    Within.HEADING: "h1 h2 h3 h4 h5 h6",
    Within.ITEM: "li",
    Within.LIST: "ul ol menu dir",
    Within.CELL: "td th",
    Within.TABLE: "table",
    Within.DEFINITION: "dl",
    Within.QUOTE: "blockquote q",
    Within.FIGURE: "figure picture",
    Within.CAPTION: "figcaption caption",
    Within.FORM: "form",
    Within.NAV: "nav",
    Within.ASIDE: "aside",
    Within.HEADER: "header hgroup",
    Within.FOOTER: "footer",
    Within.MAIN: "main",
    Within.ARTICLE: "article",
    Within.SECTION: "section",
    Within.DETAILS: "details summary",
    Within.DIALOG: "dialog",
    Within.TIME: "time",
    Within.SMALL: "small sub sup",
    Within.NOSCRIPT: "noscript",
    Within.UNSEEN: " ".join(UNSEEN),
    Within.BREAK: " ".join(BLOCKS) + " br hr",
}
_ROLES = {
    "navigation": int(Within.NAV),
    "banner": int(Within.HEADER),
    "contentinfo": int(Within.FOOTER),
    "complementary": int(Within.ASIDE),
    "main": int(Within.MAIN),
    "article": int(Within.ARTICLE),
    "dialog": int(Within.DIALOG),
    "alertdialog": int(Within.DIALOG),
    "button": int(Within.BUTTON),
    "heading": int(Within.HEADING),
}
#: The attributes that :func:`stated` reads.
STATED = frozenset({"style", "hidden", "aria-hidden", "role"})
IS_HIDDEN, IS_UNSEEN, IS_BREAK, IS_LINK = map(
    int, (Within.HIDDEN, Within.UNSEEN, Within.BREAK, Within.LINK)
)
#: The states that an element's name brings; and the same where ``noscript`` is read.
STATES: dict[str, int] = {}
for _flag, _tags in _NAMES.items():
    for _tag in _tags.split():
        STATES[_tag] = STATES.get(_tag, 0) | int(_flag)
READ_NOSCRIPT = STATES | {"noscript": int(Within.NOSCRIPT)}

_DISPLAY_NONE = re.compile(r"display\s{0,9}:\s{0,9}none")


def stated(element: HtmlElement) -> int:
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
