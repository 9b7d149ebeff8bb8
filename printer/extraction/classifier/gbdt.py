"""Gradient-boosted decision trees in plain arrays, evaluated with one bit per row.

Trees share most of their conditions (a feature and a threshold), so each distinct one is tested
once for all rows, and the results are packed eight rows to a byte.  The paths of the rows through
every tree are then bit arithmetic on these bytes, level by level over all trees at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.floating[Any]]

#: Rows, and tests of a condition on a row, evaluated at a time, to stay in the processor's cache.
_BATCH_ROWS, _BATCH_TESTS = 512, 1 << 16
#: The most rows for which walking down each tree is faster.
_MAX_WALKED_ROWS = 4


@dataclass(frozen=True, slots=True, eq=False)
class BoostedTrees:
    """Complete trees of one depth; their sum is the log-odds.

    ``feature`` and ``threshold`` are (trees, 2**depth - 1) in heap order: a row goes left when its
    value is at most the threshold.  ``leaf`` is (trees, 2**depth).
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float32]
    leaf: NDArray[np.float32]
    _conditions: _Conditions = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Number the distinct conditions."""
        object.__setattr__(self, "_conditions", _Conditions.of(self.feature, self.threshold))

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[np.generic]], name: str) -> BoostedTrees:
        """Read the trees called ``name`` from a model's arrays."""
        return cls(
            arrays[f"{name}.feature"].astype(np.int32),
            arrays[f"{name}.threshold"].astype(np.float32),
            arrays[f"{name}.leaf"].astype(np.float32),
        )

    @classmethod
    def concatenate(cls, models: Sequence[BoostedTrees]) -> BoostedTrees:
        """Return the concatenated trees of several models, for :meth:`predict_many`."""
        return cls(
            np.concatenate([model.feature for model in models]),
            np.concatenate([model.threshold for model in models]),
            np.concatenate([model.leaf for model in models]),
        )

    def to_arrays(self, name: str) -> dict[str, NDArray[np.generic]]:
        """Return the arrays that :meth:`load` reads."""
        return {
            f"{name}.feature": self.feature.astype(np.uint16),
            f"{name}.threshold": self.threshold,
            f"{name}.leaf": self.leaf,
        }

    def predict(self, rows: Column) -> Column:
        """Return the probability of each row."""
        return self.predict_many(rows, 1)[:, 0]

    def predict_many(self, rows: Column, count: int) -> Column:
        """Return ``count`` probabilities of each row, each from an equal share of the trees."""
        sums = [
            self._log_odds(rows[at : at + _BATCH_ROWS], count)
            for at in range(0, len(rows), _BATCH_ROWS)
        ]
        total = np.concatenate(sums) if sums else np.zeros((0, count), np.float32)
        return (1 / (1 + np.exp(-total))).astype(np.float32)

    def _log_odds(self, rows: Column, count: int) -> Column:
        trees, leaves = self.leaf.shape
        leaf = self._walk(rows) if len(rows) <= _MAX_WALKED_ROWS else self._evaluate(rows)
        place = leaf + np.arange(0, trees * leaves, leaves)
        total: Column = self.leaf.ravel().take(place).reshape(len(rows), count, -1).sum(2)
        return total

    def _walk(self, rows: Column) -> NDArray[np.integer[Any]]:
        """Return the number of the leaf that each row reaches in each tree."""
        trees, inner = self.feature.shape
        at = np.arange(len(rows))[:, None], np.arange(trees)
        node: NDArray[np.integer[Any]] = np.zeros((len(rows), trees), np.intp)
        while node[0, 0] < inner:
            right = rows[at[0], self.feature[at[1], node]] > self.threshold[at[1], node]
            node = 2 * node + 1 + right
        node -= inner
        return node

    def _evaluate(self, rows: Column) -> NDArray[np.integer[Any]]:
        """Return the same as :meth:`_walk`, evaluated for all rows at once."""
        turns = np.unpackbits(self._conditions.turns(rows), axis=2, count=len(rows))
        dtype = np.min_scalar_type(self.leaf.shape[1] - 1)
        leaf: NDArray[np.integer[Any]] = np.zeros(turns.shape[1:], dtype)
        for right in turns:
            leaf *= 2
            leaf += right
        return leaf.T


@dataclass(frozen=True, slots=True, eq=False)
class _Conditions:
    """The distinct conditions of some trees, and the condition of each node.

    Attributes:
        feature, threshold: A condition is true where the feature's value is above the threshold.
        levels: For each level of the trees the conditions of its nodes: the first node of every
            tree, then the second of every tree, and so on.
    """

    feature: NDArray[np.intp]
    threshold: NDArray[np.float32]
    levels: Sequence[NDArray[np.intp]]

    @classmethod
    def of(cls, feature: NDArray[np.int32], threshold: NDArray[np.float32]) -> _Conditions:
        """Number the conditions of the trees' nodes."""
        nodes = np.empty(feature.shape, [("feature", np.int32), ("threshold", np.float32)])
        nodes["feature"], nodes["threshold"] = feature, threshold
        distinct, number = np.unique(nodes, return_inverse=True)
        number = number.reshape(feature.shape).astype(np.intp)
        firsts = [(1 << level) - 1 for level in range((feature.shape[1] + 1).bit_length())]
        return cls(
            distinct["feature"].astype(np.intp),
            distinct["threshold"].astype(np.float32)[:, None],
            [number[:, first:end].T.ravel() for first, end in pairwise(firsts)],
        )

    def turns(self, rows: Column) -> NDArray[np.uint8]:
        """Return whether each row turns right: per level and tree, eight rows in a byte."""
        columns = np.ascontiguousarray(rows.T)
        results = np.empty((len(self.feature), (len(rows) + 7) // 8), np.uint8)
        step = max(1, _BATCH_TESTS // len(rows))
        for first in range(0, len(results), step):
            batch = slice(first, first + step)
            tests = columns.take(self.feature[batch], 0) > self.threshold[batch]
            results[batch] = np.packbits(tests, axis=1)
        turns: list[NDArray[np.uint8]] = []
        for level in self.levels:
            # Each turn above selects one half of the remaining nodes of a level.
            nodes = results.take(level, 0).reshape(1 << len(turns), -1, results.shape[1])
            for right in turns:
                low, high = np.split(nodes, 2)
                nodes = low ^ ((low ^ high) & right)
            turns.append(nodes[0])
        return np.stack(turns)
