"""Pyphen's dictionaries, read in a fifth of the time, and stricter with names.

Pyphen parses every pattern of a dictionary when the first word of a language is hyphenated: half a
second for German or Hungarian.  Here a pattern is parsed when a word contains its letters.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import pyphen

#: The offset of the first value of a pattern, and its values.
Pattern: TypeAlias = tuple[int, tuple[int, ...]]

#: The fewest letters before a hyphen in a capitalized word.
_CAPITALIZED_START = 3
_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")


class Patterns(dict[str, str | Pattern | None]):
    """The patterns of a dictionary by their letters, parsed when they are looked up."""

    def get(self, letters: str) -> Pattern | None:  # type: ignore[override]
        """Return the pattern with these letters."""
        pattern = super().get(letters)
        if isinstance(pattern, str):
            _, pattern = parse_pattern(pattern)
            self[letters] = pattern
        return pattern


class HyphDict(pyphen.HyphDict):  # type: ignore[misc]
    """A dictionary of Pyphen that parses its patterns as they are needed."""

    def __init__(self, path: Path) -> None:
        """Read a file of patterns in the format of Hunspell.

        Raises:
            OSError: The file cannot be read.
            LookupError: Its encoding is unknown.
        """
        first_line, _, rest = path.read_bytes().partition(b"\n")
        encoding = first_line.decode("ascii").strip().lower()
        text = rest.decode("cp1251" if encoding == "microsoft-cp1251" else encoding)
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

    def positions(self, word: str) -> list[int]:
        """Return where a word may be divided; names and the like not after two letters."""
        positions: list[int] = super().positions(word)
        if word[:1].isupper():
            return [position for position in positions if position >= _CAPITALIZED_START]
        return positions


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


def read_dictionaries_lazily() -> None:
    """Make Pyphen read its dictionaries by :class:`HyphDict`."""
    pyphen.HyphDict = HyphDict
