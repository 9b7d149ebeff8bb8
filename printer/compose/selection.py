"""The selected part of a page's tree: text nodes, pictures, and the elements around them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import compress, islice, pairwise, takewhile, zip_longest

from lxml import etree
from lxml.html import HtmlElement

from ..article import Figure
from ..html.index import BLOCK_TAGS, ElementFlag, Leaf, PageIndex, Segment, tag_and_class
from ..html.page import Page
from ..html.structure import TEX_ATTRIBUTES, image_tex, is_social_post
from ..html.visibility import is_not_displayed
from ..selection import PlacedFigure, Verdict
from ..text import QUESTION_MARKS, count_words


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The selected content of a page: the segment of each text node, the figure of each picture.

    ``path`` has all elements that are selected or have selected descendants, ``headings`` those
    that are headings, though they are paragraphs to the parser, ``entries`` those of collections: a
    picture with its name and price, or only these.
    """

    leaves: dict[Leaf, int]
    figures: dict[HtmlElement, Figure]
    path: set[HtmlElement]
    formulas: bool
    headings: frozenset[HtmlElement] = frozenset()
    entries: frozenset[HtmlElement] = frozenset()


#: Textless elements that are selected if they are among selected text.
_TEXTLESS_TAGS = ("hr", "math", "script", "iframe", "video", "audio", "img", "blockquote")
MAX_ENTRY_CHARS = 250
_MAX_ENTRY_CHARS_IN_ARTICLE = 100
MIN_ENTRIES = 3
_MAX_LEVELS_TO_ENTRY = 10
_MAX_SIBLINGS = 1000


def select(
    page: Page,
    verdict: Verdict,
    pictures: tuple[PlacedFigure, ...],
    excluded: Set[HtmlElement] = frozenset(),
) -> Selection:
    """Select text nodes outside ``excluded`` elements, pictures and empty elements among them."""
    captions = frozenset[int]().union(*(placed.captions for placed in pictures))
    leaves = {
        leaf: segment.index
        for segment, keep in zip(page.segments, verdict.keep, strict=True)
        if keep and segment.index not in captions
        for leaf in (_printed_leaves(segment, excluded) if excluded else segment.leaves)
    }
    path: set[HtmlElement] = set()
    for leaf in leaves:
        _add_path(leaf.parent, path)
    textless = _find_textless(page)
    lines = [i for i, keep in enumerate(verdict.keep) if keep] or [0]
    amid = range(lines[0] + 1, lines[-1] + 1)
    for element in textless:
        if element not in excluded and _is_near_selected(page.index, element, path, amid):
            _add_path(element, path)
    figures = {placed.element: placed.figure for placed in pictures}
    for element in figures:
        _add_path(element, path)
    formulas = any(
        element.tag in {"math", "script"} or element.tag not in _TEXTLESS_TAGS
        for element in textless
    )
    headings = (
        _named_headings(page, verdict.keep).union(page.elements.find("summary"))
        if verdict.kind not in {"documentation", "forum"}
        else frozenset()
    )
    max_chars = _MAX_ENTRY_CHARS_IN_ARTICLE if verdict.kind == "article" else MAX_ENTRY_CHARS
    entries = _find_entries(page, leaves, figures, max_chars)
    return Selection(leaves, figures, path, formulas, headings, entries)


#: What is between links in a row.
_BARS = frozenset("|·•")


def _printed_leaves(segment: Segment, excluded: Set[HtmlElement]) -> Iterable[Leaf]:
    """Yield a line's text nodes outside some elements, without the bars before these."""
    for leaf, following in zip_longest(segment.leaves, segment.leaves[1:]):
        is_bar = following is not None and leaf.text.strip() in _BARS
        if leaf.parent not in excluded and not (is_bar and following.parent in excluded):
            yield leaf


_MAX_ENTRY_SEGMENTS = 8


def _find_entries(
    page: Page, leaves: Mapping[Leaf, int], figures: Mapping[HtmlElement, Figure], max_chars: int
) -> frozenset[HtmlElement]:
    """Return the elements, and similar siblings, with one picture and ``max_chars`` or fewer."""
    if len(figures) < MIN_ENTRIES:
        return frozenset()
    counts: Counter[HtmlElement] = Counter()
    for element in figures:
        counts.update(islice(element.iterancestors(), _MAX_LEVELS_TO_ENTRY))
    selected = frozenset(leaves.values())
    entries_by_look: dict[tuple[str, str], list[HtmlElement]] = {}
    other_entries: dict[tuple[str, str], list[HtmlElement]] = {}  # also those with too much text
    for element in figures:
        ancestors = islice(element.iterancestors(), _MAX_LEVELS_TO_ENTRY - 1)
        alone = takewhile(lambda outer: counts[outer] == 1, ancestors)
        *_, entry = (None, *(outer for outer in alone if outer.tag in BLOCK_TAGS))
        if entry is not None:
            is_entry = _is_entry(page, entry, selected, max_chars)
            by_look = entries_by_look if is_entry else other_entries
            by_look.setdefault(tag_and_class(entry), []).append(entry)
    entries: set[HtmlElement] = set()
    for look, pictured in entries_by_look.items():
        longer = other_entries.get(look, ())
        if len(pictured) >= max(MIN_ENTRIES, len(longer)):
            entries.update(pictured, longer)
            for parent in {entry.getparent() for entry in pictured} - {None}:
                entries.update(
                    child
                    for child in islice(parent, _MAX_SIBLINGS)
                    if tag_and_class(child) == look
                    and not counts[child]
                    and _is_entry(page, child, selected, max_chars)
                )
    return frozenset(entries)


def _is_entry(page: Page, element: HtmlElement, selected: Set[int], max_chars: int) -> bool:
    """Return whether an element has some selected text, but not more than an entry's."""
    position = page.index.indexes.get(element)
    if position is None:
        return False
    lines = page.index.segment_range(position)[: 10 * _MAX_ENTRY_SEGMENTS]
    positions = [i for i in lines if i in selected]
    chars = sum(len(page.segments[i].text) for i in positions)
    return 0 < len(positions) <= _MAX_ENTRY_SEGMENTS and chars <= max_chars


_HEADING_CLASS = re.compile(
    r"head(?:ing|line)|(?<!sub)(?<![a-z])title(?![a-z])|question|inter-?(?:line|title|titre)"
    r"|cross-?head|sub-?heads?|zwischen(?:titel|zeile|überschrift)|ladillo",
    re.IGNORECASE,
)
_MIN_WORDS_BELOW_HEADING = 20
_MAX_SEGMENTS_BELOW = 3
#: The share of headings above so many words.
_MIN_SHARE_BELOW = 0.8
#: Elements without headings of this kind.
_NOT_HEADING_FLAGS = int(
    ElementFlag.ITEM | ElementFlag.CELL | ElementFlag.QUOTE | ElementFlag.FIGURE
    | ElementFlag.CAPTION | ElementFlag.DEFINITION
)  # fmt: skip
_MAX_HEADING_WORDS = 14
_MAX_QUESTION_WORDS = 25
_NOT_HEADING_ENDS = frozenset(".,;:…。，；：")


def _named_headings(page: Page, keep: Sequence[bool]) -> frozenset[HtmlElement]:
    """Return short paragraphs that act as headings: most of their class are above some text."""
    index = page.index
    selected = list(compress(page.segments, keep))
    positions_by_class: dict[str, list[int]] = {}
    for position, segment in enumerate(selected):
        if segment.block.tag in ("p", "div") and (names := _class_names(index, segment)):
            positions_by_class.setdefault(names, []).append(position)
    headings: set[HtmlElement] = set()
    for names, positions in positions_by_class.items():
        if len(positions) < 2 or not _HEADING_CLASS.search(names[:300]):
            continue
        segments = [selected[position] for position in positions]
        bounds = pairwise([*positions, len(selected)])
        below = (selected[begin + 1 : end][:_MAX_SEGMENTS_BELOW] for begin, end in bounds)
        long_count = sum(
            sum(count_words(segment.text[:600]) for segment in part) >= _MIN_WORDS_BELOW_HEADING
            for part in below
        )
        are_questions = all(segment.text.endswith(QUESTION_MARKS) for segment in segments)
        max_words = _MAX_QUESTION_WORDS if are_questions else _MAX_HEADING_WORDS
        word_counts = [count_words(segment.text) for segment in segments]
        if (
            all(_is_heading(index, segment) for segment in segments)
            and sum(word_counts) >= 2 * len(segments)
            and max(word_counts) <= max_words
            and long_count >= _MIN_SHARE_BELOW * len(segments)
        ):
            headings.update(segment.block for segment in segments)
    return frozenset(headings)


_MAX_WRAPPERS = 3


def _class_names(index: PageIndex, segment: Segment) -> str:
    """Return the classes of a paragraph, and of those around it that have no other text."""
    names = [segment.block.get("class") or ""]
    for parent in islice(segment.block.iterancestors("div"), _MAX_WRAPPERS):
        if len(index.segment_range(index.indexes[parent])) > 1:
            break
        names.append(parent.get("class") or "")
    return " ".join(filter(None, names))


def _is_heading(index: PageIndex, segment: Segment) -> bool:
    block = index.segment_blocks[segment.index]
    return (
        not index.flags[block] & _NOT_HEADING_FLAGS
        and not segment.link_chars
        and segment.text[-1] not in _NOT_HEADING_ENDS
    )


def select_below(top: HtmlElement, leaves: Iterable[Leaf]) -> Selection:
    """Select some text nodes below an element, each block element as a paragraph."""
    selected = dict.fromkeys(leaves, 0)
    path = {top}
    for leaf in selected:
        _add_path(leaf.parent, path)
    return Selection(selected, {}, path, formulas=False)


def _add_path(element: HtmlElement | None, path: set[HtmlElement]) -> None:
    while element is not None and element not in path:
        path.add(element)
        element = element.getparent()


_SOURCE_ATTRIBUTES = ("data-mathml", *TEX_ATTRIBUTES)
_FIND_WITH_SOURCE = etree.XPath(f"//*[{' or '.join(f'@{name}' for name in _SOURCE_ATTRIBUTES)}]")


def _find_textless(page: Page) -> list[HtmlElement]:
    """Return elements with content but no text, and those that keep a formula's source."""
    formulas: list[HtmlElement] = []
    if not page.index.attribute_names.isdisjoint(_SOURCE_ATTRIBUTES):
        formulas = _FIND_WITH_SOURCE(page.tree)  # type: ignore[assignment]
    return formulas + list(filter(_has_content, page.elements.find(*_TEXTLESS_TAGS)))


def _has_content(element: HtmlElement) -> bool:
    if element.tag == "script":
        return (element.get("type") or "").startswith("math/tex")
    if element.tag == "blockquote":
        return is_social_post(element)  # of a picture, perhaps, with no text but a signature
    if element.tag in ("audio", "video") and is_not_displayed(element):
        return False  # a player of its own, as of a text read aloud
    return element.tag != "img" or bool(image_tex(element))


#: Textless elements inside these are not selected.
_EXCLUDED_TAGS = frozenset(
    {"nav", "aside", "footer", "header", "form", "button", "noscript", "template"}
)
#: The most ancestors up to the selected text: those with text, and all.
_MAX_LEVELS_TO_SELECTED = 6
_MAX_LEVELS = 16


def _is_near_selected(
    index: PageIndex, element: HtmlElement, path: Set[HtmlElement], amid: range
) -> bool:
    """Return whether a near ancestor contains selected text.

    A frame before one of the lines ``amid`` may be in many boxes of its own: those without any text
    do not count.
    """
    is_amid = element.tag == "iframe" and index.locate(element)[1] in amid
    levels = 0
    for ancestor in islice(element.iterancestors(), _MAX_LEVELS):
        if ancestor.tag in _EXCLUDED_TAGS:
            return False
        if ancestor in path:
            return bool(ancestor.tag != "html")
        box = index.indexes.get(ancestor, -1)
        levels += not is_amid or box < 0 or bool(index.segment_range(box))
        if levels == _MAX_LEVELS_TO_SELECTED:
            return False
    return False
