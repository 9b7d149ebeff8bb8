"""What printing costs beside bare WeasyPrint on the same HTML, and whether memory stays level.

python -m benchmarks.print_cost            ten pages, warm, side by side; 200 prints in a process
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from printer.article import Article, Heading, Paragraph, Span
from printer.options import PrintOptions
from printer.render.html import Document, render_html
from printer.render.pdf import to_pdf

TEXT = (
    "The river rose in the night, and by morning the lower meadow was under water as far as the "
    "second gate; nobody on the quay had seen it come, and nobody would say later who had left "
    "the sluice as it was. "
)


def article(pages: int) -> Article:
    """Return an article of about so many pages."""
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
    """Return what this process has in memory, in megabytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--prints", type=int, default=200)
    wanted = parser.parse_args()
    document = render_html([article(10)], {}, PrintOptions())
    pages = to_pdf(document).pages
    bare(document)
    times: dict[str, list[float]] = {"bare": [], "webprint": []}
    for _ in range(wanted.runs):
        for name, print_ in (("bare", bare), ("webprint", _whole)):
            began = time.process_time()
            print_(document)
            times[name].append(time.process_time() - began)
    ours, theirs = (statistics.median(times[name]) for name in ("webprint", "bare"))
    print(f"{pages} pages: webprint {ours:.2f} s, bare WeasyPrint {theirs:.2f} s of processor time:"
          f" {ours / theirs:.2f} times")  # fmt: skip
    small = render_html([article(2)], {}, PrintOptions())
    levels = []
    for n in range(wanted.prints):
        to_pdf(small)
        if n % 20 == 19:
            levels.append(memory())
    print("memory every 20 prints, MB:", " ".join(f"{level:.0f}" for level in levels))


def _whole(document: Document) -> object:
    """Print as webprint does, with making the HTML counted too."""
    del document
    return to_pdf(render_html([article(10)], {}, PrintOptions()))


if __name__ == "__main__":
    main()
