"""Find a tree's elements by their names without a walk over the tree each time."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain

from lxml.html import HtmlElement


class ElementsByTag:
    """The elements of a tree by name; the names must not change.

    The nodes of a tree are scattered over memory, so that a walk over all of them takes longer than
    most of what is done with a few.
    """

    def __init__(self, tree: HtmlElement) -> None:
        self._elements = list(tree.iter("*"))
        self._positions: defaultdict[str, list[int]] = defaultdict(list)
        for position, element in enumerate(self._elements):
            self._positions[element.tag].append(position)

    def find(self, *tags: str) -> list[HtmlElement]:
        """Return the elements of some names in document order."""
        positions = chain.from_iterable(self._positions.get(tag, ()) for tag in tags)
        return [self._elements[position] for position in sorted(positions)]
