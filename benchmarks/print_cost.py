"""Measure printing beside bare WeasyPrint on the same HTML, and check that memory stays level."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from printer.article import Article, Heading, Paragraph, Span
from printer.options import PrintOptions
from printer.render.context import Document
from printer.render.weasy.engine import render_pdf
from tests.support.documents import render_html

from .books import WORDS
from .protocol import Effort, Row, by_turns, run_alone


def article(pages: int) -> Article:
    """Make an article of about ``pages`` pages."""
    blocks: list[Paragraph | Heading] = []
    for n in range(pages * 4):
        if n % 6 == 0:
            blocks.append(Heading(2, (Span(f"Part {n // 6 + 1}"),)))
        blocks.append(Paragraph((Span(f"{n}. " + WORDS * 4),)))
    return Article("The sluice", tuple(blocks), url="https://example.org/sluice", language="en")


def time_bare(document: Document) -> float:
    """Print with WeasyPrint alone; return the processor seconds."""
    import weasyprint

    began = time.process_time()
    html = weasyprint.HTML(string=document.html)
    html.write_pdf(pdf_variant="pdf/ua-1", pdf_tags=True, presentational_hints=True)
    return time.process_time() - began


def memory() -> float:
    """Return the memory of this process, in megabytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def full() -> float:
    """Print ten pages as webprint does, including making the HTML; return the processor seconds."""
    began = time.process_time()
    render_pdf(render_html([article(10)], {}, PrintOptions()))
    return time.process_time() - began


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
    runs = effort.of(11, 7, 3)
    document = render_html([article(10)], {}, PrintOptions())
    pairs = by_turns(full, lambda: time_bare(document), runs)
    figure = f"{render_pdf(document).pages} pages, warm, processor time"
    yield Row("webprint, HTML made too", figure, median(pairs.tested), "s", runs, pairs.ratio,
              "≤ 1.3")  # fmt: skip
    yield Row("bare WeasyPrint, HTML given", figure, median(pairs.baseline), "s", runs)
    prints = effort.of(200, 100, 0)
    if prints:
        readings = levels(prints)
        yield Row("webprint", "memory after 40 prints", readings[1], "MB", 40)
        yield Row("webprint", f"memory after {prints} prints", readings[-1], "MB", prints)
        yield Row("webprint", "memory at the end by that after 40", readings[-1] / readings[1],
                  "times", goal="≤ 1.1")  # fmt: skip


if __name__ == "__main__":
    run_alone(rows)
