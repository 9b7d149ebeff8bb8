"""Words, labels and dates in many languages, most of them in data files next to this module."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache, lru_cache
from typing import Any

from ..files import load_json
from ..text import COLONS, split_label


@cache
def load_table(name: str) -> Any:
    """Return the content of ``NAME.json``, which is loaded once and must not be modified."""
    return load_json(__file__, f"{name}.json")


#: The longest label of an advertisement with an explanation, in characters.
_LABEL_CHARS = 60


def is_advertisement_label(text: str) -> bool:
    """Return whether text labels an advertisement: 'Ad: …', 'Ad (gone after login)'."""
    labels = load_table("page_furniture")["advertisement_labels"]
    separators = (*COLONS, "(", " - ", " – ") if len(text) <= _LABEL_CHARS else ()
    parts = [text, *(text.partition(separator)[0] for separator in separators if separator in text)]
    return any(part.strip(" .:：·–—-[]()").lower() in labels for part in parts)


_WORDS = re.compile(r"\w+")


def fold_words(text: str) -> str:
    """Return the first words of a text in lower case, without the punctuation between them."""
    return " ".join(_WORDS.findall(text[:500].lower()))


@cache
def page_labels(table: str) -> frozenset[str]:
    """Return the labels of a table in all languages."""
    labels = load_table("page_furniture")[table].values()
    return frozenset(fold_words(label) for of_language in labels for label in of_language)


_MAX_INVITATION_WORDS = 6
_MAX_SIGN_OFF_CHARS = 100
#: The word before a name, which begins with a capital letter where a script has them.
_BY_NAME = re.compile(r"\b[Bb][Yy]:?\s[^\W\d_a-z]")
_CONTRIBUTION_WORDS = 4


def is_invitation(text: str) -> bool:
    """Return whether the text of a link only invites to follow it: 'Learn more'."""
    words = fold_words(text).split()
    labels = page_labels("invitations")
    beginnings = (" ".join(words[:count]) for count in range(1, 4))
    return len(words) <= _MAX_INVITATION_WORDS and not labels.isdisjoint(beginnings)


_MAX_STORIES_LABEL_WORDS = 8


def names_other_stories(label: str) -> bool:
    """Return whether a label begins as that of other stories: 'More bread recipes you may like'."""
    first, *words = fold_words(label).split() or [""]
    is_label = first in page_labels("other_words") and len(words) < _MAX_STORIES_LABEL_WORDS
    return is_label and not page_labels("story_words").isdisjoint(words)


def is_source_line(text: str) -> bool:
    """Return whether a line names a text's source, or says who reported, edited or amended it."""
    label, colon, source = split_label(text)
    words = fold_words(text[:_MAX_SIGN_OFF_CHARS]).split()
    beginnings = (" ".join(words[:count]) for count in range(2, 6))
    sign_off = next(filter(page_labels("sign_offs").__contains__, beginnings), "")
    # 'Edited by Anna Writer', not 'Edited by lovers of boats'
    is_sign_off = sign_off != "" and (sign_off[-3:] != " by" or _BY_NAME.search(text) is not None)
    is_labeled = bool(colon and source) and fold_words(label) in page_labels("sources")
    return is_labeled or is_sign_off or _is_contribution(text)


def _is_contribution(text: str) -> bool:
    """Return whether a line says who else reported, as 'Anna Writer contributed to this'."""
    names = text.split()[:2] if len(text) <= _MAX_SIGN_OFF_CHARS else []
    words = fold_words(text).split() if names and all(name[0].isupper() for name in names) else []
    return " ".join(words[-_CONTRIBUTION_WORDS:]) in page_labels("contributions")


@cache
def _phrases(table: str) -> tuple[dict[str, list[str]], re.Pattern[str]]:
    """Return a table's phrases by first word, and a pattern of those in scripts without spaces."""
    furniture = load_table("page_furniture")
    by_word: dict[str, list[str]] = {}
    unspaced: list[str] = []
    for language, phrases in furniture[table].items():
        if language in furniture["unspaced"]:
            unspaced += phrases
            continue
        for phrase in map(fold_words, phrases):
            by_word.setdefault(phrase.partition(" ")[0], []).append(f" {phrase} ")
    return by_word, re.compile("|".join(map(re.escape, unspaced)) or "(?!)")


@lru_cache(1024)  # several tables are consulted for the same lines
def _line(text: str) -> tuple[str, frozenset[str]]:
    folded = fold_words(text)
    return f" {folded} ", frozenset(folded.split())


def has_phrase(text: str, table: str) -> bool:
    by_word, unspaced = _phrases(table)
    line, words_of_line = _line(text)
    words = by_word.keys() & words_of_line
    if words and any(phrase in line for word in words for phrase in by_word[word]):
        return True
    return not text.isascii() and unspaced.search(text.lower()) is not None


@dataclass(frozen=True, slots=True)
class Labels:
    """Headings and labels; the defaults are for unknown languages.

    ``page`` contains ``{page}`` and ``{pages}``, ``on_page`` ``{page}``, ``fetched`` ``{date}``.
    """

    notes: str = "Notes"
    contents: str = "Contents"
    page: str = "{page} / {pages}"
    missing: str = "Picture not available"
    cut: str = "The page shows only the beginning of this article."
    video: str = "Video"
    audio: str = "Audio"
    map: str = "Map"
    post: str = "Post"
    frame: str = "Embedded page"
    fetched: str = "{date}"
    links: str = "Links"
    on_page: str = "→ {page}"
    qr: str = "QR"
    picture: str = "Picture"


@dataclass(frozen=True, slots=True)
class DigestLabels:
    """Labels of a digest, in English; ``reading`` contains ``{minutes}`` and ``{words}``."""

    reading: str = "{minutes} min · {words} words"
    also: str = "Also in"
    updated: str = "Updated"
    problems: str = "Not in this issue"
    articles: str = "{count} articles"
    pages: str = "{count} pages"
    key: str = "In short"


def labels(language: str) -> Labels:
    translations = dict(_entry(language or "en"))
    translations.pop("digest", None)
    return replace(Labels(), **translations)


def digest_labels(language: str) -> DigestLabels:
    """Return the labels of a digest in a language (BCP 47), English if it is unknown."""
    return DigestLabels(**_entry(language.partition("-")[0]).get("digest", {}))


def _entry(language: str) -> dict[str, Any]:
    language = language.lower()
    primary = language.partition("-")[0]
    if primary in ("nb", "nn"):
        primary = "no"
    if primary == "zh" and re.search(r"-(hant|tw|hk|mo)\b", language):
        primary = "zh-hant"
    entry: dict[str, Any] = load_table("labels").get(primary, {})
    return entry


def format_date(when: str | datetime, language: str) -> str:
    """Return an ISO 8601 date in a language's long form; other text is unchanged."""
    try:
        day = when.date() if isinstance(when, datetime) else date.fromisoformat(when[:10])
    except ValueError:
        return when[:40] if isinstance(when, str) else ""
    from babel import Locale, UnknownLocaleError
    from babel.dates import format_date as format_with_babel

    # Plain "en" is read all over the world, and most readers put the day first.
    tag = "en-GB" if language.lower() in ("", "en") else language
    try:
        locale = Locale.parse(tag, sep="-")
    except (UnknownLocaleError, ValueError, TypeError):
        return day.isoformat()
    return format_with_babel(day, "long", locale=locale)
