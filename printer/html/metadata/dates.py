"""When a page says it was published, as ISO 8601: never a guess.

A form that could be read in two ways (03/04/2024) is read in none.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

_MONTHS = (
    "january jan janvier janv januar jänner enero gennaio januari janeiro stycznia января ledna",
    "february feb février févr februar februari feber febrero febbraio fevereiro lutego февраля "
    "února",
    "march mar mars märz mär marzo maart março marts marca марта března",
    "april apr avril avr abril aprile kwietnia апреля dubna",
    "may mai mayo maggio mei maio maj maja мая května",
    "june jun juin juni junio giugno junho czerwca июня června",
    "july jul juillet juil juli julio luglio julho lipca июля července",
    "august aug août agosto augustus augusti sierpnia августа srpna",
    "september sep sept septembre septiembre settembre setembro września сентября září",
    "october oct octobre oktober okt octubre ottobre outubro października октября října",
    "november nov novembre noviembre novembro listopada ноября listopadu",
    "december dec décembre déc dezember dez diciembre dicembre dezembro grudnia декабря prosince",
)
#: The same in languages that the pattern of a date fits too.
_MONTHS_ELSEWHERE = (
    "ιανουαρίου ιανουάριος ocak जनवरी يناير ינואר січня януари ianuarie tammikuuta január "
    "јануар sausio janvāris jaanuar januari มกราคม জানুয়ারী ژانویه gener",
    "φεβρουαρίου φεβρουάριος şubat फ़रवरी फरवरी فبراير شباط פברואר лютого февруари februarie "
    "helmikuuta február фебруар vasario februāris veebruar februari กุมภาพันธ์ ফেব্রুয়ারী "
    "فوریه februar febrer",
    "μαρτίου μάρτιος mart मार्च مارس آذار מרץ במרץ березня martie maaliskuuta március marca "
    "kovo marts märts มีนาคม মার্চ",
    "απριλίου απρίλιος nisan अप्रैल أبريل نيسان אפריל באפריל квітня aprilie huhtikuuta "
    "április apríla balandžio aprīlis aprill เมษายน এপ্রিল آوریل",
    "μαΐου μάιος mayıs मई مايو أيار מאי במאי травня май toukokuuta május мај mája gegužės "
    "maijs พฤษภาคม মে maig",
    "ιουνίου ιούνιος haziran जून يونيو حزيران יוני ביוני червня юни iunie kesäkuuta június "
    "јун júna birželio jūnijs juuni มิถุนายน জুন ژوئن juny",
    "ιουλίου ιούλιος temmuz जुलाई يوليو تموز יולי ביולי липня юли iulie heinäkuuta július јул "
    "júla liepos jūlijs juuli กรกฎาคม জুলাই ژوئیه juliol",
    "αυγούστου αύγουστος ağustos अगस्त أغسطس آب אוגוסט באוגוסט серпня август elokuuta "
    "augusztus rugpjūčio augusts สิงหาคม আগস্ট اوت",
    "σεπτεμβρίου σεπτέμβριος eylül सितंबर सितम्बर سبتمبر أيلول ספטמבר בספטמבר вересня "
    "септември septembrie syyskuuta szeptember септембар septembra rugsėjo septembris กันยายน "
    "সেপ্টেম্বর سپتامبر setembre",
    "οκτωβρίου οκτώβριος ekim अक्टूबर أكتوبر אוקטובר באוקטובר жовтня октомври octombrie "
    "lokakuuta október октобар októbra spalio oktobris oktoober ตุลาคม অক্টোবর اکتبر",
    "νοεμβρίου νοέμβριος kasım नवंबर नवम्बर نوفمبر נובמבר בנובמבר листопада ноември noiembrie "
    "marraskuuta новембар novembra lapkričio novembris พฤศจิกายน নভেম্বর نوامبر",
    "δεκεμβρίου δεκέμβριος aralık दिसंबर दिसम्बर ديسمبر דצמבר בדצמבר грудня декември "
    "decembrie joulukuuta децембар decembra gruodžio decembris detsember ธันวาคม ডিসেম্বর "
    "دسامبر desembre",
)
MONTHS = {
    name: number
    for months in (_MONTHS, _MONTHS_ELSEWHERE)
    for number, names in enumerate(months, 1)
    for name in names.split()
}
#: Thai years count from the Buddha's death.
_BUDDHIST, _THAI = range(2400, 2700), re.compile("[\u0e00-\u0e7f]")

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
_EPOCH = re.compile(r"(?P<seconds>[0-9]{9,10})(?:[0-9]{3})?$")
_HAN = re.compile(
    r"(?P<year>[0-9]{4})\s?[年년]\s?(?P<month>[0-9]{1,2})\s?[月월]\s?(?P<day>[0-9]{1,2})\s?[日일]"
)
_DOTTED = re.compile(
    r"(?<![0-9.])(?P<day>[0-9]{1,2})\.\s?(?P<month>[0-9]{1,2})\.\s?(?P<year>[0-9]{4})"
)
_SLASHED = re.compile(
    r"(?<![0-9/])(?P<first>[0-9]{1,2})/(?P<second>[0-9]{1,2})/(?P<year>[0-9]{4})(?![0-9/])"
)
_WORDS = re.compile(
    r"(?<![0-9])(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er|º|\.)?\s(?:de\s|of\s)?(?P<month>[^\s\d.,;:/()]{2,14})\.?,?"
    r"\s(?:de\s)?(?P<year>[0-9]{4})(?![0-9])"
)
_NUMBERED = re.compile(
    r"(?<![0-9])(?P<day>[0-9]{1,2}) tháng (?P<month>[0-9]{1,2})(?:,| năm)? (?P<year>[0-9]{4})"
    r"(?![0-9])",
    re.IGNORECASE,
)
_AMERICAN = re.compile(
    r"(?P<month>[^\W\d_]{3,12})\.?\s(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?,?\s(?P<year>[0-9]{4})(?![0-9])"
)
_CLOCK = re.compile(
    rf"\s{{0,3}}(?:at|,|um|à|-)?\s{{0,3}}{_TIME}\s?(?P<half>[ap]\.?m\b)?\s?{_ZONE}", re.IGNORECASE
)

#: No page of before the press, and none of a future that nobody knows.
_YEARS = range(1600, 2101)
#: What systems write where no date was set.
_UNSET = {(1970, 1, 1), (1900, 1, 1)}


def parse_date(text: str) -> str:
    """Return a stated date as ISO 8601, with time and zone as far as they are stated, or ''."""
    text = " ".join(text[:200].split())
    for pattern in (_ISO, _BASIC, _EPOCH):
        found = pattern.match(text)
        if found:
            return _epoch(found) if pattern is _EPOCH else _joined(found.groupdict())
    return find_date(text)


def find_date(text: str) -> str:
    """Return the one date that a short text holds as people write it, or ''."""
    text = " ".join(text[:200].split())
    found = _ISO.search(text)
    if found:
        return _joined(found.groupdict())
    for pattern in (_HAN, _DOTTED, _SLASHED, _NUMBERED, _WORDS, _AMERICAN):
        found = pattern.search(text)
        if found:
            parts = _numbers(found.groupdict())
            clock = _CLOCK.match(text, found.end())
            if parts and clock:
                parts |= _clock(clock)
            return _joined(parts) if parts else ""
    return ""


def _numbers(parts: dict[str, str | None]) -> dict[str, str | None] | None:
    """Make the month a number; None when it is no month or could be the day."""
    month = parts.get("month")
    if month is None:
        first, second = int(parts["first"] or 0), int(parts["second"] or 0)
        if (first > 12) == (second > 12) and first != second:
            return None
        day, number = (second, first) if second > 12 else (first, second)
        return {"year": parts["year"], "month": str(number), "day": str(day)}
    if not month.isdecimal():
        named = MONTHS.get(month.lower())
        year = int(parts["year"] or 0)
        if year in _BUDDHIST and _THAI.match(month):
            parts = parts | {"year": str(year - 543)}
        return parts | {"month": str(named)} if named else None
    return parts


def _clock(found: re.Match[str]) -> dict[str, str | None]:
    parts = found.groupdict()
    half = (parts.pop("half") or "").lower()
    hour = int(parts["hour"] or 0)
    if half:
        if not 1 <= hour <= 12:
            return {}
        parts["hour"] = str(hour % 12 + (12 if half.startswith("p") else 0))
    return parts


def _joined(parts: dict[str, str | None]) -> str:
    """Return date, or date and time, of a match's parts; '' when there is no such day."""
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
        return day.date().isoformat()  # how systems write a day without a time
    return time.isoformat(timespec="seconds" if seconds else "minutes")


def _zone(stated: str | None) -> tzinfo | None:
    if not stated:
        return None
    if stated[0] not in "+-\u2212":
        return UTC
    hours, minutes = int(stated[1:3]), int(stated[3:].lstrip(":") or 0)
    offset = timedelta(hours=hours, minutes=minutes)
    if hours > 14 or minutes > 59:
        raise ValueError(stated)
    return timezone(offset if stated[0] == "+" else -offset)


def _epoch(found: re.Match[str]) -> str:
    time = datetime.fromtimestamp(int(found["seconds"]), UTC)
    return time.isoformat() if time.year > 1990 else ""
