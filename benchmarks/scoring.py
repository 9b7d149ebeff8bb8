"""The figures of merit: words, 4-word shingles, whole paragraphs, snippets."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

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


#: Signs that differ in type alone.
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
    """Return a text without what only typography tells apart: quotes, dashes, white space."""
    return "".join(text.translate(_TYPE).split())


def folded(text: str) -> str:
    """Return a text with every run of white space made one space."""
    return " ".join(text.split())


def ratio(hits: float, found: float, wanted: float) -> Score:
    """Return the score of ``hits`` right ones among ``found``, of ``wanted`` there are."""
    if not found or not wanted:
        same = float(found == wanted)
        return Score(same, same, same)
    precision, recall = hits / found, hits / wanted
    return Score(precision, recall, 2 * hits / (found + wanted))


def bag(found: Sequence[_T], wanted: Sequence[_T]) -> Score:
    """Score a bag of things (their order does not count, how many there are of each does)."""
    hits = sum((Counter(found) & Counter(wanted)).values())
    return ratio(hits, len(found), len(wanted))


def word_score(found: str, wanted: str) -> Score:
    """Score a text by its words."""
    return bag(words(found), words(wanted))


def shingles(text: str, size: int = 4) -> list[tuple[str, ...]]:
    """Return the runs of ``size`` words of a text; a shorter text is one run."""
    tokens = _WORD.findall(text)
    runs = range(max(1, len(tokens) - size + 1)) if tokens else ()
    return [tuple(tokens[i : i + size]) for i in runs]


def shingle_score(found: str, wanted: str) -> Score:
    """Score a text by its 4-word shingles."""
    return bag(shingles(found), shingles(wanted))


def paragraphs(text: str, shortest: int = 5) -> list[str]:
    """Return a text's lines of at least ``shortest`` words."""
    return [line for line in text.splitlines() if len(words(line)) >= shortest]


def whole_paragraphs(found: Iterable[str], wanted: Iterable[str]) -> tuple[int, int, int]:
    """Return how many paragraphs are right, were found and were wanted.

    One is right when its words and those of a wanted one, not matched yet, overlap by 0.9
    (Jaccard index of bags).
    """
    left = [Counter(words(text)) for text in wanted]
    places: dict[str, list[int]] = defaultdict(list)
    for number, counts in enumerate(left):
        for word in counts:
            places[word].append(number)
    given = [Counter(words(text)) for text in found]
    taken: set[int] = set()
    for counts in given:
        votes = Counter(number for word in counts for number in places.get(word, ()))
        for number, _ in votes.most_common(5):
            both, either = counts & left[number], counts | left[number]
            if number not in taken and both.total() >= 0.9 * either.total():
                taken.add(number)
                break
    return len(taken), len(given), len(left)


def snippets(text: str, snippets: Iterable[str], *, fold_case: bool = False) -> list[bool]:
    """Return whether each snippet stands in a text, white space apart."""
    where = folded(text.lower() if fold_case else text)
    return [folded(each.lower() if fold_case else each) in where for each in snippets]


def snippets_in_type(text: str, snippets: Iterable[str]) -> list[bool]:
    """Return whether each snippet stands in a text, case and typography apart."""
    where = plain_type(text.lower())
    return [plain_type(each.lower()) in where for each in snippets]
