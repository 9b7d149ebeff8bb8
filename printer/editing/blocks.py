"""Blocks that can be removed from an article or restored, with site rules that match them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import accumulate

from lxml.html import HtmlElement

from ..article import Block, Figure, iter_text
from ..html.index import Segment
from ..html.page import Page
from ..selection import Verdict
from ..site_rules.css import ElementIndex
from ..site_rules.suggest import Suggester, Suggestion

#: The most omitted segments offered: before the article, after it, and in total.
BEFORE, AFTER = 30, 60
_MAX_OMITTED = 400

#: The distance from one text within which the next is searched for; the length from which a text is
#: searched for everywhere; and the maximum number of such searches.
_AHEAD, _LONG, _MAX_ANYWHERE = 60, 24, 300
_MAX_ENDS = 40


@dataclass(frozen=True, slots=True)
class EditableBlock:
    """A block of the article, or one near it that extraction omitted.

    ``rules`` are selectors for site rules that would match the block on other pages, too.
    """

    id: str
    block: Block
    in_article: bool = True
    rules: tuple[Suggestion, ...] = ()


def select_omitted(page: Page, verdict: Verdict, captions: AbstractSet[int]) -> Verdict:
    """Return a verdict that selects the visible text near the article that ``verdict`` omits."""
    selected = [index for index, keep in enumerate(verdict.keep) if keep]
    keep = [False] * len(verdict.keep)
    if selected:
        visible = page.index.visible_segments()
        near = range(max(0, selected[0] - BEFORE), min(len(keep), selected[-1] + AFTER + 1))
        omitted = [
            index
            for index in near
            if not verdict.keep[index]
            and index not in captions
            and index in visible
            and len(page.segments[index].text) > 2
        ]
        for index in omitted[:_MAX_OMITTED]:
            keep[index] = True
    return replace(verdict, keep=tuple(keep))


def editable_blocks(
    page: Page,
    article: tuple[Sequence[Block], Verdict],
    omitted: tuple[Sequence[Block], Verdict],
    pictures: Mapping[str, HtmlElement],
) -> tuple[EditableBlock, ...]:
    """Return an article's blocks, with the omitted ones inserted at their places.

    Args:
        page: The page.
        article: The article's blocks, and the verdict from which they were composed.
        omitted: The omitted blocks, and the verdict from which they were composed.
        pictures: The elements of pictures by ``Figure.src``, or ``Figure.svg``.
    """
    index = ElementIndex(page.tree)
    positions = _Positions(index, page.segments, pictures)
    included = [(f"b{n}", *pair) for n, pair in enumerate(positions.of(*article))]
    waiting = [(f"d{n}", *pair) for n, pair in enumerate(positions.of(*omitted))]
    elements = {name: at.element for name, _, at in (*included, *waiting) if at.element >= 0}
    suggest = Suggester(index, elements).suggest
    waiting.reverse()
    merged: list[EditableBlock] = []
    for name, block, at in included:
        while waiting and 0 <= waiting[-1][2].start < at.start:
            omitted_name, omitted_block, _ = waiting.pop()
            merged.append(EditableBlock(omitted_name, omitted_block, False, suggest(omitted_name)))
        merged.append(EditableBlock(name, block, True, suggest(name)))
    merged += [EditableBlock(n, block, False, suggest(n)) for n, block, _ in reversed(waiting)]
    return tuple(merged)


def append_blocks(
    editable: Sequence[EditableBlock], blocks: Sequence[Block]
) -> tuple[EditableBlock, ...]:
    """Return editable blocks with the blocks appended since to their article."""
    if not editable:
        return ()
    count = sum(block.in_article for block in editable)
    new = enumerate(blocks[count:], start=count)
    return (*editable, *(EditableBlock(f"b{number}", block) for number, block in new))


@dataclass(frozen=True, slots=True)
class _Position:
    """The place where a block starts on the page, and the index of its element (-1: unknown)."""

    start: float = -1
    element: int = -1


class _Positions:
    """Locates blocks on the page from which they were composed, by text and pictures."""

    def __init__(
        self, index: ElementIndex, segments: Sequence[Segment], pictures: Mapping[str, HtmlElement]
    ) -> None:
        self.index, self.segments, self.pictures = index, segments, pictures

    def of(self, blocks: Sequence[Block], verdict: Verdict) -> Iterator[tuple[Block, _Position]]:
        """Yield each block with its position; a rule or formula has that of the previous block."""
        selected = [s for s, keep in zip(self.segments, verdict.keep, strict=True) if keep]
        start = -1.0
        for block, segments in zip(blocks, _align(blocks, selected), strict=True):
            if isinstance(block, Figure):
                at = self._figure(block)
            else:
                at = self._text(segments) if segments else _Position()
            if at.start < 0:
                at = replace(at, start=start)
            start = at.start
            yield block, at

    def _figure(self, figure: Figure) -> _Position:
        element = self.pictures.get(figure.svg or figure.src)
        while element is not None and element not in self.index.indexes:
            element = element.getparent()
        index = self.index.indexes.get(element, -1) if element is not None else -1
        return _Position(index, index)

    def _text(self, segments: Sequence[Segment]) -> _Position:
        leaf = segments[0].leaves[0]
        start = self.index.indexes.get(leaf.element, -1) + (0.5 if leaf.tail else 0)
        ends = {s.index: s for s in (*segments[:_MAX_ENDS], *segments[-_MAX_ENDS:])}
        blocks = [self.index.indexes.get(segment.block, -1) for segment in ends.values()]
        return _Position(start, self._common_ancestor(blocks))

    def _common_ancestor(self, indexes: Sequence[int]) -> int:
        common = indexes[0]
        for index in indexes[1:]:
            ancestors = self.index.with_ancestors([common])
            while index >= 0 and index not in ancestors:
                index = self.index.parents[index]
            common = index
        return common


def _align(blocks: Sequence[Block], segments: Sequence[Segment]) -> list[list[Segment]]:
    """Return the segments from which each block was composed.

    Both are in reading order, except for blocks moved by composition, such as notes.
    """
    texts = ["".join("".join(iter_text(block)).split()) for block in blocks]
    text = "".join(texts)
    starts = [0, *accumulate(map(len, texts))][: len(texts)]
    aligned: list[list[Segment]] = [[] for _ in blocks]
    end, searches = 0, _MAX_ANYWHERE
    for segment in segments:
        part = "".join(segment.text.split())
        at = text.find(part, end, end + 21 * len(part) + _AHEAD) if part else -1
        if at >= 0:
            end = at + len(part)
        elif len(part) >= _LONG and searches:
            searches -= 1
            at = text.find(part)
        if at >= 0:
            aligned[bisect_right(starts, at) - 1].append(segment)
    return aligned
