"""Print each file named on standard input, and write the seconds of processor time it took.

`python -m benchmarks.print_loop webprint` reads web pages, `... weasyprint` finished HTML, with
nothing of webprint in the process.  The thresholds of garbage collection are further arguments.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path


def webprint() -> Callable[[str], object]:
    """Return a function that prints a page without its pictures."""
    from printer import Printer
    from printer.options import ExtractOptions, Options

    page_printer = Printer(Options(extract=ExtractOptions(images="none")))
    return lambda file: page_printer.print_pages([file])


def weasyprint() -> Callable[[str], object]:
    """Return a function that prints HTML as it is."""
    from weasyprint import HTML

    return lambda file: HTML(string=Path(file).read_text(encoding="utf-8")).write_pdf()


if __name__ == "__main__":
    _, subject, *thresholds = sys.argv
    gc.set_threshold(*map(int, thresholds))
    print_file = {"webprint": webprint, "weasyprint": weasyprint}[subject]()
    for line in sys.stdin:
        start = time.process_time()
        print_file(line.rstrip("\n"))
        print(time.process_time() - start, flush=True)
