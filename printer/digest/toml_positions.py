"""Where in a TOML file a value stands, which its parser does not tell.

The file was parsed before, so it is known to be TOML; what is read here are its headers, its keys,
and as much of its values as it takes to see where they end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Place = tuple[str | int, ...]

_KEY = re.compile(
    r"""[ \t]*((?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*'))*)"""
)
_PART = re.compile(r"""[\w-]+|"[^"\n]*"|'[^'\n]*'""")
_MARK = re.compile(r"\"\"\"|'''|[\"'\[\]{}#\n]")
#: What ends a string that begins so; a backslash hides a quotation mark in the double ones.
_STRINGS = {
    '"""': re.compile(r'(?:\\.|[^\\])*?"""', re.DOTALL),
    "'''": re.compile(r".*?'''", re.DOTALL),
    '"': re.compile(r'(?:\\.|[^"\\\n])*"'),
    "'": re.compile(r"[^'\n]*'"),
}


def line_of(text: str, place: Sequence[str | int]) -> int:
    """Return the line, from 1, of a value of a TOML file, or of the nearest thing around it.

    ``place`` are the keys that lead to the value, with numbers for the tables of an array.
    """
    best, found = 0, 1
    for known, line in _places(text):
        depth = len(known)
        if depth > best and tuple(place[:depth]) == known:
            best, found = depth, line
    return found


def _places(text: str) -> Iterator[tuple[Place, int]]:
    """Yield the place and line of every header and key, in order."""
    at, line = 0, 1
    table: Place = ()
    counts: dict[Place, int] = {}
    while at < len(text):
        start = at
        if match := re.compile(r"[ \t]*(\[\[?)").match(text, at):
            names = _KEY.match(text, match.end())
            if names:
                table = _table(_parts(names[1]), len(match[1]) == 2, counts)
                yield table, line
            end = text.find("\n", at)
            at = len(text) if end < 0 else end + 1
        elif (key := _KEY.match(text, at)) and text[key.end() :].lstrip(" \t")[:1] == "=":
            yield (*table, *_parts(key[1])), line
            at = _after_value(text, text.index("=", key.end()) + 1)
        else:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end + 1
        line += text.count("\n", start, at)


def _parts(key: str) -> Place:
    return tuple(part.strip("\"'") for part in _PART.findall(key))


def _table(names: Place, array: bool, counts: dict[Place, int]) -> Place:
    """Return the place of a table's header; arrays on the way are in their last element."""
    place: Place = ()
    for number, name in enumerate(names):
        place = (*place, name)
        if array and number == len(names) - 1:
            counts[place] = counts.get(place, -1) + 1
        if place in counts:
            place = (*place, counts[place])
    return place


def _after_value(text: str, at: int) -> int:
    """Return where the line after a value begins; strings and arrays may go over several."""
    depth = 0
    while match := _MARK.search(text, at):
        mark, at = match[0], match.end()
        if mark in _STRINGS:
            end = _STRINGS[mark].match(text, at)
            at = end.end() if end else len(text)
        elif mark == "#":
            at = text.find("\n", at)
            if at < 0:
                break
        elif mark == "\n":
            if depth <= 0:
                return at
        else:
            depth += 1 if mark in "[{" else -1
    return len(text)
