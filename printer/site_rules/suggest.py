"""Selectors for what a person pointed at on one page, made to fit the next page as well.

A selector is made of ids, classes and a few attributes that people write, or of names below one of
those; never of what build tools write anew each time, and never of how many siblings come before.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
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
    """Suggests selectors for places of a page; ``places`` are elements by name."""

    def __init__(self, tree: ElementIndex, places: Mapping[str, int]) -> None:
        self.tree, self.elements = tree, places
        self._sorted = sorted((place, name) for name, place in places.items())
        self._ends = _ends(tree)
        self._known: dict[str, Suggestion | None] = {}

    def suggest(self, name: str) -> tuple[Suggestion, ...]:
        """Return selectors that cover a place, of its own element first, then of those around."""
        found: dict[str, Suggestion] = {}
        place = self.elements.get(name, -1)
        for _ in range(LEVELS):
            if place < 0 or self.tree.elements[place].tag in _PLAIN_TAGS:
                break
            for selector in self._selectors(place):
                made = self._made(selector)
                if made is not None and name in made.covers:
                    found.setdefault(selector, made)
            place = self.tree.parents[place]
        return tuple(found.values())[:MOST]

    def _made(self, selector: str) -> Suggestion | None:
        """Return a selector with what it covers, None when that is too much of the page."""
        if selector not in self._known:
            fits = css.select(self.tree, selector)
            covered: dict[str, None] = {}
            for top in fits:
                at = bisect_left(self._sorted, (top, ""))
                while at < len(self._sorted) and self._sorted[at][0] <= self._ends[top]:
                    covered[self._sorted[at][1]] = None
                    at += 1
                if len(covered) > MOST_COVERED:
                    break
            sound = len(covered) <= MOST_COVERED
            made = Suggestion(selector, tuple(covered), len(fits)) if sound else None
            self._known[selector] = made
        return self._known[selector]

    def _selectors(self, place: int) -> Iterator[str]:
        """Yield selectors of an element, the steadiest first."""
        own = list(self._named(place))
        yield from own
        if own:
            return
        tag = str(self.tree.elements[place].tag)
        if not is_plain_name(tag):
            return
        steps = [tag]
        above = self.tree.parents[place]
        for _ in range(3):
            if above < 0:
                return
            for name in self._named(above):
                yield f"{name} > {' > '.join(steps)}"
            tag = str(self.tree.elements[above].tag)
            if not is_plain_name(tag):
                return
            steps.insert(0, tag)
            above = self.tree.parents[above]

    def _named(self, place: int) -> Iterator[str]:
        element = self.tree.elements[place]
        tag = str(element.tag)
        if not is_plain_name(tag):
            return
        name = element.get("id") or ""
        if is_steady(name) and len(self.tree.named.get("#" + name, ())) == 1:
            yield f"#{name}"
        steady = [each for each in classes(element) if is_steady(each)][:4]
        rare = sorted(steady, key=lambda each: len(self.tree.named.get("." + each, ())))
        for each in rare:
            yield f".{each}"
        if len(rare) > 1:
            yield "." + ".".join(rare[:2])
        for each in rare[:1]:
            yield f"{tag}.{each}"
        for attribute in _ATTRIBUTES:
            value = element.get(attribute) or ""
            if is_steady(value):
                yield f'{tag}[{attribute}="{value}"]'


def _ends(tree: ElementIndex) -> Sequence[int]:
    """Return the place of each element's last descendant, or its own."""
    ends = list(range(len(tree.elements)))
    for place in range(len(ends) - 1, 0, -1):
        parent = tree.parents[place]
        if parent >= 0:
            ends[parent] = max(ends[parent], ends[place])
    return ends


def is_steady(name: str) -> bool:
    """Say whether an id or a class looks as if a person had written it for more than one page."""
    if not is_plain_name(name) or len(name) > 40 or name.lower() in _STATES or _DIGITS.search(name):
        return False
    parts = re.split(r"[-_]", name)
    return not any(_HASHED.fullmatch(part) or len(_CASES.findall(part)) > 3 for part in parts)
