"""Read the dates of posts and comments."""

from __future__ import annotations

import re
from itertools import islice

from lxml.html import HtmlElement

from ..text import YEAR
from .metadata.dates import find_date, parse_date
from .parse import element_line

#: Characters around a name or a date that are not part of it.
EDGE_CHARACTERS = " :：,·•|»«›-–—"
MAX_DATE_CHARS = 60
#: The most parts to examine.
_MAX_NEARBY = 8
ISO_DATE = re.compile(r"\d{4}-\d{2}|\d{9}")
#: A date with a time of day for machines.
STAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d")
_NUMERIC_DATE = re.compile(r"(?<!\d)\d{1,2}([/.-])\d{1,2}\1\d{4}(?!\d)")  # perhaps ambiguous
_CLOCK = re.compile(r"(?<!\d)[0-2]?\d[:.][0-5]\d(?!\d)")


def is_written_date(text: str | None) -> bool:
    """Return whether a text is only a date with a time of day."""
    return bool(
        text
        and len(text) <= 2 * MAX_DATE_CHARS
        and _CLOCK.search(text)
        and len(text.strip()) <= MAX_DATE_CHARS
        and (find_date(text) or _NUMERIC_DATE.search(text))
    )


_TIME_OF_DAY = re.compile(r"(?:\s(?:at|um|à|a las|alle|om|kl\.?|o))?[\s,]{1,3}[0-2]?\d[:.h][0-5]\d")
_ISO_DAY_CHARS = len("2024-02-29")


def read_date(mark: HtmlElement) -> str:
    """Return the date in a mark: as displayed if that has a year, else the machine-readable day."""
    time = mark if mark.tag == "time" or mark.get("datetime") else mark.find(".//time")
    display = mark if time is None else time
    if time is None:  # words may precede the date
        inner = islice(mark.iterdescendants(), _MAX_NEARBY)
        display = next((e for e in inner if find_date(element_line(e, " ", MAX_DATE_CHARS))), mark)
    displayed = element_line(display, " ", MAX_DATE_CHARS)
    leading_text = " ".join((mark.text or "")[: 2 * MAX_DATE_CHARS].split()).strip(EDGE_CHARACTERS)
    if time is None and find_date(leading_text):
        displayed = leading_text  # before a note of a later edit
    elif len(display) > 1 and YEAR.search(first := element_line(display[0], " ", MAX_DATE_CHARS)):
        displayed = first  # before a shorter form for small screens
    stated = [mark.get("content"), mark.get("title")]
    if time is not None:
        stated = [time.get("datetime"), time.get("title"), *stated]
    day = next(
        (date[:_ISO_DAY_CHARS] for text in stated if text and (date := parse_date(text))), ""
    )
    if STAMP.match(displayed):
        return displayed[:_ISO_DAY_CHARS]
    if YEAR.search(displayed) or not day:
        return displayed if any(map(str.isdigit, displayed)) else ""
    titles = (" ".join((display.get("title") or "").split()), *(text for text in stated if text))
    title = next((text for text in titles if not ISO_DATE.match(text) and YEAR.search(text)), "")
    return (
        _TIME_OF_DAY.split(title[:MAX_DATE_CHARS])[0].strip(EDGE_CHARACTERS) if title else ""
    ) or day


_DATE_PREPOSITION = re.compile(r"\A(?:on|am|le|el|il|den|op|em)\s+(?=\w)", re.IGNORECASE)


def clean_date(text: str) -> str:
    """Return a date without the words and signs around it: 'on Tue May 5, 2015 (#'."""
    return _DATE_PREPOSITION.sub("", text.strip(EDGE_CHARACTERS)).rstrip(EDGE_CHARACTERS + "([#")
