"""Times as texts say them: spans such as 36h, 2d, 1w, and moments in ISO 8601."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_SPAN = re.compile(r"([1-9]\d{0,4}) ?(m|h|d|w)")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def span(text: str) -> timedelta:
    """Return a span of time; raises :class:`ValueError` for what is none."""
    match = _SPAN.fullmatch(text.strip())
    if not match:
        raise ValueError("should be a span of time such as 36h, 2d or 1w")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def moment(text: str) -> datetime | None:
    """Return the time that an ISO 8601 text names, in UTC where it has no zone; None for others."""
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found and found.tzinfo is None else found
