"""Who wrote a comment or a post, and when: what marks a name or a day, and how it is read."""

from __future__ import annotations

import re
from itertools import islice

from lxml.html import HtmlElement

from ..text import clean_attribute, element_line
from .metadata.dates import parse_date

NAME_CHARS = 80
_DATE_CHARS, _DAY, _FEW = 60, len("2024-02-29"), 8

#: What a class calls an author, a day.
AUTHOR_CLASS = re.compile(
    r"(?:^|[\s_-])(?:fn|author-?name|comment-?author|author|user-?name|commenter|nick(?:name)?"
    r"|display-?name|posted-?by|by)(?=$|\s)"
)
DATE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:comment-?(?:date|time|metadata)|date-?(?:time)?|time(?:stamp)?|ago|posted-?(?:on|at))(?=$|\s)"
)
_SAYS = re.compile(r"\s(?:says|said|wrote|sagt|schreibt|dit|dice|diz|пишет)\s?:?$", re.IGNORECASE)
#: What stands around a name or a day and is no part of it.
SIGNATURE_EDGES = " :：,·•|-"
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


def read_author(mark: HtmlElement) -> str:
    """Return the name in a mark: what is marked as one, a link, what is set off, or all of it."""
    named: HtmlElement = mark
    for each in islice(mark.iterdescendants(), _FEW):
        classes = (each.get("class") or "").split()
        is_name = each.get("itemprop") == "name" or "fn" in classes
        if (is_name or each.tag in {"a", "b", "strong"}) and element_line(each):
            named = each
            break
    text = clean_attribute(named.get("content") or element_line(named, " ", NAME_CHARS))
    return _SAYS.sub("", text).strip(SIGNATURE_EDGES)


def read_date(mark: HtmlElement) -> str:
    """Return when something was written: as shown when that has a year, else the day stated."""
    inner = mark if mark.tag == "time" else mark.find(".//time")
    shown = element_line(mark if inner is None else inner, " ", _DATE_CHARS)
    stated = [mark.get("content"), mark.get("title")]
    if inner is not None:
        stated = [inner.get("datetime"), inner.get("title"), *stated]
    day = next((found[:_DAY] for each in stated if each and (found := parse_date(each))), "")
    if _YEAR.search(shown) or not day:
        return shown if any(map(str.isdigit, shown)) else ""
    return day
