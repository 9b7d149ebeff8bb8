"""How text segments look where a browser drew the page: fonts, boxes, whether they are seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from lxml.html import HtmlElement

from ..html.index import Segment
from ..html.layout import PageLayout
from ..html.page import Page
from ..layout import Font, Rect, Visibility, is_visible
from .font import FontRuns
from .positions import Bools


@dataclass(frozen=True, slots=True, eq=False)
class SegmentLayout:
    """The looks of a page's segments.

    ``runs`` are the fonts of what is drawn.  ``rects`` has the box of each segment's line-break
    node (of the table for a table's cells, which stand side by side, of the list for its items,
    which hang from it), ``areas`` the box around its own text; both None where none of the text is
    seen.  ``sights`` says what all of a segment's text has in common.
    """

    font_runs: FontRuns
    block_rects: Sequence[Rect | None]
    text_rects: Sequence[Rect | None]
    visibilities: Sequence[Visibility]

    @property
    def visible(self) -> Bools:
        """Which segments a reader sees something of."""
        return np.array([area is not None for area in self.text_rects], dtype=bool)


def read_segment_layout(page: Page) -> SegmentLayout | None:
    """Return how a page's segments look, None where no browser drew them."""
    drawn = page.layout
    if drawn is None or not drawn.texts:
        return None
    numbers: dict[Font, int] = {}
    owner: list[int] = []
    font: list[int] = []
    chars: list[int] = []
    rects: list[Rect | None] = []
    areas: list[Rect | None] = []
    sights: list[Visibility] = []
    for segment in page.segments:
        sight, area = _area(drawn, segment)
        sights.append(sight)
        areas.append(area)
        rects.append(None if area is None else _box(drawn, segment, area))
        for leaf in segment.leaves:
            text = drawn.texts.get(leaf)
            if text is not None and is_visible(text.visibility):
                owner.append(segment.index)
                font.append(numbers.setdefault(text.font, len(numbers)))
                chars.append(len(leaf.text.strip()))
    runs = FontRuns(
        np.array(owner, dtype=np.int64),
        np.array(font, dtype=np.int64),
        np.array(chars, dtype=np.int64),
        list(numbers),
    )
    return SegmentLayout(runs, rects, areas, sights)


def _area(drawn: PageLayout, segment: Segment) -> tuple[Visibility, Rect | None]:
    """Return how a segment is seen, and the box around what is seen of its text."""
    common = ~Visibility(0)
    area: Rect | None = None
    for leaf in segment.leaves:
        text = drawn.texts.get(leaf)
        if text is None:
            continue
        common &= text.visibility
        if is_visible(text.visibility):
            area = text.rect if area is None else bounding_rect(area, text.rect)
    return common, area


def _box(drawn: PageLayout, segment: Segment, area: Rect) -> Rect:
    box = drawn.boxes.get(segment.block)
    if box is None:
        return area
    for outer in _holders(segment.block, box.display):
        box = drawn.boxes.get(outer, box)
    return box.rect


def _holders(block: HtmlElement, display: str) -> Iterator[HtmlElement]:
    """Yield what a cell or an item stands in the place of: its table, the lists it is in."""
    if display == "table-cell":
        yield from islice(block.iterancestors("table"), 1)
    elif display == "list-item":
        for above in block.iterancestors():
            if above.tag in {"ul", "ol"}:
                yield above
            elif above.tag != "li":
                return


def bounding_rect(one: Rect, other: Rect) -> Rect:
    """Return the box around two boxes."""
    return Rect(
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
    )
