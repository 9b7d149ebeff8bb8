"""Text segments (Luo et al., section 3): the elements that every algorithm scores.

Successive text leaves under one nearest line-break node, with no line break between them, are one
segment.  A line-break node is an element displayed as a block, or ``br`` or ``hr``.  Without a
rendered page the display is what the element's name, or a ``style`` attribute of its own, says.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, Protocol

from lxml import etree
from lxml.html import HtmlElement

from .states import (
    BLOCK_TAGS,
    FLAG_ATTRIBUTES,
    INVISIBLE_TAGS,
    IS_BREAK,
    IS_HIDDEN,
    IS_LINK,
    IS_UNSEEN,
    TAG_FLAGS,
    TAG_FLAGS_WITH_NOSCRIPT,
    ElementFlag,
    attribute_flags,
)  # fmt: skip

__all__ = [
    "BLOCK_TAGS",
    "INVISIBLE_TAGS",
    "ElementFlag",
    "Leaf",
    "PageIndex",
    "Segment",
    "build_index",
    "segments",
]

#: Of a page with more segments or elements than this, the beginning is read.  No book has as many
#: paragraphs; what does would take minutes and gigabytes.
MOST_SEGMENTS, MOST_ELEMENTS = 50_000, 300_000

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
class PageIndex:
    """A page's elements as parallel lists in document order, and its segments.

    ``parents`` holds the index of each element's parent (-1 for the root's), ``states`` the
    :class:`Within` flags of each element as plain integers (``BREAK`` and ``UNSEEN`` say what the
    element itself is), ``after`` the index after each element's last descendant.  From ``begins``
    up to ``ends`` go the indexes of the segments that each element holds text of.  ``marked`` tells
    which elements have any attributes, ``styled`` are the indexes of those that have a ``style``.

    Written out as start and end tags the elements take two places each; a text leaf is at the
    place of the tag before it.  ``blocks`` has the index of each segment's block, ``spans`` the
    places of its first and last leaf.  ``runs`` has four numbers for each text leaf that is not
    blank: its segment, the state it stands in, its characters, its place.  ``cut`` tells that the
    page goes on beyond what is read of any.
    """

    elements: list[HtmlElement]
    tags: list[str]
    parents: list[int]
    subtree_ends: list[int]
    flags: list[int]
    segment_begins: list[int]
    segment_ends: list[int]
    has_attributes: list[bool]
    styled: list[int]
    segments: tuple[Segment, ...]
    segment_blocks: list[int]
    segment_spans: list[tuple[int, int]]
    text_runs: array[int]
    truncated: bool = False


def segments(root: HtmlElement) -> tuple[Segment, ...]:
    """Return the text segments below ``root``, in document order."""
    return build_index(root).segments


class DisplayInfo(Protocol):
    """What a browser drew, as far as lines and visibility go (see :class:`.drawn.Drawn`)."""

    @property
    def hidden(self) -> AbstractSet[HtmlElement]:
        """The elements that nothing of is drawn."""

    def breaks_line(self, element: HtmlElement) -> bool:
        """Tell whether an element is a line-break node."""


def build_index(root: HtmlElement, drawn: DisplayInfo | None = None) -> PageIndex:
    """Read a tree's elements and text segments in one pass each way.

    What stands in ``noscript`` is read only when it is most of the page's text: pages that scripts
    build keep a plain version of themselves there, others keep pixels and reproaches.
    """
    if drawn is not None:
        return _walk(root, TAG_FLAGS, [], drawn)
    passed: list[HtmlElement] = []
    found = _walk(root, TAG_FLAGS, passed)
    unread = (each for each in passed if each.tag == "noscript")
    plain = sum(len("".join(each.itertext()).strip()) for each in unread)
    if plain > _NOSCRIPT_CHARS:
        fuller = _walk(root, TAG_FLAGS_WITH_NOSCRIPT, [])
        seen = _unlinked(found)
        if _unlinked(fuller) - seen > max(seen, _NOSCRIPT_CHARS):
            return fuller
    return found


def drop_unindexed(found: PageIndex) -> None:
    """Take what stands after an outline that is cut out of the tree: nobody is to read it."""
    last = found.elements[-1]
    while (above := last.getparent()) is not None:
        del above[above.index(last) + 1 :]
        last = above


def _unlinked(found: PageIndex) -> int:
    return sum(
        chars
        for state, chars in zip(found.text_runs[1::4], found.text_runs[2::4], strict=True)
        if not state & IS_LINK
    )


def _walk(
    root: HtmlElement,
    names: dict[str, int],
    passed: list[HtmlElement],
    drawn: DisplayInfo | None = None,
) -> PageIndex:
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
    marked: list[bool] = []
    styled: list[int] = []
    line = _Line(elements)
    found, leaves = line.found, line.leaves
    # The open elements, and the one around them all: index, state, index of the block.
    index, state, block = -1, 0, 0
    opened: list[tuple[int, int, int]] = []
    # This loop is entered twice for each element of every page: nothing in it is a call that
    # need not be one.
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in islice(walk, 2 * MOST_ELEMENTS):
        if line.full:
            break
        if event == "start":
            tag = element.tag
            own = names.get(tag, 0)
            if drawn is not None:
                own = _drawn_state(element, own, state, drawn)
            if own & IS_BREAK and leaves:
                line.end()
            opened.append((index, state, block))
            if own & IS_UNSEEN:
                state = state & ~IS_BREAK | own
                index = -1
                walk.skip_subtree()
                passed.append(element)
                continue
            parents.append(index)
            index = len(elements)
            state = state & ~IS_BREAK | own
            keys = element.keys()
            marked.append(bool(keys))
            if keys and not FLAG_ATTRIBUTES.isdisjoint(keys):
                state |= attribute_flags(element)
                styled += [index] * ("style" in keys)
            if own & IS_BREAK:
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
            if state & IS_BREAK and leaves:
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
    read = PageIndex(
        elements, tags, parents, after, states, begins, ends, marked, styled,
        tuple(found), line.blocks, line.spans, array("q", line.runs), line.full or bool(opened),
    )  # fmt: skip
    _close(read, (index, *(around for around, _, _ in opened)))
    return read


def _close(outline: PageIndex, still_open: Iterable[int]) -> None:
    """End the elements that are open where a page is cut (-1: the one around the root)."""
    for index in still_open:
        if index >= 0:
            outline.subtree_ends[index] = len(outline.elements)
            outline.segment_ends[index] = len(outline.segments)


class _Line:
    """Gathers leaves into segments."""

    __slots__ = (
        "block", "blocks", "elements", "first", "found", "full", "last", "leaves", "links", "runs",
        "spans", "texts", "told",
    )  # fmt: skip

    def __init__(self, elements: list[HtmlElement]) -> None:
        self.elements = elements
        self.found: list[Segment] = []
        self.blocks: list[int] = []
        self.spans: list[tuple[int, int]] = []
        self.runs: list[int] = []
        # The segment at hand.
        self.leaves: list[Leaf] = []
        self.texts: list[str] = []
        self.block = self.links = self.first = self.last = 0
        # How many numbers the runs of the segments before it are; whether text was left out.
        self.told = 0
        self.full = False

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
            self.runs += (len(self.found), state, chars, place)
            if state & IS_LINK:
                self.links += chars

    def end(self) -> None:
        """End the segment at hand, if there is one."""
        text = " ".join("".join(self.texts).split())
        if text and len(self.found) == MOST_SEGMENTS:
            self.full = True
            del self.runs[self.told :]
        elif text:
            block = self.elements[self.block]
            links = min(self.links, len(text))
            self.found.append(Segment(len(self.found), block, tuple(self.leaves), text, links))
            self.blocks.append(self.block)
            self.spans.append((self.first, self.last))
            self.told = len(self.runs)
        self.leaves.clear()
        self.texts.clear()
        self.links = 0


def _drawn_state(element: HtmlElement, own: int, around: int, drawn: DisplayInfo) -> int:
    """Return what an element brings as it is drawn; what is hidden keeps the lines of its names."""
    if around & IS_HIDDEN or own & IS_UNSEEN:
        return own
    if element in drawn.hidden:
        return own | IS_HIDDEN
    return own | IS_BREAK if drawn.breaks_line(element) else own & ~IS_BREAK
