"""Measure printing beside bare WeasyPrint on the same HTML, and check that memory stays level."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from printer.article import Article, Heading, Paragraph, Span
from printer.options import PrintOptions
from printer.render.context import Document, render_html
from printer.render.weasy.engine import render_pdf

from .protocol import Effort, Row, run_alone

TEXT = (
    "The river rose in the night, and by morning the lower meadow was under water as far as the "
    "second gate; nobody on the quay had seen it come, and nobody would say later who had left "
    "the sluice as it was. "
)


def article(pages: int) -> Article:
    """Make an article of about ``pages`` pages."""
    blocks: list[Paragraph | Heading] = []
    for n in range(pages * 4):
        if n % 6 == 0:
            blocks.append(Heading(2, (Span(f"Part {n // 6 + 1}"),)))
        blocks.append(Paragraph((Span(f"{n}. " + TEXT * 4),)))
    return Article("The sluice", tuple(blocks), url="https://example.org/sluice", language="en")


def bare(document: Document) -> bytes:
    """Print with WeasyPrint alone."""
    import weasyprint

    html = weasyprint.HTML(string=document.html)
    return bytes(html.write_pdf(pdf_variant="pdf/ua-1", pdf_tags=True, presentational_hints=True))


def memory() -> float:
    """Return the memory of this process, in megabytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def beside(runs: int) -> tuple[int, dict[str, list[float]]]:
    """Print ten pages warm, both ways in turn; return the page count and processor seconds."""
    document = render_html([article(10)], {}, PrintOptions())
    pages = render_pdf(document).pages
    bare(document)
    times: dict[str, list[float]] = {"webprint": [], "bare WeasyPrint": []}
    for _ in range(runs):
        for name, print_ in (("bare WeasyPrint", bare), ("webprint", _print)):
            began = time.process_time()
            print_(document)
            times[name].append(time.process_time() - began)
    return pages, times


def levels(prints: int) -> list[float]:
    """Print repeatedly in this process; return its memory after every twentieth print."""
    small = render_html([article(2)], {}, PrintOptions())
    readings = []
    for n in range(prints):
        render_pdf(small)
        if n % 20 == 19:
            readings.append(memory())
    return readings


def rows(effort: Effort) -> Iterator[Row]:
    """Yield the figures for the runner."""
    runs = effort.of(11, 7, 3)
    pages, times = beside(runs)
    ours, theirs = (statistics.median(times[name]) for name in ("webprint", "bare WeasyPrint"))
    pairs = zip(times["webprint"], times["bare WeasyPrint"], strict=True)
    ratio = statistics.median(one / other for one, other in pairs)
    figure = f"{pages} pages, warm, processor time"
    yield Row("webprint, HTML made too", figure, ours, "s", runs, ratio, "≤ 1.3")
    yield Row("bare WeasyPrint, HTML given", figure, theirs, "s", runs)
    prints = effort.of(200, 100, 0)
    if prints:
        readings = levels(prints)
        yield Row("webprint", "memory after 40 prints", readings[1], "MB", 40)
        yield Row("webprint", f"memory after {prints} prints", readings[-1], "MB", prints)
        yield Row("webprint", "memory at the end by that after 40", readings[-1] / readings[1],
                  "times", goal="≤ 1.1")  # fmt: skip


def _print(document: Document) -> object:
    """Print as webprint does, including making the HTML."""
    del document
    return render_pdf(render_html([article(10)], {}, PrintOptions()))


if __name__ == "__main__":
    run_alone(rows)
