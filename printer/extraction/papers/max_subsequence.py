"""Maximum scoring subsequence (Luo et al., DocEng 2009, sections 3 and 4).

A text segment is body text if at least 0.7 of it is in the page's commonest font size, at least 0.2
in the commonest font color and at most 0.5 in links; its score is its length, positive for body
text and negative for other text.  The run of segments with the greatest sum is the body (found in
linear time).  Within it, segments that do not line up with the body are junk.

Departures from the paper:

- Without a rendered page, size and color are inferred from tags (h1 to h6, font, small, big, sub,
  sup) and inline styles, not style sheets; links keep the color of the text around them, and the
  alignment step is omitted.  With a page rendered by a browser, the real values are used.
- Text that is not visible (folded menus, copies for other screens) is ignored.
- The paper gives no numbers for alignment: the tolerance and the share of the body's width to
  cover are ours.  Text in the body's font may cover less (a list in a separate column), or, if it
  covers most of the width, need not line up (quotations, indented on both sides).  Cells have the
  box of their table, items that of their list.  Each newspaper column is a body.
- A page without any body text has no body, where the paper's formula would still select its least
  bad segment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np

from ...capture import Rect
from ...html.index import Floats, PageIndex, prefix_sums
from ...html.page import Page
from ..visual import FontRuns, SegmentLayout, infer_font_runs, read_segment_layout

#: The share of a segment in the commonest font size: the paper's c1.
MIN_SIZE = 0.7
#: The share of a segment in the commonest color: the paper's c2.
MIN_COLOR = 0.2
#: The share of a segment in links: the paper's c3.
MAX_LINK = 0.5
#: The largest distance of edges that line up, in CSS pixels.
TOLERANCE = 4.0
#: The share of the body's width that a segment in another font must cover.
MIN_OVERLAP = 0.5
#: The share that a segment in the body's font must cover if it lines up with the body.
MIN_OVERLAP_ALIGNED = 0.25
#: The share that a segment in the body's font must cover if it does not line up.
MIN_OVERLAP_INSET = 0.75
#: The share of the text that another column of the same width must contain to belong to the body.
MIN_COLUMN_SHARE = 0.15


def score(page: Page, layout: SegmentLayout | None = None) -> tuple[float, ...]:
    """Return 1 to 2 inside the maximum scoring subsequence, 0 or less outside.

    Inside, the value is 1.5 plus half the segment's own score; outside, minus the shortfall of the
    best run through the segment; both scores are shares of the maximum.  0 means a segment inside
    that does not line up.
    """
    index = page.index
    layout = layout or read_segment_layout(page)
    signs = body_text_signs(layout.font_runs if layout else infer_font_runs(page), index)
    values = signs * index.segment_chars
    if layout:
        values *= layout.visible
    low, high, best = best_run(values)
    if best <= 0:
        return (-1.0,) * len(values)
    scores = np.minimum(best_sums_through(values) / best - 1.0, 0.0)
    scores[low:high] = 1.5 + values[low:high] / (2 * best)
    if layout:
        keep, body_print = (scores > 0).tolist(), (signs > 0).tolist()
        lengths = index.segment_chars.tolist()
        aligned = filter_aligned(layout.block_rects, keep, lengths, body_print)
        scores[np.array(keep) & ~np.array(aligned)] = 0.0
    return tuple(scores.tolist())


def body_text_signs(runs: FontRuns, index: PageIndex) -> Floats:
    """Return F of every segment (equation 3): 1 for body text, else -1."""
    count = len(index.segments)
    sizes = commonest_share(runs, [font.size for font in runs.fonts], count)
    colors = commonest_share(runs, [font.color for font in runs.fonts], count)
    linked = index.segment_link_chars > MAX_LINK * index.segment_chars
    body = (sizes >= MIN_SIZE) & (colors >= MIN_COLOR) & ~linked
    return np.where(body, 1.0, -1.0)


def commonest_share(runs: FontRuns, traits: Sequence[Hashable], count: int) -> Floats:
    """Return, for each of ``count`` segments, the share of characters with the commonest trait.

    ``traits`` are the fonts' sizes or colors.
    """
    numbers: dict[Hashable, int] = {}
    by_font = np.array([numbers.setdefault(trait, len(numbers)) for trait in traits], np.int64)
    trait = by_font[runs.font]
    commonest = np.bincount(trait, weights=runs.chars, minlength=1).argmax()
    total = np.bincount(runs.segment, weights=runs.chars, minlength=count)
    weights = runs.chars * (trait == commonest)
    return np.bincount(runs.segment, weights=weights, minlength=count) / np.maximum(total, 1.0)


def best_run(values: Floats) -> tuple[int, int, float]:
    """Return the run with the greatest sum (equation 1): first, end, sum; of equals, the first."""
    if not len(values):
        return 0, 0, 0.0
    sums = prefix_sums(values)
    lowest = np.minimum.accumulate(sums[:-1])
    high = int(np.argmax(sums[1:] - lowest)) + 1
    low = int(np.argmin(sums[:high]))
    return low, high, float(sums[high] - sums[low])


def best_sums_through(values: Floats) -> Floats:
    """Return the greatest sum of a run through each segment."""
    sums = prefix_sums(values)
    before = np.minimum.accumulate(sums[:-1])
    after: Floats = np.maximum.accumulate(sums[:0:-1])[::-1]
    return after - before


def filter_aligned(
    rects: Sequence[Rect | None],
    keep: Sequence[bool],
    lengths: Sequence[int],
    body_print: Sequence[bool] | None = None,
) -> tuple[bool, ...]:
    """Drop segments that line up with no edge of the body, or cover too little of its width.

    The body's edges are those of most of the selected text.  ``rects`` are the boxes of line-break
    nodes, None where not rendered; ``body_print`` tells the segments in the body's fonts.
    """
    selected = [rect if flag else None for rect, flag in zip(rects, keep, strict=True)]
    columns = find_columns(selected, lengths)
    if not columns:
        return tuple(keep)
    same_print = body_print or [False] * len(selected)
    return tuple(
        rect is not None and any(_is_aligned(rect, column, same) for column in columns)
        for rect, same in zip(selected, same_print, strict=True)
    )


def find_columns(rects: Sequence[Rect | None], lengths: Sequence[int]) -> list[tuple[float, float]]:
    """Return the left and right edges of the body, or of each of its columns.

    They are the edges of most of the text, or wider ones around them if a good share of the text
    has those (an article may be a list with a few paragraphs).
    """
    edges: Counter[tuple[float, float]] = Counter()
    for rect, length in zip(rects, lengths, strict=True):
        if rect is not None:
            edges[round(rect.left), round(rect.right)] += length
    if not edges:
        return []
    threshold = MIN_COLUMN_SHARE * edges.total()
    common = [column for column, length in edges.items() if length >= threshold]
    first = max(edges, key=edges.__getitem__)
    outer_columns = [column for column in common if column[0] <= first[0] and column[1] >= first[1]]
    first = max((first, *outer_columns), key=lambda column: column[1] - column[0])
    return [first] + [
        (left, right)
        for left, right in common
        if abs((right - left) - (first[1] - first[0])) <= TOLERANCE
        and (left >= first[1] or right <= first[0])
    ]


def _is_aligned(rect: Rect, column: tuple[float, float], body_print: bool) -> bool:
    left, right = column
    aligned = min(abs(rect.left - left), abs(rect.right - right)) <= TOLERANCE
    overlap = min(rect.right, right) - max(rect.left, left)
    share = MIN_OVERLAP
    if body_print:
        share = MIN_OVERLAP_ALIGNED if aligned else MIN_OVERLAP_INSET
    return (aligned or body_print) and overlap >= share * (right - left)
