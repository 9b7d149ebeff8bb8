"""The page's tree as arrays: one walk that every paper's method reads.

Writing the tree out as its start and end tags gives each element two positions, ``opens`` and
``closes``, and each text leaf the position of the tag before it.  Whatever stands inside an
element is then a range of positions, so that sums over subtrees are differences of running sums
and no method climbs to ancestors or descends into children.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from lxml.html import HtmlElement
from numpy.typing import NDArray

from ..dom.page import Page
from ..dom.segments import Leaf

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """Positions in a page's tree.

    Per element, in document order: ``tags``, ``parent`` (its index, -1 for the root), ``opens``
    and ``closes``.  Per segment: ``at`` and ``until`` (positions of its first and last leaf),
    ``block`` (its block's index), ``length`` (characters) and ``links`` (characters in links).
    """

    elements: list[HtmlElement]
    index: dict[HtmlElement, int]
    tags: list[str]
    parent: list[int]
    opens: Ints
    closes: Ints
    at: Ints
    until: Ints
    block: list[int]
    length: Ints
    links: Ints

    def place(self, leaf: Leaf) -> int:
        """Return the position of the tag before a text leaf."""
        return int((self.closes if leaf.tail else self.opens)[self.index[leaf.element]])

    def after(self, element: int) -> int:
        """Return the index after an element's last descendant."""
        return element + int(self.closes[element] - self.opens[element] + 1) // 2

    def inside(self, element: int) -> tuple[int, int]:
        """Return the range of segments that begin inside an element, given by its index."""
        low, high = np.searchsorted(self.at, (self.opens[element], self.closes[element]))
        return int(low), int(high)

    def ranges(self, elements: list[int]) -> tuple[Ints, Ints]:
        """Return the ranges of segments inside each of some elements: firsts, and ends."""
        return (
            np.searchsorted(self.at, self.opens[elements]),
            np.searchsorted(self.at, self.closes[elements]),
        )


def running(values: Ints) -> Ints:
    """Return running sums with a leading 0: a range's sum is the difference of two of them."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(values)))


def covered(lows: Ints, highs: Ints, count: int) -> Bools:
    """Return which of ``count`` places lie in any of the ranges, nested ones costing no more."""
    steps = np.zeros(count + 1, dtype=np.int64)
    np.add.at(steps, lows, 1)
    np.add.at(steps, highs, -1)
    return np.cumsum(steps[:-1]) > 0


def positions(page: Page) -> Positions:
    """Walk a page's tree once."""
    elements: list[HtmlElement] = list(page.tree.iter("*"))
    count = len(elements)
    index = dict(zip(elements, range(count), strict=True))
    tags: list[str] = [element.tag for element in elements]
    parent = [index.get(element.getparent(), -1) for element in elements]
    depth = [0] * count
    size = [1] * count
    for child in range(1, count):
        depth[child] = depth[parent[child]] + 1
    for child in range(count - 1, 0, -1):
        size[parent[child]] += size[child]
    # Before an element's start tag stand the start tags of all elements before it, and the end
    # tags of those among them that are not its ancestors.
    opens = 2 * np.arange(count, dtype=np.int64) - np.array(depth, dtype=np.int64)
    closes = opens + 2 * np.array(size, dtype=np.int64) - 1

    def places(leaves: list[Leaf]) -> Ints:
        at = np.array([index[leaf.element] for leaf in leaves], dtype=np.int64)
        tails = np.array([leaf.tail for leaf in leaves], dtype=bool)
        return np.where(tails, closes[at], opens[at])

    found = page.segments
    return Positions(
        elements, index, tags, parent, opens, closes,
        at=places([segment.leaves[0] for segment in found]),
        until=places([segment.leaves[-1] for segment in found]),
        block=[index[segment.block] for segment in found],
        length=np.array([len(segment.text) for segment in found], dtype=np.int64),
        links=np.array([segment.link_chars for segment in found], dtype=np.int64),
    )  # fmt: skip
