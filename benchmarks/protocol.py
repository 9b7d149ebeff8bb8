"""What benchmarks and their runner have to say to each other.

A benchmark is a module with a function ``rows(effort)`` that yields a :class:`Row` for everything
it measured, as soon as it did.  What it cannot measure it says: by a row with a ``note`` in place
of a value, or for all of it by raising :class:`Unavailable`.
"""

from __future__ import annotations

import operator
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

FLOORS = Path(__file__).with_name("floors.toml")

_SIGNS: Mapping[str, Callable[[float, float], bool]] = {"≤": operator.le, "≥": operator.ge}
_T = TypeVar("_T")


class Unavailable(Exception):
    """What a benchmark needs is not on this machine; the message says what."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of one subject.

    ``ratio`` is ours by the other's, less is better.  ``goal`` is ``≤ 0.5`` or ``≥ 0.9``, of the
    ratio where there is one, else of the value.  A ``pinned`` goal is a floor of floors.toml: a
    quick run fails under it.  ``n`` is how many pages, pairs or runs are behind the figure.
    """

    subject: str
    figure: str
    value: float | None = None
    unit: str = ""
    n: int | None = None
    ratio: float | None = None
    goal: str = ""
    pinned: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None where there is none, or nothing was measured."""
        reached = self.value if self.ratio is None else self.ratio
        if not self.goal or reached is None:
            return None
        sign, _, wanted = self.goal.partition(" ")
        return _SIGNS[sign](reached, float(wanted))

    def to_dict(self) -> dict[str, Any]:
        """Return what says something, for JSON."""
        empty = asdict(Row(self.subject, self.figure))
        return {
            key: value
            for key, value in asdict(self).items()
            if key in ("subject", "figure") or value != empty[key]
        }


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured: all of it, what a budget of minutes allows, or a quick sample."""

    quick: bool = False
    short: bool = False
    #: Of the corpus every so many-th page.
    step: int = 1
    #: What `benchmarks.train --save` kept; see :mod:`.out_of_fold`.
    choices: str = ""

    def of(self, whole: _T, short: _T, quick: _T) -> _T:
        """Return what belongs to the effort."""
        return quick if self.quick else short if self.short else whole


@cache
def floors(table: str) -> Mapping[str, float]:
    """Return a table of floors.toml."""
    found: dict[str, float] = tomllib.loads(FLOORS.read_text()).get(table, {})
    return found
