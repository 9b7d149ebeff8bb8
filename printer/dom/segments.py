"""Text segments (Luo et al., section 3): the elements that every algorithm scores.

Successive text leaves under one nearest line-break node, with no line break between them, are one
segment.  A line-break node is an element displayed as a block, or ``br`` or ``hr``.  Without a
rendered page the display is what the element's name, or a ``style`` attribute of its own, says.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import IntFlag, auto
from typing import NamedTuple, Protocol

from lxml import etree
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
#: The attributes that :func:`_stated` reads.
_STATED = frozenset({"style", "hidden", "aria-hidden", "role"})
_HIDDEN, _UNSEEN, _BREAK, _LINK = map(
    int, (Within.HIDDEN, Within.UNSEEN, Within.BREAK, Within.LINK)
)
_STATES: dict[str, int] = {}
for _flag, _tags in _NAMES.items():
    for _tag in _tags.split():
        _STATES[_tag] = _STATES.get(_tag, 0) | int(_flag)
_READ_NOSCRIPT = _STATES | {"noscript": int(Within.NOSCRIPT)}

_DISPLAY_NONE = re.compile(r"display\s{0,9}:\s{0,9}none")

#: Text in ``noscript`` is read when there is more of it than of all else, and this much.
_NOSCRIPT_CHARS = 400


class Leaf(NamedTuple):
    """A text leaf: the ``text`` of an element, or its ``tail`` when ``tail`` is set."""

    element: HtmlElement
    tail: bool

    @property
    def text(self) -> str:
        """The leaf's text as it stands in the source."""
        return (self.element.tail if self.tail else self.element.text) or ""


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """A run of text between two line breaks.

    ``block`` is the nearest line-break node that the leaves share, ``text`` their text with white
    space folded, ``link_chars`` how many characters of it stand in links.
    """

    index: int
    block: HtmlElement
    leaves: tuple[Leaf, ...]
    text: str
    link_chars: int = field(default=0)


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A page's elements as parallel lists in document order, and its segments.

    ``parents`` holds the index of each element's parent (-1 for the root's), ``states`` the
    :class:`Within` flags of each element as plain integers (``BREAK`` and ``UNSEEN`` say what the
    element itself is), ``after`` the index after each element's last descendant.  From ``begins``
    up to ``ends`` go the indexes of the segments that each element holds text of.  ``styled`` are
    the indexes of the elements that have a ``style`` attribute.

    Written out as start and end tags the elements take two places each; a text leaf is at the
    place of the tag before it.  ``blocks`` has the index of each segment's block, ``spans`` the
    places of its first and last leaf.  ``runs`` has four numbers for each text leaf that is not
    blank: its segment, the state it stands in, its characters, its place.
    """

    elements: list[HtmlElement]
    tags: list[str]
    parents: list[int]
    after: list[int]
    states: list[int]
    begins: list[int]
    ends: list[int]
    styled: list[int]
    segments: tuple[Segment, ...]
    blocks: list[int]
    spans: list[tuple[int, int]]
    runs: array[int]


def segments(root: HtmlElement) -> tuple[Segment, ...]:
    """Return the text segments below ``root``, in document order."""
    return outline(root).segments


class Sights(Protocol):
    """What a browser drew, as far as lines and visibility go (see :class:`.drawn.Drawn`)."""

    @property
    def hidden(self) -> AbstractSet[HtmlElement]:
        """The elements that nothing of is drawn."""

    def breaks(self, element: HtmlElement) -> bool:
        """Tell whether an element is a line-break node."""


def outline(root: HtmlElement, drawn: Sights | None = None) -> Outline:
    """Read a tree's elements and text segments in one pass each way.

    What stands in ``noscript`` is read only when it is most of the page's text: pages that scripts
    build keep a plain version of themselves there, others keep pixels and reproaches.
    """
    if drawn is not None:
        return _walk(root, _STATES, [], drawn)
    passed: list[HtmlElement] = []
    found = _walk(root, _STATES, passed)
    unread = (each for each in passed if each.tag == "noscript")
    plain = sum(len("".join(each.itertext()).strip()) for each in unread)
    if plain > _NOSCRIPT_CHARS:
        fuller = _walk(root, _READ_NOSCRIPT, [])
        seen = _unlinked(found)
        if _unlinked(fuller) - seen > max(seen, _NOSCRIPT_CHARS):
            return fuller
    return found


def _unlinked(found: Outline) -> int:
    return sum(
        chars
        for state, chars in zip(found.runs[1::4], found.runs[2::4], strict=True)
        if not state & _LINK
    )


def _walk(
    root: HtmlElement,
    names: dict[str, int],
    passed: list[HtmlElement],
    drawn: Sights | None = None,
) -> Outline:
    """Walk the tree once; ``names`` says what state each element's name brings.

    What was drawn, where it is known, decides about line breaks and what is hidden.  ``passed``
    takes the elements whose text is never seen.

    Depth costs nothing, as the open elements are a list.  Comments are not in the tree.
    """
    elements: list[HtmlElement] = []
    tags: list[str] = []
    parents: list[int] = []
    after: list[int] = []
    states: list[int] = []
    begins: list[int] = []
    ends: list[int] = []
    styled: list[int] = []
    line = _Line(elements)
    found, leaves = line.found, line.leaves
    # The open elements, and the one around them all: index, state, index of the block.
    index, state, block = -1, 0, 0
    opened: list[tuple[int, int, int]] = []
    # This loop is entered twice for each element of every page: nothing in it is a call that
    # need not be one.
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            tag = element.tag
            own = names.get(tag, 0)
            if drawn is not None:
                own = _drawn_state(element, own, state, drawn)
            if own & _BREAK and leaves:
                line.end()
            opened.append((index, state, block))
            if own & _UNSEEN:
                state = state & ~_BREAK | own
                index = -1
                walk.skip_subtree()
                passed.append(element)
                continue
            parents.append(index)
            index = len(elements)
            state = state & ~_BREAK | own
            stated = element.keys()
            if stated and not _STATED.isdisjoint(stated):
                state |= _stated(element)
                if "style" in stated:
                    styled.append(index)
            if own & _BREAK:
                block = index
            elements.append(element)
            tags.append(tag)
            after.append(0)
            states.append(state)
            begins.append(len(found))
            ends.append(0)
            text = element.text
            tail = False
        else:
            if state & _BREAK and leaves:
                line.end()
            if index >= 0:
                after[index] = len(elements)
                ends[index] = len(found) + bool(leaves)
            text = element.tail if index else None
            tail = True
            index, state, block = opened.pop()
        if text and (leaves or not text.isspace()):
            place = 2 * len(elements) - len(opened) - 1
            line.add(element, tail, text, state, block, place)
    line.end()
    return Outline(
        elements, tags, parents, after, states, begins, ends, styled,
        tuple(found), line.blocks, line.spans, line.runs,
    )  # fmt: skip


class _Line:
    """Gathers leaves into segments."""

    __slots__ = (
        "block", "blocks", "elements", "first", "found", "last", "leaves", "links", "runs",
        "spans", "texts",
    )  # fmt: skip

    def __init__(self, elements: list[HtmlElement]) -> None:
        self.elements = elements
        self.found: list[Segment] = []
        self.blocks: list[int] = []
        self.spans: list[tuple[int, int]] = []
        self.runs = array("q")
        # The segment at hand.
        self.leaves: list[Leaf] = []
        self.texts: list[str] = []
        self.block = self.links = self.first = self.last = 0

    def add(
        self, element: HtmlElement, tail: bool, text: str, state: int, block: int, place: int
    ) -> None:
        """Add a leaf to the segment at hand."""
        if not self.leaves:
            self.first = place
        self.last = place
        # Half the time of Leaf(...): there are thousands on a page.
        self.leaves.append(tuple.__new__(Leaf, (element, tail)))
        self.texts.append(text)
        self.block = block
        chars = len(text.strip())
        if chars:
            self.runs.extend((len(self.found), state, chars, place))
            if state & _LINK:
                self.links += chars

    def end(self) -> None:
        """End the segment at hand, if there is one."""
        text = " ".join("".join(self.texts).split())
        if text:
            block = self.elements[self.block]
            links = min(self.links, len(text))
            self.found.append(Segment(len(self.found), block, tuple(self.leaves), text, links))
            self.blocks.append(self.block)
            self.spans.append((self.first, self.last))
        self.leaves.clear()
        self.texts.clear()
        self.links = 0


def _drawn_state(element: HtmlElement, own: int, around: int, drawn: Sights) -> int:
    """Return what an element brings as it is drawn; what is hidden keeps the lines of its names."""
    if around & _HIDDEN or own & _UNSEEN:
        return own
    if element in drawn.hidden:
        return own | _HIDDEN
    return own | _BREAK if drawn.breaks(element) else own & ~_BREAK


def _stated(element: HtmlElement) -> int:
    """Return what an element's attributes say of its role and display."""
    state = 0
    style = element.get("style")
    if style and "none" in style and _DISPLAY_NONE.search(style):
        state |= _HIDDEN
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        state |= _HIDDEN
    role = element.get("role")
    if role:
        state |= _ROLES.get(role, 0)
    return state
