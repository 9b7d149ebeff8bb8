"""Read site files in the format of full-text-rss: lines of ``directive: value``, paths in XPath.

Supported are body, title, author, date, strip, strip_id_or_class, strip_image_src and
next_page_link.  Directives that change a page's source before parsing (find_string,
replace_string), fetch something else (single_page_link, http_header) or configure that program are
ignored.  XPath is allowed if it can be evaluated in bounded time and reaches nothing outside the
page.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

from lxml import etree
from lxml.html import HtmlElement

from ..options import SiteRule
from .css import ElementIndex, InvalidSelector

MAX_LINES = 1_000
_PATHS = {
    "body": "body", "title": "title", "author": "author", "date": "date", "strip": "drop",
    "next_page_link": "next_page",
}  # fmt: skip
_TEMPLATES = {
    "strip_id_or_class": "//*[contains(@class, {0}) or contains(@id, {0})]",
    "strip_image_src": "//img[contains(@src, {0})]",
}


def parse_file(text: str, host: str, name: str, *, subdomains: bool) -> SiteRule:
    """Return the rule in a site file; unusable lines are listed in its faults."""
    paths: dict[str, list[str]] = defaultdict(list)
    faults = []
    for number, line in enumerate(text.splitlines()[:MAX_LINES], 1):
        directive, _, value = line.partition(":")
        directive, value = directive.strip().lower(), value.strip()
        if not value or directive.startswith("#"):
            continue
        if directive in _PATHS:
            action, path = _PATHS[directive], value
        elif directive in _TEMPLATES:
            word = value.strip("\"'")
            quote = "'" if '"' in word else '"'
            action, path = "drop", _TEMPLATES[directive].format(f"{quote}{word}{quote}")
        else:
            continue
        try:
            parse_xpath(path)
        except InvalidSelector as error:
            faults.append(f"{name}, line {number}: {directive}: {error}")
        else:
            paths[action].append(path)
    return SiteRule(
        host=host,
        name=name,
        subdomains=subdomains,
        xpath=True,
        faults=tuple(faults),
        **{action: tuple(values) for action, values in paths.items()},
    )


MAX_LENGTH = 500
_FUNCTIONS = frozenset({
    "comment", "concat", "contains", "count", "last", "local-name", "name", "node",
    "normalize-space", "not", "position", "starts-with", "string", "string-length", "substring",
    "substring-after", "substring-before", "text", "translate", "and", "or", "div", "mod",
})  # fmt: skip
_AXES = frozenset({
    "ancestor", "ancestor-or-self", "attribute", "child", "descendant", "descendant-or-self",
    "following-sibling", "parent", "preceding-sibling", "self",
})  # fmt: skip
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_FUNCTION = re.compile(r"([A-Za-z_][\w.-]*)\s*\(")
_AXIS = re.compile(r"([A-Za-z-]+)\s*::")
_VARIABLE_OR_PREFIX = re.compile(r"\$|(?<!:):(?!:)")


@lru_cache(512)
def parse_xpath(text: str) -> etree.XPath:
    if len(text) > MAX_LENGTH:
        raise InvalidSelector(f"it is longer than {MAX_LENGTH} characters")
    bare = _STRING.sub("''", text)
    if _VARIABLE_OR_PREFIX.search(bare):
        raise InvalidSelector("variables and prefixes cannot be used here")
    for name in _FUNCTION.findall(bare):
        if name not in _FUNCTIONS:
            raise InvalidSelector(f"{name}() cannot be used here")
    for name in _AXIS.findall(bare):
        if name not in _AXES:
            raise InvalidSelector(f"{name}:: cannot be used here")
    _check_conditions(bare)
    try:
        return etree.XPath(text, regexp=False, smart_strings=False)
    except (etree.XPathSyntaxError, ValueError) as error:
        raise InvalidSelector("it is not valid XPath") from error


def _check_conditions(bare: str) -> None:
    """Raise for conditions that search the whole page for each element tested."""
    depth = searches = 0
    for i, character in enumerate(bare):
        if character == "[":
            depth += 1
        elif character == "]":
            depth -= 1
        elif depth and character == "/":
            text_before = bare[:i].rstrip()
            if text_before[-1:] in "[(,=|<>+-*" or text_before.endswith((" or", " and", "..")):
                raise InvalidSelector("a condition may look only inside its own element")
            if bare[i + 1 : i + 2] == "/":
                searches += 1
    conditions = "".join(re.findall(r"\[[^\[\]]*\]?", bare))
    if "descendant" in conditions or searches > 1:
        raise InvalidSelector("its conditions reach too far")


#: On pages with more elements, or more siblings, no XPath is tried: its cost is a product of these.
MAX_ELEMENTS = 30_000
MAX_SIBLINGS = 2_000
_SIDEWAYS = re.compile(r"sibling|ancestor|parent|\.\.")


def select_xpath(tree: ElementIndex, text: str) -> tuple[list[int], list[str]]:
    """Return the indexes of the elements selected, and the strings; raise InvalidSelector."""
    expression = parse_xpath(text)
    if len(tree.elements) > MAX_ELEMENTS:
        raise InvalidSelector("the page is too large for XPath")
    if _SIDEWAYS.search(text) and max(map(len, tree.children.values())) > MAX_SIBLINGS:
        raise InvalidSelector("an element of the page has too many children for this XPath")
    try:
        result = expression(tree.elements[0])
    except etree.XPathError as error:
        raise InvalidSelector("it cannot be evaluated") from error
    if isinstance(result, str):
        return [], [result]
    if not isinstance(result, list):
        return [], []  # A number or a Boolean is not a part of the page.
    indexes = {tree.indexes[node] for node in result if isinstance(node, HtmlElement)}
    return sorted(indexes), [node for node in result if isinstance(node, str)]
