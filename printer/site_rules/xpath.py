"""The XPath of site files, as far as it can be evaluated in bounded time and reaches nothing."""

from __future__ import annotations

import re
from functools import lru_cache

from lxml import etree
from lxml.html import HtmlElement

from .css import InvalidSelector
from .tree import ElementIndex

MOST_LENGTH = 500

#: On larger pages, and beside more siblings, no XPath is tried: its cost is a product of these.
MOST_ELEMENTS = 30_000
MOST_SIBLINGS = 2_000

_FUNCTIONS = frozenset({
    "comment", "concat", "contains", "count", "last", "local-name", "name", "node",
    "normalize-space", "not", "position", "starts-with", "string", "string-length", "substring",
    "substring-after", "substring-before", "text", "translate",
})  # fmt: skip
_AXES = frozenset({
    "ancestor", "ancestor-or-self", "attribute", "child", "descendant", "descendant-or-self",
    "following-sibling", "parent", "preceding-sibling", "self",
})  # fmt: skip
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_FUNCTION = re.compile(r"([A-Za-z_][\w.-]*)\s*\(")
_AXIS = re.compile(r"([A-Za-z-]+)\s*::")
_SIDEWAYS = re.compile(r"sibling|ancestor|parent|\.\.")


@lru_cache(512)
def parse(text: str) -> etree.XPath:
    """Read an expression; raises :class:`BadSelector`."""
    if len(text) > MOST_LENGTH:
        raise InvalidSelector(f"it is longer than {MOST_LENGTH} characters")
    bare = _STRING.sub("''", text)
    if "$" in bare or re.search(r"(?<!:):(?!:)", bare):
        raise InvalidSelector("variables and prefixes cannot be used here")
    for name in _FUNCTION.findall(bare):
        if name not in _FUNCTIONS and name not in ("and", "or", "div", "mod"):
            raise InvalidSelector(f"{name}() cannot be used here")
    for name in _AXIS.findall(bare):
        if name not in _AXES:
            raise InvalidSelector(f"{name}:: cannot be used here")
    _check_conditions(bare)
    try:
        return etree.XPath(text, regexp=False, smart_strings=False)
    except (etree.XPathSyntaxError, ValueError) as error:
        raise InvalidSelector("it is not XPath") from error


def _check_conditions(bare: str) -> None:
    """Raise for conditions that look through the page again for each element they are tried on."""
    depth = searches = 0
    for at, sign in enumerate(bare):
        if sign == "[":
            depth += 1
        elif sign == "]":
            depth -= 1
        elif depth and sign == "/":
            before = bare[:at].rstrip()[-1:]
            if before in "[(,=|<>+-*" or bare[:at].rstrip().endswith((" or", " and", "..")):
                raise InvalidSelector("a condition may look only inside its own element")
            if bare[at + 1 : at + 2] == "/":
                searches += 1
    inside = "".join(re.findall(r"\[[^\[\]]*\]?", bare))
    if "descendant" in inside or searches > 1:
        raise InvalidSelector("its conditions look too far")


def select(tree: ElementIndex, text: str) -> tuple[list[int], list[str]]:
    """Return the places of the elements selected, and the strings.

    Raises :class:`BadSelector` for an expression or a page that is too much.
    """
    found = parse(text)
    if len(tree.elements) > MOST_ELEMENTS:
        raise InvalidSelector("the page is too large for XPath")
    if _SIDEWAYS.search(text) and max(map(len, tree.children.values())) > MOST_SIBLINGS:
        raise InvalidSelector("the page is too wide for XPath beside elements")
    try:
        result = found(tree.elements[0])
    except etree.XPathError as error:
        raise InvalidSelector("it cannot be evaluated") from error
    if isinstance(result, str):
        return [], [result]
    if not isinstance(result, list):
        return [], []  # A number or a truth is no part of a page.
    places = {tree.place[each] for each in result if isinstance(each, HtmlElement)}
    return sorted(places), [each for each in result if isinstance(each, str)]
