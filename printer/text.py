"""Strangers' words as one clean line of text."""

from __future__ import annotations

import html
import re
from itertools import islice

from lxml.etree import iterwalk
from lxml.html import HtmlElement

#: What a line never holds: controls, bidi overrides and isolates, invisible signs, private use
#: (icon fonts), halves of surrogate pairs, noncharacters.
_DROPPED = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069"
    "\ue000-\uf8ff\ud800-\udfff\ufeff\ufff9-\ufffc\ufffe\uffff]"
)
_TAGS = re.compile(
    r"</?(?:a|abbr|b|bdi|br|cite|em|font|i|mark|p|q|s|small|span|strong|sub|sup|u)\b[^<>]{0,300}>",
    re.IGNORECASE,
)

#: What stands on a line of its own, also inside a heading.
_APART = frozenset({"br", "div", "p", "li", "small", "h2", "h3"})

#: What says nothing of its own, or what one may do.
_UNREAD = frozenset({"button", "noscript", "script", "select", "style", "svg", "template"})

#: A word; in scripts without spaces (Han, kana, Thai, Lao, Khmer, Burmese) each character is one.
WORD = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\U00020000-\U0003ffff]|[^\\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff]+"
)

#: How much longer than its limit a text may be before it is cleaned: entities and space shrink.
_SLACK = 8
#: Starts and ends of elements that are looked at for their text.
_MOST_EVENTS = 400


def clean_line(text: str | None, limit: int = 500) -> str:
    """Return text with white space folded and what cannot be seen left out, cut at ``limit``."""
    if not text:
        return ""
    text = text[: limit * _SLACK]
    if not text.isprintable() or "\ufffc" in text:
        text = _DROPPED.sub("", text)
    folded = " ".join(text.split())
    if len(folded) <= limit:
        return folded
    cut = folded[: limit - 1]
    words = cut.rpartition(" ")[0]
    return (words if len(words) > limit // 2 else cut).rstrip() + "…"


def clean_attribute(text: str | None, limit: int = 500) -> str:
    """Return the line of an attribute or of a string in a script, entities in it decoded.

    The parser has decoded an attribute once, yet publishing systems escape twice, and put inline
    markup where only text belongs.
    """
    if not text:
        return ""
    text = text[: limit * _SLACK]
    for _ in range(2):
        if "&" not in text:
            break
        text = html.unescape(text)
    if "</" in text:
        text = _TAGS.sub("", text)
    return clean_line(text, limit)


def element_line(element: HtmlElement, between: str = "", limit: int = 500) -> str:
    """Return an element's text as a line, of its first elements when it holds a great many."""
    parts = []
    walk = iterwalk(element, ("start", "end"))
    for event, each in islice(walk, _MOST_EVENTS):
        if each.tag in _APART:
            parts.append(" ")
        elif each.tag in _UNREAD and event == "start" and each is not element:
            walk.skip_subtree()
            continue
        part = each.text if event == "start" else each.tail if each is not element else None
        if part:
            parts.append(part)
    return clean_line(between.join(parts), limit)


_INITIAL = re.compile(r"[«“„\"‘'¡¿]?[^\W\d_]")
#: What an initial begins is no shorter; a list of words by their first letters has such lines.
_LEAST = 60


def continues_drop_cap(initial: str, text: str) -> bool:
    """Tell whether a text goes on in the midst of the word, or sentence, that a letter begins."""
    letter = initial[-1:]
    return (
        len(initial) <= 2
        and len(text) >= _LEAST
        and text[0].islower()
        and _INITIAL.fullmatch(initial) is not None
        and letter.isupper()
        and text[0] != letter.lower()
    )


def comparison_key(text: str) -> str:
    """Return the letters and digits of a text, case-folded, to compare it with others."""
    return "".join(filter(str.isalnum, text)).casefold()
