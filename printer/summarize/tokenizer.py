"""The terms of a text: its words without stop words, stemmed, synonyms made one.

After Khade et al., section III D: worth terms are found by stemming, a stop list and synonyms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import snowballstemmer
from stop_words import LANGUAGE_MAPPING, get_stop_words

#: Scripts that set no spaces between words.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(f"[{_UNSPACED}]+|[^\\W\\d_{_UNSPACED}][^\\W_{_UNSPACED}]*(?:['’][^\\W_]+)?")
_RUN = re.compile(f"[{_UNSPACED}]")
#: What follows an apostrophe (a possessive, a clitic) is no part of the term.
_APOSTROPHE = re.compile("['’]")
#: No word that means something is longer, and a stemmer's time grows with a word's length.
_LONGEST = 60

_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip


class Tokenizer:
    """Turns texts of one language into terms.

    ``language`` is a BCP 47 tag; one without a stemmer or a stop list goes without, '' too.
    ``synonyms`` are groups of words that mean the same; each counts as the first of its group.
    Scripts without spaces give their pairs of neighbouring signs.
    """

    def __init__(self, language: str = "", synonyms: Iterable[Iterable[str]] = ()) -> None:
        code = language.split("-")[0].lower()
        name = _STEMMERS.get(code)
        self._stemmer = snowballstemmer.stemmer(name) if name else None
        self._stop = _stop_words(code)
        self._same: dict[str, str] = {}
        for group in synonyms:
            stems = [self._stem(word) for word in group]
            self._same |= dict.fromkeys(stems, self._same.get(stems[0], stems[0]))

    def terms(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield each term of a text and how it is written there, in order."""
        for word in self._words(text):
            stem = self._stem(word)
            yield self._same.get(stem, stem), word

    def _words(self, text: str) -> Iterator[str]:
        for match in _WORD.finditer(text):
            run = match[0]
            if _RUN.match(run):
                words = [run[i : i + 2] for i in range(len(run) - 1)]
            elif run.casefold() in self._stop:
                continue
            else:
                words = [_APOSTROPHE.split(run, maxsplit=1)[0]]
            for word in words:
                if 1 < len(word) <= _LONGEST and word.casefold() not in self._stop:
                    yield word

    def _stem(self, word: str) -> str:
        folded = word.casefold()
        return str(self._stemmer.stemWord(folded)) if self._stemmer else folded


@lru_cache(maxsize=64)
def _stop_words(code: str) -> frozenset[str]:
    if code not in LANGUAGE_MAPPING:
        return frozenset()
    return frozenset(word.casefold() for word in get_stop_words(code))
