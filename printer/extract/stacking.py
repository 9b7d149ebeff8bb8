"""The second look: what the first choice says of a segment's surroundings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.floating[Any]]
Ints = NDArray[np.intp]


def second_look(
    first: Column, size: Column, ranges: tuple[Ints, Ints], levels: list[Ints], kin: list[Ints]
) -> Column:
    """Return a row per segment about the first scores around it.

    ``size`` weighs each segment, ``ranges`` are the segments each element holds (begin, end),
    ``levels`` the elements around each segment from its block outward, ``kin`` group numbers of
    segments that look alike.
    """
    count = len(first)
    place = np.arange(count)
    columns: list[NDArray[np.floating]] = [first]
    for step in (-4, -3, -2, -1, 1, 2, 3, 4):
        at = place + step
        inside = (at >= 0) & (at < count)
        columns.append(np.where(inside, first[np.clip(at, 0, count - 1)], 0))
    mass = np.concatenate([[0.0], np.cumsum(first * size, dtype=np.float64)])
    text = np.concatenate([[0.0], np.cumsum(size, dtype=np.float64)])
    for width in (3, 8, 20):
        low, high = np.maximum(0, place - width), np.minimum(count, place + width + 1)
        columns.append((mass[high] - mass[low]) / (text[high] - text[low]))
    begins, ends = ranges
    for level in levels:
        low = begins[level]
        high = np.clip(ends[level], low + 1, count)
        columns.append((mass[high] - mass[low]) / (text[high] - text[low]))
        columns.append((mass[high] - mass[low]) / max(1e-6, mass[-1]))
    for group in kin:
        total = np.bincount(group, size)
        columns.append((np.bincount(group, first * size) / total)[group])
    columns.append(mass[:-1] / max(1e-6, mass[-1]))
    sure = np.flatnonzero(first > 0.5)
    if len(sure):
        after = np.searchsorted(sure, place, "right")
        before = np.searchsorted(sure, place)
        columns.append(np.minimum(99, place - sure[np.maximum(0, before - 1)]))
        columns.append(np.minimum(99, sure[np.minimum(after, len(sure) - 1)] - place))
    else:
        columns += [np.full(count, 99.0), np.full(count, 99.0)]
    columns += [np.full(count, value) for value in page_look(first, size)]
    return np.array(columns, np.float32).T


def page_look(first: Column, size: Column) -> list[float]:
    """Return figures about a whole page's first scores: how much is kept, and how surely."""
    whole = float(size.sum())
    expected = float((first * size).sum())
    unsure = float((first * (1 - first) * size).sum())
    order = np.argsort(-first, kind="stable")
    running = np.cumsum(size[order])
    good = np.cumsum((first * size)[order])
    gain = 2 * good / (running + expected)
    best = int(np.argmax(gain))
    return [
        float(np.log1p(expected)), expected / whole, unsure / max(1e-6, expected),
        float(gain[best]), float(first[order[best]]), float(np.log1p(running[best])),
    ]  # fmt: skip
