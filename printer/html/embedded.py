"""The text that a page carries as data for its scripts, for when it shows next to nothing itself.

JSON-LD may state the whole ``articleBody``; pages that a framework builds carry what they will show
in their scripts (:mod:`.scripts`).  Of such data the smallest part that holds most of the prose is
taken: HTML, HTML escaped once more, Markdown, an editor's blocks (:mod:`.richtext`), or plain text.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from . import richtext
from .scripts import script_data

#: Values of a page's data that are looked at.
_MOST_VALUES = 2_000_000
#: A string is prose when it has this many characters and the end of a sentence; one that a key
#: calls text may be a part of a paragraph, and counts half when it is this long.
_PROSE, _PART = 80, 25
_PARTS = frozenset({"text", "value", "content", "html"})
_SENTENCE = re.compile(r"[.!?。！？…؟।](?:\s|$|<|&lt;|[”\"'»])|[。！？]")
_MARKUP = re.compile(r"<(?:p|div|br|h[1-6]|ul|ol|li|blockquote)\b", re.IGNORECASE)
_ESCAPED = re.compile(r"&lt;(?:p|div|br|h[1-6]|ul|ol|li|blockquote)\b", re.IGNORECASE)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|[*+-] \S|> \S|\d{1,3}\. \S|```)", re.MULTILINE)
#: Markdown of more characters is set as plain text.
_MOST_MARKDOWN = 60_000
#: In Markdown with more brackets none is a link: each is looked at to the end of its paragraph.
_MOST_LINKS = 1_000
#: A part of the data is the article when it holds this much of all prose.
_MOST = 0.7
#: JSON in a string is unpacked when it is this long, so often inside itself.
_PACKED, _TIMES = 500, 2


def find_embedded_article(tree: HtmlElement) -> str:
    """Return the article that a page's data holds, as text or HTML; '' when it holds none."""
    best = ""
    for data in script_data(tree):
        text = _article_body(data) or _densest(data)
        best = max(best, text, key=len)
    return best


def insert_article(tree: HtmlElement, text: str) -> None:
    """Put text, or HTML, at the end of a page's body as an article."""
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
    if _MARKDOWN.search(text) and "\n\n" in text and len(text) <= _MOST_MARKDOWN:
        from markdown_it import MarkdownIt  # of all pages hardly one needs it

        reader = MarkdownIt("commonmark").enable("table")
        if text.count("[") > _MOST_LINKS:
            reader.disable(["link", "image"])
        written: str = reader.render(text)
        return written
    lines = (line.strip() for line in text.splitlines())
    return "".join(f"<p>{html.escape(line, quote=False)}</p>" for line in lines if line)


def _walk(data: Any) -> Iterator[tuple[int, int, str, Any]]:
    """Yield a number for each value, its parent's (-1), the key it stands under, and the value."""
    waiting = [(-1, "", data)]
    number = 0
    while waiting and number < _MOST_VALUES:
        parent, key, value = waiting.pop()
        yield number, parent, key, value
        if isinstance(value, dict):
            waiting += [(number, str(name), each) for name, each in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(number, key, each) for each in reversed(value)]
        number += 1


def _article_body(data: Any) -> str:
    stated = (value for _, _, key, value in _walk(data) if key == "articleBody")
    return max((text for text in stated if isinstance(text, str)), key=len, default="")


def _densest(data: Any, times: int = 0) -> str:
    """Return the prose of the smallest part of some data that holds most of it."""
    parents: list[int] = []
    values: list[Any] = []
    mass: list[float] = []
    for _, parent, key, value in _walk(data):
        parents.append(parent)
        values.append(value)
        mass.append(_mass(value, key))
    for number in range(len(parents) - 1, 0, -1):
        mass[parents[number]] += mass[number]
    whole = mass[0] if mass else 0
    # Values are numbered before what they hold, so the last with enough is the smallest.
    best = max((n for n, each in enumerate(mass) if each and each >= _MOST * whole), default=-1)
    return _written(values[best], times) if best >= 0 else ""


def _mass(value: Any, key: str) -> float:
    if not isinstance(value, str):
        return 0
    if len(value) >= _PROSE and _SENTENCE.search(value):
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
    said: dict[str, None] = {}
    for _, _, _, value in _walk(part):
        if isinstance(value, str) and len(value) >= _PROSE and _SENTENCE.search(value):
            said[value] = None
    rich = richtext.richtext_to_html(part)
    return rich if len(rich) >= sum(map(len, said)) else "\n".join(said)
