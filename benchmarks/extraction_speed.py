"""Time extraction, in milliseconds a page.

`printer.extract` and the installed peers (`pip install --group bench`, and `npm install` in
benchmarks/node) extract every page, warm, from its bytes to its article, in an order that changes
from page to page; processor time is measured.  The pages are those of the corpus and those of
tests/pages, which are always available, and so short that the least of five rounds counts.  Parsing
alone is timed too, with lxml.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import mean, median

os.environ.setdefault("OMP_NUM_THREADS", "1")

from lxml.html import document_fromstring

from .corpus import Sample, is_available, samples
from .extractors import PEERS, Answer, Extractor, HtmlAnswer, Readability, load_installed
from .protocol import Effort, Row, run_alone
from .text_quality import webprint_extractor

PAGES = Path(__file__).resolve().parents[1] / "tests" / "pages"

#: The goals: milliseconds for ours, and its ratio to trafilatura's time.
GOALS = {"webprint": "≤ 12", "trafilatura": "≤ 0.5"}
NEWS_GOALS = {"trafilatura": "≤ 0.75"}
#: The pages that each extractor reads before timing begins.
_WARMING = 5
#: The pages of the tests are few and parsed in 0.3 ms: one pause would change the mean twofold.
_ROUNDS_OF_TEST_PAGES = 5
PARSING = "lxml, parsing alone"


def best_times(pages: Sequence[Sample], run: dict[str, Extractor]) -> dict[str, list[float]]:
    """Return the milliseconds that each extractor takes for each page, the least of all rounds."""
    rounds = [time_extractors(pages, run) for _ in range(_ROUNDS_OF_TEST_PAGES)]
    return {name: [min(t) for t in zip(*(r[name] for r in rounds), strict=True)] for name in run}


def time_extractors(pages: Sequence[Sample], run: dict[str, Extractor]) -> dict[str, list[float]]:
    """Return the milliseconds that each extractor takes for each page."""
    names = list(run)
    milliseconds: dict[str, list[float]] = {name: [] for name in names}
    for sample in pages[:_WARMING]:
        for name in names:
            run[name](sample)
    for turn, sample in enumerate(pages):
        for name in (*names[turn % len(names) :], *names[: turn % len(names)]):
            extract = run[name]
            start = time.process_time()
            answer = extract(sample)
            elapsed = 1000 * (time.process_time() - start)
            # Node runs in another process and reports its own time.
            in_node = isinstance(answer, HtmlAnswer) and answer.milliseconds
            milliseconds[name].append(in_node or elapsed)
    return milliseconds


def extractors(stack: ExitStack) -> tuple[dict[str, Extractor], list[str]]:
    """Return the extractors that can be timed here, and the names of the others."""
    run: dict[str, Extractor] = {"webprint": webprint_extractor("default"), PARSING: _parsed}
    missing = []
    for name in PEERS:
        if (peer := load_installed(name)) is None:
            missing.append(name)
            continue
        label, extract = peer
        if isinstance(extract, Readability):
            stack.enter_context(extract)
        run[label] = extract
    return run, missing


def _parsed(sample: Sample) -> Answer:
    return Answer("".join(map(str, document_fromstring(sample.html).itertext())))


def test_pages() -> list[Sample]:
    """Return the pages of the tests."""
    return [
        Sample("own", file.parent.name, "", "article", file.read_bytes())
        for file in sorted(PAGES.glob("*/source.html"))
    ]


def rows(effort: Effort) -> Iterator[Row]:
    logging.disable()
    with ExitStack() as stack:
        run, missing = extractors(stack)
        yield from _rows("our own pages", best_times(test_pages(), run), {})
        if is_available():
            every = list(samples("wcxb"))
            yield from _rows("WCXB", time_extractors(every[:: effort.of(5, 10, 75)], run), GOALS)
            news = list(samples("fundus"))
            yield from _rows("news", time_extractors(news[:: effort.of(1, 2, 15)], run), NEWS_GOALS)
    if not is_available():
        for of in ("WCXB", "news"):
            yield Row(
                "all", f"mean time a page, {of}", note="not measured: the corpus is not available"
            )
    for name in missing:
        yield Row(name, "mean time a page", note="not measured: not installed")


def _rows(
    of: str, times_by_name: Mapping[str, Sequence[float]], goals: Mapping[str, str]
) -> Iterator[Row]:
    for name, times in times_by_name.items():
        goal_of_mean = goals.get(name.partition(" ")[0], "")
        # A few slow pages dominate a mean, so the ratio is given for both.
        for kind, average in (("mean", mean), ("median", median)):
            value = average(times)
            ratio = None if name == "webprint" else average(times_by_name["webprint"]) / value
            goal = goal_of_mean if kind == "mean" or ratio else ""
            yield Row(name, f"{kind} time a page, {of}", value, "ms", len(times), ratio, goal)


if __name__ == "__main__":
    run_alone(rows)
