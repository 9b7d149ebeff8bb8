"""Array types, and sums and unions over ranges of segments."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


def prefix_sums(values: Ints) -> Ints:
    """Return running sums with a leading 0, so that a range's sum is the difference of two."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(values)))


def covered_by_ranges(lows: Ints, highs: Ints, count: int) -> Bools:
    """Return which of ``count`` indexes lie in any of the ranges, in linear time."""
    steps = np.bincount(lows, minlength=count + 1) - np.bincount(highs, minlength=count + 1)
    return np.cumsum(steps[:-1]) > 0
