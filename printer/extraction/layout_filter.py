"""The choice beside what a browser drew: no text that is not seen, none beside the column.

The default learned from pages without a layout.  Where a page has one, its choice is
looked at again, by what holds of any page laid out for reading (Luo et al., section 4.2, go by the
last alone):

- what a reader does not see, or what covers the page in a layer of its own, is not the article's;
- the article stands in a column: what stands beside it, or within it in a narrow box that lines up
  with neither edge, or in a box in smaller print, is not the article's, however likely its words;
- what stands in the column in the article's own print, between pieces of the article, is the
  article's unless its words are most unlikely.

A choice that contradicts most of what was drawn is kept as it is: then it is the layout that
misleads (pages that show their text by ways a browser without a reader does not take).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..html.index import ElementFlag
from ..html.page import Page
from ..layout import Font, Rect, Visibility
from .papers.max_subsequence import MaxSubsequenceOptions, find_columns
from .positions import Bools, Ints
from .visual import SegmentLayout, read_segment_layout

#: What is set smaller and indented as part of running text.
_SET_IN = int(
    ElementFlag.QUOTE
    | ElementFlag.LIST
    | ElementFlag.TABLE
    | ElementFlag.CODE
    | ElementFlag.DEFINITION
    | ElementFlag.HEADING
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutFilterOptions:
    """How far the layout is trusted.

    ``least`` is the share of the chosen text that must be seen, and then stand in the column, for
    each rule to hold.  ``beside`` is how much of a segment's width may lie in the column and it
    still stands beside it; ``narrow`` the share of the column's width below which a box in smaller
    print is no part of the text.  ``unlikely`` is the score below which nothing is taken in.
    """

    least: float = 0.6
    beside: float = 0.3
    narrow: float = 0.6
    unlikely: float = 0.05
    smaller: float = 0.5
    slack: float = 4.0


def filter_by_layout(
    page: Page,
    keep: Sequence[bool],
    scores: Sequence[float],
    kind: str = "article",
    options: LayoutFilterOptions = LayoutFilterOptions(),
) -> tuple[bool, ...]:
    """Return the choice as the layout mends it; a page without a layout keeps its own."""
    drawn = read_segment_layout(page)
    if drawn is None or not any(keep):
        return tuple(keep)
    lengths = np.array([len(segment.text) for segment in page.segments])
    chosen = np.array(keep, dtype=bool)
    there = drawn.visible & ~_layered(drawn, lengths)
    chosen = _trusted(chosen, chosen & there, lengths, options)
    found = _columns(drawn, chosen, lengths)
    if not found or kind != "article":
        return tuple(chosen.tolist())
    body = _body_font(drawn, chosen)
    fonts = _fonts(drawn, len(lengths))
    apart = np.zeros(len(lengths), dtype=bool)
    filling = np.zeros(len(lengths), dtype=bool)
    for at, (rect, area, font) in enumerate(
        zip(drawn.block_rects, drawn.text_rects, fonts, strict=True)
    ):
        if rect is None or area is None or font is None:
            continue
        column = _nearest(rect, found)
        set_in = page.index.flags[page.index.segment_blocks[at]] & _SET_IN
        smaller = font.size < body.size - options.smaller and not set_in
        apart[at] = _is_beside(area, column, options) or _is_aside(rect, smaller, column, options)
        filling[at] = font == body and _level(rect, column, options) == 2
    chosen = _trusted(chosen, chosen & ~apart, lengths, options)
    likely = np.asarray(scores) > options.unlikely
    linked = np.array([segment.link_chars for segment in page.segments]) >= lengths / 2
    taken = _between(chosen) & there & filling & likely & ~linked
    return tuple((chosen | taken).tolist())


def _trusted(before: Bools, after: Bools, lengths: Ints, options: LayoutFilterOptions) -> Bools:
    """Return the mended choice unless it leaves too little of the one before."""
    return after if lengths[after].sum() >= options.least * lengths[before].sum() else before


def _layered(drawn: SegmentLayout, lengths: Ints) -> Bools:
    """Return what stands in layers over the page; none when most of its text does."""
    layered = np.array([bool(sight & Visibility.LAYER) for sight in drawn.visibilities], dtype=bool)
    if lengths[layered & drawn.visible].sum() > lengths[drawn.visible].sum() / 2:
        return np.zeros_like(layered)
    return layered


def _columns(drawn: SegmentLayout, chosen: Bools, lengths: Ints) -> list[Rect]:
    """Return the edges of the article's column, of each if it has several."""
    rects = [rect if flag else None for rect, flag in zip(drawn.block_rects, chosen, strict=True)]
    found = find_columns(rects, lengths.tolist(), MaxSubsequenceOptions())
    return [Rect(left, 0, right, 0) for left, right in found]


def _nearest(rect: Rect, found: Sequence[Rect]) -> Rect:
    """Return the column that a box has most in common with."""
    return max(found, key=lambda each: min(rect.right, each.right) - max(rect.left, each.left))


def _body_font(drawn: SegmentLayout, chosen: Bools) -> Font:
    """Return the font most of the chosen text is in."""
    weight: Counter[int] = Counter()
    runs = drawn.font_runs
    for segment, font, chars in zip(
        runs.segment.tolist(), runs.font.tolist(), runs.chars.tolist(), strict=True
    ):
        weight[font] += chars * bool(chosen[segment])
    return runs.fonts[max(weight, key=weight.__getitem__)]


def _fonts(drawn: SegmentLayout, count: int) -> list[Font | None]:
    """Return the font that most of each segment is in, None where nothing of it is seen."""
    most = [0] * count
    found: list[Font | None] = [None] * count
    runs = drawn.font_runs
    for segment, font, chars in zip(
        runs.segment.tolist(), runs.font.tolist(), runs.chars.tolist(), strict=True
    ):
        if chars > most[segment]:
            most[segment], found[segment] = chars, runs.fonts[font]
    return found


def _is_beside(area: Rect, column: Rect, options: LayoutFilterOptions) -> bool:
    """Tell whether text stands left or right of the column."""
    inside = min(area.right, column.right) - max(area.left, column.left)
    return area.width > 0 and inside < options.beside * area.width


def _is_aside(rect: Rect, smaller: bool, column: Rect, options: LayoutFilterOptions) -> bool:
    """Tell whether text stands in a box of its own within the column."""
    level = _level(rect, column, options)
    narrow = rect.width < options.narrow * column.width
    if smaller:
        return narrow or level < 2
    return narrow and level == 0


def _level(rect: Rect, column: Rect, options: LayoutFilterOptions) -> int:
    """Return with how many of the column's edges a box lines up."""
    edges = abs(rect.left - column.left), abs(rect.right - column.right)
    return sum(edge <= options.slack for edge in edges)


def _between(chosen: Bools) -> Bools:
    """Return what stands between the first and the last that were chosen."""
    between = np.zeros_like(chosen)
    places = np.flatnonzero(chosen)
    if len(places):
        between[places[0] : places[-1]] = True
    return between
