"""Hyphenation by the dictionaries of Pyphen.

Pyphen would parse every pattern of a dictionary when the first word of a language is hyphenated,
for half a second in German: here, a pattern is parsed when a word contains its letters.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import pyphen

#: The offset of the first value of a pattern, and its values.
Pattern: TypeAlias = tuple[int, tuple[int, ...]]


class Patterns(dict[str, str | Pattern | None]):
    """The patterns of a dictionary by their letters, parsed when they are looked up."""

    def get(self, letters: str) -> Pattern | None:  # type: ignore[override]
        pattern = super().get(letters)
        if isinstance(pattern, str):
            _, pattern = parse_pattern(pattern)
            self[letters] = pattern
        return pattern


#: The fewest letters before a hyphen in a capitalized word.
_CAPITALIZED_START = 3
MAX_CACHED_WORDS = 50_000
_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")


class HyphDict(pyphen.HyphDict):  # type: ignore[misc]
    """A dictionary of Pyphen that parses its patterns as they are needed."""

    def __init__(self, path: Path) -> None:
        """Read a file of patterns in the format of Hunspell."""
        first_line, _, body = path.read_bytes().partition(b"\n")
        encoding = first_line.decode("ascii").strip().lower()
        text = body.decode("cp1251" if encoding == "microsoft-cp1251" else encoding)
        lines = [line.strip() for line in text.split("\n")]
        letters = "\n".join(lines).translate(_WITHOUT_DIGITS).split("\n")
        self.patterns = Patterns()
        for key, line in zip(letters, lines, strict=True):
            if len(key) == len(line) or line.startswith(pyphen.ignored):
                continue
            if "/" in line or "^^" in line:
                key, self.patterns[key] = parse_pattern(line)
            else:
                self.patterns[key] = line
        self.cache: dict[str, list[int]] = {}
        self.maxlen = max(map(len, self.patterns))
        self._is_german = path.stem.startswith("hyph_de")

    def positions(self, word: str) -> list[int]:
        """Return where a word may be divided; names and the like not after two letters."""
        if len(self.cache) >= MAX_CACHED_WORDS:
            self.cache.clear()
        positions: list[int] = super().positions(word)
        if self._is_german:
            positions = _drop_impossible(word, positions)
        if contraction := _CONTRACTION.search(word):
            positions = [position for position in positions if position < contraction.start()]
        if word[:1].isupper():
            return [position for position in positions if position >= _CAPITALIZED_START]
        return positions


#: The end of a contraction that stays whole: 'does-n't' reads badly.
_CONTRACTION = re.compile("[a-zA-Z]['’](?:t|s|d|m|ll|re|ve)$")
_VOWEL = re.compile("[aeiouyäöü]")
#: Consonants with which no German syllable begins.
_NO_GERMAN_START = re.compile("[lmnr][bcdfgjklmnpqrstvwxzß]")
#: Consonants that end a syllable if they have no vowel.
_GERMAN_ENDS = frozenset({"ch", "ck", "sch"})


def _drop_impossible(word: str, positions: list[int]) -> list[int]:
    """Return hyphenation points, except around German pieces that are not syllables ("un-g-lü")."""
    dropped = set()
    for start, end in pairwise((*positions, len(word))):
        piece = word[start:end].lower()
        if not _VOWEL.search(piece):
            dropped |= {start} if piece in _GERMAN_ENDS else {start, end}
        elif _NO_GERMAN_START.match(piece):
            dropped.add(start)
    return [position for position in positions if position not in dropped]


def parse_pattern(line: str) -> tuple[str, Pattern | None]:
    """Return a pattern's letters, and its values without zeros at both ends, or None if all are."""
    line = pyphen.parse_hex(lambda match: chr(int(match[1], 16)), line)
    factory = int
    if "/" in line and "=" in line:
        line, alternative = line.split("/", 1)
        factory = pyphen.AlternativeParser(line, alternative)
    pairs = [(letter, factory(digit or "0")) for digit, letter in pyphen.parse(line)]
    letters = "".join(letter for letter, _ in pairs)
    nonzero = [index for index, (_, value) in enumerate(pairs) if value]
    if not nonzero:
        return letters, None
    start, end = nonzero[0], nonzero[-1] + 1
    return letters, (start, tuple(value for _, value in pairs[start:end]))


#: Countries with British spelling, and therefore British hyphenation.
_BRITISH = ("AU", "GB", "IE", "IN", "KE", "MT", "NG", "NZ", "PK", "SG", "UK", "ZA")


def prepare_hyphenation() -> None:
    """Make Pyphen read its dictionaries by :class:`HyphDict`, with American English as default.

    Otherwise a tag without a country gets the last file in the alphabet; four of five English pages
    without one are American.
    """
    pyphen.HyphDict = HyphDict
    files = pyphen.LANGUAGES
    files["en"], files["de"] = files["en_US"], files["de_DE"]
    for country in _BRITISH:
        files[f"en_{country}"] = files["en_GB"]
        pyphen.LANGUAGES_LOWERCASE[f"en_{country.lower()}"] = "en_GB"
