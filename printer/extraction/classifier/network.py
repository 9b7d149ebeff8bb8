"""Neural networks that judge a page's segments together.

The forest judges segments one by one.  A network sees the same features, exchanges what it makes of
them among the segments of one element, of one look and of the whole page, and was trained for the
page's F1 over words besides: whole lists and boxes go or stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.intp]

#: Standardised features are cut at so many standard deviations.
_EXTREME = 4.0
#: Products of so many multiplications are made by one thread.
_ONE_THREAD = 200_000
#: Rows standardised together, so that a page of any length takes little memory.
_ROWS = 1024


class SegmentGroups(NamedTuple):
    """Segments grouped: ``order`` sorts them by group, ``starts`` is where each group begins.

    ``owner`` is the group of each segment, ``shares`` what each counts in its group's mean.
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
        shares = (weights / total[owner]).astype(np.float32)
        return cls(order, starts, owner, shares[:, None])

    def means(self, values: Floats) -> Floats:
        """Return the mean of each group."""
        means: Floats = np.add.reduceat((values * self.weights)[self.order], self.starts)
        return means


class SegmentGraph(NamedTuple):
    """What stands around each segment: its groups, and whether one follows on the same page."""

    groups: tuple[SegmentGroups, ...]
    has_next: NDArray[np.bool_]

    @classmethod
    def build(
        cls, keys: Sequence[Ints], sizes: Floats, likely: Floats, pages: Ints
    ) -> SegmentGraph:
        """Group segments by each of ``keys``; ``pages`` numbers the page each stands on.

        A page is a group twice: once its segments count as ``likely`` as they look to be the
        article's, so that each can be compared with that.
        """
        weights = np.sqrt(sizes)
        groups = [SegmentGroups.by_key(each, weights) for each in (*keys, pages)]
        groups.append(SegmentGroups.by_key(pages, weights * likely))
        return cls(tuple(groups), pages[1:] == pages[:-1])

    def messages(self, values: Floats) -> Iterator[tuple[Floats, Ints | None]]:
        """Yield the values, the means of their groups, those before and those after.

        With them comes which row each segment sees; None: there is one for each.
        """
        yield values, None
        for groups in self.groups:
            yield groups.means(values), groups.owner
        nothing = np.zeros((1, values.shape[1]), values.dtype)
        there = self.has_next[:, None]
        yield np.concatenate([nothing, values[:-1] * there]), None
        yield np.concatenate([values[1:] * there, nothing]), None

    def gather_messages(self, values: Floats) -> Floats:
        """Return all parts in a row."""
        rows = [part if owner is None else part[owner] for part, owner in self.messages(values)]
        return np.concatenate(rows, 1)


@dataclass(frozen=True, slots=True, eq=False)
class NetworkEnsemble:
    """Several networks of two layers, the groups exchanged between these.

    ``mean`` and ``scale`` standardise features that :func:`squashed` has made less extreme.  Of
    the other arrays each network has its own row: ``inner`` (features, units), ``outer`` (what
    :meth:`Around.gather` returns, units), ``last`` (units of both layers, then 1).
    """

    mean: Floats
    scale: Floats
    inner: Floats
    inner_bias: Floats
    outer: Floats
    outer_bias: Floats
    last: Floats

    def predict(self, rows: Floats, around: SegmentGraph) -> list[Floats]:
        """Return the probability of each row as each network sees it."""
        inner, bias = np.concatenate(self.inner, 1), np.concatenate(self.inner_bias)
        near = [
            np.maximum(
                blocked_matmul(standardise(rows[at : at + _ROWS], self.mean, self.scale), inner)
                + bias,
                0,
            )
            for at in range(0, len(rows), _ROWS)
        ]
        return self._outer(np.concatenate(near), around)

    def _outer(self, near: Floats, around: SegmentGraph) -> list[Floats]:
        """Return the probabilities; ``near`` has the networks' inner units side by side."""
        count, units = self.inner_bias.shape
        own = [slice(at * units, (at + 1) * units) for at in range(count)]
        totals = [np.broadcast_to(bias, (len(near), units)).copy() for bias in self.outer_bias]
        for number, (part, owner) in enumerate(around.messages(near)):
            for total, weights, mine in zip(totals, self.outer, own, strict=True):
                made = blocked_matmul(part[:, mine], weights[number * units : (number + 1) * units])
                total += made if owner is None else made[owner]
        chances: list[Floats] = []
        for total, last, mine in zip(totals, self.last, own, strict=True):
            odds = (near[:, mine] * last[:units]).sum(1) + last[-1]
            odds += (np.maximum(total, 0) * last[units:-1]).sum(1)
            chances.append(1 / (1 + np.exp(-np.clip(odds, -30, 30))))
        return chances

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> NetworkEnsemble:
        """Take the networks called ``name`` from a model's arrays."""
        return cls(*(arrays[f"{name}.{each.name}"].astype(np.float32) for each in fields(cls)))

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the arrays that :meth:`load` takes; weights keep three digits."""
        whole = {"mean", "scale"}
        return {
            f"{name}.{each.name}": getattr(self, each.name).astype(
                np.float32 if each.name in whole else np.float16
            )
            for each in fields(self)
        }


def blocked_matmul(left: Floats, right: Floats) -> Floats:
    """Return the matrix product, made of pieces so small that one thread makes each.

    Waking others for products of this size costs more than it saves, ten times so on a busy
    machine.
    """
    step = max(1, _ONE_THREAD // right.size)
    return np.concatenate([left[at : at + step] @ right for at in range(0, len(left), step)])


def standardise(rows: Floats, mean: Floats, scale: Floats) -> Floats:
    """Return what the first layer sees."""
    return np.clip((log_compress(rows) - mean) / scale, -_EXTREME, _EXTREME)


def log_compress(rows: Floats) -> Floats:
    """Return features with large values brought nearer."""
    return np.sign(rows) * np.log1p(np.abs(rows))
