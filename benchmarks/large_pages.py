"""Measure time and memory on huge pages.

Each page is extracted in a new process, and its peak memory measured, including Python and its
libraries.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from .protocol import Effort, Row, run_alone

SIZE = 10_000_000
#: The goals for each page.
SECONDS, MEGABYTES = 2.0, 500

_PROSE = (
    "The ferry that joins the two halves of the town will stop running in March, the harbour board "
    "said, after its <a href='/engine'>engine</a> failed for the third time this winter. Nobody "
    "has yet said who is to pay for a new one, and the board meets again only after Easter. "
)


def _filled(piece: str, before: str = "<article>", after: str = "</article>") -> str:
    count = SIZE // len(piece)
    return f"<html><body>{before}{piece * count}{after}</body></html>"


PAGES: Mapping[str, Callable[[], str]] = {
    "prose": lambda: _filled(f"<p>{_PROSE}</p>\n"),
    "short paragraphs": lambda: _filled("<p>A line of a few words, no more.</p>\n"),
    "nested 5,000 deep": lambda: "<div>A few words on every level. " * 5_000,
    "nested to 10 MB": lambda: _filled("<div>A few words on every level. ", ""),
    "one text": lambda: _filled(_PROSE.replace("<a href='/engine'>engine</a>", "engine"), "<p>"),
    "line breaks": lambda: _filled("A line of a few words, no more.<br>\n"),
    "links": lambda: _filled("<a href='/some/where/else'>A link of words</a> \n"),
    "list of links": lambda: _filled("<li><a href='/some/where'>A link of words</a></li>", "<ul>"),
    "table": lambda: _filled("<tr><td>a cell</td><td>1.25</td><td>more</td></tr>\n", "<table>"),
    "attributes": lambda: _filled("data-a='some value' ", "<p ", ">A few words.</p>"),
    "marked spans": lambda: _filled("<span class='a b-c dE' id=x style='color:red'>word</span> "),
    "pictures": lambda: _filled("<p>Some words.</p><img src=/a/b.jpg width=600 height=400>\n"),
    "scripts": lambda: _filled("<script>var a = 'some script';</script>\n", f"<p>{_PROSE}</p>"),
}  # fmt: skip


class Cost(NamedTuple):
    """The cost of a page, in processor seconds and in MB at the peak."""

    seconds: float
    memory: float


def measure_here(name: str) -> Cost:
    """Extract one page in this process."""
    from printer import extract
    from printer.errors import NoArticle

    page = PAGES[name]()
    extract(f"<p>{_PROSE * 3}</p>")  # Load the model first.
    started = time.process_time()
    with suppress(NoArticle):
        extract(page)
    seconds = time.process_time() - started
    peak_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Cost(seconds, peak_memory)


def measure_in_new_process(name: str) -> Cost:
    """Extract one page in a new process."""
    code = f"from benchmarks import large_pages; print(*large_pages.measure_here({name!r}))"
    ran = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE)
    return Cost(*map(float, ran.stdout.split()))


def rows(effort: Effort) -> Iterator[Row]:
    for name in effort.of(tuple(PAGES), tuple(PAGES), ("prose",)):
        took = measure_in_new_process(name)
        yield Row(name, "processor time", took.seconds, "s", 1, goal=f"≤ {SECONDS}")
        yield Row(name, "peak memory", took.memory, "MB", 1, goal=f"≤ {MEGABYTES}")


if __name__ == "__main__":
    run_alone(rows)
