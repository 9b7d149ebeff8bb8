"""Preformatted text: line breaks and indentation kept, line numbers left out."""

from __future__ import annotations

import re

from lxml import etree
from lxml.html import HtmlElement

from ..html.index import BLOCK_TAGS, Leaf
from .inline import strip_unreadable

_GUTTER = re.compile(
    r"(?:^|[\s_-])(?:line-?num(?:ber)?s?|linenos?|lnt?|gutter|blob-num|hljs-ln-numbers)(?:$|[\s_-])",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(
    r"^(?:language|lang|highlight-source|highlight|brush|sourceCode)[-:](\w[\w+#.-]{0,30})$"
)
_NO_LANGUAGE = frozenset({
    "none", "default", "plain", "plaintext", "text", "txt", "nohighlight", "notranslate",
    "undefined", "auto", "source", "code",
})  # fmt: skip
_BREAKS = frozenset({"br", "hr"})
_UNTOUCHED = frozenset({"script", "style", "button", "template"})


def code_text(element: HtmlElement, leaves: dict[Leaf, int]) -> str:
    """Return the chosen text below an element as it stands in the source.

    Children displayed as blocks are lines of their own, as is each ``br``.
    """
    parts: list[str] = []
    dropped: HtmlElement | None = None
    for event, node in etree.iterwalk(element, events=("start", "end")):
        if dropped is not None:
            if event == "end" and node is dropped:
                dropped = None
                _add(parts, node, True, leaves) if node is not element else None
            continue
        if event == "start":
            if node is not element and (node.tag in _UNTOUCHED or is_gutter(node)):
                dropped = node
                continue
            if node.tag in _BREAKS or (node.tag in BLOCK_TAGS and node is not element):
                _new_line(parts, always=node.tag in _BREAKS)
            _add(parts, node, False, leaves)
        elif node is not element:
            if node.tag in BLOCK_TAGS:
                _new_line(parts, always=False)
            _add(parts, node, True, leaves)
    lines = [line.rstrip() for line in clean_lines("".join(parts))]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    return "\n".join(lines)


def clean_lines(text: str) -> list[str]:
    """Split code into lines; its no-break spaces are there to indent."""
    return [strip_unreadable(line.replace("\xa0", " ")) for line in re.split(r"\r\n?|\n", text)]


def _add(parts: list[str], node: HtmlElement, tail: bool, leaves: dict[Leaf, int]) -> None:
    text = node.tail if tail else node.text
    if text and ((node, tail) in leaves or text.isspace()):
        parts.append(text)


def _new_line(parts: list[str], *, always: bool) -> None:
    if always or (parts and not "".join(parts[-3:]).rstrip(" \t").endswith("\n")):
        parts.append("\n")


def is_gutter(element: HtmlElement) -> bool:
    """Tell whether an element holds line numbers and nothing else."""
    if not _GUTTER.search(element.get("class") or ""):
        return False
    text = "".join(element.itertext())
    return all(word.strip(".:|").isdigit() for word in text.split())


def language_of(element: HtmlElement) -> str:
    """Return the programming language that classes around and inside preformatted text name."""
    child = element[0] if len(element) and element[0].tag == "code" else None
    nodes = [child, element, element.getparent()]
    above = nodes[-1]
    if above is not None and above.tag not in {"body", "article", "main"}:
        nodes.append(above.getparent())
    for node in nodes:
        if node is None:
            continue
        stated = node.get("data-lang") or node.get("data-language") or node.get("data-code-lang")
        if stated and len(stated) < 30:
            return _named(stated)
        for word in (node.get("class") or "")[:300].replace("brush: ", "brush:").split():
            match = _LANGUAGE.match(word.rstrip(";"))
            if match and (name := _named(match[1])):
                return name
    return ""


def _named(name: str) -> str:
    name = name.lower().removeprefix("source-")
    return "" if name in _NO_LANGUAGE else name


def is_code_table(element: HtmlElement) -> bool:
    """Tell whether a table sets out numbered lines of code."""
    numbered = False
    for count, cell in enumerate(element.iter("td")):
        if count > 200:
            break
        if is_gutter(cell) or cell.get("data-line-number"):
            numbered = True
        elif numbered and (cell.find(".//pre") is not None or _looks_code(cell)):
            return True
    return False


def _looks_code(cell: HtmlElement) -> bool:
    words = (cell.get("class") or "").lower()
    return "code" in words
