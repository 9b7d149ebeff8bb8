"""Measure other extractors beside ours.

    python -m benchmarks.peers [--step N] [--out FILE] [NAME ...]

Our default, each paper's method, and the installed extractors of others (`pip install --group
bench`) are scored on the same pages, by the same measures, in one process.  The others run with
their default settings on what a program would pass: the page's bytes or text, and its address.

`make bench` also measures our default out of fold, as in :mod:`.out_of_fold`.  The shipped model
was trained on these pages, so only the figure out of fold can be compared with those of others.
"""

from __future__ import annotations

import argparse
import logging
import warnings
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from pathlib import Path

from printer.extraction import EXTRACTORS

from .corpus import TRAINING_SETS, Sample, samples, there
from .extractors import PEERS, Answer, Extractor, Readability, version_of
from .out_of_fold import composing, saved_choices
from .protocol import Effort, Row, Unavailable
from .text_quality import Figures, Found, measure, ours

#: The columns of the table: names of figures, and their headings.
COLUMNS = {
    "wcxb.f1": "WCXB", "wcxb.article": "article", "wcxb.documentation": "documentation",
    "wcxb.forum": "forum", "wcxb.service": "service", "wcxb.product": "product",
    "wcxb.listing": "listing", "wcxb.collection": "collection", "wcxb.required": "required",
    "wcxb.forbidden": "forbidden", "paragraphs.precision": "paragraphs P",
    "paragraphs.recall": "paragraphs R", "traf.f1": "traf", "moz.f1": "moz", "wcxb.title": "titles",
    "ms.mean": "ms a page",
}  # fmt: skip


#: The goals of ours, out of fold; it should also be better than every other.
GOALS = {
    "wcxb.f1": 0.885, "wcxb.article": 0.957, "wcxb.required": 0.88, "paragraphs.precision": 0.93,
    "paragraphs.recall": 0.95, "traf.f1": 0.945, "moz.f1": 0.97, "wcxb.title": 0.9,
}  # fmt: skip
#: The long names of the columns.
_LONG_NAMES = {
    "wcxb.f1": "all", "wcxb.required": "required snippets", "wcxb.forbidden": "forbidden",
    "traf.f1": "traf F1", "moz.f1": "moz F1", "ms.mean": "time",
}  # fmt: skip
READABILITY = "@mozilla/readability"
OURS = "default, the article, out of fold"


def rows(effort: Effort) -> Iterator[Row]:
    """Yield the figures for the runner: all methods, other extractors, the default out of fold."""
    if not there():
        raise Unavailable("not measured: the corpus is not available")
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    best: Figures = {}
    for name in (*EXTRACTORS, *PEERS):
        if (found := _extractor(name)) is None:
            yield Row(name, "all", note="not measured: not installed")
            continue
        label, extract = found
        guarded = _Guarded(extract)
        figures = measure(guarded, _pages(effort.step))
        if name in PEERS:
            # The answers of this set are Readability's own.
            rival = {k: v for k, v in figures.items() if (name, k) != (READABILITY, "moz.f1")}
            best |= {key: max(value, best.get(key, 0)) for key, value in rival.items()}
        if name == READABILITY:
            figures.pop("ms.mean")
        yield from _rows(label, figures, {}, guarded.calls)
        if guarded.failed:
            yield Row(label, "pages failed", guarded.failed, note="which count as empty")
        guarded.close()
    with saved_choices(effort) as choices:
        if choices is None:
            yield Row(OURS, "all", note="not measured: it takes half an hour, or CHOICES=FILE"
                      " that `python -m benchmarks.train --report --save FILE` left")  # fmt: skip
        else:
            guarded = _Guarded(composing(choices))
            figures = measure(guarded, _pages(effort.step))
            figures.pop("ms.mean")
            yield from _rows(OURS, figures, best, guarded.calls)
            if guarded.failed:
                reason = "whose choice was made for other segments: train anew"
                yield Row(OURS, "pages failed", guarded.failed, note=reason)


def _rows(label: str, figures: Figures, best: Figures, pages: int) -> Iterator[Row]:
    for column, title in COLUMNS.items():
        if column in figures:
            aimed = best and column in GOALS
            goal = f"≥ {max(GOALS[column], best.get(column, 0)):.3f}" if aimed else ""
            unit = "ms" if column == "ms.mean" else ""
            yield Row(
                label,
                _LONG_NAMES.get(column, title),
                float(figures[column]),
                unit,
                pages,
                goal=goal,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description="measure other extractors beside ours")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="the extractors to measure (default: all)"
    )
    parser.add_argument("--step", type=int, default=1, metavar="N", help="read one page in N")
    parser.add_argument("--out", type=Path, help="write the table to this file as well")
    chosen = parser.parse_args()
    if not there():
        print("the corpus is not available, so nothing was measured: see docs/model-card.md")
        return
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    rows = []
    for name in chosen.names or (*EXTRACTORS, *PEERS):
        if (found := _extractor(name)) is None:
            print(f"{name} is not installed, so not measured: pip install --group bench")
            continue
        label, extract = found
        guarded = _Guarded(extract)
        rows.append(_row(label, measure(guarded, _pages(chosen.step))))
        print(rows[-1], flush=True)
        if guarded.failed:
            print(f"{name} failed on {guarded.failed} pages, which count as empty")
        guarded.close()
    table = "\n".join([_row("extractor"), "|---" * (len(COLUMNS) + 1) + "|", *rows])
    print(f"\n{table}\n\nThe default was trained on these pages: see benchmarks.train.")
    if chosen.out:
        chosen.out.write_text(table + "\n")


def _pages(step: int) -> Iterator[Sample]:
    return (s for name in TRAINING_SETS for n, s in enumerate(samples(name)) if n % step == 0)


def _extractor(name: str) -> tuple[str, Extractor] | None:
    """Return an extractor with its name and version, or None if it is not installed."""
    if name in EXTRACTORS:
        return (f"{name}, pages it learned from" if name == "default" else name), ours(name)
    try:
        return f"{name} {version_of(name)}", PEERS[name]()
    except (ImportError, PackageNotFoundError, Unavailable, FileNotFoundError):
        return None


class _Guarded:
    """Calls an extractor; if it fails on a page, the answer is empty and the failure counted."""

    def __init__(self, extract: Extractor) -> None:
        self.extract = extract
        self.failed = self.calls = 0

    def close(self) -> None:
        """Close the extractor, and end the process it runs in."""
        if isinstance(self.extract, Readability):
            self.extract.__exit__(None, None, None)

    def __call__(self, sample: Sample) -> Found:
        self.calls += 1
        try:
            return self.extract(sample)
        except Exception:  # noqa: BLE001 - whatever a stranger's library raises on a stranger's page
            self.failed += 1
            return Answer("", "")


def _row(name: str, figures: Figures | None = None) -> str:
    if figures is None:
        cells = list(COLUMNS.values())
    else:
        cells = [_cell(column, figures.get(column)) for column in COLUMNS]
    return f"| {name} | {' | '.join(cells)} |"


def _cell(column: str, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}" if column == "ms.mean" else f"{value:.3f}".removeprefix("0")


if __name__ == "__main__":
    main()
