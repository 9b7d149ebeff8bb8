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


def fold(text: str) -> str:
    """Replace each run of white space by one space."""
    return " ".join(text.split())


def ratio(hits: float, predicted: float, expected: float) -> Score:
    """Return the score for ``hits`` correct items of ``predicted``; the answer has ``expected``."""
    if not predicted or not expected:
        same = float(predicted == expected)
        return Score(same, same, same)
    precision, recall = hits / predicted, hits / expected
    return Score(precision, recall, 2 * hits / (predicted + expected))


def bag(predicted: Sequence[_T], expected: Sequence[_T]) -> Score:
    """Score a multiset: order does not matter, counts do."""
    hits = sum((Counter(predicted) & Counter(expected)).values())
    return ratio(hits, len(predicted), len(expected))


def word_score(predicted: str, expected: str) -> Score:
    """Score a text by its words."""
    return bag(words(predicted), words(expected))


def shingles(text: str, size: int = 4) -> list[tuple[str, ...]]:
    """Return the runs of ``size`` words in a text; a shorter text is one run."""
    tokens = _WORD.findall(text)
    runs = range(max(1, len(tokens) - size + 1)) if tokens else ()
    return [tuple(tokens[i : i + size]) for i in runs]


def shingle_score(predicted: str, expected: str) -> Score:
    """Score a text by its 4-word shingles."""
    return bag(shingles(predicted), shingles(expected))


def news_score(text: str, answer: str, optional: Sequence[str] = ()) -> Score:
    """Score a text by 4-token shingles, in any script; ``optional`` lines may be missing.

    The F1 is that of the page: the harmonic mean of this precision and recall.
    """
    required = "\n".join(line for line in answer.splitlines() if line not in optional)
    counts, expected, required_counts = (
        _token_shingles(part) for part in (text, answer, required or answer)
    )
    precision = (counts & expected).total() / max(1, counts.total())
    recall = (counts & required_counts).total() / max(1, required_counts.total())
    total = precision + recall
    return Score(precision, recall, 2 * precision * recall / total if total else 0.0)


def _token_shingles(text: str, size: int = 4) -> Counter[tuple[str, ...]]:
    words_of_text = tokens(text)
    return Counter(
        tuple(words_of_text[i : i + size]) for i in range(max(1, len(words_of_text) - size + 1))
    )


def paragraphs(text: str, shortest: int = 5) -> list[str]:
    """Return a text's lines of at least ``shortest`` words."""
    return [line for line in text.splitlines() if len(words(line)) >= shortest]


def matching_paragraphs(predicted: Iterable[str], expected: Iterable[str]) -> tuple[int, int, int]:
    """Return the numbers of correct, predicted and expected paragraphs.

    A paragraph is correct if its words overlap those of an unmatched expected one by 0.9 (Jaccard
    index of multisets).
    """
    expected_counts = [Counter(words(text)) for text in expected]
    places: dict[str, list[int]] = defaultdict(list)
    for number, counts in enumerate(expected_counts):
        for word in counts:
            places[word].append(number)
    candidates = [Counter(words(text)) for text in predicted]
    matched: set[int] = set()
    for counts in candidates:
        votes = Counter(number for word in counts for number in places.get(word, ()))
        for number, _ in votes.most_common(5):
            common, union = counts & expected_counts[number], counts | expected_counts[number]
            if number not in matched and common.total() >= 0.9 * union.total():
                matched.add(number)
                break
    return len(matched), len(candidates), len(expected_counts)


def snippets(text: str, snippets: Iterable[str], *, fold_case: bool = False) -> list[bool]:
    """Return whether each snippet occurs in a text, ignoring white space."""
    folded_text = fold(text.lower() if fold_case else text)
    return [fold(snippet.lower() if fold_case else snippet) in folded_text for snippet in snippets]


def snippets_in_type(text: str, snippets: Iterable[str]) -> list[bool]:
    """Return whether each snippet occurs in a text, ignoring case and typography."""
    plain = plain_type(text.lower())
    return [plain_type(snippet.lower()) in plain for snippet in snippets]


def common_subsequence(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence (Hyyrö 2004)."""
    head, first, second = _trimmed(first, second)
    if len(first) > len(second):
        first, second = second, first
    masks = _masks(first)
    all_bits = (1 << len(first)) - 1
    column = all_bits
    for symbol in second:
        same = column & masks.get(symbol, 0)
        column = (column + same | column - same) & all_bits
    return head + len(first) - column.bit_count()


def edit_distance(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the Levenshtein distance (Myers 1999, in Hyyrö's form)."""
    _, first, second = _trimmed(first, second)
    if len(first) > len(second):
        first, second = second, first
    if not first:
        return len(second)
    masks = _masks(first)
    all_bits = (1 << len(first)) - 1
    last_bit = 1 << len(first) - 1
    increases, decreases, distance = all_bits, 0, len(first)
    for symbol in second:
        match = masks.get(symbol, 0)
        level = ((match & increases) + increases ^ increases) | match | decreases
        grown = decreases | ~(level | increases) & all_bits
        shrunk = level & increases
        distance += bool(grown & last_bit) - bool(shrunk & last_bit)
        grown = grown << 1 | 1
        increases = (shrunk << 1 | ~(level | grown)) & all_bits
        decreases = grown & level & all_bits
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
    first: Sequence[Hashable], second: Sequence[Hashable]
) -> tuple[int, Sequence[Hashable], Sequence[Hashable]]:
    """Cut off the common prefix and suffix; return their length and the rest."""
    shorter = min(len(first), len(second))
    head = next((n for n in range(shorter) if first[n] != second[n]), shorter)
    remaining = shorter - head
    tail = next((n for n in range(remaining) if first[-1 - n] != second[-1 - n]), remaining)
    return head + tail, first[head : len(first) - tail], second[head : len(second) - tail]
