"""Maximum scoring subsequence (Luo et al., DocEng 2009, sections 3 and 4).

Each text segment is taken for body text when at least 0.7 of it is in the page's commonest font
size, at least 0.2 in the commonest font colour and at most 0.5 in links; it scores its length,
positive or negative.  The run of segments with the greatest sum is the body (linear in the number
of segments).  Within it, segments that do not line up with the body are junk.

What differs from the paper, and why:

- Without a rendered page, size and colour are what tags (h1 to h6, font, small, big, sub, sup) and
  inline styles say, not style sheets, links keep the colour of the text around them, and nothing
  is aligned.  A :class:`Layout` brings the real values.
- The paper gives no numbers for alignment: the tolerance and the share of the body's width to
  cover are ours.
- A page on which no segment looks like body text has no body, where the paper's formula would
  still name its least bad segment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..dom.page import Page
from .font import Runs, runs
from .positions import Floats, Positions, positions


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxSubsequenceOptions:
    """The paper's constants c1, c2 and c3; ``tolerance`` (CSS pixels) and ``cover`` are ours."""

    min_size: float = 0.7
    min_color: float = 0.2
    max_link: float = 0.5
    tolerance: float = 4.0
    cover: float = 0.5


class Rect(NamedTuple):
    """A rectangle in CSS pixels, from the page's left top corner."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """What a browser drew: the fonts of the text, and the box of each segment's block."""

    runs: Runs
    rects: Sequence[Rect | None]


def score(
    page: Page,
    options: MaxSubsequenceOptions = MaxSubsequenceOptions(),
    tree: Positions | None = None,
    layout: Layout | None = None,
) -> tuple[float, ...]:
    """Return 1 to 2 inside the maximum scoring subsequence, 0 or less outside.

    Inside it is 1.5 and half the segment's own score, outside what the best run through the segment
    falls short, both as shares of the maximum; 0 is a segment inside that does not line up.
    """
    tree = tree or positions(page)
    values = classify(layout.runs if layout else runs(page, tree), tree, options) * tree.length
    low, high, best = best_run(values)
    if best <= 0:
        return (-1.0,) * len(values)
    scores = np.minimum(through(values) / best - 1.0, 0.0)
    scores[low:high] = 1.5 + values[low:high] / (2 * best)
    if layout:
        keep = (scores > 0).tolist()
        aligned = align(layout.rects, keep, tree.length.tolist(), options)
        scores[np.array(keep) & ~np.array(aligned)] = 0.0
    return tuple(scores.tolist())


def classify(found: Runs, tree: Positions, options: MaxSubsequenceOptions) -> Floats:
    """Return F of every segment (equation 3): 1 for body text, else -1."""
    body = (
        (share_of_commonest(found, [font.size for font in found.fonts]) >= options.min_size)
        & (share_of_commonest(found, [font.color for font in found.fonts]) >= options.min_color)
        & (tree.links <= options.max_link * tree.length)
    )
    return np.where(body, 1.0, -1.0)


def share_of_commonest(found: Runs, traits: Sequence[Hashable]) -> Floats:
    """Return the share of each segment's characters that have the page's commonest trait.

    ``traits`` holds each font's: its size, or its colour.
    """
    numbers: dict[Hashable, int] = {}
    trait = np.array([numbers.setdefault(each, len(numbers)) for each in traits])[found.font]
    commonest = np.bincount(trait, weights=found.chars, minlength=1).argmax()
    whole = np.bincount(found.segment, weights=found.chars)
    having = np.bincount(found.segment, weights=found.chars * (trait == commonest))
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


def through(values: Floats) -> Floats:
    """Return the greatest sum of a run through each place."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    before = np.minimum.accumulate(sums[:-1])
    behind: Floats = np.maximum.accumulate(sums[:0:-1])[::-1]
    return behind - before


def align(
    rects: Sequence[Rect | None],
    keep: Sequence[bool],
    lengths: Sequence[int],
    options: MaxSubsequenceOptions = MaxSubsequenceOptions(),
) -> tuple[bool, ...]:
    """Keep only segments that line up with the body on the left or right and cover its width.

    ``rects`` are the boxes of the segments' line-break nodes (``None``: not drawn), ``lengths``
    their characters.  The body's edges are those most of the kept text has.
    """
    kept = [rect if flag else None for rect, flag in zip(rects, keep, strict=True)]
    edges: Counter[tuple[float, float]] = Counter()
    for rect, length in zip(kept, lengths, strict=True):
        if rect is not None:
            edges[round(rect.left), round(rect.right)] += length
    if not edges:
        return tuple(keep)
    left, right = max(edges, key=edges.__getitem__)
    return tuple(rect is not None and _aligned(rect, left, right, options) for rect in kept)


def _aligned(rect: Rect, left: float, right: float, options: MaxSubsequenceOptions) -> bool:
    level = min(abs(rect.left - left), abs(rect.right - right)) <= options.tolerance
    overlap = min(rect.right, right) - max(rect.left, left)
    return level and overlap >= options.cover * (right - left)
