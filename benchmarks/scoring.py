"""Measures of text: words, 4-word shingles, paragraphs, snippets, alignment.

The longest common subsequence and the edit distance are computed by bit-parallel algorithms.  Both
store a column of the usual table as differences between its cells, one bit each in one long
integer, so that a step takes one machine word per 64 characters of the shorter text: two texts of
50,000 characters take about a second.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from printer.text import WORD

_WORD = re.compile(r"\w+")
_T = TypeVar("_T")


class Score(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def words(text: str) -> list[str]:
    """Return a text's words in lower case."""
    return _WORD.findall(text.lower())


def tokens(text: str) -> list[str]:
    """Return a text's words in lower case; in scripts without spaces, its letters."""
    return WORD.findall(text.lower())


#: Characters that differ only in typography.
_TYPE = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛`´′", "'"),
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "…": "...",
        "\u00ad": None,
        "\u200b": None,
    }
)


def plain_type(text: str) -> str:
    """Normalize the typography of a text: quotes, dashes, white space."""
    return "".join(text.translate(_TYPE).split())


def folded(text: str) -> str:
    """Replace each run of white space by one space."""
    return " ".join(text.split())


def ratio(hits: float, found: float, expected: float) -> Score:
    """Return the score for ``hits`` correct items, ``found`` in all, ``expected`` in the answer."""
    if not found or not expected:
        same = float(found == expected)
        return Score(same, same, same)
    precision, recall = hits / found, hits / expected
    return Score(precision, recall, 2 * hits / (found + expected))


def bag(found: Sequence[_T], expected: Sequence[_T]) -> Score:
    """Score a multiset: order does not matter, counts do."""
    hits = sum((Counter(found) & Counter(expected)).values())
    return ratio(hits, len(found), len(expected))


def word_score(found: str, expected: str) -> Score:
    """Score a text by its words."""
    return bag(words(found), words(expected))


def shingles(text: str, size: int = 4) -> list[tuple[str, ...]]:
    """Return the runs of ``size`` words in a text; a shorter text is one run."""
    tokens = _WORD.findall(text)
    runs = range(max(1, len(tokens) - size + 1)) if tokens else ()
    return [tuple(tokens[i : i + size]) for i in runs]


def shingle_score(found: str, expected: str) -> Score:
    """Score a text by its 4-word shingles."""
    return bag(shingles(found), shingles(expected))


def news_score(text: str, answer: str, optional: Sequence[str] = ()) -> Score:
    """Score a text by 4-token shingles, in any script; ``optional`` lines may be missing.

    The F1 is that of the page: the harmonic mean of this precision and recall.
    """
    required = "\n".join(line for line in answer.splitlines() if line not in optional)
    found, every, least = (_token_shingles(part) for part in (text, answer, required or answer))
    precision = (found & every).total() / max(1, found.total())
    recall = (found & least).total() / max(1, least.total())
    total = precision + recall
    return Score(precision, recall, 2 * precision * recall / total if total else 0.0)


def _token_shingles(text: str, size: int = 4) -> Counter[tuple[str, ...]]:
    found = tokens(text)
    return Counter(tuple(found[i : i + size]) for i in range(max(1, len(found) - size + 1)))


def paragraphs(text: str, shortest: int = 5) -> list[str]:
    """Return a text's lines of at least ``shortest`` words."""
    return [line for line in text.splitlines() if len(words(line)) >= shortest]


def matching_paragraphs(found: Iterable[str], expected: Iterable[str]) -> tuple[int, int, int]:
    """Return the numbers of correct, found and expected paragraphs.

    A paragraph is correct if its words overlap those of an unmatched expected one by 0.9 (Jaccard
    index of multisets).
    """
    left = [Counter(words(text)) for text in expected]
    places: dict[str, list[int]] = defaultdict(list)
    for number, counts in enumerate(left):
        for word in counts:
            places[word].append(number)
    candidates = [Counter(words(text)) for text in found]
    taken: set[int] = set()
    for counts in candidates:
        votes = Counter(number for word in counts for number in places.get(word, ()))
        for number, _ in votes.most_common(5):
            both, either = counts & left[number], counts | left[number]
            if number not in taken and both.total() >= 0.9 * either.total():
                taken.add(number)
                break
    return len(taken), len(candidates), len(left)


def snippets(text: str, snippets: Iterable[str], *, fold_case: bool = False) -> list[bool]:
    """Return whether each snippet occurs in a text, ignoring white space."""
    where = folded(text.lower() if fold_case else text)
    return [folded(snippet.lower() if fold_case else snippet) in where for snippet in snippets]


def snippets_in_type(text: str, snippets: Iterable[str]) -> list[bool]:
    """Return whether each snippet occurs in a text, ignoring case and typography."""
    where = plain_type(text.lower())
    return [plain_type(snippet.lower()) in where for snippet in snippets]


def common_subsequence(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence (Hyyrö 2004)."""
    head, one, other = _trimmed(one, other)
    if len(one) > len(other):
        one, other = other, one
    masks = _masks(one)
    every = (1 << len(one)) - 1
    column = every
    for symbol in other:
        same = column & masks.get(symbol, 0)
        column = (column + same | column - same) & every
    return head + len(one) - column.bit_count()


def edit_distance(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the Levenshtein distance (Myers 1999, in Hyyrö's form)."""
    _, one, other = _trimmed(one, other)
    if len(one) > len(other):
        one, other = other, one
    if not one:
        return len(other)
    masks = _masks(one)
    every = (1 << len(one)) - 1
    last = 1 << len(one) - 1
    more, less, distance = every, 0, len(one)
    for symbol in other:
        match = masks.get(symbol, 0)
        level = ((match & more) + more ^ more) | match | less
        grown = less | ~(level | more) & every
        shrunk = level & more
        distance += bool(grown & last) - bool(shrunk & last)
        grown = grown << 1 | 1
        more = (shrunk << 1 | ~(level | grown)) & every
        less = grown & level & every
    return distance


def _masks(text: Sequence[Hashable]) -> dict[Hashable, int]:
    """Return, for each symbol, an integer with a bit set at each of its positions."""
    places: dict[Hashable, bytearray] = {}
    size = len(text) // 8 + 1
    for place, symbol in enumerate(text):
        bits = places.get(symbol)
        if bits is None:
            bits = places[symbol] = bytearray(size)
        bits[place >> 3] |= 1 << (place & 7)
    return {symbol: int.from_bytes(bits, "little") for symbol, bits in places.items()}


def _trimmed(
    one: Sequence[Hashable], other: Sequence[Hashable]
) -> tuple[int, Sequence[Hashable], Sequence[Hashable]]:
    """Cut off the common prefix and suffix; return their length and the rest."""
    shorter = min(len(one), len(other))
    head = next((n for n in range(shorter) if one[n] != other[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if one[-1 - n] != other[-1 - n]), rest)
    return head + tail, one[head : len(one) - tail], other[head : len(other) - tail]
