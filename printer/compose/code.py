"""Preformatted text: line breaks and indentation kept, line numbers left out."""

from __future__ import annotations

import re
from itertools import islice, takewhile

from lxml import etree
from lxml.html import HtmlElement

from ..html.index import BLOCK_TAGS, Leaf
from .inline import strip_unreadable

_GUTTER = re.compile(
    r"(?:^|[\s_-])(?:line-?num(?:ber)?s?|linenos?|lnt?|gutter|blob-num|hljs-ln-numbers)(?:$|[\s_-])",
    re.IGNORECASE,
)
_UNSELECTABLE = re.compile(r"user-select\s{0,9}:\s{0,9}none")
_LANGUAGE = re.compile(
    r"^(?:language|lang|highlight-source|highlight|brush|sourceCode)[-:](\w[\w+#.-]{0,30})$"
)
_NO_LANGUAGE = frozenset({
    "none", "default", "plain", "plaintext", "text", "txt", "nohighlight", "notranslate",
    "undefined", "auto", "source", "code",
})  # fmt: skip
_BREAKS = frozenset({"br", "hr"})
_IGNORED = frozenset({"script", "style", "button", "template"})
_MAX_CELLS = 200
#: The elements of the text around code, and the most highlighters' wrappers of code.
_TEXT_TAGS = frozenset({"body", "article", "main", "section", "li", "td", "blockquote"})
_MAX_WRAPPERS = 3


def code_text(element: HtmlElement, leaves: dict[Leaf, int]) -> str:
    """Return the selected text below an element; block children and ``br`` begin new lines."""
    parts: list[str] = []
    skipped: HtmlElement | None = None
    walker = etree.iterwalk(element, events=("start", "end"))
    for event, node in walker:
        is_block = node.tag in BLOCK_TAGS and node is not element
        if event == "start":
            if node is not element and (node.tag in _IGNORED or is_gutter(node)):
                walker.skip_subtree()
                skipped = node
                continue
            if node.tag in _BREAKS or is_block:
                _new_line(parts, always=node.tag in _BREAKS)
            _add(parts, node, False, leaves)
        elif node is not element:
            if is_block and node is not skipped:
                _new_line(parts, always=False)
            _add(parts, node, True, leaves)
    lines = re.split(r"\r\n?|\n", "".join(parts))
    # No-break spaces in code are indentation.
    clean = (strip_unreadable(line.replace("\xa0", " ")).rstrip() for line in lines)
    return "\n".join(clean).strip("\n")


def _add(parts: list[str], node: HtmlElement, tail: bool, leaves: dict[Leaf, int]) -> None:
    text = node.tail if tail else node.text
    if text and ((node, tail) in leaves or text.isspace()):
        parts.append(text)


def _new_line(parts: list[str], *, always: bool) -> None:
    if always or (parts and not "".join(parts[-3:]).rstrip(" \t").endswith("\n")):
        parts.append("\n")


def is_gutter(element: HtmlElement) -> bool:
    """Return whether an element contains only line numbers."""
    is_named = _GUTTER.search(element.get("class") or "")
    if not is_named and not _UNSELECTABLE.search(element.get("style") or ""):
        return False
    words = "".join(element.itertext()).split()
    return all(word.strip(".:|").isdigit() for word in words)


def language_of(element: HtmlElement) -> str:
    """Return the programming language stated for preformatted text, '' if none is."""
    child = element[0] if len(element) and element[0].tag == "code" else None
    around = takewhile(lambda node: node.tag not in _TEXT_TAGS, element.iterancestors())
    for node in (child, element, *islice(around, _MAX_WRAPPERS)):
        if node is None:
            continue
        stated = node.get("data-lang") or node.get("data-language") or node.get("data-code-lang")
        if stated and len(stated) < 30:
            return _language_name(stated)
        for word in (node.get("class") or "")[:300].replace("brush: ", "brush:").split():
            match = _LANGUAGE.match(word.rstrip(";"))
            if match and (name := _language_name(match[1])):
                return name
    return ""


def _language_name(name: str) -> str:
    name = name.lower().removeprefix("source-")
    return "" if name in _NO_LANGUAGE else name


def is_code_table(table: HtmlElement) -> bool:
    """Return whether a table is the layout of numbered lines of code."""
    numbered = False
    for cell in islice(table.iter("td"), _MAX_CELLS + 1):
        if is_gutter(cell) or cell.get("data-line-number"):
            numbered = True
        elif numbered and (
            cell.find(".//pre") is not None or "code" in (cell.get("class") or "").lower()
        ):
            return True
    return False
