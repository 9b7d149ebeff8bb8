"""Neural networks that score a page's segments together.

The boosted trees score segments one by one.  A network has the same features, passes messages among
the segments of one element, of similar elements and of the whole page, and was also trained for the
page's F1 over words, so that lists and boxes are selected or dropped as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.intp]

#: The standard deviations at which standardized features are clipped.
_MAX_DEVIATIONS = 4.0
#: The largest product, in multiplications, that BLAS computes in one thread.
_ONE_THREAD = 200_000
#: The rows standardized at a time, to limit the memory for long pages.
_BATCH_ROWS = 1024


class SegmentGroups(NamedTuple):
    """A partition of segments.

    ``order`` has the segments sorted by group, ``starts`` the start of each group in it, ``owner``
    the group of each segment, ``weights`` its weight in the group's mean, as a column.
    """

    order: Ints
    starts: Ints
    owner: Ints
    weights: Floats

    @classmethod
    def by_key(cls, keys: Ints, weights: Floats) -> SegmentGroups:
        """Group segments that have the same key."""
        order = np.argsort(keys, kind="stable")
        first = np.concatenate([[True], np.diff(keys[order]) != 0])
        starts = np.flatnonzero(first)
        owner = np.empty(len(keys), np.intp)
        owner[order] = np.cumsum(first) - 1
        total = np.add.reduceat(weights[order], starts)
        normalized = (weights / total[owner]).astype(np.float32)
        return cls(order, starts, owner, normalized[:, None])

    def means(self, values: Floats) -> Floats:
        means: Floats = np.add.reduceat((values * self.weights)[self.order], self.starts)
        return means


class SegmentGraph(NamedTuple):
    """The neighbors of segments: their groups, and whether each has a successor on its page."""

    groups: tuple[SegmentGroups, ...]
    has_next: NDArray[np.bool_]

    @classmethod
    def build(
        cls, keys: Sequence[Ints], sizes: Floats, likely: Floats, pages: Ints
    ) -> SegmentGraph:
        """Group segments by each of ``keys``, and by page; ``sizes`` are their words.

        Each page forms two groups: in one of them its segments are weighted by their first score,
        so that each segment can be compared with the likely article.
        """
        weights = np.sqrt(sizes)
        groups = [SegmentGroups.by_key(key, weights) for key in (*keys, pages)]
        groups.append(SegmentGroups.by_key(pages, weights * likely))
        return cls(tuple(groups), pages[1:] == pages[:-1])

    def messages(self, values: Floats) -> Iterator[tuple[Floats, Ints | None]]:
        """Yield the values, the means of their groups, the previous and the next values.

        With each comes the row that every segment reads, None if it reads its own.
        """
        yield values, None
        for groups in self.groups:
            yield groups.means(values), groups.owner
        zeros = np.zeros((1, values.shape[1]), values.dtype)
        has_next = self.has_next[:, None]
        yield np.concatenate([zeros, values[:-1] * has_next]), None
        yield np.concatenate([values[1:] * has_next, zeros]), None


@dataclass(frozen=True, slots=True, eq=False)
class NetworkEnsemble:
    """Several networks of two layers with one round of message passing between them.

    ``mean`` and ``scale`` standardize features that :func:`log_compress` has made less extreme.
    ``inner`` is the first layer, (networks, features, units), ``outer`` the second, (networks,
    columns of the messages, units); ``last`` has the weights of the units of both, then the bias.
    """

    mean: Floats
    scale: Floats
    inner: Floats
    inner_bias: Floats
    outer: Floats
    outer_bias: Floats
    last: Floats

    def predict(self, rows: Floats, graph: SegmentGraph) -> list[Floats]:
        weights, bias = np.concatenate(self.inner, 1), np.concatenate(self.inner_bias)
        batches = [rows[start : start + _BATCH_ROWS] for start in range(0, len(rows), _BATCH_ROWS)]
        hidden = [
            np.maximum(blocked_matmul(standardize(batch, self.mean, self.scale), weights) + bias, 0)
            for batch in batches
        ]
        return self._second_layer(np.concatenate(hidden), graph)

    def _second_layer(self, hidden: Floats, graph: SegmentGraph) -> list[Floats]:
        """Return the probabilities; ``hidden`` has the networks' first layers side by side."""
        count, units = self.inner_bias.shape
        columns = [slice(i * units, (i + 1) * units) for i in range(count)]
        totals = [np.broadcast_to(bias, (len(hidden), units)).copy() for bias in self.outer_bias]
        for number, (part, owner) in enumerate(graph.messages(hidden)):
            used = slice(number * units, (number + 1) * units)
            for total, weights, column in zip(totals, self.outer, columns, strict=True):
                product = blocked_matmul(part[:, column], weights[used])
                total += product if owner is None else product[owner]
        probabilities: list[Floats] = []
        for total, last, column in zip(totals, self.last, columns, strict=True):
            odds = (hidden[:, column] * last[:units]).sum(1) + last[-1]
            odds += (np.maximum(total, 0) * last[units:-1]).sum(1)
            probabilities.append(1 / (1 + np.exp(-np.clip(odds, -30, 30))))
        return probabilities

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> NetworkEnsemble:
        """Read the networks called ``name`` from a model's arrays."""
        return cls(*(arrays[f"{name}.{field.name}"].astype(np.float32) for field in fields(cls)))


def blocked_matmul(left: Floats, right: Floats) -> Floats:
    """Return the matrix product, in blocks so small that BLAS starts no threads."""
    step = max(1, _ONE_THREAD // right.size)
    return np.concatenate(
        [left[start : start + step] @ right for start in range(0, len(left), step)]
    )


def standardize(rows: Floats, mean: Floats, scale: Floats) -> Floats:
    """Return the input of the first layer."""
    return np.clip((log_compress(rows) - mean) / scale, -_MAX_DEVIATIONS, _MAX_DEVIATIONS)


def log_compress(rows: Floats) -> Floats:
    """Return the logarithms of the features' magnitudes, with their signs."""
    return np.sign(rows) * np.log1p(np.abs(rows))
