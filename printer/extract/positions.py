"""The page's tree as arrays, made once and read by every paper's method.

Writing the tree out as its start and end tags gives each element two positions, ``opens`` and
``closes``, and each text leaf the position of the tag before it.  Whatever stands inside an
element is then a range of positions, so that sums over subtrees are differences of running sums
and no method climbs to ancestors or descends into children.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    """Positions in a page's tree, elements whose text is never seen left out.

    Per element, in document order: ``tags``, ``parent`` (its index, -1 for the root), ``opens``
    and ``closes``.  Per segment: ``at`` and ``until`` (positions of its first and last leaf),
    ``block`` (its block's index), ``length`` (characters) and ``links`` (characters in links).
    """

    elements: Sequence[HtmlElement]
    index: dict[HtmlElement, int]
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

    def places(self, leaves: Iterable[Leaf]) -> Ints:
        """Return the position of the tag before each of some text leaves in document order."""
        return _places(leaves, self.index, self.opens, self.closes)


def positions(page: Page) -> Positions:
    """Give a page's elements and text segments their positions."""
    elements, parent = page.outline.elements, page.outline.parents
    count = len(elements)
    index = dict(zip(elements, range(count), strict=True))
    depth, size = [0] * count, [1] * count
    for child in range(1, count):
        depth[child] = depth[parent[child]] + 1
    for child in range(count - 1, 0, -1):
        size[parent[child]] += size[child]
    # Before an element's start tag stand the start tags of all elements before it, and the end
    # tags of those among them that are not its ancestors.
    opens = 2 * np.arange(count, dtype=np.int64) - np.array(depth, dtype=np.int64)
    closes = opens + 2 * np.array(size, dtype=np.int64) - 1
    found = page.segments
    return Positions(
        elements=elements,
        index=index,
        tags=[element.tag for element in elements],
        parent=parent,
        opens=opens,
        closes=closes,
        at=_places((segment.leaves[0] for segment in found), index, opens, closes),
        until=_places((segment.leaves[-1] for segment in found), index, opens, closes),
        block=page.outline.blocks,
        length=np.array([len(segment.text) for segment in found], dtype=np.int64),
        links=np.array([segment.link_chars for segment in found], dtype=np.int64),
    )


def _places(
    leaves: Iterable[Leaf], index: dict[HtmlElement, int], opens: Ints, closes: Ints
) -> Ints:
    behind: dict[HtmlElement, tuple[int, bool]] = {}
    found = []
    for element, tail in leaves:
        place = index.get(element)
        found.append((place, tail) if place is not None else _behind(element, index, behind))
    if not found:
        return np.zeros(0, dtype=np.int64)
    sides = np.array(found, dtype=np.int64)
    return np.where(sides[:, 1], closes[sides[:, 0]], opens[sides[:, 0]])


def _behind(
    element: HtmlElement,
    index: dict[HtmlElement, int],
    behind: dict[HtmlElement, tuple[int, bool]],
) -> tuple[int, bool]:
    """Return what stands before the tail of an element left out: an element, and which tag of it.

    ``behind`` remembers the answers, so that a row of such elements is walked once.
    """
    passed = []
    answer = None
    while answer is None:
        passed.append(element)
        before = element.getprevious()
        if before is None:
            answer = (index[element.getparent()], False)
        elif before in index:
            answer = (index[before], True)
        else:
            answer = behind.get(before)
            element = before
    behind.update(dict.fromkeys(passed, answer))
    return answer


def running(values: Ints) -> Ints:
    """Return running sums with a leading 0: a range's sum is the difference of two of them."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(values)))


def covered(lows: Ints, highs: Ints, count: int) -> Bools:
    """Return which of ``count`` places lie in any of the ranges, nested ones costing no more."""
    steps = np.bincount(lows, minlength=count + 1) - np.bincount(highs, minlength=count + 1)
    return np.cumsum(steps[:-1]) > 0
