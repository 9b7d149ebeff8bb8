"""The page's tree as arrays, made once and read by every paper's method.

Writing the tree out as its start and end tags gives each element two positions, ``opens`` and
``closes``, and each text leaf the position of the tag before it.  Whatever stands inside an
element is then a range of positions, so that sums over subtrees are differences of running sums
and no method climbs to ancestors or descends into children.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..html.page import Page

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """Positions in a page's tree, elements whose text is never seen left out.

    Per element, in document order: ``tags``, ``parent`` (its index, -1 for the root), ``opens``
    and ``closes``.  Per segment: ``at`` and ``until`` (positions of its first and last leaf),
    ``block`` (its block's index), ``length`` (characters) and ``links`` (characters in links).
    """

    tags: list[str]
    parent: Sequence[int]
    opens: Ints
    closes: Ints
    at: Ints
    until: Ints
    block: Sequence[int]
    length: Ints
    links: Ints

    def after(self, element: int) -> int:
        """Return the index after an element's last descendant."""
        return element + int(self.closes[element] - self.opens[element] + 1) // 2

    def inside(self, element: int) -> tuple[int, int]:
        """Return the range of segments that begin inside an element, given by its index."""
        low, high = np.searchsorted(self.at, (self.opens[element], self.closes[element]))
        return int(low), int(high)

    def ranges(self, elements: Sequence[int] | Ints) -> tuple[Ints, Ints]:
        """Return the ranges of segments inside each of some elements: firsts, and ends."""
        chosen = np.asarray(elements, dtype=np.int64)
        return (
            np.searchsorted(self.at, self.opens[chosen]),
            np.searchsorted(self.at, self.closes[chosen]),
        )


def positions(page: Page) -> Positions:
    """Give a page's elements and text segments their positions."""
    outline = page.index
    count = len(outline.elements)
    each = np.arange(count, dtype=np.int64)
    after = np.array(outline.subtree_ends, dtype=np.int64)
    # Before an element's start tag stand the start tags of all elements before it, and the end
    # tags of those among them that are not around it.
    opens = each + np.cumsum(np.bincount(after, minlength=count + 1))[:count]
    spans = np.array(outline.segment_spans, dtype=np.int64).reshape(-1, 2)
    return Positions(
        tags=outline.tags,
        parent=outline.parents,
        opens=opens,
        closes=opens + 2 * (after - each) - 1,
        at=spans[:, 0],
        until=spans[:, 1],
        block=outline.segment_blocks,
        length=np.array([len(segment.text) for segment in page.segments], dtype=np.int64),
        links=np.array([segment.link_chars for segment in page.segments], dtype=np.int64),
    )


def prefix_sums(values: Ints) -> Ints:
    """Return running sums with a leading 0: a range's sum is the difference of two of them."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(values)))


def covered_by_ranges(lows: Ints, highs: Ints, count: int) -> Bools:
    """Return which of ``count`` places lie in any of the ranges, nested ones costing no more."""
    steps = np.bincount(lows, minlength=count + 1) - np.bincount(highs, minlength=count + 1)
    return np.cumsum(steps[:-1]) > 0
