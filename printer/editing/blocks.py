"""The pieces a person can leave out of an article or bring back, and how rules would name them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from lxml.html import HtmlElement

from ..article import Block, Figure, iter_text
from ..html.index import IS_HIDDEN, Segment
from ..html.page import Page
from ..selection import Verdict
from ..site_rules.css import ElementIndex
from ..site_rules.suggest import Suggester, Suggestion

#: Of what extraction left out so many segments are offered before the article and after it.
BEFORE, AFTER = 30, 60
MOST = 400

#: A text is looked for so far ahead of the last one found, and anywhere when it is long.
_AHEAD, _LONG, _MOST_ANYWHERE = 60, 24, 300
_MOST_ENDS = 40


@dataclass(frozen=True, slots=True)
class EditableBlock:
    """A block of the article, or one that extraction left out (``kept`` is False).

    ``rules`` are the selectors by which a rule could name it on other pages of the site.
    """

    id: str
    block: Block
    in_article: bool = True
    rules: tuple[Suggestion, ...] = ()


def select_omitted(page: Page, verdict: Verdict, captions: AbstractSet[int]) -> Verdict:
    """Return the opposite choice near the article: what a reader saw there and is left out."""
    kept = [index for index, keep in enumerate(verdict.keep) if keep]
    keep = [False] * len(verdict.keep)
    if not kept:
        return replace(verdict, keep=tuple(keep))
    runs = page.index.text_runs
    seen = {at for at, state in zip(runs[::4], runs[1::4], strict=True) if not state & IS_HIDDEN}
    count = 0
    for index in range(max(0, kept[0] - BEFORE), min(len(keep), kept[-1] + AFTER + 1)):
        free = not verdict.keep[index] and index not in captions and index in seen
        if free and len(page.segments[index].text) > 2 and count < MOST:
            keep[index] = True
            count += 1
    return replace(verdict, keep=tuple(keep))


def editable_blocks(
    page: Page,
    article: tuple[Sequence[Block], Verdict],
    others: tuple[Sequence[Block], Verdict],
    pictures: Mapping[str, HtmlElement],
) -> tuple[EditableBlock, ...]:
    """Return the article's blocks with those that were left out at their places among them.

    Both come with the verdict that they were composed by.
    ``pictures`` are the elements of pictures by their address, or by their source for drawings.
    """
    tree = ElementIndex(page.tree)
    places = _Places(tree, page.segments, pictures)
    kept = [(f"b{n}", block, place) for n, (block, place) in enumerate(places.of(*article))]
    left = [(f"d{n}", block, place) for n, (block, place) in enumerate(places.of(*others))]
    named = {name: place.element for name, _, place in (*kept, *left) if place.element >= 0}
    suggest = Suggester(tree, named).suggest
    merged: list[EditableBlock] = []
    waiting = list(reversed(left))
    for name, block, place in kept:
        while waiting and 0 <= waiting[-1][2].begin < place.begin:
            other, its_block, _ = waiting.pop()
            merged.append(EditableBlock(other, its_block, False, suggest(other)))
        merged.append(EditableBlock(name, block, True, suggest(name)))
    merged += [EditableBlock(n, block, False, suggest(n)) for n, block, _ in reversed(waiting)]
    return tuple(merged)


def append_blocks(
    parts: Sequence[EditableBlock], blocks: Sequence[Block]
) -> tuple[EditableBlock, ...]:
    """Return the pieces of an article that has become longer by blocks at its end."""
    if not parts:
        return ()
    begun = sum(piece.in_article for piece in parts)
    rest = enumerate(blocks[begun:], start=begun)
    return (*parts, *(EditableBlock(f"b{n}", block) for n, block in rest))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a block begins on the page, and the element that holds it (-1: not known)."""

    begin: float = -1
    element: int = -1


class _Places:
    """Finds blocks again on the page they were made of, by their words and pictures."""

    def __init__(
        self, tree: ElementIndex, segments: Sequence[Segment], pictures: Mapping[str, HtmlElement]
    ) -> None:
        self.tree, self.segments, self.pictures = tree, segments, pictures

    def of(self, blocks: Sequence[Block], verdict: Verdict) -> Iterable[tuple[Block, _Place]]:
        chosen = [s for s, keep in zip(self.segments, verdict.keep, strict=True) if keep]
        found = _aligned(blocks, chosen)
        begin = -1.0
        for block, indexes in zip(blocks, found, strict=True):
            place = self._figure(block) if isinstance(block, Figure) else self._text(indexes)
            if place.begin < 0:
                place = replace(place, begin=begin)  # A rule or a formula follows what it follows.
            begin = place.begin
            yield block, place

    def _figure(self, figure: Figure) -> _Place:
        element = self.pictures.get(figure.svg or figure.src)
        while element is not None and element not in self.tree.indexes:
            element = element.getparent()
        place = self.tree.indexes.get(element, -1) if element is not None else -1
        return _Place(place, place)

    def _text(self, indexes: Sequence[int]) -> _Place:
        if not indexes:
            return _Place()
        leaf = self.segments[indexes[0]].leaves[0]
        begin = self.tree.indexes.get(leaf.element, -1) + (0.5 if leaf.tail else 0)
        ends = [*indexes[:_MOST_ENDS], *indexes[-_MOST_ENDS:]]
        holders = [self.tree.indexes.get(self.segments[at].block, -1) for at in dict.fromkeys(ends)]
        return _Place(begin, self._around(holders))

    def _around(self, places: Sequence[int]) -> int:
        """Return the nearest element that holds all of some."""
        around = places[0]
        for place in places[1:]:
            above = self.tree.with_ancestors([around])
            while place >= 0 and place not in above:
                place = self.tree.parents[place]
            around = place
        return around


def _aligned(blocks: Sequence[Block], segments: Sequence[Segment]) -> list[list[int]]:
    """Return for each block the indexes of the segments that it was made of, in order.

    Both are in reading order but for what composition moves, as notes to the end.
    """
    texts = ["".join("".join(iter_text(block)).split()) for block in blocks]
    whole = "".join(texts)
    begins = []
    length = 0
    for text in texts:
        begins.append(length)
        length += len(text)
    found: list[list[int]] = [[] for _ in blocks]
    last, anywhere = 0, _MOST_ANYWHERE
    for segment in segments:
        text = "".join(segment.text.split())
        at = whole.find(text, last, last + len(text) + _AHEAD + 20 * len(text)) if text else -1
        if at >= 0:
            last = at + len(text)
        elif len(text) >= _LONG and anywhere:
            anywhere -= 1
            at = whole.find(text)
        if at >= 0:
            found[bisect_right(begins, at) - 1].append(segment.index)
    return found
