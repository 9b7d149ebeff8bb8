"""A page's elements, and what selectors look them up by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from itertools import islice

from lxml.html import HtmlElement

#: What is looked at: of a page with more elements the first, of an attribute the beginning.
MOST_ELEMENTS = 300_000
MOST_CLASSES = 100
MOST_CHARS = 10_000


def classes(element: HtmlElement) -> list[str]:
    """Return an element's classes."""
    return (element.get("class") or "")[:MOST_CHARS].split(None, MOST_CLASSES)[:MOST_CLASSES]


class ElementIndex:
    """A page's elements in document order; elements are known by their place in that order."""

    def __init__(self, root: HtmlElement) -> None:
        self.elements: list[HtmlElement] = list(islice(root.iter("*"), MOST_ELEMENTS))
        self.place = {element: n for n, element in enumerate(self.elements)}
        self.parents = [self.place.get(each.getparent(), -1) for each in self.elements]

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """The children of every element that has some; the root stands below -1."""
        found: dict[int, list[int]] = defaultdict(list)
        for place, parent in enumerate(self.parents):
            found[parent].append(place)
        return found

    @cached_property
    def index(self) -> dict[int, int]:
        """At which place among its parent's children each element stands, from 0."""
        return {child: n for children in self.children.values() for n, child in enumerate(children)}

    @cached_property
    def kinds(self) -> dict[int, tuple[int, int]]:
        """Each element's number among its siblings of the same tag, from the first and the last."""
        found: dict[int, tuple[int, int]] = {}
        for children in self.children.values():
            by_tag: dict[str, list[int]] = defaultdict(list)
            for child in children:
                by_tag[str(self.elements[child].tag)].append(child)
            for alike in by_tag.values():
                found.update((child, (n + 1, len(alike) - n)) for n, child in enumerate(alike))
        return found

    @cached_property
    def named(self) -> dict[str, list[int]]:
        """The elements by 'tag', '#id' and '.class'."""
        found: dict[str, list[int]] = defaultdict(list)
        for place, element in enumerate(self.elements):
            found[str(element.tag)].append(place)
            if not element.attrib:
                continue
            if name := element.get("id"):
                found["#" + name].append(place)
            for name in dict.fromkeys(classes(element)):
                found["." + name].append(place)
        return found

    def below(self, tops: Iterable[int]) -> set[int]:
        """Return all that is inside some elements, in time that grows with the page alone."""
        found: set[int] = set()
        todo = list(tops)
        while todo:
            for child in self.children.get(todo.pop(), ()):
                if child not in found:
                    found.add(child)
                    todo.append(child)
        return found

    def above(self, places: Iterable[int]) -> set[int]:
        """Return some elements and all that hold them."""
        found: set[int] = set()
        for place in places:
            while place >= 0 and place not in found:
                found.add(place)
                place = self.parents[place]
        return found
