"""Texts that are nearly the same, by their shingles (Broder, 1997).

A text is the set of its runs of four words.  Of that set a sketch is kept: under each of 64
orderings of all shingles, the first of the text's.  Two sketches agree in as many places as the
sets share of what they hold together (their resemblance).  Cut into bands, sketches of texts that
resemble each other share a band almost surely, so that a table finds them without comparing all.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: A word; of scripts without spaces each sign.
_WORD = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"
    "|[^\\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+"
)

#: Words in a shingle, places in a sketch, places in a band, words that are read of a text.
SHINGLE_WORDS, SKETCH_SIZE, BAND_SIZE, MAX_WORDS = 4, 64, 4, 20_000

#: Texts with at least this resemblance are one text: of 1000 words some 25 may differ anywhere.
NEAR_DUPLICATE = 0.8

Sketch: TypeAlias = NDArray[np.uint32]
Words: TypeAlias = NDArray[np.uint64]


def _mix(numbers: Any) -> Words:
    """Scatter numbers over 64 bits (the finish of splitmix64)."""
    x = np.asarray(numbers, dtype=np.uint64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


_STEPS = np.arange(1, 2 * SKETCH_SIZE + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
_FACTORS = (_mix(_STEPS[:SKETCH_SIZE]) | np.uint64(1))[:, None]
_OFFSETS = _mix(_STEPS[SKETCH_SIZE:])[:, None]


def sketch(text: str) -> Sketch | None:
    """Return a text's sketch, None for a text without words."""
    words = [zlib.crc32(m[0].casefold().encode()) for m, _ in zip(
        _WORD.finditer(text), range(MAX_WORDS), strict=False
    )]  # fmt: skip
    if not words:
        return None
    numbers = np.array(words, dtype=np.uint64)
    length = min(SHINGLE_WORDS, len(numbers))
    count = len(numbers) - length + 1
    runs = np.zeros(count, dtype=np.uint64)
    for place in range(length):
        runs = _mix(runs + numbers[place : place + count] + np.uint64(place))
    runs = np.unique(runs)
    least = np.full(SKETCH_SIZE, np.iinfo(np.uint64).max, dtype=np.uint64)
    for start in range(0, len(runs), 1024):
        ordered = _FACTORS * runs[None, start : start + 1024] + _OFFSETS
        least = np.minimum(least, (ordered >> np.uint64(32)).min(axis=1))
    return least.astype(np.uint32)


def resemblance(one: Sketch, other: Sketch) -> float:
    """Return how much two texts share, from 0 to 1."""
    return float(np.mean(one == other))


def bands(sketch: Sketch) -> list[int]:
    """Return the numbers under which a sketch is looked up; texts that are near share one."""
    kept = []
    for place, rows in enumerate(sketch.reshape(-1, BAND_SIZE)):
        digest = zlib.crc32(rows.astype("<u4").tobytes(), place)
        kept.append((place << 32) | digest)
    return kept


def to_bytes(sketch: Sketch) -> bytes:
    """Return a sketch as it is kept."""
    return sketch.astype("<u4").tobytes()


def from_bytes(data: bytes | Sequence[int]) -> Sketch:
    """Return a sketch that was kept."""
    return np.frombuffer(bytes(data), dtype="<u4").astype(np.uint32)
