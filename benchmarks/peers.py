"""Measure other extractors beside ours.

Our default, each paper's method, and the installed extractors of others (`pip install --group
bench`) are scored on the same pages, by the same measures, in one process.  The others run with
their default settings on what a program would pass: the page's bytes or text, and its address.

`make bench` also measures our default out of fold, as in :mod:`.out_of_fold`.  The shipped model
was trained on these pages, so only the figure out of fold can be compared with those of others.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator

from printer.extraction import EXTRACTORS

from .corpus import TRAINING_SETS, Sample, require_corpus, samples
from .extractors import PEERS, Answer, Extractor, Readability, load_installed
from .out_of_fold import composing, saved_choices
from .protocol import Effort, Row, run_alone
from .text_quality import Figures, Found, measure, webprint_extractor

#: The figures to report, and their names in the report.
COLUMNS = {
    "wcxb.f1": "all", "wcxb.article": "article", "wcxb.documentation": "documentation",
    "wcxb.forum": "forum", "wcxb.service": "service", "wcxb.product": "product",
    "wcxb.listing": "listing", "wcxb.collection": "collection",
    "wcxb.required": "required snippets", "wcxb.forbidden": "forbidden",
    "paragraphs.precision": "paragraphs P", "paragraphs.recall": "paragraphs R",
    "traf.f1": "traf F1", "moz.f1": "moz F1", "wcxb.title": "titles", "ms.mean": "time",
}  # fmt: skip

#: The goals of ours, out of fold; it should also be better than every other.
GOALS = {
    "wcxb.f1": 0.885, "wcxb.article": 0.957, "wcxb.required": 0.88, "paragraphs.precision": 0.93,
    "paragraphs.recall": 0.95, "traf.f1": 0.945, "moz.f1": 0.97, "wcxb.title": 0.9,
}  # fmt: skip
READABILITY = "@mozilla/readability"
OUT_OF_FOLD = "default, the article, out of fold"


def rows(effort: Effort) -> Iterator[Row]:
    """Yield the figures for the runner: all methods, other extractors, the default out of fold."""
    require_corpus()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    best: Figures = {}
    for name in (*EXTRACTORS, *PEERS):
        if (extractor := _extractor(name)) is None:
            yield Row(name, "all", note="not measured: not installed")
            continue
        label, extract = extractor
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
            yield Row(OUT_OF_FOLD, "all", note="not measured: it takes half an hour, or"
                      " CHOICES=FILE that `python -m benchmarks.train --report --save FILE`"
                      " left")  # fmt: skip
        else:
            guarded = _Guarded(composing(choices))
            figures = measure(guarded, _pages(effort.step))
            figures.pop("ms.mean")
            yield from _rows(OUT_OF_FOLD, figures, best, guarded.calls)
            if guarded.failed:
                reason = "whose choice was made for other segments: train anew"
                yield Row(OUT_OF_FOLD, "pages failed", guarded.failed, note=reason)


def _rows(label: str, figures: Figures, best: Figures, pages: int) -> Iterator[Row]:
    for column, title in COLUMNS.items():
        if column in figures:
            aimed = best and column in GOALS
            goal = f"≥ {max(GOALS[column], best.get(column, 0)):.3f}" if aimed else ""
            unit = "ms" if column == "ms.mean" else ""
            yield Row(label, title, float(figures[column]), unit, pages, goal=goal)


def _pages(step: int) -> Iterator[Sample]:
    return (s for name in TRAINING_SETS for n, s in enumerate(samples(name)) if n % step == 0)


def _extractor(name: str) -> tuple[str, Extractor] | None:
    """Return an extractor with its name and version, or None if it is not installed."""
    if name in EXTRACTORS:
        label = f"{name}, pages it learned from" if name == "default" else name
        return label, webprint_extractor(name)
    return load_installed(name)


class _Guarded:
    """Calls an extractor; if it fails on a page, the answer is empty and the failure counted."""

    def __init__(self, extract: Extractor) -> None:
        self.extract = extract
        self.failed = self.calls = 0

    def close(self) -> None:
        """Close the extractor, and end the process it runs in."""
        if isinstance(self.extract, Readability):
            self.extract.close()

    def __call__(self, sample: Sample) -> Found:
        self.calls += 1
        try:
            return self.extract(sample)
        except Exception:  # noqa: BLE001 - whatever a stranger's library raises on a stranger's page
            self.failed += 1
            return Answer("", "")


if __name__ == "__main__":
    run_alone(rows)
