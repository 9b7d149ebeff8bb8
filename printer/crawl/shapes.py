"""The shape of an address: what is left of it when numbers and names are taken away.

A site makes its pages from few patterns.  All days of a calendar have one shape, and so have all
pages of an endless list; whether a shape is worth following is learned from what it has given.
"""

from __future__ import annotations

import hashlib
import re
from urllib.parse import urlsplit

#: Longer or deeper addresses are traps, and so are those that say the same again and again.
MOST_CHARS, MOST_SEGMENTS, MOST_PARAMETERS, MOST_REPEATS = 1_000, 14, 8, 3

_DIGITS = re.compile(r"\d+")
_NAME = re.compile(r"[^\W\d_]+")
#: A plain word names a part of a site; anything longer names a page.
_LONGEST_PART = 20


def shape(url: str) -> str:
    """Return the shape of an address in its normal form, as a short name."""
    parts = urlsplit(url)
    path = "/".join(_segment(segment) for segment in parts.path.split("/"))
    query = "&".join(
        f"{name}={_value(value)}"
        for name, _, value in (pair.partition("=") for pair in parts.query.split("&") if pair)
    )
    return hashlib.sha256(f"{parts.netloc}{path}?{query}".encode()).hexdigest()[:32]


def is_trap(url: str) -> bool:
    """Tell whether an address in its normal form is one that no person would have made."""
    if len(url) > MOST_CHARS:
        return True
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > MOST_SEGMENTS or parts.query.count("&") >= MOST_PARAMETERS:
        return True
    return any(segments.count(segment) >= MOST_REPEATS for segment in set(segments))


def _segment(segment: str) -> str:
    name, dot, ending = segment.rpartition(".")
    if not dot or len(ending) > 5:
        name, dot, ending = segment, "", ""
    if len(name) <= _LONGEST_PART and name.isalpha():
        return name.lower() + dot + ending
    return _value(name) + dot + ending


def _value(text: str) -> str:
    """Write digits as one 0, words as one a: ``2024-05`` is ``0-0``, ``late-ferry-12`` ``a-0``."""
    plain = _NAME.sub("a", _DIGITS.sub("0", text[:200]))
    return re.sub(r"(a[-_+]?|%)(?:a[-_+]?|%0?)+", "a", plain)
