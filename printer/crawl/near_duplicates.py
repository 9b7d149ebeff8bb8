"""Near-duplicate texts by MinHash sketches of their shingles (Broder, 1997).

A text is represented by the set of its runs of four words (shingles).  Its sketch holds the
smallest value of the set under each of 64 hash functions; the share of equal values in two sketches
estimates the resemblance (Jaccard similarity) of the sets.  Similar texts almost surely share a
band of their sketches, so that a table of bands finds candidates without comparing all texts.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..text import WORD

T = TypeVar("T")

SHINGLE_WORDS = 4
#: The number of values in a sketch, and in each band of it.
SKETCH_SIZE = 64
BAND_SIZE = 4
#: The most words of a text that are compared.
MAX_WORDS = 20_000

#: The least resemblance of near-duplicates: about 25 of 1,000 words may differ.
NEAR_DUPLICATE = 0.8

#: The values of a sketch, as little-endian numbers of 32 bits; b"" for a text without words.
Sketch: TypeAlias = bytes


def _mix(numbers: Any) -> NDArray[np.uint64]:
    """Scatter numbers over 64 bits (the finalizer of splitmix64)."""
    x = np.asarray(numbers, dtype=np.uint64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


_STEPS = np.arange(1, 2 * SKETCH_SIZE + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
_FACTORS = (_mix(_STEPS[:SKETCH_SIZE]) | np.uint64(1))[:, None]
_OFFSETS = _mix(_STEPS[SKETCH_SIZE:])[:, None]


def sketch(text: str) -> Sketch:
    matches = zip(WORD.finditer(text), range(MAX_WORDS), strict=False)
    words = [zlib.crc32(match[0].casefold().encode()) for match, _ in matches]
    if not words:
        return b""
    numbers = np.array(words, dtype=np.uint64)
    length = min(SHINGLE_WORDS, len(numbers))
    count = len(numbers) - length + 1
    shingles = np.zeros(count, dtype=np.uint64)
    for index in range(length):
        shingles = _mix(shingles + numbers[index : index + count] + np.uint64(index))
    shingles = np.unique(shingles)
    minima = np.full(SKETCH_SIZE, np.iinfo(np.uint64).max, dtype=np.uint64)
    for start in range(0, len(shingles), 1024):
        hashes = _FACTORS * shingles[None, start : start + 1024] + _OFFSETS
        minima = np.minimum(minima, (hashes >> np.uint64(32)).min(axis=1))
    return minima.astype("<u4").tobytes()


def resemblance(first: Sketch, second: Sketch) -> float:
    """Return the estimated resemblance of two texts, from 0 to 1; 0 for one without words."""
    if not first or not second:
        return 0.0
    return float(np.mean(np.frombuffer(first, "<u4") == np.frombuffer(second, "<u4")))


def most_similar(sketch: Sketch, candidates: Sequence[tuple[T, Sketch]]) -> T | None:
    """Return the candidate with the most similar sketch, None if there is no near-duplicate."""
    scores = [resemblance(sketch, candidate) for _, candidate in candidates]
    best = max(scores, default=0.0)
    return candidates[scores.index(best)][0] if best >= NEAR_DUPLICATE else None


def bands(sketch: Sketch) -> list[int]:
    """Return the table keys of a sketch; near-duplicates almost surely share one."""
    size = 4 * BAND_SIZE
    rows = [sketch[start : start + size] for start in range(0, len(sketch), size)]
    return [index << 32 | zlib.crc32(row, index) for index, row in enumerate(rows)]
