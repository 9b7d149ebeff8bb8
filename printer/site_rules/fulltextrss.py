"""Site files in the style of full-text-rss: lines of ``directive: value``, their paths in XPath.

Read are body, title, author, date, strip, strip_id_or_class, strip_image_src and next_page_link.
What changes a page's source before it is parsed (find_string, replace_string), fetches something
else (single_page_link, http_header) or tunes that program is passed over.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

from lxml import etree
from lxml.html import HtmlElement

from ..options import SiteRule
from . import fulltextrss
from .css import ElementIndex, InvalidSelector

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


MOST_LINES = 1_000

_PATHS = {
    "body": "body", "title": "title", "author": "author", "date": "date", "strip": "drop",
    "next_page_link": "next_page",
}  # fmt: skip
_WORDS = {
    "strip_id_or_class": "//*[contains(@class, {0}) or contains(@id, {0})]",
    "strip_image_src": "//img[contains(@src, {0})]",
}


def read(text: str, host: str, name: str, *, subdomains: bool) -> SiteRule:
    """Return the rule that a site file holds; a line that cannot be used is among its faults."""
    found: dict[str, list[str]] = defaultdict(list)
    faults = []
    for number, line in enumerate(text.splitlines()[:MOST_LINES], 1):
        directive, colon, value = line.partition(":")
        directive, value = directive.strip().lower(), value.strip()
        if not colon or not value or line.lstrip().startswith("#"):
            continue
        if directive in _PATHS:
            part, path = _PATHS[directive], value
        elif directive in _WORDS:
            word = value.strip("\"'")
            quote = "'" if '"' in word else '"'
            part, path = "drop", _WORDS[directive].format(f"{quote}{word}{quote}")
        else:
            continue
        try:
            fulltextrss.parse(path)
        except InvalidSelector as fault:
            faults.append(f"{name}, line {number}: {directive}: {fault}")
        else:
            found[part].append(path)
    paths = {part: tuple(values) for part, values in found.items()}
    return SiteRule(
        host=host, name=name, subdomains=subdomains, xpath=True, faults=tuple(faults), **paths
    )
