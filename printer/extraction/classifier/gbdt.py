"""Boosted regression trees in plain arrays, evaluated a bit per row.

Trees share most of their conditions (a feature and a threshold), so each distinct one is tested
once for all rows, and its answers are packed eight rows to a byte.  Which way the rows go in every
tree is then bit arithmetic on these bytes, level by level over all trees at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.floating[Any]]

#: Rows evaluated together, and tests of one condition on one row: what they need stays in the
#: processor's cache.
_ROWS, _TESTS = 512, 1 << 16
#: So few rows are sooner walked down the trees one by one.
_FEW = 4


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
        """Take the forest called ``name`` from a model's arrays."""
        return cls(
            arrays[f"{name}.feature"].astype(np.int32),
            arrays[f"{name}.threshold"].astype(np.float32),
            arrays[f"{name}.leaf"].astype(np.float32),
        )

    @classmethod
    def concatenate(cls, forests: Sequence[BoostedTrees]) -> BoostedTrees:
        """Return the trees of several forests, one after another, for :meth:`predict_each`."""
        return cls(
            np.concatenate([forest.feature for forest in forests]),
            np.concatenate([forest.threshold for forest in forests]),
            np.concatenate([forest.leaf for forest in forests]),
        )

    def to_arrays(self, name: str) -> dict[str, NDArray[np.generic]]:
        """Return the arrays that :meth:`load` takes."""
        return {
            f"{name}.feature": self.feature.astype(np.uint16),
            f"{name}.threshold": self.threshold,
            f"{name}.leaf": self.leaf,
        }

    def predict(self, rows: Column) -> Column:
        """Return the probability of each row."""
        return self.predict_many(rows, 1)[:, 0]

    def predict_many(self, rows: Column, count: int) -> Column:
        """Return ``count`` probabilities of each row, each by the next share of the trees."""
        parts = [self._sum(rows[i : i + _ROWS], count) for i in range(0, len(rows), _ROWS)]
        total = np.concatenate(parts) if parts else np.zeros((0, count), np.float32)
        return (1 / (1 + np.exp(-total))).astype(np.float32)

    def _sum(self, rows: Column, count: int) -> Column:
        trees, leaves = self.leaf.shape
        number = self._walk(rows) if len(rows) <= _FEW else self._turn(rows)
        place = number + np.arange(0, trees * leaves, leaves)
        total: Column = self.leaf.ravel().take(place).reshape(len(rows), count, -1).sum(2)
        return total

    def _walk(self, rows: Column) -> NDArray[np.integer[Any]]:
        """Return the number of the leaf that each row comes to in each tree."""
        trees, inner = self.feature.shape
        at = np.arange(len(rows))[:, None], np.arange(trees)
        node: NDArray[np.integer[Any]] = np.zeros((len(rows), trees), np.intp)
        while node[0, 0] < inner:
            right = rows[at[0], self.feature[at[1], node]] > self.threshold[at[1], node]
            node = 2 * node + 1 + right
        node -= inner
        return node

    def _turn(self, rows: Column) -> NDArray[np.integer[Any]]:
        """Return what :meth:`_walk` does, from the turns that all rows take at once."""
        turns = np.unpackbits(self._conditions.turns(rows), axis=2, count=len(rows))
        kind = np.min_scalar_type(self.leaf.shape[1] - 1)
        leaf: NDArray[np.integer[Any]] = np.zeros(turns.shape[1:], kind)
        for right in turns:
            leaf *= 2
            leaf += right
        return leaf.T


@dataclass(frozen=True, slots=True, eq=False)
class _Conditions:
    """The distinct conditions of a forest, and which of them each node asks.

    A condition holds where the value of ``feature`` is above ``threshold``.  ``levels`` has for
    each level of the trees the numbers of its nodes' conditions: the first node of every tree, then
    the second of every tree, and so on.
    """

    feature: NDArray[np.intp]
    threshold: NDArray[np.float32]
    levels: Sequence[NDArray[np.intp]]

    @classmethod
    def of(cls, feature: NDArray[np.int32], threshold: NDArray[np.float32]) -> _Conditions:
        """Number the conditions of a forest's nodes."""
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
        held = np.empty((len(self.feature), (len(rows) + 7) // 8), np.uint8)
        step = max(1, _TESTS // len(rows))
        for first in range(0, len(held), step):
            some = slice(first, first + step)
            tests = columns.take(self.feature[some], 0) > self.threshold[some]
            held[some] = np.packbits(tests, axis=1)
        taken: list[NDArray[np.uint8]] = []
        for level in self.levels:
            # Of the nodes of a level, the turns taken above leave one half after the other.
            nodes = held.take(level, 0).reshape(1 << len(taken), -1, held.shape[1])
            for right in taken:
                low, high = np.split(nodes, 2)
                nodes = low ^ ((low ^ high) & right)
            taken.append(nodes[0])
        return np.stack(taken)
