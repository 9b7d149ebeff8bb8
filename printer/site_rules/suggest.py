"""Suggest selectors for elements of one page that are likely to fit the site's other pages.

A selector is made of ids, classes and a few attributes that people write, or of tags below one of
those; never of what build tools generate anew each time, and never of how many siblings come first.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from . import css
from .css import ElementIndex, classes, is_plain_name

#: How far up an element's ancestors are offered, and how many selectors for one place.
LEVELS = 5
MOST = 8
#: A selector of more places than this is one of the page and not of a part of it.
MOST_COVERED = 60

_DIGITS = re.compile(r"\d{3}")
_HASHED = re.compile(r"(?=[a-zA-Z]*\d)(?=\d*[a-zA-Z])[a-zA-Z0-9]{5,}$")
_CASES = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_STATES = frozenset({
    "active", "closed", "collapsed", "current", "even", "first", "focus", "hidden", "in-view",
    "last", "lazy", "lazyload", "lazyloaded", "loaded", "loading", "odd", "open", "selected",
    "show", "shown", "visible",
})  # fmt: skip
_ATTRIBUTES = ("role", "itemprop", "data-component", "data-testid", "data-type", "data-module")
_PLAIN_TAGS = frozenset({"html", "body", "main", "article"})


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A selector, the names of the places it covers, and how many elements of the page it fits."""

    selector: str
    covers: tuple[str, ...]
    count: int


class Suggester:
    """Suggests selectors for places of a page; ``places`` are indexes of elements by name."""

    def __init__(self, tree: ElementIndex, places: Mapping[str, int]) -> None:
        self.tree, self.places = tree, places
        self._sorted = sorted((index, name) for name, index in places.items())
        self._known: dict[str, Suggestion | None] = {}

    def suggest(self, name: str) -> tuple[Suggestion, ...]:
        """Return selectors that cover a place, of its own element first, then of its ancestors."""
        found: dict[str, Suggestion] = {}
        index = self.places.get(name, -1)
        for _ in range(LEVELS):
            if index < 0 or self.tree.elements[index].tag in _PLAIN_TAGS:
                break
            for selector in self._selectors(index):
                suggestion = self._suggestion(selector)
                if suggestion is not None and name in suggestion.covers:
                    found.setdefault(selector, suggestion)
            index = self.tree.parents[index]
        return tuple(found.values())[:MOST]

    def _suggestion(self, selector: str) -> Suggestion | None:
        """Return a selector with what it covers; None when that is too much of the page."""
        if selector not in self._known:
            selected = css.select(self.tree, selector)
            covered: dict[str, None] = {}
            for top in selected:
                first = bisect_left(self._sorted, (top, ""))
                end = bisect_left(self._sorted, (self.tree.subtree_ends[top], ""))
                covered |= dict.fromkeys(name for _, name in self._sorted[first:end])
                if len(covered) > MOST_COVERED:
                    break
            sound = len(covered) <= MOST_COVERED
            suggestion = Suggestion(selector, tuple(covered), len(selected)) if sound else None
            self._known[selector] = suggestion
        return self._known[selector]

    def _selectors(self, index: int) -> Iterator[str]:
        """Yield selectors of an element, the steadiest first."""
        named = list(self._named(index))
        yield from named
        tag = str(self.tree.elements[index].tag)
        if named or not is_plain_name(tag):
            return
        path = tag
        for _ in range(3):
            index = self.tree.parents[index]
            if index < 0:
                return
            for name in self._named(index):
                yield f"{name} > {path}"
            tag = str(self.tree.elements[index].tag)
            if not is_plain_name(tag):
                return
            path = f"{tag} > {path}"

    def _named(self, index: int) -> Iterator[str]:
        """Yield selectors that need nothing but the element's own names."""
        element = self.tree.elements[index]
        by_name = self.tree.by_name
        tag = str(element.tag)
        if not is_plain_name(tag):
            return
        name = element.get("id") or ""
        if is_steady(name) and len(by_name.get("#" + name, ())) == 1:
            yield f"#{name}"
        steady = [name for name in classes(element) if is_steady(name)][:4]
        rare = sorted(steady, key=lambda name: len(by_name.get("." + name, ())))
        for name in rare:
            yield f".{name}"
        if len(rare) > 1:
            yield "." + ".".join(rare[:2])
        for name in rare[:1]:
            yield f"{tag}.{name}"
        for attribute in _ATTRIBUTES:
            value = element.get(attribute) or ""
            if is_steady(value):
                yield f'{tag}[{attribute}="{value}"]'


def is_steady(name: str) -> bool:
    """Return whether an id or a class looks written by a person, for more than one page."""
    if not is_plain_name(name) or len(name) > 40 or name.lower() in _STATES or _DIGITS.search(name):
        return False
    parts = re.split(r"[-_]", name)
    return not any(_HASHED.fullmatch(part) or len(_CASES.findall(part)) > 3 for part in parts)
