"""Compare a run with the floors and with the recorded results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .protocol import Row
from .report import Results, rows_of
from .runner import Outcome

#: The factor by which a ratio may exceed the recorded one: a busy machine can cause smaller ones.
WORSE = 2.0


def complaints(outcomes: Iterable[Outcome], recorded: Results | None) -> Iterator[str]:
    """Yield the failures: benchmarks that failed, figures below floors, ratios twice as bad."""
    for outcome in outcomes:
        name = outcome.benchmark.name
        if outcome.failed:
            yield f"{name} failed: {outcome.trouble}"
        before = _ratios(recorded, name)
        for row in outcome.rows:
            if row.pinned and row.met is False:
                row_name = f"{row.subject}: {row.figure}"
                yield f"{name}: {row_name} is {row.value}, but must be {row.goal}"
            was = before.get((row.subject, row.figure))
            if row.ratio is not None and was is not None and row.ratio > WORSE * was:
                yield (f"{name}: {row.subject}: {row.figure} has a ratio of {row.ratio:.2f}, more"
                       f" than twice the {was:.2f} recorded")  # fmt: skip


def comparison(outcomes: Iterable[Outcome], recorded: Results | None) -> Iterator[str]:
    """Yield each ratio beside the recorded one, and what was left out, with the reason."""
    for outcome in outcomes:
        name = outcome.benchmark.name
        before = _ratios(recorded, name)
        for row in outcome.rows:
            if row.note:
                yield f"{name}: {row.subject}: {row.figure}: {row.note}"
            elif row.ratio is not None:
                was = before.get((row.subject, row.figure))
                beside = "none is recorded" if was is None else f"{was:.2f} recorded"
                yield f"{name}: {row.subject}: {row.figure}: ratio {row.ratio:.2f}, {beside}"
        if outcome.trouble and not outcome.failed:
            yield f"{name}: {outcome.trouble}"


def _ratios(recorded: Results | None, name: str) -> dict[tuple[str, str], float]:
    benchmark = recorded["benchmarks"].get(name) if recorded else None
    rows: list[Row] = rows_of(benchmark) if benchmark else []
    return {(r.subject, r.figure): r.ratio for r in rows if r.ratio is not None}
