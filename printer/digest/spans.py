"""Spans of time as people write them: 36h, 2d, 1w."""

from __future__ import annotations

import re
from datetime import timedelta

_SPAN = re.compile(r"([1-9]\d{0,4}) ?(m|h|d|w)")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def span(text: str) -> timedelta:
    """Return a span of time; raises :class:`ValueError` for what is none."""
    match = _SPAN.fullmatch(text.strip())
    if not match:
        raise ValueError("should be a span of time such as 36h, 2d or 1w")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})
