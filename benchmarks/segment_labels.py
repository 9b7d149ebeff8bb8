"""Labels of segments derived from answers: the share of each that belongs to the article."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .scoring import fold, tokens

Labels = NDArray[np.float32]


def from_text(segments: Sequence[str], answer: str) -> Labels:
    """Return the share of each segment's words that the answer contains, in place.

    A word counts if a run of three words around it, which may extend into adjacent segments, occurs
    in the answer; a segment too short for a run counts if it is a line of the answer.  In scripts
    without spaces, letters stand for words.  If the page repeats something more often than the
    answer, the copies deepest among other segments of the answer count.
    """
    bags = [tokens(text) for text in segments]
    stream = [word for bag in bags for word in bag]
    expected = tokens(answer)
    runs = {tuple(expected[i : i + 3]) for i in range(len(expected) - 2)}
    lines = Counter(" ".join(tokens(line)) for line in answer.splitlines())
    covered = np.zeros(len(stream), np.float32)
    for i in range(len(stream) - 2):
        if tuple(stream[i : i + 3]) in runs:
            covered[i : i + 3] = 1
    labels = np.zeros(len(segments), np.float32)
    start = 0
    for number, bag in enumerate(bags):
        if bag:
            labels[number] = covered[start : start + len(bag)].mean()
            if len(bag) < 4 and labels[number] < 1 and lines[" ".join(bag)]:
                labels[number] = 1
        start += len(bag)
    _drop_copies(bags, labels, expected)
    return labels


def _drop_copies(bags: list[list[str]], labels: Labels, expected: list[str]) -> None:
    """Clear the labels of copies beyond the number in the answer."""
    same: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, bag in enumerate(bags):
        if labels[number] > 0.5:
            same[tuple(bag)].append(number)
    sizes = np.array([len(bag) for bag in bags], np.float32)
    weight = np.concatenate([[0], np.cumsum(sizes)])
    good = np.concatenate([[0], np.cumsum(sizes * labels)])
    text = " " + "  ".join(expected) + " "
    for bag, numbers in same.items():
        if len(numbers) < 2:
            continue
        allowed = max(1, text.count(" " + "  ".join(bag) + " "))
        density = {}
        for number in numbers:
            low, high = max(0, number - 8), min(len(bags), number + 9)
            around = weight[high] - weight[low] - sizes[number]
            density[number] = (good[high] - good[low] - sizes[number]) / max(1.0, around)
        for number in sorted(numbers, key=lambda n: -density[n])[allowed:]:
            labels[number] = 0


def from_snippets(
    segments: Sequence[str], required: Sequence[str], forbidden: Sequence[str]
) -> Labels:
    """Return 1 for segments with a required snippet, 0 for a forbidden one, else NaN."""
    labels = np.full(len(segments), np.nan, np.float32)
    texts = [fold(text) for text in segments]
    for snippet in map(fold, forbidden):
        hits = [n for n, text in enumerate(texts) if snippet in text]
        labels[hits] = 0
    for snippet in map(fold, required):
        hits = [n for n, text in enumerate(texts) if snippet in text]
        if len(hits) == 1:
            labels[hits] = np.nan if labels[hits[0]] == 0 else 1
    return labels
