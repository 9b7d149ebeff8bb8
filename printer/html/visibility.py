"""Find the text of a page that readers do not see.

Text for screen readers, tooltips, and short hidden text in the midst of a line are no part of what
is printed.  What a page folds away on purpose (tabs, accordions, notes shown on click, 'read more')
is: a reader can unfold it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from functools import lru_cache
from itertools import chain, islice

from lxml.html import HtmlElement


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


def is_unseen(element: HtmlElement, *, in_line: bool) -> bool:
    """Return whether a reader does not see an element's short text and cannot unfold it.

    Headings for screen readers are kept: they divide the text in print as well.

    Args:
        element: An element with a ``style``, ``hidden``, ``role`` or suspicious ``class``.
        in_line: Whether the element is within a line of text.
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
    return in_line and is_not_displayed(element) and _is_short(element, _MAX_UNSEEN_CHARS_IN_LINE)


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
    r"|accessibility-?(?:label|text)|(?:ada|a11y)-?(?:hidden|text|only)|hidden-?(?:accessible|visually)|hide-?(?:visually|text)|text-hide"
    rf"|{_UNPRINTED}|boring"
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


#: A class that displays an element on some screens, as utility frameworks call it: 'md:block'.
_RESPONSIVE = re.compile(r":(?:block|contents|flex|grid|inline|table)")


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


# Folded text


_MAX_SIBLINGS = 20
_MAX_NAME_CHARS = 100
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
    ids = (value.lstrip("#")[:_MAX_NAME_CHARS] for value in attribute_values if value)
    return frozenset(filter(None, ids))


_NAMES = frozenset({"class", "id", "onclick", "role", "tabindex"})


def _is_bare(*elements: HtmlElement | None) -> bool:
    """Return whether elements have nothing by which a script could find them, or a link."""
    return not any(
        element is not None
        and (not _NAMES.isdisjoint(element.keys()) or element.find("a") is not None)
        for element in elements
    )


#: The names of elements that a click, a carousel or a script unfolds.
_FOLDING = re.compile(
    r"accordion|collaps|tab|panel|faq|answer|toggle|expand|more|fold|spoiler|detail|note|slide"
    r"|carousel|swiper|step|paywall|S:",
    re.IGNORECASE,
)
_CONTROLS = ("button", "summary", "label")


def is_folded(element: HtmlElement, controls: Set[str]) -> bool:
    """Return whether a reader can unfold an element that is not displayed.

    A control points to it, its names say so, it follows a heading or a control, or others like it
    are beside it.
    """
    if (element.get("id") or "")[:_MAX_NAME_CHARS] in controls:
        return True
    parent = element.getparent()
    for node in (element, parent) if parent is not None else (element,):
        names = f"{node.get('class')} {node.get('id')} {node.get('role')}"
        if _FOLDING.search(names[:300]):
            return True
    previous = element.getprevious()
    if previous is not None and (
        (previous.tag in HEADING_TAGS and not _is_bare(previous, element, parent))
        or previous.tag in {"dt", *_CONTROLS}
        or previous.get("aria-expanded")
        or next(previous.iter(*_CONTROLS), None) is not None
    ):
        return True
    names = element.get("class")
    siblings = chain.from_iterable(
        islice(element.itersiblings(preceding=preceding), _MAX_SIBLINGS)
        for preceding in (False, True)
    )
    return names is not None and any(other.get("class") == names for other in siblings)
