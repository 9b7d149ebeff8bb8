"""Find the article in a page's script data, for pages that display next to nothing without scripts.

JSON-LD may contain the whole ``articleBody``; pages built by a framework carry their content in
scripts.  The smallest part of such data that contains most of the prose is used: HTML, escaped
HTML, Markdown, an editor's blocks, or plain text.

Frameworks pass a page's state to its scripts in a few forms: a script of type ``application/json``
(Next.js, Nuxt 3, Gatsby), ``window.STATE = {...}`` or ``JSON.parse("...")`` (Apollo, Redux), an
object literal that is not JSON or a function call (Nuxt 2), rows pushed one by one (React's server
components).  No script is run: from data that is not JSON, only the strings are read.

Portable Text, ProseMirror, Slate, Lexical, Editor.js, Contentful and similar formats differ only in
names: a node has a kind, and contains text or other nodes.  The kind determines the element;
anything else in a node is ignored.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

#: The most values of a page's data to examine.
_MAX_VALUES = 2_000_000
#: The fewest characters of a string of prose, which must also contain the end of a sentence; and of
#: part of a paragraph, a string under one of the keys in ``_PARTS``, which counts half.
_PROSE, _PART = 80, 25
_PARTS = frozenset({"text", "value", "content", "html"})
_SENTENCE = re.compile(r"[.!?。！？…؟।](?:\s|$|<|&lt;|[”\"'»])|[。！？]")
_MARKUP = re.compile(r"<(?:p|div|br|h[1-6]|ul|ol|li|blockquote)\b", re.IGNORECASE)
_ESCAPED = re.compile(r"&lt;(?:p|div|br|h[1-6]|ul|ol|li|blockquote)\b", re.IGNORECASE)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|[*+-] \S|> \S|\d{1,3}\. \S|```)", re.MULTILINE)
#: Longer Markdown is treated as plain text.
_MAX_MARKDOWN = 60_000
#: In Markdown with more brackets, links are ignored: each bracket costs a scan of its paragraph.
_MAX_LINKS = 1_000
#: The share of all prose that the article must contain.
_MOST = 0.7
#: The fewest characters of JSON in a string to unpack, and the deepest nesting of such strings.
_PACKED, _TIMES = 500, 2

#: Limits of the characters of a page's scripts, of the scripts, and the shortest string to read.
MAX_CHARS = 20_000_000
_MAX_SCRIPTS = 2_000
_SHORTEST = 80

_JSON = frozenset({"application/json", "application/ld+json"})
_CODE = frozenset({"", "text/javascript", "application/javascript", "module"})
#: The beginning of a script that only assigns data.
_ASSIGNED = re.compile(
    r"\s*+(?:(?:var|let|const)\s++)?[\w$.]{1,100}+(?:\[[^\]\n]{1,100}\])?+\s*+=\s*+(?=[\[{(\"J!])"
)
_PUSHED = re.compile(r"\s*+\(?[\w$.]{1,80}?(?:\s?=\s?[\w$.]{1,80}?\s?\|\|\s?\[\])?\)?\.push\(")
_PARSED = re.compile(r"JSON\.parse\(\s*+")
_STRING = re.compile(r'"(?:[^"\\\n]++|\\.)*+"')
_ROW = re.compile(rb"\s*([0-9a-f]{1,8}):(?:T([0-9a-f]{1,8}),|[A-Z]{0,2})")

#: Limits of the nodes to examine, and of their depth.
_MAX_NODES, _MAX_DEPTH = 100_000, 60

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

_DECODER = json.JSONDecoder(strict=False)


def find_embedded_article(tree: HtmlElement) -> str:
    """Return the article in a page's data, as text or HTML; '' for none."""
    texts = (_article_body(data) or _densest(data) for data in _script_data(tree))
    return max(texts, key=len, default="")


def insert_article(tree: HtmlElement, text: str) -> None:
    """Append text, or HTML, to a page's body as an article."""
    body = tree.find("body")
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True)
    source = f"<html><body><div>{_as_html(text)}</div></body></html>"
    built = etree.fromstring(source.encode("utf-8", "replace"), parser)
    article = etree.SubElement(tree if body is None else body, "article")
    for child in built.iter("body"):
        article.extend(list(child))


def _as_html(text: str) -> str:
    if not _MARKUP.search(text) and _ESCAPED.search(text):
        text = html.unescape(text)
    if _MARKUP.search(text):
        return text
    if _MARKDOWN.search(text) and "\n\n" in text and len(text) <= _MAX_MARKDOWN:
        from markdown_it import MarkdownIt  # seldom needed

        reader = MarkdownIt("commonmark").enable("table")
        if text.count("[") > _MAX_LINKS:
            reader.disable(["link", "image"])
        return str(reader.render(text))
    lines = (line.strip() for line in text.splitlines())
    return "".join(f"<p>{html.escape(line, quote=False)}</p>" for line in lines if line)


def _walk(data: Any) -> Iterator[tuple[int, int, str, Any]]:
    """Yield each value's number, its parent's (-1 for none), its key, and the value."""
    waiting = [(-1, "", data)]
    number = 0
    while waiting and number < _MAX_VALUES:
        parent, key, value = waiting.pop()
        yield number, parent, key, value
        if isinstance(value, dict):
            waiting += [(number, str(name), inner) for name, inner in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(number, key, inner) for inner in reversed(value)]
        number += 1


def _article_body(data: Any) -> str:
    stated = (value for _, _, key, value in _walk(data) if key == "articleBody")
    return max((text for text in stated if isinstance(text, str)), key=len, default="")


def _densest(data: Any, times: int = 0) -> str:
    """Return the smallest part of the data that contains most of the prose, as HTML or text."""
    parents: list[int] = []
    values: list[Any] = []
    mass: list[float] = []
    for _, parent, key, value in _walk(data):
        parents.append(parent)
        values.append(value)
        mass.append(_mass(value, key))
    for number in range(len(parents) - 1, 0, -1):
        mass[parents[number]] += mass[number]
    total = mass[0] if mass else 0
    # Parents are numbered before their children, so the last part with enough is the smallest.
    best = max((n for n, part in enumerate(mass) if part and part >= _MOST * total), default=-1)
    return _written(values[best], times) if best >= 0 else ""


def _is_prose(value: Any) -> bool:
    return isinstance(value, str) and len(value) >= _PROSE and bool(_SENTENCE.search(value))


def _mass(value: Any, key: str) -> float:
    if not isinstance(value, str):
        return 0
    if _is_prose(value):
        return len(value)
    return len(value) / 2 if len(value) >= _PART and key in _PARTS and " " in value else 0


def _written(part: Any, times: int) -> str:
    """Return a part of the data as HTML or text."""
    if isinstance(part, str):
        if len(part) >= _PACKED and part[0] in "[{" and times < _TIMES:
            try:
                return _densest(json.loads(part, strict=False), times + 1)
            except (ValueError, RecursionError):
                return part
        return part
    prose = {value: None for _, _, _, value in _walk(part) if _is_prose(value)}
    rich = "".join(_RichTextWriter().write(part, "", 0))
    return rich if len(rich) >= sum(map(len, prose)) else "\n".join(prose)


# The data in scripts


def _script_data(tree: HtmlElement) -> Iterator[Any]:
    """Yield the data in a page's scripts as JSON values."""
    left = MAX_CHARS
    pushed: list[str] = []
    for script in islice(tree.iter("script"), _MAX_SCRIPTS):
        source = script.text or ""
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        left -= len(source)
        if left < 0:
            break
        if kind in _JSON:
            yield _json(source)
        elif kind in _CODE and (start := _ASSIGNED.match(source)):
            yield _assigned(source, start.end())
        elif kind in _CODE and _PUSHED.match(source):
            pushed += _strings(source, 1)
    if pushed:
        yield _rows("".join(pushed))


def _json(source: str) -> Any:
    try:
        return _DECODER.decode(source.strip())
    except (ValueError, RecursionError):
        return _strings(source)


def _assigned(source: str, at: int) -> Any:
    """Return the value assigned at a position."""
    try:
        if call := _PARSED.match(source, at):
            return json.loads(_DECODER.raw_decode(source, call.end())[0])
        return _DECODER.raw_decode(source, at)[0]
    except (TypeError, ValueError, RecursionError):
        return _strings(source)


def _strings(source: str, shortest: int = _SHORTEST) -> list[str]:
    """Return a script's strings of at least ``shortest`` characters, in order."""
    found = []
    for match in _STRING.finditer(source):
        if match.end() - match.start() >= shortest:
            try:
                found.append(_DECODER.decode(match[0]))
            except ValueError:
                continue
    return found


def _rows(stream: str) -> list[Any]:
    """Return the values of the rows ``number:JSON`` or ``number:Tlength,text``, one per line."""
    data = stream.encode("utf-8", "replace")
    found: list[Any] = []
    at = 0
    while row := _ROW.match(data, at):
        if row[2]:
            end = row.end() + int(row[2], 16)
            found.append(data[row.end() : end].decode("utf-8", "replace"))
        else:
            end = data.find(b"\n", row.end())
            end = len(data) if end < 0 else end
            found.append(_json(data[row.end() : end].decode("utf-8", "replace")))
        at = end
    return found or [stream]


# Rich text as data


class _RichTextWriter:
    """Writes rich text as HTML, up to a limit of nodes."""

    def __init__(self) -> None:
        self.left = _MAX_NODES

    def write(self, node: Any, around: str, depth: int) -> Iterator[str]:
        """Yield the HTML of a node; ``around`` is the enclosing element."""
        self.left -= 1
        if self.left < 0 or depth > _MAX_DEPTH:
            return
        if isinstance(node, str):
            text = node if _TAGGED.search(node) else html.escape(node, quote=False)
            listed = around in {"ul", "ol"}
            yield f"<li>{text}</li>" if listed else text if around else f"<p>{text}</p>"
        elif isinstance(node, list):
            if len(node) == 4 and node[0] == "$":  # a server component: "$", tag, key, properties
                tag, properties = node[1], node[3]
                node = [{"tag": tag, **properties}] if isinstance(properties, dict) else []
            for inner in node:
                yield from self.write(inner, around, depth + 1)
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
    """Return the element for a node's kind, '' for none."""
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
    """Return text wrapped in the elements of its marks."""
    marks = node.get("marks")
    names = [mark.get("type") if isinstance(mark, dict) else mark for mark in marks or ()] \
        if isinstance(marks, list) else []  # fmt: skip
    names += [name for name in _MARKS if node.get(name) is True or node.get("tag") == name]
    for name in names[:4]:
        if isinstance(name, str) and (element := _MARKS.get(name)):
            text = f"<{element}>{text}</{element}>"
    return text
