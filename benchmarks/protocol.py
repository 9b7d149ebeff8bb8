"""The interface between benchmarks and their runner.

A benchmark is a module with a function ``rows(effort)`` that yields a :class:`Row` for each figure
as soon as it is measured.  For what it cannot measure it yields a row with a ``note`` instead of a
value, or raises :class:`Unavailable` if it cannot run at all.
"""

from __future__ import annotations

import argparse
import operator
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeVar

FLOORS = Path(__file__).with_name("floors.toml")

_SIGNS: Mapping[str, Callable[[float, float], bool]] = {"≤": operator.le, "≥": operator.ge}
_T = TypeVar("_T")


class Unavailable(Exception):
    """Something that a benchmark needs is missing on this machine; the message says what."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of one subject.

    ``ratio`` is ours divided by the other's; less is better.  ``goal``, such as ``≤ 0.5`` or
    ``≥ 0.9``, applies to the ratio if there is one, else to the value.  A ``pinned`` goal is a
    floor of floors.toml, below which a quick run fails.  ``n`` is the number of pages, pairs or
    runs that were measured.
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
        """Whether the goal is reached; None without a goal or a measurement."""
        reached = self.value if self.ratio is None else self.ratio
        if not self.goal or reached is None:
            return None
        sign, _, threshold = self.goal.partition(" ")
        return _SIGNS[sign](reached, float(threshold))

    def __str__(self) -> str:
        details = [
            "" if self.value is None else f"{self.value:.4g} {self.unit}".strip(),
            "" if self.n is None else f"n {self.n}",
            "" if self.ratio is None else f"ratio {self.ratio:.3g}",
            self.goal and f"goal {self.goal}{' MISSED' if self.met is False else ''}",
            self.note,
        ]
        return f"{self.subject}: {self.figure}: {', '.join(filter(None, details))}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that are not empty, for JSON."""
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
    #: Read one page of the corpus in ``step``.
    step: int = 1
    #: The file written by `benchmarks.train --save`; see :mod:`.out_of_fold`.
    choices: str = ""

    def of(self, full: _T, short: _T, quick: _T) -> _T:
        """Return the argument for this effort."""
        return quick if self.quick else short if self.short else full


class Pairs(NamedTuple):
    """The seconds of alternating runs of what is tested and of its baseline."""

    tested: list[float]
    baseline: list[float]

    @property
    def ratio(self) -> float:
        """The median of the pairs' ratios."""
        return median(map(operator.truediv, self.tested, self.baseline))


def by_turns(
    tested: Callable[[], float], baseline: Callable[[], float], runs: int, warm_up: int = 1
) -> Pairs:
    """Run both alternately, so that other load affects both alike.

    Each returns the seconds it took; ``warm_up`` runs do not count.
    """
    pairs = [(tested(), baseline()) for _ in range(warm_up + runs)][warm_up:]
    return Pairs(*map(list, zip(*pairs, strict=True)))


@cache
def floors(table: str) -> Mapping[str, float]:
    """Return a table of floors.toml."""
    values: dict[str, float] = tomllib.loads(FLOORS.read_text()).get(table, {})
    return values


def run_alone(rows: Callable[[Effort], Iterator[Row]]) -> None:
    """Run one benchmark as a program, and print its figures as they are measured."""
    title = (sys.modules["__main__"].__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--quick", action="store_true", help="measure a sample")
    parser.add_argument("--short", action="store_true", help="measure less than everything")
    parser.add_argument("--step", type=int, default=1, help="read one page of the corpus in STEP")
    parser.add_argument("--choices", default="", help="the file of `benchmarks.train --save`")
    try:
        for row in rows(Effort(**vars(parser.parse_args()))):
            print(row, flush=True)
    except Unavailable as missing:
        print(missing)
