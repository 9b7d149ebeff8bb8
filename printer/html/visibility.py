"""Find the text of a page that readers do not see.

Text for screen readers, tooltips, and short hidden text within a line are not printed.  What a page
folds away on purpose (tabs, accordions, notes shown on click, 'read more') is printed, since a
reader can unfold it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache, partial
from itertools import chain, islice
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from ..i18n import load_table


def is_hidden(element: HtmlElement) -> bool:
    """Return whether an element's attributes hide it, from sight or from screen readers."""
    return element.get("aria-hidden") == "true" or is_not_displayed(element)


#: Longer text may be the article's, shown by a script.
_MAX_UNSEEN_CHARS = 300
_MAX_UNSEEN_CHARS_IN_LINE = 80
_CLIPPING_STYLE = re.compile(
    r"clip\s{0,9}:\s{0,9}rect\(\s{0,9}[01](?:px)?[\s,]|(?:text-indent|left)\s{0,9}:\s{0,9}-\d{4}"
    r"|clip-path\s{0,9}:\s{0,9}inset\(\s{0,9}(?:50|100)%"
    r"|(?<![\w-])width\s{0,9}:\s{0,9}1px(?=.{0,200}overflow\s{0,9}:\s{0,9}hidden)"
)
HEADING_TAGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
SUBHEADING_TAGS = HEADING_TAGS - {"h1"}
#: The elements around all of a page or an article.
PAGE_TAGS = frozenset({"article", "body", "html", "main"})


def is_unseen(element: HtmlElement, *, in_line: bool) -> bool:
    """Return whether a reader does not see an element's short text and cannot unfold it.

    Headings for screen readers are kept: they divide the text in print as well.
    """
    if element.tag in HEADING_TAGS:
        return False
    names = (element.get("class") or "")[:300].lower()
    if _COMMENT_COUNT.search(names):
        return element.tag == "a" and "".join(islice(element.itertext(), 3)).strip().isdecimal()
    if element.tag == "pre":  # an example in a manual may hide the code that prepares it
        return "hidden" in names.split()
    if (
        element.get("role") == "tooltip"
        or has_unseen_class(names)
        or _CLIPPING_STYLE.search(element.get("style") or "")
    ):
        return _is_short(element, _MAX_UNSEEN_CHARS)
    parent = element.getparent()
    is_in_heading = parent is not None and parent.tag in HEADING_TAGS
    limit = _MAX_UNSEEN_CHARS if is_in_heading else _MAX_UNSEEN_CHARS_IN_LINE
    return in_line and is_not_displayed(element) and _is_short(element, limit)


_COMMENT_COUNT = re.compile(
    r"comments?[\s_-]?(?:count|link|num)|(?:count|num)\w{0,9}[\s_-]comments?"
)
_UNPRINTED = r"(?:no|non|not|hidden|hide(?:-for|-on)?)-?print|print[-:](?:hide|hidden|none)"
_UNPRINTED_CLASS = re.compile(rf"(?:^|[\s_-])(?:{_UNPRINTED})(?=$|\s|__)")
#: The class names by which style sheets hide text from all but screen readers or in print,
#: tooltips, lines of code that a page hides, and the number of comments on a paragraph.
_UNSEEN_CLASS = re.compile(
    r"(?:^|[\s_-])(?:(?<!not-)(?:sr|screen-?readers?|reader|vo)-?only(?:-focusable)?"
    r"|screen-?readers?(?:-?text)?|visually-?hidden(?:-focusable|-text|--inline)?"
    r"|accessibility-?(?:label|text)|(?:ada|a11y)-?(?:hidden|text|only)|hidden-?(?:accessible|visually)|snippet-hidden|hide-?(?:visually|text)|text-hide"
    rf"|{_UNPRINTED}|(?<!hide-)boring"
    r"|element-invisible|assistive-?text|off-?screen|aural|clipped|section-metadata|material-(?:icons|symbols)(?:-[a-z]+)?"
    r"|tooltip(?:-|__|_)?(?:text|content|body|inner|box|bubble|popup))(?=$|\s|__)"
    rf"|{_COMMENT_COUNT.pattern}"
)
#: What each of these names contains; searching for it is faster.
_UNSEEN_PARTS = (
    "only", "hid", "screen", "tooltip", "invisible", "assistive", "aural", "clip", "section-m",
    "material-", "a11y", "accessib", "comment", "print", "boring",
)  # fmt: skip


@lru_cache(4096)
def has_unseen_class(names: str | None) -> bool:
    """Return whether a ``class`` attribute hides text from all but screen readers."""
    lowered = (names or "")[:300].lower()
    for part in _UNSEEN_PARTS:
        if part in lowered:
            return _UNSEEN_CLASS.search(lowered) is not None
    return False


def is_unprinted(names: str | None) -> bool:
    """Return whether a ``class`` attribute says that a page does not print an element.

    Notes may be so named, which a page prints within its text instead.  Documentation of Rust
    calls the label of unfolded text 'hideme'.
    """
    lowered = (names or "")[:300].lower()
    is_named = _UNPRINTED_CLASS.search(lowered) is not None or "hideme" in lowered.split()
    return is_named and not _FOLDED.search(lowered)


def has_hiding_class(names: str | None) -> bool:
    """Return whether a ``class`` attribute hides an element on all screens by convention."""
    return names is not None and "hidden" in names.split() and not _RESPONSIVE.search(names)


_HIDING_STYLE = re.compile(r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden")


def is_not_displayed(element: HtmlElement) -> bool:
    """Return whether an element's attributes hide it from sight."""
    style = element.get("style")
    return bool(style and _HIDING_STYLE.search(style)) or (
        element.get("hidden", "until-found") != "until-found"
    )


_MAX_LEAVES = 20
#: The names of hidden text that a reader can unfold, and of captions, which go with pictures.
_FOLDED = re.compile(
    r"note|cit[ae](?!-accessib)|ref|\bfn|spoiler|more|expand|full|rest|\bcap(?:tion)?\b|credit",
    re.IGNORECASE,
)


def _is_short(element: HtmlElement, limit: int) -> bool:
    """Return whether an element has little text, no formula, and no name of folded text."""
    names = [(node.get("class") or "")[:300] for node in islice(element.iter(), 2)]
    if _FOLDED.search(" ".join((element.get("id") or "", *names))[:300]):
        return False
    texts = list(islice(element.itertext(), _MAX_LEAVES))
    if len(texts) == _MAX_LEAVES or sum(len(text.strip()) for text in texts) > limit:
        return False
    tags = ("math", "pre") if _UNPRINTED_CLASS.search(names[0].lower()) else ("math", "pre", "img")
    return next(element.iter(*tags), None) is None


# Style sheets


#: The largest share of a page's text that such an element may have, as scripts show larger ones.
_MAX_HIDDEN_SHARE = 0.2


#: The classes with which site builders hide an element on wide screens, and on all.
HIDING_CLASSES = ("hidden-desktop", "w-condition-invisible")
_HIDDEN_ON_ALL = (
    "//*[contains(@class, 'hidden-desktop') and contains(@class, 'hidden-tablet')"
    " and (contains(@class, 'hidden-mobile') or contains(@class, 'hidden-phone'))"
    " or contains(@class, 'w-condition-invisible')]"
)


def drop_hidden_on_all_screens(tree: HtmlElement) -> None:
    """Empty the elements that classes of site builders hide on each kind of screen."""
    for element in tree.xpath(_HIDDEN_ON_ALL):
        element.clear(keep_tail=True)


def hide_by_style(tree: HtmlElement, elements: Sequence[HtmlElement]) -> None:
    """Set ``hidden`` on elements that the page's own style sheets do not display.

    Only plain rules outside media queries count, if no other rule displays the name and no reader
    can unfold the element.  ``visibility: hidden`` mostly precedes an animation.
    """
    css = _read_css([element for element in elements if element.tag == "style"])
    rules: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for tag, names in _hiding_rules(css):
        rules.setdefault(names[0], []).append((tag, names))
    if not rules:
        return
    is_displayed = cache(partial(_is_displayed, css))
    hidden_names = cache(partial(_hidden_names, rules))
    controls: frozenset[str] | None = None
    max_hidden: float | None = None
    for element in elements:
        element_names = hidden_names(element.get("class"), element.get("id"))
        if not element_names or element.tag in PAGE_TAGS:
            continue
        hiding = [
            names
            for name in element_names
            for tag, names in rules.get(name, ())
            if tag in {"", element.tag} and element_names.issuperset(names)
        ]
        if not hiding or any(is_displayed(name) for names in hiding for name in names):
            continue
        if controls is None and element.get("id"):
            controls = read_controls(elements)
        if "display" in (element.get("style") or "") or is_folded(element, controls or frozenset()):
            continue
        max_hidden = _MAX_HIDDEN_SHARE * _text_size(tree) if max_hidden is None else max_hidden
        if _text_size(element) <= max_hidden:
            element.set("hidden", "")


#: A class that displays an element on some screens, as utility frameworks call it: 'md:block'.
_RESPONSIVE = re.compile(r":(?:block|contents|flex|grid|inline|table)")


def _hidden_names(
    rules: Mapping[str, object], classes: str | None, identity: str | None
) -> frozenset[str]:
    """Return an element's names as in selectors; none if no rule has one of them."""
    class_list = (classes or "")[:1000]
    names = frozenset((f"#{identity or ''}", *(f".{name}" for name in class_list.split())))
    is_named = not rules.keys().isdisjoint(names) and not _RESPONSIVE.search(class_list)
    return names if is_named else frozenset()


_text_size: Callable[..., Any] = etree.XPath("string-length()")


_MAX_STYLE_CHARS = 500_000
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_NOT_DISPLAYED = re.compile(r"display(?<![\w-]display)\s{0,9}:\s{0,9}none")


def _read_css(styles: Iterable[HtmlElement]) -> str:
    """Return the text of style sheets for screens, '' if they hide nothing."""
    texts = (style.text or "" for style in styles if _is_for_screens(style))
    css = "\n".join(texts)[:_MAX_STYLE_CHARS]
    if not _NOT_DISPLAYED.search(css):
        return ""
    return _COMMENT.sub("", css).replace("<![CDATA[", "").replace("]]>", "")


def _is_for_screens(style: HtmlElement) -> bool:
    media = (style.get("media") or "all").strip().lower()
    return media in {"all", "screen"} and next(style.iterancestors(), style).tag != "noscript"


_MAX_SELECTORS_CHARS = 2_000
_AT_RULE = re.compile(r"@[^{};]{0,1000}+\{(?:[^{}]*+\{[^{}]*+\})*+[^{}]*+\}")
#: A selector of nothing but names, perhaps with a tag.
_SELECTOR = re.compile(r"([a-zA-Z][a-zA-Z0-9]*|)((?:[.#][\w-]{1,100}){1,3})")
_NAME = re.compile(r"[.#][\w-]+")


def _hiding_rules(css: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the tag and the names of each plain selector of a rule against display."""
    plain = _AT_RULE.sub("", css)
    for match in _NOT_DISPLAYED.finditer(plain):
        start = plain.rfind("{", 0, match.start())
        begin = max(
            plain.rfind(sign, max(0, start - _MAX_SELECTORS_CHARS), start) for sign in "{};"
        )
        for selector in plain[begin + 1 : start].split(","):
            if parts := _SELECTOR.fullmatch(selector.strip()):
                yield parts[1].lower(), tuple(_NAME.findall(parts[2]))


_MAX_SIBLINGS = 20
_DISPLAYED = re.compile(r"display(?<![\w-]display)\s{0,9}:\s{0,9}(?!none)[a-z]")


def _is_displayed(css: str, name: str) -> bool:
    """Return whether a rule displays elements of a name, possibly after a script has run."""
    for name_end in islice(_find_name(css, name), _MAX_SIBLINGS):
        begin = css.find("{", name_end, name_end + _MAX_SELECTORS_CHARS)
        end = css.find("}", begin)
        if begin >= 0 and _DISPLAYED.search(css, begin, end if end >= 0 else len(css)):
            return True
    return False


_NAME_CHARACTER = re.compile(r"[\w-]")


def _find_name(css: str, name: str) -> Iterator[int]:
    """Yield the ends of a name's occurrences; compiling a pattern of it would take longer."""
    end = 0
    while (start := css.find(name, end)) >= 0:
        end = start + len(name)
        if not _NAME_CHARACTER.match(css, end):
            yield end


# Folded text


_MAX_ID_CHARS = 100
#: The attributes with which a control names the element that it unfolds.
_CONTROLLING = frozenset(
    {"aria-controls", "data-target", "data-bs-target", "href", "data-tab", "for"}
)


def read_controls(elements: Iterable[HtmlElement]) -> frozenset[str]:
    """Return the ids of the elements that a page's controls point to."""
    attribute_values = (
        element.get(name)
        for element in elements
        for name in _CONTROLLING.intersection(element.keys())
    )
    ids = (value.lstrip("#")[:_MAX_ID_CHARS] for value in attribute_values if value)
    return frozenset(filter(None, ids))


#: The attributes by which a script may find an element.
_NAMES = frozenset({"class", "id", "onclick", "role", "tabindex"})


#: The names of elements that a click, a carousel or a script unfolds.
_FOLDING = re.compile(
    r"accordion|collaps|tab(?!let)|panel|faq|answer|toggle|expand|more|fold|spoiler|detail|note|slide"
    r"|carousel|swiper|step|paywall|S:",
    re.IGNORECASE,
)
_CONTROLS = ("button", "summary", "label")


def is_folded(element: HtmlElement, controls: Set[str]) -> bool:
    """Return whether a reader can unfold an element that is not displayed.

    A control points to it or precedes it, or it has such a name, a heading or similar siblings.
    """
    if (element.get("id") or "")[:_MAX_ID_CHARS] in controls:
        return True
    parent = element.getparent()
    for node in (element, parent) if parent is not None else (element,):
        names = f"{node.get('class')} {node.get('id')} {node.get('role')}"
        if _FOLDING.search(names[:300]):
            return True
    previous = element.getprevious()
    around = [node for node in (previous, element, parent) if node is not None]
    has_names = not all(_NAMES.isdisjoint(node.keys()) for node in around)
    if previous is not None and (
        (previous.tag in HEADING_TAGS and has_names)
        or previous.get("aria-expanded")
        or next(previous.iter("dt", *_CONTROLS), None) is not None
    ):
        return True
    names = element.get("class")
    siblings = chain.from_iterable(
        islice(element.itersiblings(preceding=preceding), _MAX_SIBLINGS)
        for preceding in (False, True)
    )
    return names is not None and any(other.get("class") == names for other in siblings)


@cache
def _window_notices() -> tuple[str, ...]:
    notices = load_table("page_furniture")["window_notices"].values()
    return tuple(notice.lower() for of_language in notices for notice in of_language)


def drop_window_notices(elements: Iterable[HtmlElement]) -> None:
    """Remove the notice at the end of a link that it opens a new window."""
    for link in [element for element in elements if element.tag == "a"]:
        if "_blank" not in (link.get("target") or ""):
            continue
        last = link[-1] if len(link) else None
        if last is None:
            link.text = _without_notice(link.text)
        elif (last.tail or "").strip():
            last.tail = _without_notice(last.tail, alone=True)
        elif not len(last) and (link.text or len(link) > 1):
            last.text = _without_notice(last.text, alone=True)


_MAX_NOTICE_CHARS = 100


def _without_notice(text: str | None, *, alone: bool = False) -> str | None:
    """Return text without a notice set off at its end; if ``alone``, it may be nothing else."""
    line = (text or "")[-_MAX_NOTICE_CHARS:].rstrip(" \n\t)]）")
    lowered = line.lower()
    if text is None or not lowered.endswith(_window_notices()):
        return text
    notice = max(filter(lowered.endswith, _window_notices()), key=len)
    remaining = text[: text.rindex(line) + len(line) - len(notice)].rstrip()
    stripped = remaining.rstrip("([（,;–- ")
    return stripped if (stripped and stripped != remaining) or (alone and not stripped) else text
