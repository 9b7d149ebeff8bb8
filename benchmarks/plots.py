"""Draw the results as PNG files beside RESULTS.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .protocol import Row
from .report import Results, rows_of

#: The colours of our bars and of the others.
_INK, _PALE = "#1d4e79", "#b9c4cf"


def draw(results: Results, folder: Path) -> list[str]:
    """Draw every plot that has figures, with matplotlib; return their names."""
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for name, plot in PLOTS.items():
        rows_by_benchmark = {key: rows_of(value) for key, value in results["benchmarks"].items()}
        figure = Figure(figsize=(8, 4.2), dpi=110, layout="constrained")
        (folder / f"{name}.png").unlink(missing_ok=True)
        if plot(figure, rows_by_benchmark):
            figure.savefig(folder / f"{name}.png", metadata={"Software": None})
            drawn.append(name)
    return drawn


RowsByBenchmark = Mapping[str, Sequence[Row]]


def _bars(figure: Any, bars: Sequence[tuple[str, float]], title: str, label: str) -> bool:
    """Draw horizontal bars, webprint's in the dark colour."""
    if not bars:
        return False
    axes = figure.subplots()
    names, values = [name for name, _ in bars], [value for _, value in bars]
    colours = [_INK if name.startswith(("webprint", "default")) else _PALE for name in names]
    drawn = axes.barh(names, values, color=colours)
    axes.bar_label(drawn, [f"{value:.3g}" for value in values], padding=3)
    axes.invert_yaxis()
    axes.set_title(title)
    axes.set_xlabel(label)
    axes.margins(x=0.12)
    axes.spines[["top", "right"]].set_visible(False)
    return True


def _honest(rows: Iterable[Row]) -> list[Row]:
    """Leave out rows without a value, and those of models on their own training pages."""
    return [r for r in rows if r.value is not None and "learned from" not in r.subject]


def _text(figure: Any, results: RowsByBenchmark) -> bool:
    rows = _honest(r for r in results.get("peers", ()) if r.figure == "all")
    bars = sorted(((r.subject, r.value or 0.0) for r in rows), key=lambda bar: -bar[1])
    return _bars(figure, bars, "Text of pages of all kinds (WCXB)", "word F1")


def _speed(figure: Any, results: RowsByBenchmark) -> bool:
    rows = [r for r in results.get("extraction_speed", ()) if r.value is not None]
    figure_name = next((f for f in ("mean time a page, WCXB", "mean time a page, our own pages")
                 if any(r.figure == f for r in rows)), "")  # fmt: skip
    bars = [(r.subject, r.value or 0.0) for r in rows if r.figure == figure_name]
    bars.sort(key=lambda bar: bar[1])
    return _bars(figure, bars, "Extraction, processor time a page", "ms")


def _pictures(figure: Any, results: RowsByBenchmark) -> bool:
    rows = _honest(r for r in results.get("picture_quality", ()) if r.figure == "F1")
    bars = [(r.subject, r.value) for r in rows if r.value is not None]
    return _bars(figure, bars, "Pictures that belong", "F1")


def _cold(figure: Any, results: RowsByBenchmark) -> bool:
    rows = [r for r in results.get("cold_start", ()) if r.value is not None]
    bars = [(f"{r.subject}\n{r.figure}", r.value or 0.0) for r in rows]
    return _bars(figure, bars, "From page to PDF", "s, median")


def _digests(figure: Any, results: RowsByBenchmark) -> bool:
    """Draw time per article, and memory, by the number of articles."""
    rows = [r for r in results.get("books", ()) if r.value is not None]
    if not rows:
        return False
    left, right = figure.subplots(1, 2)
    for axes, measure, unit in ((left, "time an article", "s"), (right, "peak memory", "MB")):
        for method, colour in (("one WeasyPrint document", _PALE), ("bound", _INK)):
            some = [(int(r.subject.split()[0]), r.value) for r in rows
                    if r.figure == measure and r.subject.endswith(method)]  # fmt: skip
            axes.plot([x for x, _ in some], [y for _, y in some], "o-", color=colour, label=method)
        axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        axes.set_title(f"Digests: {measure}")
        axes.set_xlabel("articles")
        axes.set_ylabel(unit)
        axes.spines[["top", "right"]].set_visible(False)
    left.legend(frameon=False)
    return True


PLOTS: Mapping[str, Callable[[Any, RowsByBenchmark], bool]] = {
    "text": _text,
    "speed": _speed,
    "pictures": _pictures,
    "page-to-pdf": _cold,
    "digests": _digests,
}
