"""Rich text as data, made HTML: the block arrays that editors save.

Portable Text, ProseMirror, Slate, Lexical, Editor.js, Contentful and their like differ in names
alone: a node has a kind, and holds text or other nodes.  What a kind says decides the element,
whatever else a node has is passed over.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

#: Nodes looked at, and how deep.
_MOST_NODES, _MOST_DEPTH = 100_000, 60

_KINDS = ("style", "type", "_type", "nodeType", "kind", "tag", "blockType", "nodeName", "listItem",
          "__typename", "object")  # fmt: skip
_INSIDE = ("children", "content", "items", "nodes", "blocks", "data", "attributes", "root", "body",
           "document", "value", "text", "html", "code")  # fmt: skip
_HEADING = re.compile(r"h([1-6])$|(?:^|[\W_])head(?:ing|er)[\W_]?([1-6])?$")
_ELEMENTS = (
    ("li", re.compile(r"^(?:li|list-?_?item|bullet|number)$")),
    ("ol", re.compile(r"^(?:ol|(?:ordered|numbered)[-_]?list)$")),
    ("ul", re.compile(r"(?:^|[-_])(?:ul|list)$")),
    ("blockquote", re.compile(r"quote")),
    ("pre", re.compile(r"^(?:pre|code(?:[-_]?block)?)$")),
    ("p", re.compile(r"^(?:p|paragraph|normal|unstyled|block|text-?block)$")),
)
_MARKS = {"bold": "strong", "strong": "strong", "italic": "em", "em": "em", "code": "code"}
_TAGGED = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]{0,500})?/?>", re.IGNORECASE)


def richtext_to_html(data: Any) -> str:
    """Return the HTML of rich text; '' for what is none."""
    written = list(_Writer().write(data, "", 0))
    return "".join(written)


class _Writer:
    """Writes a tree of nodes; counts them, so that no page costs more than its share."""

    def __init__(self) -> None:
        self.left = _MOST_NODES

    def write(self, node: Any, around: str, depth: int) -> Iterator[str]:
        """Yield the HTML of a node; ``around`` is the element it stands in."""
        self.left -= 1
        if self.left < 0 or depth > _MOST_DEPTH:
            return
        if isinstance(node, str):
            text = node if _TAGGED.search(node) else html.escape(node, quote=False)
            listed = around in {"ul", "ol"}
            yield f"<li>{text}</li>" if listed else text if around else f"<p>{text}</p>"
        elif isinstance(node, list):
            if len(node) == 4 and node[0] == "$":  # a server component: sign, tag, key, properties
                tag, properties = node[1], node[3]
                node = [{"tag": tag, **properties}] if isinstance(properties, dict) else []
            for each in node:
                yield from self.write(each, around, depth + 1)
        elif isinstance(node, dict):
            yield from self._node(node, around, depth)

    def _node(self, node: dict[str, Any], around: str, depth: int) -> Iterator[str]:
        element = _element(node)
        if element == around and element in {"p", "li"}:
            element = ""
        inside: list[str] = []
        for key in _INSIDE:
            if key in node and isinstance(node[key], str | list | dict):
                inside += self.write(node[key], element or around, depth + 1)
                if "".join(inside).strip():
                    break
        text = "".join(inside)
        if not text.strip():
            return
        if element:
            yield f"<{element}>{text}</{element}>"
        else:
            yield _marked(text, node) if around else text


def _element(node: dict[str, Any]) -> str:
    """Return the element that a node's kind names, '' for none."""
    for key in _KINDS:
        kind = node.get(key)
        if not isinstance(kind, str) or len(kind) > 60:
            continue
        kind = kind.lower()
        if found := _HEADING.search(kind):
            data = node.get("data") or node.get("attrs") or node.get("attributes")
            level = found[1] or found[2] or node.get("level")
            if not level and isinstance(data, dict):
                level = data.get("level")
            return f"h{level}" if str(level) in {"1", "2", "3", "4", "5", "6"} else "h2"
        if kind in {"text", "span"}:
            return ""
        ordered = node.get("ordered") is True or node.get("style") == "ordered"
        for name, kinds in _ELEMENTS:
            if kinds.search(kind):
                return "ol" if name == "ul" and ordered else name
    return ""


def _marked(text: str, node: dict[str, Any]) -> str:
    """Return text within the elements of its marks."""
    marks = node.get("marks")
    names = [each.get("type") if isinstance(each, dict) else each for each in marks or ()] \
        if isinstance(marks, list) else []  # fmt: skip
    names += [name for name in _MARKS if node.get(name) is True or node.get("tag") == name]
    for name in names[:4]:
        if isinstance(name, str) and (element := _MARKS.get(name)):
            text = f"<{element}>{text}</{element}>"
    return text
