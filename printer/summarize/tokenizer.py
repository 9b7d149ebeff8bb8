"""The terms of a text: its words without stop words, stemmed, with synonyms unified.

As in Khade et al., section III D, worth terms are found by stemming, a stop list and synonyms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ..text import UNSPACED

_WORD = re.compile(f"[{UNSPACED}]+|[^\\W\\d_{UNSPACED}][^\\W_{UNSPACED}]*(?:['’][^\\W_]+)?")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]")
#: An apostrophe ends a term: a possessive or a clitic after it is not part of the term.
_APOSTROPHE = re.compile("['’]")
#: The longest term in characters, because a stemmer's time grows with a word's length.
_MAX_CHARS = 60

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

    Scripts without spaces yield pairs of adjacent characters.

    Args:
        language: A BCP 47 tag or ''; stemmer and stop list are used if the language has them.
        synonyms: Groups of words that mean the same; each counts as the first of its group.
    """

    def __init__(self, language: str = "", synonyms: Iterable[Iterable[str]] = ()) -> None:
        code = language.split("-")[0].lower()
        name = _STEMMERS.get(code)
        self._stemmer = None
        if name:
            import snowballstemmer  # slow to import, seldom needed

            self._stemmer = snowballstemmer.stemmer(name)
        self._stop_words = _stop_words(code)
        self._synonyms: dict[str, str] = {}
        for group in synonyms:
            stems = [self._stem(word) for word in group]
            self._synonyms |= dict.fromkeys(stems, self._synonyms.get(stems[0], stems[0]))

    def terms(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield each term of a text with its spelling there, in order."""
        for word in self._words(text):
            stem = self._stem(word)
            yield self._synonyms.get(stem, stem), word

    def _words(self, text: str) -> Iterator[str]:
        for match in _WORD.finditer(text):
            run = match[0]
            if _UNSPACED_RUN.match(run):
                words = [run[i : i + 2] for i in range(len(run) - 1)]
            elif run.casefold() in self._stop_words:
                continue
            else:
                words = [_APOSTROPHE.split(run, maxsplit=1)[0]]
            for word in words:
                if 1 < len(word) <= _MAX_CHARS and word.casefold() not in self._stop_words:
                    yield word

    def _stem(self, word: str) -> str:
        folded = word.casefold()
        return str(self._stemmer.stemWord(folded)) if self._stemmer else folded


@lru_cache(maxsize=64)
def _stop_words(code: str) -> frozenset[str]:
    from stop_words import LANGUAGE_MAPPING, get_stop_words

    if code not in LANGUAGE_MAPPING:
        return frozenset()
    return frozenset(word.casefold() for word in get_stop_words(code))
