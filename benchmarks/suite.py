"""The benchmarks that `make bench` runs, in order."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark module, and how to run and report it.

    ``seconds`` is its full duration on two idle processors; it is stopped after several times that.
    Benchmarks that measure time run ``alone``.  ``wide`` ones are reported in a table with one line
    per subject, and ``quick`` ones are part of `--quick`.
    """

    name: str
    title: str
    seconds: int
    alone: bool = False
    wide: bool = False
    quick: bool = False


SUITE = (
    Benchmark("extraction_speed", "Extraction: time per page", 300, alone=True, quick=True),
    Benchmark("large_pages", "Extraction: pages of 10 MB", 60, alone=True),
    Benchmark("cold_start", "From page to PDF: one page", 120, alone=True, quick=True),
    Benchmark("warm_print", "From page to PDF: in a running process", 300, alone=True),
    Benchmark("printers", "Printing: compared with other programs", 700, alone=True, wide=True),
    Benchmark("print_cost", "Typesetting: cost compared with WeasyPrint",
              120, alone=True, quick=True),
    Benchmark("books", "Digests: several articles in one PDF", 700, alone=True, quick=True),
    Benchmark("browser_capture", "The browser: cost of a capture", 150, alone=True),
    Benchmark("server_load", "The print server under load", 180, alone=True),
    Benchmark("peers", "Extraction: text, compared with other extractors", 2000, wide=True),
    Benchmark("text_quality", "Extraction: floors on a fixed sample", 40, quick=True),
    Benchmark("paper_measures", "Extraction: each paper's method by its own measure", 400),
    Benchmark("layout", "Extraction: pages rendered in a browser", 60, wide=True),
    Benchmark("picture_quality", "Pictures: selection and captions", 120, wide=True),
    Benchmark("rejected_cache", "Pictures: the cache of rejected pictures", 90, wide=True),
    Benchmark("key_paragraphs", "Key paragraphs compared with the page's own summary",
              60, wide=True),
    Benchmark("completeness", "Printing: completeness on paper", 240, quick=True),
    Benchmark("setting", "Typesetting: blank space, gaps, cut words, tables, notes",
              60, quick=True),
    Benchmark("corpus_batch", "Printing: all pages of the corpus, killed twice", 4500),
    Benchmark("crawl", "The crawler: kills, and queries", 90),
    Benchmark("machines", "A long queue, and two machines", 400, alone=True),
    Benchmark("faults", "Faults: killed, full, locked, slow", 1000),
)  # fmt: skip
