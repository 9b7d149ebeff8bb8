"""Neural networks that judge a page's segments together.

The forests judge segments one by one.  A network sees the same features, exchanges what it makes of
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
#: Rows standardised together, so that a page of any length takes little memory.
_ROWS = 1024


class Groups(NamedTuple):
    """Segments grouped: ``order`` sorts them by group, ``starts`` is where each group begins.

    ``owner`` is the group of each segment, ``shares`` what each counts in its group's mean.
    """

    order: Ints
    starts: Ints
    owner: Ints
    shares: Floats

    @classmethod
    def of(cls, keys: Ints, weights: Floats) -> Groups:
        """Group segments that have the same key."""
        order = np.argsort(keys, kind="stable")
        first = np.concatenate([[True], np.diff(keys[order]) != 0])
        starts = np.flatnonzero(first)
        owner = np.empty(len(keys), np.intp)
        owner[order] = np.cumsum(first) - 1
        total = np.add.reduceat(weights[order], starts)
        shares = (weights / total[owner]).astype(np.float32)
        return cls(order, starts, owner, shares[:, None])

    def mean(self, values: Floats) -> Floats:
        """Return for each segment the mean of its group."""
        summed = np.add.reduceat((values * self.shares)[self.order], self.starts)
        return summed[self.owner]


class Around(NamedTuple):
    """What stands around each segment: its groups, and whether one follows on the same page."""

    groups: tuple[Groups, ...]
    followed: NDArray[np.bool_]

    @classmethod
    def of(cls, keys: Sequence[Ints], sizes: Floats, pages: Ints) -> Around:
        """Group segments by each of ``keys``; ``pages`` numbers the page each stands on."""
        weights = np.sqrt(sizes)
        groups = tuple(Groups.of(each, weights) for each in (*keys, pages))
        return cls(groups, pages[1:] == pages[:-1])

    def parts(self, values: Floats) -> Iterator[Floats]:
        """Yield the values, the means of their groups, those before and those after."""
        yield values
        for groups in self.groups:
            yield groups.mean(values)
        nothing = np.zeros((1, values.shape[1]), values.dtype)
        there = self.followed[:, None]
        yield np.concatenate([nothing, values[:-1] * there])
        yield np.concatenate([values[1:] * there, nothing])

    def gather(self, values: Floats) -> Floats:
        """Return all parts in a row."""
        return np.concatenate(list(self.parts(values)), 1)


@dataclass(frozen=True, slots=True, eq=False)
class Networks:
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

    def predict(self, rows: Floats, around: Around) -> list[Floats]:
        """Return the probability of each row as each network sees it."""
        near: list[list[Floats]] = [[] for _ in self.inner]
        for at in range(0, len(rows), _ROWS):
            seen = standardised(rows[at : at + _ROWS], self.mean, self.scale)
            for found, inner, bias in zip(near, self.inner, self.inner_bias, strict=True):
                found.append(np.maximum(seen @ inner + bias, 0))
        above = zip(near, self.outer, self.outer_bias, self.last, strict=True)
        return [_outer(np.concatenate(found), around, *each) for found, *each in above]

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> Networks:
        """Take the networks called ``name`` from a model's arrays."""
        return cls(*(arrays[f"{name}.{each.name}"].astype(np.float32) for each in fields(cls)))

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the arrays that :meth:`load` takes; weights keep three digits."""
        whole = {"mean", "scale"}
        return {
            f"{name}.{each.name}": getattr(self, each.name).astype(
                np.float32 if each.name in whole else np.float16
            )
            for each in fields(self)
        }


def _outer(near: Floats, around: Around, outer: Floats, bias: Floats, last: Floats) -> Floats:
    units = near.shape[1]
    total = bias
    for number, part in enumerate(around.parts(near)):
        total = total + part @ outer[number * units : (number + 1) * units]
    odds = near @ last[:units] + np.maximum(total, 0) @ last[units:-1] + last[-1]
    chance: Floats = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    return chance


def standardised(rows: Floats, mean: Floats, scale: Floats) -> Floats:
    """Return what the first layer sees."""
    return np.clip((squashed(rows) - mean) / scale, -_EXTREME, _EXTREME)


def squashed(rows: Floats) -> Floats:
    """Return features with large values brought nearer."""
    return np.sign(rows) * np.log1p(np.abs(rows))
