"""The text that a page carries as data for its scripts, for when it shows next to nothing itself.

JSON-LD may state the whole ``articleBody``; pages that a framework builds (Next.js, Nuxt, Gatsby
and the like) carry what they will show as JSON.  Of such data the smallest part that holds most of
the prose is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

#: Data of more characters than this is not read.
MOST_CHARS = 5_000_000
#: A string is prose when it has this many characters and the end of a sentence.
_PROSE = 80
_SENTENCE = re.compile(r"[.!?。！？…؟।](?:\s|$|<|[”\"'»])|[。！？]")
_MARKUP = re.compile(r"<(?:p|div|br|h[1-6]|ul|ol|li|blockquote)\b", re.IGNORECASE)
#: A part of the data is the article when it holds this much of all prose.
_MOST = 0.7
_KINDS = frozenset({"application/json", "application/ld+json"})


def embedded_text(tree: HtmlElement) -> str:
    """Return the article that a page's data holds, as text or HTML; '' when it holds none."""
    best = ""
    for script in tree.iter("script"):
        source = script.text or ""
        stated = (script.get("type") or "").partition(";")[0].strip().lower()
        if stated not in _KINDS or not _PROSE < len(source) < MOST_CHARS:
            continue
        try:
            data = json.loads(source, strict=False)
        except (ValueError, RecursionError):
            continue
        text = _article_body(data) or _densest(data)
        best = max(best, text, key=len)
    return best


def restore(tree: HtmlElement, text: str) -> None:
    """Put text, or HTML, at the end of a page's body as an article."""
    body = tree.find("body")
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True)
    if not _MARKUP.search(text):
        lines = (line.strip() for line in text.splitlines())
        text = "".join(f"<p>{_escaped(line)}</p>" for line in lines if line)
    source = f"<html><body><div>{text}</div></body></html>"
    built = etree.fromstring(source.encode("utf-8", "replace"), parser)
    article = etree.SubElement(tree if body is None else body, "article")
    for child in built.iter("body"):
        article.extend(list(child))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _walk(data: Any) -> Iterator[tuple[int, int, str, Any]]:
    """Yield a number for each value, its parent's (-1), the key it stands under, and the value."""
    waiting = [(-1, "", data)]
    number = 0
    while waiting:
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


def _densest(data: Any) -> str:
    """Return the prose of the smallest part of some data that holds most of it."""
    parents: list[int] = []
    texts: dict[int, str] = {}
    for number, parent, _, value in _walk(data):
        parents.append(parent)
        if isinstance(value, str) and len(value) >= _PROSE and _SENTENCE.search(value):
            texts[number] = value
    mass = [0] * len(parents)
    for number in range(len(parents) - 1, -1, -1):
        mass[number] += len(texts.get(number, ""))
        if parents[number] >= 0:
            mass[parents[number]] += mass[number]
    whole = mass[0] if mass else 0
    # Values are numbered before what they hold, so the last with enough is the smallest.
    best = max((n for n, each in enumerate(mass) if each and each >= _MOST * whole), default=-1)
    if best < 0:
        return ""
    inside = {best}
    said: dict[str, None] = {}
    for number in range(best, len(parents)):
        if number == best or parents[number] in inside:
            inside.add(number)
            if number in texts:
                said[texts[number]] = None
    return "\n".join(said)
