"""Spaces at which no line may break, by the conventions of languages.

Only spaces change, so that the printed words are the article's.  French has thin spaces before its
high punctuation, which are added where they are missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ..i18n import load_table

_NO_BREAK, _THIN = "\u00a0", "\u202f"

#: Digits in groups of three.
_DIGIT_GROUP = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")

# French: after an opening guillemet, before a closing one and before other signs.  The sign ends a
# word: not the colon of a time, or the question mark of a URL.
_OPENING = re.compile(r"«[ \u00a0\u202f]?(?=\S)")
_CLOSING = re.compile(r"(?<=[^\s«])[ \u00a0\u202f]?(?=»)")
_HIGH = re.compile(r"(?<=[\w»)\]…%\"”’])[ \u00a0\u202f]?(?=[;!?][;!?»)\]\"”’.…]*(?:\s|$))")
_COLON = re.compile(r"(?<=[^\s:])[ \u00a0\u202f](?=:(?:\s|$))")


def no_break_spaces(text: str, language: str) -> str:
    """Return text with no-break spaces where its language forbids the end of a line."""
    if " " not in text and "«" not in text and "»" not in text and not text.endswith(tuple(";!?")):
        return text
    for replace in _rules(language.partition("-")[0].lower()):
        text = replace(text)
    return text


@lru_cache(maxsize=64)
def _rules(language: str) -> tuple[Callable[[str], str], ...]:
    table = load_table("spacing")
    units, numbered = (_alternatives(table[name]) for name in ("units", "numbered"))
    before_unit = re.compile(rf"(?<=\d) (?=(?:{units})(?![\w/]))")
    after_label = re.compile(rf"(?<![\w.])({numbered}) (?=\d)")
    rules = [
        lambda text: _DIGIT_GROUP.sub(_NO_BREAK, text),
        lambda text: before_unit.sub(_NO_BREAK, text),
        lambda text: after_label.sub(rf"\1{_NO_BREAK}", text),
    ]
    if words := table["short_words"].get(language):
        short = re.compile(rf"(?<![\w’'-])({_alternatives(words)}) (?=\S)", re.IGNORECASE)
        rules.append(lambda text: short.sub(rf"\1{_NO_BREAK}", text))
    if language in table["spaced_punctuation"]:
        rules.append(_space_punctuation)
    return tuple(rules)


def _alternatives(words: str) -> str:
    return "|".join(re.escape(word) for word in sorted(words.split(), key=len, reverse=True))


def _space_punctuation(text: str) -> str:
    text = _OPENING.sub("«" + _NO_BREAK, text)
    text = _CLOSING.sub(_NO_BREAK, text)
    return _COLON.sub(_NO_BREAK, _HIGH.sub(_THIN, text))
