"""Select elements of a page by CSS, in time linear in the page.

Engines that climb or descend from each element take quadratic time on deep or wide pages, and no
page is trusted.  Here each step of a selector turns one set of elements into the next.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import Any

from cssselect2 import parser
from lxml.html import HtmlElement
from tinycss2.nth import parse_nth

from ..html.index import TreeIndex

#: The most classes of an element to read, and the most characters of any other attribute.
MAX_CLASSES = 100
MAX_CHARS = 10_000
#: The longest selector, in characters.
MAX_LENGTH = 300

#: The functional forms of other pseudo-classes.
_NTH = {
    "first-child": ("nth-child",),
    "last-child": ("nth-last-child",),
    "only-child": ("nth-child", "nth-last-child"),
    "first-of-type": ("nth-of-type",),
    "last-of-type": ("nth-last-of-type",),
    "only-of-type": ("nth-of-type", "nth-last-of-type"),
}
_FUNCTIONAL = frozenset({"nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"})
_PLAIN_NAME = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]{0,99}")

#: How each operator compares an attribute's value with the selector's.
_OPERATORS: dict[str | None, Callable[[str, str], bool]] = {
    None: lambda _value, _expected: True,
    "=": lambda value, expected: value == expected,
    "~=": lambda value, expected: bool(expected) and expected in value.split(),
    "|=": lambda value, expected: value == expected or value.startswith(f"{expected}-"),
    "^=": lambda value, expected: bool(expected) and value.startswith(expected),
    "$=": lambda value, expected: bool(expected) and value.endswith(expected),
    "*=": lambda value, expected: bool(expected) and expected in value,
}


class InvalidSelector(ValueError):
    """A selector that cannot be used; the message says why."""


def is_plain_name(name: str) -> bool:
    """Return whether an id or a class can be written in a selector without escapes."""
    return _PLAIN_NAME.fullmatch(name) is not None


def classes(element: HtmlElement) -> list[str]:
    """Return an element's classes."""
    return (element.get("class") or "")[:MAX_CHARS].split(None, MAX_CLASSES)[:MAX_CLASSES]


class ElementIndex(TreeIndex):
    """A page's elements, indexed for lookup by selectors."""

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """The children of each element that has any; the root is the child of -1."""
        children: dict[int, list[int]] = defaultdict(list)
        for index, parent in enumerate(self.parents):
            children[parent].append(index)
        return children

    @cached_property
    def child_numbers(self) -> list[int]:
        """The position of each element among its parent's children, from 0."""
        numbers = [0] * len(self.elements)
        for children in self.children.values():
            for number, child in enumerate(children):
                numbers[child] = number
        return numbers

    @cached_property
    def type_numbers(self) -> dict[int, tuple[int, int]]:
        """The position of each element among siblings of its tag, from the start and the end."""
        numbers: dict[int, tuple[int, int]] = {}
        for children in self.children.values():
            by_tag: dict[str, list[int]] = defaultdict(list)
            for child in children:
                by_tag[str(self.elements[child].tag)].append(child)
            for alike in by_tag.values():
                numbers.update((child, (n + 1, len(alike) - n)) for n, child in enumerate(alike))
        return numbers

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        """The elements by 'tag', '#id' and '.class'."""
        by_name: dict[str, list[int]] = defaultdict(list)
        for index, element in enumerate(self.elements):
            by_name[str(element.tag)].append(index)
            if not element.attrib:
                continue
            if name := element.get("id"):
                by_name["#" + name].append(index)
            for name in dict.fromkeys(classes(element)):
                by_name["." + name].append(index)
        return by_name


@lru_cache(512)
def parse(text: str) -> tuple[Any, ...]:
    """Parse a list of selectors.

    Raises:
        InvalidSelector: It does not select elements, or cannot be evaluated in bounded time.
    """
    if len(text) > MAX_LENGTH:
        raise InvalidSelector(f"it is longer than {MAX_LENGTH} characters")
    if not text.strip():
        raise InvalidSelector("it is empty")
    try:
        selectors = tuple(parser.parse(text))
    except (parser.SelectorError, RecursionError) as error:
        reason = next((str(part) for part in reversed(error.args) if isinstance(part, str)), "")
        raise InvalidSelector(reason.rstrip(".") or "it cannot be read") from error
    for selector in selectors:
        _check(selector)
    return selectors


def select(tree: ElementIndex, text: str) -> list[int]:
    """Return the indexes of the elements that a selector selects; raises InvalidSelector."""
    return sorted(_select_any(tree, parse(text)))


def _check(selector: Any) -> None:
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
                allowed = name in _NTH or name in ("empty", "root")
            case parser.FunctionalPseudoClassSelector(name=name, arguments=arguments):
                allowed = name in _FUNCTIONAL and parse_nth(arguments) is not None
            case parser.RelationalSelector(selector_list=relatives):
                name, allowed = "has", all(map(_is_plain, relatives))
            case (
                parser.NegationSelector()
                | parser.MatchesAnySelector()
                | parser.SpecificityAdjustmentSelector()
            ):
                name, allowed = "", True
                for selector in simple.selector_list:
                    _check(selector)
            case _:
                name, allowed = "", True
        if not allowed:
            raise InvalidSelector(f":{name} cannot be used here")


def _is_plain(relative: Any) -> bool:
    """Return whether the argument of :has() is a single descendant or child."""
    inner = relative.selector
    if relative.combinator not in (" ", ">") or inner.pseudo_element:
        return False
    if not isinstance(inner.parsed_tree, parser.CompoundSelector):
        return False
    _check_compound(inner.parsed_tree)
    return True


def _select_any(tree: ElementIndex, selectors: Iterable[Any]) -> set[int]:
    """Return the elements matched by any of the selectors."""
    return set().union(*(_select_one(tree, selector.parsed_tree) for selector in selectors))


def _select_one(tree: ElementIndex, node: Any) -> set[int]:
    steps = []
    while isinstance(node, parser.CombinedSelector):
        steps.append((node.combinator, node.right))
        node = node.left
    selected = _match_compound(tree, node, None)
    for combinator, compound in reversed(steps):
        selected = _match_compound(tree, compound, _combine(tree, selected, combinator))
    return selected


def _combine(tree: ElementIndex, selected: set[int], combinator: str) -> set[int]:
    """Return the elements related to the selected ones by a combinator."""
    if combinator == " ":
        return tree.descendants(selected)
    if combinator == ">":
        return {child for index in selected for child in tree.children.get(index, ())}
    if combinator == "~":
        first: dict[int, int] = {}  # by parent: the position of the first selected child
        for index in sorted(selected, reverse=True):
            first[tree.parents[index]] = tree.child_numbers[index]
        return {c for parent, n in first.items() for c in tree.children[parent][n + 1 :]}
    after = ((tree.children[tree.parents[i]], tree.child_numbers[i] + 1) for i in selected)
    return {children[n] for children, n in after if n < len(children)}


def _match_compound(tree: ElementIndex, compound: Any, among: set[int] | None) -> set[int]:
    """Return the elements (of ``among``, if given) that match a compound selector."""
    selected = among
    # Lookups by name come first, so that the rest is tried on few elements.
    for simple in sorted(compound.simple_selectors, key=_cost):
        named = _look_up(tree, simple)
        if named is not None:
            selected = named if selected is None else selected & named
            continue
        if selected is None:
            selected = set(range(len(tree.elements)))
        selected = _filter(tree, selected, simple)
    return set(range(len(tree.elements))) if selected is None else selected


def _cost(simple: Any) -> int:
    cheap = (parser.IDSelector, parser.ClassSelector, parser.LocalNameSelector)
    return cheap.index(type(simple)) if isinstance(simple, cheap) else len(cheap)


def _look_up(tree: ElementIndex, simple: Any) -> set[int] | None:
    match simple:
        case parser.IDSelector(ident=name):
            return set(tree.by_name.get("#" + name, ()))
        case parser.ClassSelector(class_name=name):
            return set(tree.by_name.get("." + name, ()))
        case parser.LocalNameSelector(lower_local_name=name):
            return set(tree.by_name.get(name, ()))
    return None


def _filter(tree: ElementIndex, selected: set[int], simple: Any) -> set[int]:
    match simple:
        case parser.AttributeSelector():
            return {i for i in selected if _has_attribute(tree.elements[i], simple)}
        case parser.PseudoClassSelector(name=name):
            return {i for i in selected if _has_pseudo_class(tree, i, name)}
        case parser.FunctionalPseudoClassSelector(name=name, arguments=arguments):
            step, offset = parse_nth(arguments)
            return {i for i in selected if _is_nth(_number(tree, i, name), step, offset)}
        case parser.RelationalSelector(selector_list=relatives):
            return selected & _having(tree, relatives)
        case parser.NegationSelector(selector_list=selectors):
            return selected - _select_any(tree, selectors)
        case parser.NamespaceSelector():
            return selected
    return selected & _select_any(tree, simple.selector_list)


def _having(tree: ElementIndex, relatives: Iterable[Any]) -> set[int]:
    """Return the elements that contain a match of one of the relative selectors."""
    holders: set[int] = set()
    for relative in relatives:
        inside = _match_compound(tree, relative.selector.parsed_tree, None)
        parents = {tree.parents[index] for index in inside}
        holders |= tree.with_ancestors(parents) if relative.combinator == " " else parents
    return holders


def _has_attribute(element: HtmlElement, simple: Any) -> bool:
    value = element.get(simple.lower_name)
    if value is None:
        return False
    value, expected = value[:MAX_CHARS], simple.value or ""
    if simple.case_sensitive is False:
        value, expected = value.lower(), expected.lower()
    return _OPERATORS[simple.operator](value, expected)


def _has_pseudo_class(tree: ElementIndex, index: int, name: str) -> bool:
    if name == "root":
        return tree.parents[index] < 0
    if name == "empty":
        return index not in tree.children and not tree.elements[index].text
    return all(_number(tree, index, nth) == 1 for nth in _NTH[name])


def _number(tree: ElementIndex, index: int, name: str) -> int:
    """Return an element's number for a functional pseudo-class, from 1."""
    if name.endswith("child"):
        number = tree.child_numbers[index]
        return len(tree.children[tree.parents[index]]) - number if "last" in name else number + 1
    return tree.type_numbers[index]["last" in name]


def _is_nth(number: int, step: int, offset: int) -> bool:
    if step == 0:
        return number == offset
    times, rest = divmod(number - offset, step)
    return rest == 0 and times >= 0
