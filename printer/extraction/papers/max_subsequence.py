"""Maximum scoring subsequence (Luo et al., DocEng 2009, sections 3 and 4).

Each text segment is taken for body text when at least 0.7 of it is in the page's commonest font
size, at least 0.2 in the commonest font colour and at most 0.5 in links; it scores its length,
positive or negative.  The run of segments with the greatest sum is the body (linear in the number
of segments).  Within it, segments that do not line up with the body are junk.

What differs from the paper, and why:

- Without a rendered page, size and colour are what tags (h1 to h6, font, small, big, sub, sup) and
  inline styles say, not style sheets, links keep the colour of the text around them, and nothing
  is aligned.  On a page that a browser drew all are the real ones.
- Text that is not seen (menus folded away, copies for other screens) counts as nothing.
- The paper gives no numbers for alignment: the tolerance and the share of the body's width to
  cover are ours.  Text in the body's own print need cover less (a list in a column of its own), or,
  when it covers most of the width, not line up (quotations, indented on both sides).  Cells of a
  table stand where the table does, items where their list does.  Of newspaper columns each is a
  body.
- A page on which no segment looks like body text has no body, where the paper's formula would
  still name its least bad segment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from ...html.page import Page
from ...layout import Rect
from ..font import FontRuns, infer_font_runs
from ..positions import Floats, Positions, positions
from ..visual import SegmentLayout, read_segment_layout


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxSubsequenceOptions:
    """The paper's constants c1, c2 and c3, and ours for the alignment it gives none for.

    ``tolerance`` is in CSS pixels, ``cover`` the share of the body's width a segment must cover,
    ``part`` the one that will do in the body's own print, ``inset`` the one with which such text
    need not line up, ``column`` the share of the text that makes another column of the same width
    one of the body's.
    """

    min_size: float = 0.7
    min_color: float = 0.2
    max_link: float = 0.5
    tolerance: float = 4.0
    min_overlap: float = 0.5
    min_overlap_inset: float = 0.75
    min_overlap_aligned: float = 0.25
    min_column_share: float = 0.15


def score(
    page: Page,
    options: MaxSubsequenceOptions = MaxSubsequenceOptions(),
    tree: Positions | None = None,
    drawn: SegmentLayout | None = None,
) -> tuple[float, ...]:
    """Return 1 to 2 inside the maximum scoring subsequence, 0 or less outside.

    Inside it is 1.5 and half the segment's own score, outside what the best run through the segment
    falls short, both as shares of the maximum; 0 is a segment inside that does not line up.
    """
    tree = tree or positions(page)
    drawn = drawn or read_segment_layout(page)
    like = body_text_signs(drawn.font_runs if drawn else infer_font_runs(page, tree), tree, options)
    values = like * tree.length
    if drawn:
        values *= drawn.visible
    low, high, best = best_run(values)
    if best <= 0:
        return (-1.0,) * len(values)
    scores = np.minimum(best_sums_through(values) / best - 1.0, 0.0)
    scores[low:high] = 1.5 + values[low:high] / (2 * best)
    if drawn:
        keep = (scores > 0).tolist()
        lengths = tree.length.tolist()
        aligned = filter_aligned(
            drawn.block_rects, keep, lengths, options, like=(like > 0).tolist()
        )
        scores[np.array(keep) & ~np.array(aligned)] = 0.0
    return tuple(scores.tolist())


def body_text_signs(found: FontRuns, tree: Positions, options: MaxSubsequenceOptions) -> Floats:
    """Return F of every segment (equation 3): 1 for body text, else -1."""
    count = len(tree.length)
    body = (
        (commonest_share(found, [font.size for font in found.fonts], count) >= options.min_size)
        & (commonest_share(found, [font.color for font in found.fonts], count) >= options.min_color)
        & (tree.links <= options.max_link * tree.length)
    )
    return np.where(body, 1.0, -1.0)


def commonest_share(found: FontRuns, traits: Sequence[Hashable], count: int = 0) -> Floats:
    """Return the share of each of ``count`` segments' characters that have the commonest trait.

    ``traits`` holds each font's: its size, or its colour.
    """
    numbers: dict[Hashable, int] = {}
    trait = np.array([numbers.setdefault(each, len(numbers)) for each in traits], dtype=np.int64)[
        found.font
    ]
    commonest = np.bincount(trait, weights=found.chars, minlength=1).argmax()
    whole = np.bincount(found.segment, weights=found.chars, minlength=count)
    weights = found.chars * (trait == commonest)
    having = np.bincount(found.segment, weights=weights, minlength=count)
    return having / np.maximum(whole, 1.0)


def best_run(values: Floats) -> tuple[int, int, float]:
    """Return the run with the greatest sum (equation 1): first, end, sum; of equals the first."""
    if not len(values):
        return 0, 0, 0.0
    sums = np.concatenate(([0.0], np.cumsum(values)))
    lowest = np.minimum.accumulate(sums[:-1])
    high = int(np.argmax(sums[1:] - lowest)) + 1
    low = int(np.argmin(sums[:high]))
    return low, high, float(sums[high] - sums[low])


def best_sums_through(values: Floats) -> Floats:
    """Return the greatest sum of a run through each place."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    before = np.minimum.accumulate(sums[:-1])
    behind: Floats = np.maximum.accumulate(sums[:0:-1])[::-1]
    return behind - before


def filter_aligned(
    rects: Sequence[Rect | None],
    keep: Sequence[bool],
    lengths: Sequence[int],
    options: MaxSubsequenceOptions = MaxSubsequenceOptions(),
    like: Sequence[bool] | None = None,
) -> tuple[bool, ...]:
    """Keep only segments that line up with the body on the left or right and cover its width.

    ``rects`` are the boxes of the segments' line-break nodes (``None``: not drawn), ``lengths``
    their characters, ``like`` tells which are in the body's fonts.  The body's edges are those most
    of the kept text has.
    """
    kept = [rect if flag else None for rect, flag in zip(rects, keep, strict=True)]
    found = find_columns(kept, lengths, options)
    if not found:
        return tuple(keep)
    likes = like or [False] * len(kept)
    return tuple(
        rect is not None and any(_aligned(rect, column, same, options) for column in found)
        for rect, same in zip(kept, likes, strict=True)
    )


def find_columns(
    rects: Sequence[Rect | None], lengths: Sequence[int], options: MaxSubsequenceOptions
) -> list[tuple[float, float]]:
    """Return the left and right edges of the body, of each of its columns if it has several.

    They are those that most of the text has; or wider ones around them, where a good share of the
    text has those (an article may be a list with a few paragraphs).
    """
    edges: Counter[tuple[float, float]] = Counter()
    for rect, length in zip(rects, lengths, strict=True):
        if rect is not None:
            edges[round(rect.left), round(rect.right)] += length
    if not edges:
        return []
    least = options.min_column_share * edges.total()
    common = [each for each, length in edges.items() if length >= least]
    first = max(edges, key=edges.__getitem__)
    holding = [each for each in common if each[0] <= first[0] and each[1] >= first[1]]
    first = max((first, *holding), key=lambda each: each[1] - each[0])
    return [first] + [
        (left, right)
        for left, right in common
        if abs((right - left) - (first[1] - first[0])) <= options.tolerance
        and (left >= first[1] or right <= first[0])
    ]


def _aligned(
    rect: Rect, column: tuple[float, float], like: bool, options: MaxSubsequenceOptions
) -> bool:
    left, right = column
    level = min(abs(rect.left - left), abs(rect.right - right)) <= options.tolerance
    overlap = min(rect.right, right) - max(rect.left, left)
    cover = (
        (options.min_overlap_aligned if level else options.min_overlap_inset)
        if like
        else options.min_overlap
    )
    return (level or like) and overlap >= cover * (right - left)
