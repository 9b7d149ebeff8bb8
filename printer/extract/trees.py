"""Boosted regression trees in plain arrays, evaluated level by level over all rows at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.floating[Any]]

#: Rows evaluated together, so that a page of any length takes little memory.
_ROWS = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Complete trees of one depth; their sum is the log-odds.

    ``feature`` and ``threshold`` are (trees, 2**depth - 1) in heap order: a row goes left when its
    value is at most the threshold.  ``leaf`` is (trees, 2**depth).
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float32]
    leaf: NDArray[np.float32]

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[np.generic]], name: str) -> Forest:
        """Take the forest called ``name`` from a model's arrays."""
        return cls(
            arrays[f"{name}.feature"].astype(np.int32),
            arrays[f"{name}.threshold"].astype(np.float32),
            arrays[f"{name}.leaf"].astype(np.float32),
        )

    @classmethod
    def together(cls, forests: Sequence[Forest]) -> Forest:
        """Return the trees of several forests, one after another, for :meth:`predict_each`."""
        return cls(
            np.concatenate([forest.feature for forest in forests]),
            np.concatenate([forest.threshold for forest in forests]),
            np.concatenate([forest.leaf for forest in forests]),
        )

    def arrays(self, name: str) -> dict[str, NDArray[np.generic]]:
        """Return the arrays that :meth:`load` takes."""
        return {
            f"{name}.feature": self.feature.astype(np.uint16),
            f"{name}.threshold": self.threshold,
            f"{name}.leaf": self.leaf,
        }

    def predict(self, rows: Column) -> Column:
        """Return the probability of each row."""
        return self.predict_each(rows, 1)[:, 0]

    def predict_each(self, rows: Column, count: int) -> Column:
        """Return ``count`` probabilities of each row, each by the next share of the trees."""
        parts = [self._sum(rows[i : i + _ROWS], count) for i in range(0, len(rows), _ROWS)]
        total = np.concatenate(parts) if parts else np.zeros((0, count), np.float32)
        return (1 / (1 + np.exp(-total))).astype(np.float32)

    def _sum(self, rows: Column, count: int) -> Column:
        trees, inner = self.feature.shape
        values = np.ascontiguousarray(rows).ravel()
        feature, threshold = self.feature.ravel(), self.threshold.ravel()
        start = np.arange(trees, dtype=np.int32) * inner
        offset = (np.arange(len(rows), dtype=np.int32) * rows.shape[1])[:, None]
        node = np.broadcast_to(start, (len(rows), trees)).copy()
        for _ in range((inner + 1).bit_length() - 1):
            right = values.take(feature.take(node) + offset) > threshold.take(node)
            node *= 2
            node -= start - 1
            node += right
        # What is left of the heap's numbering is the leaf's number within its tree.
        node += np.arange(trees, dtype=np.int32) - inner
        leaves = self.leaf.ravel().take(node)
        total: Column = leaves.reshape(len(rows), count, -1).sum(2)
        return total
