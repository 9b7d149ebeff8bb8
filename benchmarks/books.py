"""Measure several articles in one PDF: time, memory and cost, beside a single WeasyPrint document.

The articles are generated and have three pages.  Every print is a new process that starts cold;
its memory is the peak of the process and its children, with shared pages counted once (PSS).  The
single document has the same articles and no table of contents.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from printer.article import Article, Heading, Paragraph, Span
from printer.options import PrintOptions
from printer.output import PreparedPictures
from tests.support.processes import PeakMemory

from .protocol import Effort, Row, run_alone

WORDS = (
    "The river rose in the night, and by morning the lower meadow was under water as far as the "
    "second gate; nobody on the quay had seen it come, and nobody would say later who had left "
    "the sluice as it was. "
)


def article(number: int) -> Article:
    """Make an article of three pages."""
    blocks: list[Paragraph | Heading] = []
    for n in range(12):
        if n % 5 == 0:
            blocks.append(Heading(2, (Span(f"Part {n // 5 + 1} of {number}"),)))
        link = Span("the record", href=f"https://example.org/{number}/{n}")
        blocks.append(Paragraph((Span(f"{n}. " + WORDS * 4), link, Span(" says no more."))))
    url = f"https://example.org/{number}"
    return Article(f"The sluice of {number}", tuple(blocks), url=url, language="en")


def print_bound(count: int) -> int:
    """Print articles as a digest does; return the number of pages."""
    from printer.render.book import render_articles
    from printer.render.context import RenderContext
    from printer.render.worker_pool import MANY_PAGES, RenderPool

    with RenderPool(fork_all=count >= MANY_PAGES) as press:  # as the command line does
        context = RenderContext.of([article(n) for n in range(count)], PrintOptions(title="Week"))
        return render_articles(context, lambda _: PreparedPictures(), press).pages


def print_single(count: int) -> int:
    """Print articles as a single WeasyPrint document."""
    from printer.render.weasy.engine import render_pdf
    from tests.support.documents import render_html

    return render_pdf(render_html([article(n) for n in range(count)], {})).pages


class Run(NamedTuple):
    """The duration of one print in seconds, and its peak memory in megabytes."""

    seconds: float
    memory: float
    pages: int


def measure_run(method: str, count: int) -> Run:
    """Print in a new process and measure it."""
    start = time.perf_counter()
    code = f"from benchmarks import books; print(books.print_{method}({count}))"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as process:
        memory = PeakMemory(process.pid)
        output, _ = process.communicate()
        peak_memory = memory.stop()
    if process.returncode:
        raise SystemExit(process.returncode)
    return Run(time.perf_counter() - start, peak_memory, int(output))


#: Memory goals, in megabytes over all processes, by number of articles.
MAX_MEMORY = {100: "≤ 400", 1000: "≤ 600"}

#: The most articles to print as a single document too; more would take too long.
SINGLE = 100


def by_turns(count: int, runs: int) -> dict[str, list[Run]]:
    """Print ``count`` articles both ways, alternately."""
    methods = ["bound", "single"] if count <= SINGLE else ["bound"]
    runs_by_method: dict[str, list[Run]] = {method: [] for method in methods}
    for _ in range(runs):
        for method in methods:
            runs_by_method[method].append(measure_run(method, count))
    return runs_by_method


def rows(effort: Effort) -> Iterator[Row]:
    cost = {}
    for count in effort.of((1, 10, 100, 1000), (1, 10, 100), (10,)):
        runs = 1 if count >= 1000 else effort.of(3, 3 if count <= 10 else 2, 1)
        runs_by_method = by_turns(count, runs)
        cost[count] = statistics.median(run.seconds for run in runs_by_method["bound"]) / count
        for method, method_runs in runs_by_method.items():
            subject = f"{count} articles, {METHOD_NAMES[method]}"
            seconds = statistics.median(run.seconds for run in method_runs)
            ratio = None
            if method == "bound" and "single" in runs_by_method:
                pairs = zip(method_runs, runs_by_method["single"], strict=True)
                ratio = statistics.median(bound.seconds / single.seconds for bound, single in pairs)
            goal = "≤ 0.625" if ratio is not None and count == 100 else ""
            yield Row(subject, "time", seconds, "s", runs, ratio, goal)
            yield Row(subject, "time an article", seconds / count, "s", runs)
            peak_memory = max(run.memory for run in method_runs)
            goal = MAX_MEMORY.get(count, "") if method == "bound" else ""
            yield Row(subject, "peak memory", peak_memory, "MB", runs, goal=goal)
            yield Row(subject, "pages", method_runs[0].pages)
    if 10 in cost and len(cost) > 1:
        largest = max(cost)
        yield Row(f"{largest} articles beside 10", "cost an article", cost[largest] / cost[10],
                  "times", goal="≤ 1.2")  # fmt: skip
    if not effort.quick and 1000 not in cost:
        yield Row(
            "1000 articles, bound",
            "time",
            note="left out to save time; run make bench without BUDGET",
        )


METHOD_NAMES = {"bound": "bound", "single": "one WeasyPrint document"}


if __name__ == "__main__":
    run_alone(rows)
