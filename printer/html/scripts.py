"""The data that a page's scripts hold: JSON, JSON assigned to a name, strings pushed to a list.

Frameworks hand a page's state to its scripts in a few shapes: a script of type ``application/json``
(Next.js, Nuxt 3, Gatsby), ``window.STATE = {...}`` or ``JSON.parse("...")`` (Apollo, Redux), an
object literal that is no JSON or a call of a function (Nuxt 2), rows pushed one by one (React's
server components).  Nothing is run: what cannot be read as JSON is read for its strings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from lxml.html import HtmlElement

#: Characters read of a page's scripts, scripts read.
MOST_CHARS = 20_000_000
_MOST_SCRIPTS = 2_000
_SHORTEST = 80

_JSON = frozenset({"application/json", "application/ld+json"})
_CODE = frozenset({"", "text/javascript", "application/javascript", "module"})
#: How a script begins that does nothing but hand over data.
_ASSIGNED = re.compile(
    r"\s*+(?:(?:var|let|const)\s++)?[\w$.]{1,100}+(?:\[[^\]\n]{1,100}\])?+\s*+=\s*+(?=[\[{(\"J!])"
)
_PUSHED = re.compile(r"\s*+\(?[\w$.]{1,80}?(?:\s?=\s?[\w$.]{1,80}?\s?\|\|\s?\[\])?\)?\.push\(")
_PARSED = re.compile(r"JSON\.parse\(\s*+")
_STRING = re.compile(r'"(?:[^"\\\n]++|\\.)*+"')
_ROW = re.compile(rb"\s*([0-9a-f]{1,8}):(?:T([0-9a-f]{1,8}),|[A-Z]{0,2})")

_DECODER = json.JSONDecoder(strict=False)


def script_data(tree: HtmlElement) -> Iterator[Any]:
    """Yield the values that a page's scripts hold, as JSON gives them."""
    left = MOST_CHARS
    pushed: list[str] = []
    for number, script in enumerate(tree.iter("script")):
        source = script.text or ""
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        left -= len(source)
        if left < 0 or number >= _MOST_SCRIPTS:
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
    """Read the value assigned from a place on."""
    try:
        if call := _PARSED.match(source, at):
            return json.loads(_DECODER.raw_decode(source, call.end())[0])
        return _DECODER.raw_decode(source, at)[0]
    except (TypeError, ValueError, RecursionError):
        return _strings(source)


def _strings(source: str, shortest: int = _SHORTEST) -> list[str]:
    """Return the strings of a script that are long enough, in their order."""
    found = []
    for match in _STRING.finditer(source):
        if match.end() - match.start() >= shortest:
            try:
                found.append(_DECODER.decode(match[0]))
            except ValueError:
                continue
    return found


def _rows(stream: str) -> list[Any]:
    """Read rows of ``number:JSON`` or ``number:Tlength,text``, one to a line."""
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
