"""The article in a page's script data, for pages that display next to nothing without scripts.

JSON-LD may contain the whole ``articleBody``; a page's state for its scripts may contain the
article as one string of HTML, escaped HTML or plain text.  No script is run: from data that is
not JSON, only the strings are read.  Pages with other data are read with a browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape
from itertools import islice
from math import inf
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from .metadata.jsonld import DECODER, walk_json


def find_embedded_article(tree: HtmlElement) -> str:
    """Return the article in a page's data, as text or HTML; '' for none."""
    texts = (_article_body(data) or _main_prose(data) for data in _script_data(tree))
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


_MARKUP = re.compile(r"<(?:p|div|br|h[1-6]|ul|ol|li|blockquote)\b", re.IGNORECASE)
_ESCAPED = re.compile(r"&lt;(?:p|div|br|h[1-6]|ul|ol|li|blockquote)\b", re.IGNORECASE)


def _as_html(text: str) -> str:
    if not _MARKUP.search(text) and _ESCAPED.search(text):
        text = unescape(text)
    if _MARKUP.search(text):
        return text
    lines = (line.strip() for line in text.splitlines())
    return "".join(f"<p>{escape(line, quote=False)}</p>" for line in lines if line)


_MAX_VALUES = 2_000_000


def _walk(data: Any) -> Iterator[tuple[str, Any]]:
    """Yield each value of some data with its key ('' for none)."""

    def inside(pair: tuple[str, Any]) -> list[tuple[str, Any]]:
        key, value = pair
        if isinstance(value, dict):
            return [(str(name), inner) for name, inner in value.items()]
        return [(key, inner) for inner in value] if isinstance(value, list) else []

    return walk_json(("", data), inside, _MAX_VALUES, inf)


def _article_body(data: Any) -> str:
    bodies = (value for key, value in _walk(data) if key == "articleBody")
    return max((text for text in bodies if isinstance(text, str)), key=len, default="")


#: The share of all prose that the article must contain.
_MIN_PROSE_SHARE = 0.7


def _main_prose(data: Any) -> str:
    """Return the string that contains most of the prose in some data, '' if none does."""
    texts = [value for _, value in _walk(data) if _is_prose(value)]
    longest = max(texts, key=len, default="")
    return longest if len(longest) >= _MIN_PROSE_SHARE * sum(map(len, texts)) else ""


_MIN_PROSE_CHARS = 80
_SENTENCE = re.compile(r"[.!?。！？…؟।](?:\s|$|<|&lt;|[”\"'»])|[。！？]")


def _is_prose(value: Any) -> bool:
    """Return whether a value is running text, and no packed data."""
    if not isinstance(value, str) or len(value) < _MIN_PROSE_CHARS or value[0] in "[{":
        return False
    return _SENTENCE.search(value) is not None


MAX_SCRIPT_CHARS = 20_000_000
_MAX_SCRIPTS = 2_000
_CODE_TYPES = frozenset({"", "text/javascript", "application/javascript", "module"})
#: The beginning of a script that only assigns data.
_ASSIGNMENT = re.compile(
    r"\s*+(?:(?:var|let|const)\s++)?[\w$.]{1,100}+(?:\[[^\]\n]{1,100}\])?+\s*+=\s*+(?=[\[{(\"J!])"
)


def _script_data(tree: HtmlElement) -> Iterator[Any]:
    """Yield the data in a page's scripts as JSON values."""
    left = MAX_SCRIPT_CHARS
    for script in islice(tree.iter("script"), _MAX_SCRIPTS):
        source = script.text or ""
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        left -= len(source)
        if left < 0:
            break
        if kind in {"application/json", "application/ld+json"}:
            yield _read_data(source, 0)
        elif kind in _CODE_TYPES and (start := _ASSIGNMENT.match(source)):
            yield _read_data(source, start.end())


_STRING = re.compile(r'"(?:[^"\\\n]++|\\.)*+"')


def _read_data(source: str, position: int) -> Any:
    """Return the value at a position of a script; the strings after it if it is not JSON."""
    try:
        return DECODER.raw_decode(source.lstrip() if not position else source, position)[0]
    except (ValueError, RecursionError):
        return [text for match in _STRING.finditer(source) if (text := _decode_string(match[0]))]


def _decode_string(literal: str) -> str:
    """Return the text of a string long enough for prose, '' for any other."""
    try:
        return str(DECODER.decode(literal)) if len(literal) >= _MIN_PROSE_CHARS else ""
    except ValueError:
        return ""
