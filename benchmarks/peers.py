"""Measure others beside us: `python -m benchmarks.peers [--step N] [--out FILE] [NAME ...]`.

The same pages, the same scorers, one process: our default, each paper's method, and the extractors
that others publish, as far as they are installed (`pip install --group bench`).  Each of those runs
with its own defaults and gets what a program would give it: the page's bytes or text, its address.

The model that the package ships was trained on these pages: the default's line here is no estimate.
The figure to hold against the others' is the one out of fold that `benchmarks.train` prints.
"""

from __future__ import annotations

import argparse
import logging
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from printer.dom.page import read_page
from printer.dom.parse import decode
from printer.extract import EXTRACTORS

from .corpus import Sample, samples, there
from .text_quality import SETS, Figures, Found, measure, ours

#: The columns of the table: a figure's name, what stands above it.
COLUMNS = {
    "wcxb.f1": "WCXB", "wcxb.article": "article", "wcxb.documentation": "documentation",
    "wcxb.forum": "forum", "wcxb.service": "service", "wcxb.product": "product",
    "wcxb.listing": "listing", "wcxb.collection": "collection", "wcxb.required": "required",
    "wcxb.forbidden": "forbidden", "paragraphs.precision": "paragraphs P",
    "paragraphs.recall": "paragraphs R", "traf.f1": "traf", "moz.f1": "moz", "wcxb.title": "titles",
    "ms.mean": "ms a page",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """What another extractor gives; ``title`` is None when it gives no titles."""

    text: str
    title: str | None = None

    @property
    def paragraphs(self) -> Sequence[str]:
        """The text's lines."""
        return [line for line in self.text.splitlines() if line.strip()]


Extractor = Callable[[Sample], Found]


def trafilatura() -> Extractor:
    from trafilatura import bare_extraction

    def extract(sample: Sample) -> Answer:
        found = bare_extraction(sample.html, url=sample.url, with_metadata=True)
        return Answer(found.text or "", found.title or "") if found else Answer("", "")

    return extract


def readability_lxml() -> Extractor:
    from readability import Document

    def extract(sample: Sample) -> Answer:
        document = Document(decode(sample.html), url=sample.url)
        shown = read_page(document.summary(html_partial=True))
        return Answer("\n".join(s.text for s in shown.segments), document.short_title())

    return extract


def resiliparse() -> Extractor:
    from resiliparse.extract.html2text import extract_plain_text

    def extract(sample: Sample) -> Answer:
        html = decode(sample.html)
        text = extract_plain_text(html, main_content=True, list_bullets=False, alt_texts=False)
        return Answer(text)

    return extract


def justext() -> Extractor:
    import justext as library

    words = library.get_stoplist("English")

    def extract(sample: Sample) -> Answer:
        found = library.justext(sample.html, words)
        return Answer("\n".join(each.text for each in found if not each.is_boilerplate))

    return extract


def goose3() -> Extractor:
    from goose3 import Goose

    goose = Goose({"enable_image_fetching": False})

    def extract(sample: Sample) -> Answer:
        found = goose.extract(raw_html=decode(sample.html))
        return Answer(re.sub(r"\n{2,}", "\n", found.cleaned_text or ""), found.title or "")

    return extract


#: By the name under which each is published.
PEERS: Mapping[str, Callable[[], Extractor]] = {
    "trafilatura": trafilatura,
    "readability-lxml": readability_lxml,
    "resiliparse": resiliparse,
    "jusText": justext,
    "goose3": goose3,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="measure other extractors beside ours")
    parser.add_argument("names", nargs="*", metavar="NAME", help="extractors; all when none is")
    parser.add_argument("--step", type=int, default=1, help="read every so many-th page")
    parser.add_argument("--out", type=Path, help="write the table to this file as well")
    chosen = parser.parse_args()
    if not there():
        print("the corpus is not here, so nothing was measured: see docs/model-card.md")
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
    table = "\n".join([_row("extractor"), "|---" * (len(COLUMNS) + 1) + "|", *rows])
    print(f"\n{table}\n\nThe default was trained on these pages: see benchmarks.train.")
    if chosen.out:
        chosen.out.write_text(table + "\n")


def _pages(step: int) -> Iterator[Sample]:
    return (s for each in SETS for n, s in enumerate(samples(each)) if n % step == 0)


def _extractor(name: str) -> tuple[str, Extractor] | None:
    """Return an extractor and what it is called with its version; None when it is not there."""
    if name in EXTRACTORS:
        return (f"{name}, pages it learned from" if name == "default" else name), ours(name)
    try:
        return f"{name} {version(name)}", PEERS[name]()
    except (ImportError, PackageNotFoundError):
        return None


class _Guarded:
    """Calls an extractor; a page on which it fails has an empty answer, and is counted."""

    def __init__(self, extract: Extractor) -> None:
        self.extract = extract
        self.failed = 0

    def __call__(self, sample: Sample) -> Any:
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
