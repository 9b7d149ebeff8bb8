"""The index of a page's tree: its elements and text segments as parallel arrays, from one walk.

A text segment (Luo et al., section 3) is a run of successive text leaves under one nearest
line-break node, with no line break between them: what every algorithm scores.  A line-break node is
an element displayed as a block, or ``br`` or ``hr``.  Without a rendered page the display follows
from its name or its ``style`` attribute.

Elements are identified by their index in document order.  Every start tag and end tag has a
position, and a text leaf has the position of the tag before it.  So the content of an element is a
range of positions, sums over subtrees are differences of running sums, and no method climbs to
ancestors or descends into children.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from enum import IntFlag
from functools import cached_property, lru_cache
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from lxml import etree
from lxml.html import HtmlElement
from numpy.typing import NDArray

from ..files import load_json
from ..text import CAMEL_CASE, class_pattern
from .visibility import HEADING_TAGS, PAGE_TAGS, has_unseen_class, is_hidden, is_unseen

if TYPE_CHECKING:
    from .page import PageLayout

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

#: The rest of a page is ignored: no book has this many paragraphs.
MAX_SEGMENTS = 50_000
#: Larger pages would take minutes and gigabytes.
MAX_ELEMENTS = 300_000

#: The fewest characters of text in ``noscript`` to read, if it is also most of the page's text.
_MIN_NOSCRIPT_CHARS = 400

#: Parts of classes that differ between similar elements.
_POSITION = re.compile(r"\d+|\b(?:odd|even|first|last|active)\b\s*")
#: The fewest elements of a row of similar ones, and the most segments of each.
MIN_ROW = 3
_MAX_LINES_IN_ROW = 14
_MAX_BOX_LEVELS = 8

# Element flags


#: What an element is or is inside of, by names and attributes.
ElementFlag = IntFlag(
    "ElementFlag",
    "LINK STRONG EMPHASIS BUTTON LABEL CODE PARAGRAPH HEADING ITEM LIST CELL TABLE DEFINITION QUOTE"
    " FIGURE CAPTION FORM NAV ASIDE HEADER FOOTER MAIN ARTICLE SECTION DETAILS DIALOG TIME SMALL"
    " NOSCRIPT HIDDEN UNSEEN BREAK",
)
IS_HIDDEN = int(ElementFlag.HIDDEN)
IS_UNSEEN = int(ElementFlag.UNSEEN)
IS_BREAK = int(ElementFlag.BREAK)
IS_LINK = int(ElementFlag.LINK)
IS_NAV = int(ElementFlag.NAV)
_TABLES = load_json(__file__, "elements.json")
#: Elements whose text is never seen.
INVISIBLE_TAGS = frozenset(_TABLES["invisible"].split())
#: Elements that browsers' default style sheets display as blocks, including table cells.
BLOCK_TAGS = frozenset(_TABLES["block"].split())
_ROLES = {role: int(ElementFlag[name]) for role, name in _TABLES["roles"].items()}
#: The flags by element name.
_TAG_FLAGS: dict[str, int] = dict.fromkeys(INVISIBLE_TAGS, IS_UNSEEN)
_TAG_FLAGS |= dict.fromkeys(BLOCK_TAGS | {"br", "hr"}, IS_BREAK)
for _name, _tags in _TABLES["flags"].items():
    for _tag in _tags.split():
        _TAG_FLAGS[_tag] = _TAG_FLAGS.get(_tag, 0) | int(ElementFlag[_name])
_TAG_FLAGS_WITH_NOSCRIPT = _TAG_FLAGS | {"noscript": int(ElementFlag.NOSCRIPT)}
#: The attributes that :func:`_attribute_flags` reads.
_FLAG_ATTRIBUTES = frozenset({"style", "hidden", "aria-hidden", "role"})


def _attribute_flags(element: HtmlElement, *, in_line: bool, sole_in_cell: bool) -> int:
    """Return the flags from an element's attributes; a cell's sole text is never unseen."""
    if not sole_in_cell and is_unseen(element, in_line=in_line):
        return IS_UNSEEN
    hidden = IS_HIDDEN if is_hidden(element) else 0
    return hidden | _ROLES.get(element.get("role") or "", 0)


# The index


class Leaf(NamedTuple):
    """A text leaf: the ``text`` of an element, or its ``tail`` if ``tail`` is true."""

    element: HtmlElement
    tail: bool

    @property
    def text(self) -> str:
        return (self.element.tail if self.tail else self.element.text) or ""

    @property
    def parent(self) -> HtmlElement:
        return self.element.getparent() if self.tail else self.element


#: The share of a line in links from which it is a link.
_MIN_LINK_SHARE = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """A run of text between two line breaks.

    ``block`` is the nearest line-break node that the leaves share, ``text`` their text with white
    space folded, ``link_chars`` the number of its characters in links.
    """

    index: int
    block: HtmlElement
    leaves: tuple[Leaf, ...]
    text: str
    link_chars: int = 0

    @property
    def is_link(self) -> bool:
        return self.link_chars >= _MIN_LINK_SHARE * len(self.text)


class TreeIndex:
    """The elements of a tree in document order, identified by their indexes.

    ``parents`` holds -1 for the root's, ``subtree_ends`` the index after the last descendant.
    """

    elements: list[HtmlElement]
    parents: list[int]
    subtree_ends: list[int]

    def __init__(self, root: HtmlElement, limit: int = MAX_ELEMENTS) -> None:
        """Index all elements of a tree, or the first ``limit`` of them."""
        self.elements = list(islice(root.iter("*"), limit))
        indexes = self.indexes
        self.parents = [indexes.get(element.getparent(), -1) for element in self.elements]
        self.subtree_ends = list(range(1, len(self.elements) + 1))
        for index in range(len(self.elements) - 1, 0, -1):
            parent = self.parents[index]
            self.subtree_ends[parent] = max(self.subtree_ends[parent], self.subtree_ends[index])

    @cached_property
    def indexes(self) -> dict[HtmlElement, int]:
        return {element: index for index, element in enumerate(self.elements)}

    def descendants(self, tops: Iterable[int]) -> set[int]:
        """Return all descendants of some elements, in time linear in the page."""
        descendants: set[int] = set()
        end = 0
        for top in sorted(tops):
            descendants.update(range(max(top + 1, end), self.subtree_ends[top]))
            end = max(end, self.subtree_ends[top])
        return descendants

    def with_ancestors(self, indexes: Iterable[int]) -> set[int]:
        """Return some elements and all their ancestors."""
        elements: set[int] = set()
        for index in indexes:
            while index >= 0 and index not in elements:
                elements.add(index)
                index = self.parents[index]
        return elements


class PageIndex(TreeIndex):
    """A page's elements, except those with invisible text, and its text segments.

    The ``flags`` of an element are :class:`ElementFlag` values as a plain integer; all but
    ``BREAK`` and ``UNSEEN`` also apply to its descendants.  ``segment_begins`` and ``segment_ends``
    are the range of segments with text inside it.  ``segment_blocks`` holds the index of each
    segment's block, ``segment_spans`` the positions of its first and last leaf.  ``text_runs`` has
    four numbers for each text leaf that is not blank: its segment, the flags that apply to it, its
    length in characters, its position.  ``skipped`` are the elements with invisible text.
    ``truncated``: the page continues beyond the index.
    """

    def __init__(
        self,
        root: HtmlElement,
        tag_flags: dict[str, int] = _TAG_FLAGS,
        display: PageLayout | None = None,
    ) -> None:
        """Walk the tree, which has no comments.

        What a browser displayed decides on line breaks and visibility.
        """
        self.skipped = skipped = list[HtmlElement]()
        self.elements = elements = list[HtmlElement]()
        self.tags = tags = list[str]()
        self.parents = parents = list[int]()
        self.subtree_ends = subtree_ends = list[int]()
        self.flags = flags = list[int]()
        self.segment_begins = segment_begins = list[int]()
        self.segment_ends = segment_ends = list[int]()
        self.classes = classes = list[str | None]()
        self.ids = ids = list[str | None]()
        self.styled = styled = list[int]()
        self.attribute_names = attribute_names = set[str]()
        builder = _SegmentBuilder(elements)
        segments, leaves = builder.segments, builder.leaves
        # The innermost open element (at first the root's parent): index, flags, index of its block.
        index, state, block = -1, 0, 0
        opened: list[tuple[int, int, int]] = []
        # This loop runs twice for each element of every page, so it avoids function calls.
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in islice(walk, 2 * MAX_ELEMENTS):
            if builder.full:
                break
            if event == "start":
                tag = element.tag
                added = tag_flags.get(tag, 0)
                if display is not None:
                    added = _displayed_flags(element, added, state, display)
                keys = () if added & IS_UNSEEN else element.keys()
                names = element.get("class") if keys else None
                if keys and (
                    has_unseen_class(names) or tag == "pre" or not _FLAG_ATTRIBUTES.isdisjoint(keys)
                ):
                    in_line = bool(leaves or element.tail) and not added & IS_BREAK
                    is_sole_in_cell = not leaves and bool(tags) and tags[block] in {"td", "th"}
                    added |= _attribute_flags(
                        element, in_line=in_line, sole_in_cell=is_sole_in_cell
                    )
                if added & IS_BREAK and leaves:
                    builder.end()
                opened.append((index, state, block))
                state = state & ~IS_BREAK | added
                if added & IS_UNSEEN:
                    index = -1
                    walk.skip_subtree()
                    skipped.append(element)
                    continue
                parents.append(index)
                index = len(elements)
                attribute_names.update(keys)
                classes.append(names)
                ids.append(element.get("id") if "id" in keys else None)
                styled += [index] * ("style" in keys)
                if added & IS_BREAK:
                    block = index
                elements.append(element)
                tags.append(tag)
                subtree_ends.append(0)
                flags.append(state)
                segment_begins.append(len(segments))
                segment_ends.append(0)
                text = element.text
                tail = False
            else:
                if state & IS_BREAK and leaves:
                    builder.end()
                if index >= 0:
                    subtree_ends[index] = len(elements)
                    segment_ends[index] = len(segments) + bool(leaves)
                text = element.tail if index else None
                tail = True
                index, state, block = opened.pop()
            if text and (leaves or not text.isspace()):
                position = 2 * len(elements) - len(opened) - 1
                builder.add(element, tail, text, state, block, position)
        builder.end()
        self.segments = tuple(segments)
        self.segment_blocks, self.segment_spans = builder.blocks, builder.spans
        self.text_runs = array("q", builder.runs)
        self.truncated = builder.full or bool(opened)
        self._close([index, *(outer for outer, _, _ in opened)])

    def _close(self, still_open: Iterable[int]) -> None:
        """Close the elements still open where a page is cut (-1: the parent of the root)."""
        for index in still_open:
            if index >= 0:
                self.subtree_ends[index] = len(self.elements)
                self.segment_ends[index] = len(self.segments)
        if self.truncated:
            # Elements closed within a segment that was left out have counted it.
            self.segment_ends = [min(end, len(self.segments)) for end in self.segment_ends]

    def visible_segments(self) -> set[int]:
        """Return the indexes of the segments with text that is not hidden."""
        runs = zip(self.text_runs[::4], self.text_runs[1::4], strict=True)
        return {segment for segment, flags in runs if not flags & IS_HIDDEN}

    def unlinked_chars(self) -> int:
        runs = zip(self.text_runs[1::4], self.text_runs[2::4], strict=True)
        return sum(chars for flags, chars in runs if not flags & IS_LINK)

    def segment_range(self, index: int) -> range:
        return range(self.segment_begins[index], self.segment_ends[index])

    def box_around(self, line: int) -> int:
        """Return the innermost of a few elements around a segment that also contains the next."""
        box = self.segment_blocks[line]
        for _ in range(_MAX_BOX_LEVELS):
            if self.segment_ends[box] > line + 1 or self.parents[box] < 0:
                break
            box = self.parents[box]
        return box

    def locate(self, element: HtmlElement) -> tuple[int, int]:
        """Return the index of an element or its nearest indexed ancestor, and the next segment."""
        index = self.indexes.get(element)
        if index is not None:
            return index, self.segment_begins[index]
        node = element
        while (parent := node.getparent()) is not None:
            index = self.indexes.get(parent)
            if index is not None:
                break
            node = parent
        else:
            return 0, 0
        for sibling in islice(node.itersiblings(preceding=True), 8):
            previous = self.indexes.get(sibling)
            if previous is not None:
                return index, self.segment_ends[previous]
        return index, self.segment_begins[index]

    @cached_property
    def rows(self) -> list[list[range]]:
        """The segments of similar siblings, and of the innermost ``article`` elements."""
        rows: defaultdict[tuple[int, str, str], list[range]] = defaultdict(list)
        articles: list[range] = []
        for i, (begin, end) in enumerate(zip(self.segment_begins, self.segment_ends, strict=True)):
            if end - begin > 1 and self.tags[i] == "article":
                if articles and articles[-1].stop > begin:
                    articles.pop()
                articles.append(range(begin, end))
            elif 1 < end - begin <= _MAX_LINES_IN_ROW:
                name = common_classes((self.classes[i] or "").strip().partition(" ")[0])
                rows[self.parents[i], self.tags[i], name].append(range(begin, end))
        return [row for row in (articles, *rows.values()) if len(row) >= MIN_ROW]

    # The same as numpy arrays of positions, for the papers' methods

    @cached_property
    def opens(self) -> Ints:
        """The position of each element's start tag."""
        count = len(self.elements)
        # A start tag is preceded by the start tags of all earlier elements, and by the end tags of
        # those that are not its ancestors.
        closed = np.bincount(np.array(self.subtree_ends, np.int64), minlength=count + 1)
        return np.arange(count, dtype=np.int64) + np.cumsum(closed)[:count]

    @cached_property
    def closes(self) -> Ints:
        """The position of each element's end tag."""
        sizes = np.array(self.subtree_ends, np.int64) - np.arange(len(self.elements))
        return self.opens + 2 * sizes - 1

    @cached_property
    def segment_firsts(self) -> Ints:
        """The position of each segment's first leaf."""
        return np.array([first for first, _ in self.segment_spans], np.int64)

    @cached_property
    def segment_lasts(self) -> Ints:
        """The position of each segment's last leaf."""
        return np.array([last for _, last in self.segment_spans], np.int64)

    @cached_property
    def segment_chars(self) -> Ints:
        return np.array([len(segment.text) for segment in self.segments], np.int64)

    @cached_property
    def segment_link_chars(self) -> Ints:
        return np.array([segment.link_chars for segment in self.segments], np.int64)

    def segment_ranges(self, indexes: Sequence[int] | Ints) -> tuple[Ints, Ints]:
        """Return the ranges of segments that begin inside each of some elements: firsts, ends."""
        elements = np.asarray(indexes, dtype=np.int64)
        return (
            np.searchsorted(self.segment_firsts, self.opens[elements]),
            np.searchsorted(self.segment_firsts, self.closes[elements]),
        )


def build_index(root: HtmlElement, display: PageLayout | None = None) -> PageIndex:
    """Index a page, with text in ``noscript``, often a tracking pixel, only if it is most of it."""
    if display is not None:
        return PageIndex(root, display=display)
    index = PageIndex(root)
    unread = (element for element in index.skipped if element.tag == "noscript")
    if sum(len("".join(element.itertext()).strip()) for element in unread) > _MIN_NOSCRIPT_CHARS:
        fuller = PageIndex(root, _TAG_FLAGS_WITH_NOSCRIPT)
        chars = index.unlinked_chars()
        if fuller.unlinked_chars() - chars > max(chars, _MIN_NOSCRIPT_CHARS):
            return fuller
    return index


def drop_unindexed(index: PageIndex) -> None:
    """Remove everything after the end of a truncated index from the tree."""
    last = index.elements[-1]
    while (parent := last.getparent()) is not None:
        del parent[parent.index(last) + 1 :]
        last = parent


class _SegmentBuilder:
    """Gathers leaves into segments."""

    def __init__(self, elements: list[HtmlElement]) -> None:
        self.elements = elements
        self.segments: list[Segment] = []
        self.blocks: list[int] = []
        self.spans: list[tuple[int, int]] = []
        self.runs: list[int] = []
        # The segment being built.
        self.leaves: list[Leaf] = []
        self.texts: list[str] = []
        self.block = self.link_chars = self.first = self.last = 0
        # The length of the text runs of the complete segments; whether text was left out.
        self.complete_runs = 0
        self.full = False

    def add(
        self, element: HtmlElement, tail: bool, text: str, flags: int, block: int, position: int
    ) -> None:
        if not self.leaves:
            self.first = position
        self.last = position
        # Twice as fast as Leaf(...); a page has thousands.
        self.leaves.append(tuple.__new__(Leaf, (element, tail)))
        self.texts.append(text)
        self.block = block
        chars = len(text.strip())
        if chars:
            self.runs += (len(self.segments), flags, chars, position)
            if flags & IS_LINK:
                self.link_chars += chars

    def end(self) -> None:
        text = " ".join("".join(self.texts).split())
        if text and len(self.segments) == MAX_SEGMENTS:
            self.full = True
            del self.runs[self.complete_runs :]
        elif text:
            block = self.elements[self.block]
            link_chars = min(self.link_chars, len(text))
            self.segments.append(
                Segment(len(self.segments), block, tuple(self.leaves), text, link_chars)
            )
            self.blocks.append(self.block)
            self.spans.append((self.first, self.last))
            self.complete_runs = len(self.runs)
        self.leaves.clear()
        self.texts.clear()
        self.link_chars = 0


def _displayed_flags(
    element: HtmlElement, added: int, outer_flags: int, display: PageLayout
) -> int:
    """Return the flags of an element as displayed; hidden elements break lines by their names."""
    if outer_flags & IS_HIDDEN or added & IS_UNSEEN:
        return added
    if element in display.hidden:
        return added | IS_HIDDEN
    return added | IS_BREAK if display.breaks_line(element) else added & ~IS_BREAK


class ElementsByTag:
    """The elements of a tree by name, from one slow walk; the names must not change."""

    def __init__(self, tree: HtmlElement) -> None:
        self._elements = list(tree.iter("*"))
        self._positions: defaultdict[str, list[int]] = defaultdict(list)
        for position, element in enumerate(self._elements):
            self._positions[element.tag].append(position)

    def find(self, *tags: str) -> list[HtmlElement]:
        """Return the elements of some names in document order."""
        positions = chain.from_iterable(self._positions.get(tag, ()) for tag in tags)
        return [self._elements[position] for position in sorted(positions)]


def prefix_sums(values: NDArray[Any]) -> NDArray[Any]:
    """Return running sums with a leading 0, so that a range's sum is the difference of two."""
    kind = np.float64 if values.dtype.kind == "f" else np.int64
    return np.concatenate((np.zeros(1, kind), np.cumsum(values, dtype=kind)))


def covered_by_ranges(lows: Ints, highs: Ints, count: int) -> Bools:
    """Return which of ``count`` indexes lie in any of the ranges, in linear time."""
    steps = np.bincount(lows, minlength=count + 1) - np.bincount(highs, minlength=count + 1)
    return np.cumsum(steps[:-1]) > 0


@lru_cache(4096)
def common_classes(names: str) -> str:
    """Return the value of ``class`` without what differs between similar elements."""
    return _POSITION.sub("", names)


def class_and_id(element: HtmlElement) -> str:
    """Return an element's classes and id in lower case."""
    return f"{element.get('class') or ''} {element.get('id') or ''}"[:300].lower()


@lru_cache(4096)
def _split_humps(names: str) -> str:
    return CAMEL_CASE.sub("-", names).lower()


def names_of_part(element: HtmlElement) -> str:
    """Return an element's classes, id and property of microdata in lower case, with hyphens."""
    keys = (element.get("class"), element.get("id"), element.get("itemprop"))
    return _split_humps(" ".join(filter(None, keys))[:300])


#: The names of a recipe's times, servings and nutrients.
_FACT = class_pattern(
    "(?:active|additional|bake|baking|chill|cook|cooking|custom|prep|preparation|rest|resting|total)"
    "[_-]*time|bake|cook|prep|total|calories|cuisine|servings?|serves|yields?"
    "|nutri(?:ent|tion-item)"
)
_MAX_FACT_CHARS = 60
_MAX_FACT_ELEMENTS = 60
_NOT_FACT_TAGS = HEADING_TAGS | {"dl", "form", "li", "table"}


def is_recipe_fact(element: HtmlElement) -> bool:
    """Return whether an element is named for a fact of a recipe, and is short with a number."""
    is_named = _FACT.search(names_of_part(element)) is not None
    return is_named and any(map(str.isdigit, short_text(element, _MAX_FACT_CHARS)))


_RECIPE_PART = class_pattern(r"h?recipes?|ingredients?|nutri\w{0,20}")
_MAX_RECIPE_LEVELS = 12


def is_in_recipe(element: HtmlElement) -> bool:
    """Return whether an element or one around it is named for a recipe or for nutrition."""
    around = islice(chain([element], element.iterancestors()), _MAX_RECIPE_LEVELS)
    # The names of a page may tell of a site's sections.
    parts = takewhile(lambda part: part.tag not in PAGE_TAGS, around)
    return any(_RECIPE_PART.search(names_of_part(part)) for part in parts)


def short_text(element: HtmlElement, limit: int) -> str:
    """Return a short text, '' for a longer one or one with a heading, list, table or form."""
    parts = list(islice(element.iterdescendants(), _MAX_FACT_ELEMENTS + 1))
    if len(parts) > _MAX_FACT_ELEMENTS or any(part.tag in _NOT_FACT_TAGS for part in parts):
        return ""
    text = beginning_of_text(element, limit)
    return text if len(text) <= limit else ""


def beginning_of_text(element: HtmlElement, limit: int = 200) -> str:
    """Return the first ``limit`` characters or more of an element's text, even if hidden."""
    pieces, length = [], 0
    for piece in element.itertext():
        pieces.append(piece)
        length += len(piece.strip())
        if length > limit:
            break
    return " ".join("".join(pieces).split())


def tag_and_class(element: HtmlElement) -> tuple[str, str]:
    """Return the tag and the first class of an element, which the entries of a list share."""
    return str(element.tag), (element.get("class") or "")[:200].strip().partition(" ")[0]


def is_inside(element: HtmlElement, elements: Set[HtmlElement]) -> bool:
    """Return whether an element is one of some others or inside one."""
    return element in elements or any(outer in elements for outer in element.iterancestors())


def outward(element: HtmlElement, levels: int) -> Iterator[HtmlElement]:
    """Yield an element and those around it, at most so many ``levels`` up."""
    return islice(chain((element,), element.iterancestors()), levels + 1)


def enclosing_link(element: HtmlElement | None) -> HtmlElement | None:
    """Return the link that an element is or is in."""
    while element is not None and element.tag != "a":
        element = element.getparent()
    return element
