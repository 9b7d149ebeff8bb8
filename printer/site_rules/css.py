"""CSS selectors over a page, in time that grows with the page and no faster.

Engines that climb from each element, or go down from each, take the square of a page that is deep
or wide enough, and every page is a stranger's.  Here each step of a selector turns one set of
elements into the next.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

from cssselect2 import parser
from lxml.html import HtmlElement
from tinycss2.nth import parse_nth

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


MOST_LENGTH = 300

_SIMPLE = frozenset({
    "first-child", "last-child", "only-child", "first-of-type", "last-of-type", "only-of-type",
    "empty", "root",
})  # fmt: skip
_COUNTED = frozenset({"nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"})


class InvalidSelector(ValueError):
    """A selector that cannot be used; its text says why."""


@lru_cache(512)
def parse(text: str) -> tuple[Any, ...]:
    """Read a list of selectors; raises :class:`BadSelector`."""
    if len(text) > MOST_LENGTH:
        raise InvalidSelector(f"it is longer than {MOST_LENGTH} characters")
    if not text.strip():
        raise InvalidSelector("it is empty")
    try:
        found = tuple(parser.parse(text))
    except (parser.SelectorError, RecursionError) as error:
        told = next((str(part) for part in reversed(error.args) if isinstance(part, str)), "")
        raise InvalidSelector(told.rstrip(".") or "it cannot be read") from error
    for each in found:
        _check(each)
    return found


def select(tree: ElementIndex, text: str) -> list[int]:
    """Return the places of the elements that a selector selects, in document order."""
    found: set[int] = set()
    for each in parse(text):
        found |= _matching(tree, each.parsed_tree)
    return sorted(found)


def _check(selector: Any) -> None:
    """Raise for what is no selector of elements, or cannot be looked up in bounded time."""
    if selector.pseudo_element:
        raise InvalidSelector(f"::{selector.pseudo_element} selects no element")
    node = selector.parsed_tree
    while isinstance(node, parser.CombinedSelector):
        _check_compound(node.right)
        node = node.left
    _check_compound(node)


def _check_compound(compound: Any) -> None:
    for simple in compound.simple_selectors:
        match simple:
            case parser.PseudoClassSelector(name=name):
                known = name in _SIMPLE
            case parser.FunctionalPseudoClassSelector(name=name, arguments=arguments):
                known = name in _COUNTED and parse_nth(arguments) is not None
            case parser.RelationalSelector(selector_list=several):
                name, known = "has", all(map(_is_plain, several))
            case parser.NegationSelector() | parser.MatchesAnySelector():
                name, known = "not", True
                for each in simple.selector_list:
                    _check(each)
            case parser.SpecificityAdjustmentSelector():
                name, known = "where", True
                for each in simple.selector_list:
                    _check(each)
            case _:
                name, known = "", True
        if not known:
            raise InvalidSelector(f":{name} cannot be used here")


def _is_plain(relative: Any) -> bool:
    """Say whether what :has() looks for is one element, inside or right inside."""
    inner = relative.selector
    if relative.combinator not in (" ", ">") or inner.pseudo_element:
        return False
    if not isinstance(inner.parsed_tree, parser.CompoundSelector):
        return False
    _check_compound(inner.parsed_tree)
    return True


def _matching(tree: ElementIndex, node: Any) -> set[int]:
    """Return the elements that a selector without commas matches."""
    steps = []
    while isinstance(node, parser.CombinedSelector):
        steps.append((node.combinator, node.right))
        node = node.left
    found = _compound(tree, node, None)
    for combinator, compound in reversed(steps):
        found = _compound(tree, compound, _reached(tree, found, combinator))
    return found


def _reached(tree: ElementIndex, found: set[int], combinator: str) -> set[int]:
    """Return the elements that stand to some in the way that a combinator says."""
    if combinator == " ":
        return tree.below(found)
    if combinator == ">":
        return {child for place in found for child in tree.children.get(place, ())}
    first: dict[int, int] = {}  # By parent: the place of the first of these among its children.
    for place in sorted(found, reverse=True):
        first[tree.parents[place]] = tree.index[place]
    if combinator == "~":
        return {c for parent, n in first.items() for c in tree.children[parent][n + 1 :]}
    after = ((tree.children[tree.parents[place]], tree.index[place] + 1) for place in found)
    return {children[n] for children, n in after if n < len(children)}


def _compound(tree: ElementIndex, compound: Any, among: set[int] | None) -> set[int]:
    """Return the elements (among some) that all parts of a compound selector match."""
    found = among
    # What is looked up by name comes first, so that the rest is tried on few.
    for simple in sorted(compound.simple_selectors, key=_cost):
        named = _named(tree, simple)
        if named is not None:
            found = named if found is None else found & named
            continue
        if found is None:
            found = set(range(len(tree.elements)))
        found = _filtered(tree, found, simple)
    return set(range(len(tree.elements))) if found is None else found


def _cost(simple: Any) -> int:
    cheap = (parser.IDSelector, parser.ClassSelector, parser.LocalNameSelector)
    return cheap.index(type(simple)) if isinstance(simple, cheap) else len(cheap)


def _named(tree: ElementIndex, simple: Any) -> set[int] | None:
    match simple:
        case parser.IDSelector(ident=name):
            return set(tree.named.get("#" + name, ()))
        case parser.ClassSelector(class_name=name):
            return set(tree.named.get("." + name, ()))
        case parser.LocalNameSelector(lower_local_name=name):
            return set(tree.named.get(name, ()))
    return None


def _filtered(tree: ElementIndex, found: set[int], simple: Any) -> set[int]:
    match simple:
        case parser.AttributeSelector():
            test = _attribute_test(simple)
            return {place for place in found if test(tree.elements[place].get(simple.lower_name))}
        case parser.PseudoClassSelector(name=name):
            return {place for place in found if _is(tree, place, name)}
        case parser.FunctionalPseudoClassSelector(name=name, arguments=arguments):
            step, offset = parse_nth(arguments)
            return {p for p in found if _is_nth(_number(tree, p, name), step, offset)}
        case parser.RelationalSelector(selector_list=several):
            return found & _having(tree, several)
        case parser.NegationSelector(selector_list=several):
            return found.difference(*(_matching(tree, each.parsed_tree) for each in several))
        case parser.NamespaceSelector():
            return found
    either: set[int] = set()
    for each in simple.selector_list:
        either |= _matching(tree, each.parsed_tree)
    return found & either


def _having(tree: ElementIndex, several: Iterable[Any]) -> set[int]:
    """Return the elements that hold one of these."""
    found: set[int] = set()
    for relative in several:
        inside = _compound(tree, relative.selector.parsed_tree, None)
        around = {tree.parents[place] for place in inside}
        if relative.combinator == " ":
            around = tree.above(around)
        found |= around
    return found


def _attribute_test(simple: Any) -> Callable[[str | None], bool]:
    fold = simple.case_sensitive is False
    wanted = (simple.value or "").lower() if fold else simple.value or ""
    operator = simple.operator

    def test(value: str | None) -> bool:
        if value is None:
            return False
        value = value[:MOST_CHARS].lower() if fold else value[:MOST_CHARS]
        match operator:
            case None:
                return True
            case "=":
                return value == wanted
            case "~=":
                return bool(wanted) and wanted in value.split()
            case "|=":
                return value == wanted or value.startswith(wanted + "-")
            case "^=":
                return bool(wanted) and value.startswith(wanted)
            case "$=":
                return bool(wanted) and value.endswith(wanted)
        return bool(wanted) and wanted in value

    return test


def _is(tree: ElementIndex, place: int, name: str) -> bool:
    if name == "root":
        return tree.parents[place] < 0
    if name == "empty":
        element = tree.elements[place]
        return place not in tree.children and not (element.text or "")
    numbers = {
        "first": ("nth",), "last": ("nth-last",), "only": ("nth", "nth-last"),
    }  # fmt: skip
    which, _, kind = name.partition("-")
    return all(_number(tree, place, f"{n}-{kind}") == 1 for n in numbers[which])


def _number(tree: ElementIndex, place: int, name: str) -> int:
    """Return how an element is numbered by the pseudo-class of a name, from 1."""
    children = tree.children[tree.parents[place]]
    if name.endswith("child"):
        at = tree.index[place]
        return len(children) - at if "last" in name else at + 1
    before, after = tree.kinds[place]
    return after if "last" in name else before


def _is_nth(number: int, step: int, offset: int) -> bool:
    if step == 0:
        return number == offset
    times, rest = divmod(number - offset, step)
    return rest == 0 and times >= 0


_PLAIN_NAME = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]{0,99}")


def is_plain_name(name: str) -> bool:
    """Say whether an id or a class can stand in a selector as it is."""
    return bool(_PLAIN_NAME.fullmatch(name))
