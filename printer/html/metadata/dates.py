"""Parse dates stated by pages into ISO 8601, without guessing, and read those of posts.

Ambiguous forms (03/04/2024) are rejected unless the language decides them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from itertools import islice

from lxml.html import HtmlElement

from ...i18n import load_table
from ...text import SENTENCE_ENDS, YEAR
from ..parse import element_line

#: The number of each month by its names in lower case (see scripts/month_names.py).
MONTHS = {
    name: number
    for number, names in enumerate(load_table("month_names"), 1)
    for name in names.split()
}
_MAX_DATE_LINE_CHARS = 100
#: The length of a day in ISO 8601.
DAY_CHARS = len("2024-02-29")
_TIME = (
    r"""(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]{1,9})?)?"""
)
_ZONE = r"""(?P<zone>Z|UTC|GMT|[+\u2212-][0-9]{2}:?[0-9]{2}|[+\u2212-][0-9]{2})?"""
_ISO = re.compile(
    rf"(?P<year>[0-9]{{4}})(?P<mark>[-/.])(?P<month>[0-9]{{1,2}})(?P=mark)(?P<day>[0-9]{{1,2}})"
    rf"(?:(?:\s?T\s?|\s{{1,3}}){_TIME}\s?{_ZONE})?(?![0-9:])",
    re.IGNORECASE,
)
_BASIC = re.compile(
    r"(?P<year>[12][0-9]{3})(?P<month>[0-9]{2})(?P<day>[0-9]{2})"
    rf"(?:T?(?P<hour>[0-9]{{2}})(?P<minute>[0-9]{{2}})(?P<second>[0-9]{{2}})?{_ZONE})?$",
    re.IGNORECASE,
)


def parse_date(text: str, language: str = "") -> str:
    """Return a stated date as ISO 8601, or ''; the page's language decides 03/04/2024."""
    text = " ".join(text[:200].split())
    if match := _ISO.match(text) or _BASIC.match(text):
        return _to_iso(match.groupdict())
    return find_date(text, language)


_HAN = re.compile(
    r"(?P<year>[0-9]{4})\s?[年년]\s?(?P<month>[0-9]{1,2})\s?[月월]\s?(?P<day>[0-9]{1,2})\s?[日일]"
)
_DOTTED = re.compile(
    r"(?<![0-9.])(?P<day>[0-9]{1,2})\.\s?(?P<month>[0-9]{1,2})\.\s?(?P<year>[0-9]{4})(?!:)"
)
#: The year of two digits is of this century.
_SHORT = re.compile(
    r"(?<![0-9.])(?P<day>[0-3][0-9])\.(?P<month>[01][0-9])\.(?P<years>[0-9]{2})(?![0-9.])"
)
_SLASHED = re.compile(
    r"(?<![0-9/-])(?P<first>[0-9]{1,2})(?P<mark>[/-])(?P<second>[0-9]{1,2})(?P=mark)"
    r"(?P<year>[0-9]{4})(?![0-9/-])"
)
_WORDS = re.compile(
    r"(?<![0-9])(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er|º|\.)?[\s/-](?:de\s|of\s)?(?P<month>[^\s\d.,;:/()-]{2,14})\.?,?"
    r"[\s/-](?:de\s)?(?P<year>[0-9]{4})(?![0-9])"
)
_NUMBERED = re.compile(
    r"(?<![0-9])(?P<day>[0-9]{1,2}) tháng (?P<month>[0-9]{1,2})(?:,| năm)? (?P<year>[0-9]{4})"
    r"(?![0-9])",
    re.IGNORECASE,
)
_AMERICAN = re.compile(
    r"(?P<month>[^\W\d_]{3,12})\.?\s(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?,?\s(?P<year>[0-9]{4})(?![0-9])"
)
_YEAR_FIRST = re.compile(
    r"(?<![0-9])(?P<year>[0-9]{4})\s(?P<month>[^\W\d_]{3,9})\.?\s(?P<day>[0-9]{1,2})(?![0-9])"
)
_CLOCK = re.compile(
    rf"\s{{0,3}}(?:at|,|um|à|-)?\s{{0,3}}{_TIME}\s?(?P<half>[ap]\.?m\b)?\s?{_ZONE}", re.IGNORECASE
)
_TO = re.compile(r"\s?[-–—]\s?")


def find_date(text: str, language: str = "") -> str:
    """Return the date in a short text as people write it; '' for none and for a period."""
    text = " ".join(text[:200].split())
    if match := _ISO.search(text):
        return _to_iso(match.groupdict())
    for pattern in (_HAN, _DOTTED, _SHORT, _SLASHED, _NUMBERED, _WORDS, _AMERICAN, _YEAR_FIRST):
        if match := pattern.search(text):
            to = _TO.match(text, match.end())
            if to and pattern.match(text, to.end()):
                return ""  # a period
            parts = _with_month_number(match.groupdict(), language)
            clock = _CLOCK.match(text, match.end())
            if parts and clock:
                parts |= _clock(clock)
            return _to_iso(parts) if parts else ""
    return ""


_MAX_WORDS_BESIDE_MONTH = 6
LONG_WORD = re.compile(r"[^\W\d_]{2,}")


def is_date_line(text: str, language: str = "") -> bool:
    """Return whether a short line contains a date and little else."""
    text = text[:_MAX_DATE_LINE_CHARS]
    words = [word for word in LONG_WORD.findall(text) if word.lower() not in MONTHS]
    return (
        len(words) <= _MAX_WORDS_BESIDE_MONTH
        and not text.endswith(SENTENCE_ENDS)
        and bool(find_date(text, language))
    )


#: The end of a date before a text.
_DATELINE_END = re.compile(r"\)|(?<=\d)\s\(|\s[-–—|]\s|[:：]\s")
#: The place before a date.
_PLACE = re.compile(r"^[^\d,(|]{2,40}[,(|]\s?\(?(?:den |the |le )?(?=\w)|^\(")
_FIRST_WEB_YEAR = "1993"


def find_dateline(text: str, language: str) -> str:
    """Return the date that a text begins with, alone or after a place: 'KESTER (3 May 2012) - '."""
    head = _DATELINE_END.split(text[:_MAX_DATE_LINE_CHARS], maxsplit=1)[0]
    stated = _PLACE.sub("", head, count=1)
    date = find_date(stated, language) if is_day(stated) else ""
    return date if date[:4] >= _FIRST_WEB_YEAR else ""


def is_day(text: str) -> bool:
    """Return whether a text has digits, and no words but names of months."""
    words = LONG_WORD.findall(text)
    return any(map(str.isdigit, text)) and all(word.lower() in MONTHS for word in words)


#: The beginning of a line that says when a page was published, or by whom after the date.
PUBLISHED = re.compile(
    r"\s*(?:This \w{4,9} was )?(?:(?:First |Originally )?(?:Posted|Published)|Publication date"
    r"|Veröffentlicht|Erstellt am|Publiziert|Publié|Publicado|Pubblicato|Gepubliceerd|Publiceret"
    r"|Publicerad|Publisert|Julkaistu|Опубликовано|Дата публикации|Опубліковано|Δημοσιε[υύ]\w{2,8}"
    r"|Opublikowano|Data publikacji|发布[时日]|發佈[時日]|公開日)"
    r"|[A-Z]\w{2,8} [0-9]{1,2}, [0-9]{4} (?:Written |Posted )?By\s"
    r"|(?:Date|Datum|Fecha|Data|Dato|Tarih|Дата|日期)\s(?=[0-9])",
    re.IGNORECASE,
)


def find_labeled_date(
    lines: Iterable[str], language: str, label: re.Pattern[str] = PUBLISHED
) -> str:
    """Return the date of the short lines that begin with a label, '' if they differ."""
    labeled_lines = (
        line for line in lines if len(line) <= _MAX_DATE_LINE_CHARS and label.match(line)
    )
    dates = {date for line in labeled_lines if (date := find_date(line, language))}
    return dates.pop() if len(dates) == 1 else ""


_IN_PATH = re.compile(
    r"(?<![0-9])(?P<year>199[0-9]|20[0-9]{2})(?P<mark>[/-])"
    r"(?P<month>[01][0-9]|(?<=/)[a-z]{3,9}(?=/))(?P=mark)(?P<day>[0-3][0-9])(?![0-9])"
)


def find_path_date(path: str) -> str:
    """Return the day in the path of a URL, '' if it names none or several."""
    matches = _IN_PATH.finditer(path[:2000].lower())
    parts = filter(None, (_with_month_number(match.groupdict(), "") for match in matches))
    days = set(map(_to_iso, parts))
    return days.pop() if len(days) == 1 else ""


#: Thai years are those of the Buddhist era.
_BUDDHIST_YEARS = range(2400, 2700)


def _with_month_number(parts: dict[str, str | None], language: str) -> dict[str, str | None] | None:
    """Return the parts with the month as a number; None if invalid or possibly the day."""
    if parts.get("years"):
        return parts | {"year": f"20{parts['years']}"}
    month = parts.get("month")
    if month is None:
        first, second = int(parts["first"] or 0), int(parts["second"] or 0)
        if (first > 12) == (second > 12) and first != second:
            month_first = _month_first(language)
            if month_first is None:
                return None
        else:
            month_first = second > 12
        day, number = (second, first) if month_first else (first, second)
        return {"year": parts["year"], "month": str(number), "day": str(day)}
    if not month.isdecimal():
        month_number = MONTHS.get(month.lower())
        year = int(parts["year"] or 0)
        if year in _BUDDHIST_YEARS:
            parts = parts | {"year": str(year - 543)}
        return parts | {"month": str(month_number)} if month_number else None
    return parts


#: Languages, and regions of English, that write the month of a numeric date before the day.
_MONTH_FIRST = frozenset({"en-us", "en-ph", "ja", "zh", "ko", "hu", "lt", "mn", "eu"})


def _month_first(language: str) -> bool | None:
    """Return whether a language writes the month before the day; None for unknown."""
    language = language.lower()
    if language in {"", "en"}:
        return None
    return language in _MONTH_FIRST or language.partition("-")[0] in _MONTH_FIRST


def _clock(match: re.Match[str]) -> dict[str, str | None]:
    parts = match.groupdict()
    half = (parts.pop("half") or "").lower()
    hour = int(parts["hour"] or 0)
    if half:
        if not 1 <= hour <= 12:
            return {}
        parts["hour"] = str(hour % 12 + (12 if half.startswith("p") else 0))
    return parts


_YEARS = range(1600, 2101)
#: Dates that systems write if none is set.
_UNSET = {(1970, 1, 1), (1900, 1, 1)}


def _to_iso(parts: dict[str, str | None]) -> str:
    """Return the date, or date and time, of a match's parts; '' if the day does not exist."""
    try:
        date = tuple(int(parts[part] or 0) for part in ("year", "month", "day"))
        day = datetime(*date)  # type: ignore[arg-type]
        if day.year not in _YEARS or date in _UNSET:
            return ""
        if parts.get("hour") is None:
            return day.date().isoformat()
        zone = _zone(parts.get("zone"))
        seconds = parts.get("second")
        time = day.replace(
            hour=int(parts["hour"] or 0),
            minute=int(parts["minute"] or 0),
            second=min(int(seconds or 0), 59),
            tzinfo=zone,
        )
    except (ValueError, KeyError):
        return ""
    if zone is None and not (time.hour or time.minute or time.second):
        return day.date().isoformat()  # systems write a day without a time like this
    return time.isoformat(timespec="seconds" if seconds else "minutes")


def _zone(text: str | None) -> tzinfo | None:
    if not text:
        return None
    if text[0] not in "+-\u2212":
        return UTC
    hours, minutes = int(text[1:3]), int(text[3:].lstrip(":") or 0)
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(offset if text[0] == "+" else -offset)


# Dates of posts and comments

#: Characters around a name or a date that are not part of it.
EDGE_CHARACTERS = " :：,·•|»«›-–—"
MAX_DATE_CHARS = 60
#: The most parts to examine.
_MAX_NEARBY = 8
ISO_DATE = re.compile(r"\d{4}-\d{2}|\d{9}")
#: A date with a time of day for machines.
STAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d")
_NUMERIC_DATE = re.compile(r"(?<!\d)\d{1,2}([/.-])\d{1,2}\1\d{4}(?!\d)")  # perhaps ambiguous
_HOUR_AND_MINUTE = re.compile(r"(?<!\d)[0-2]?\d[:.][0-5]\d(?!\d)")


def is_written_date(text: str | None) -> bool:
    """Return whether a text is only a date with a time of day."""
    return bool(
        text
        and len(text) <= 2 * MAX_DATE_CHARS
        and _HOUR_AND_MINUTE.search(text)
        and len(text.strip()) <= MAX_DATE_CHARS
        and (find_date(text) or _NUMERIC_DATE.search(text))
    )


_TIME_OF_DAY = re.compile(r"(?:\s(?:at|um|à|a las|alle|om|kl\.?|o))?[\s,]{1,3}[0-2]?\d[:.h][0-5]\d")


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
    day = next((date[:DAY_CHARS] for text in stated if text and (date := parse_date(text))), "")
    if STAMP.match(displayed):
        return displayed[:DAY_CHARS]
    if YEAR.search(displayed) or not day:
        return displayed if any(map(str.isdigit, displayed)) else ""
    titles = (" ".join((text or "").split()) for text in stated)
    title = next((text for text in titles if not ISO_DATE.match(text) and YEAR.search(text)), "")
    return (
        _TIME_OF_DAY.split(title[:MAX_DATE_CHARS])[0].strip(EDGE_CHARACTERS) if title else ""
    ) or day


_DATE_PREPOSITION = re.compile(r"\A(?:on|am|le|el|il|den|op|em)\s+(?=\w)", re.IGNORECASE)


def clean_date(text: str) -> str:
    """Return a date without the words and punctuation around it: 'on Tue May 5, 2015 (#'."""
    return _DATE_PREPOSITION.sub("", text.strip(EDGE_CHARACTERS)).rstrip(EDGE_CHARACTERS + "([#")
