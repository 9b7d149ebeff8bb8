"""Print many real pages and report the outcome of each: a PDF, 'no article', or an error.

    python -m benchmarks.robustness [--pages N] [--out FOLDER]

N pages are taken evenly from all sets and kinds of the corpus, served on loopback and printed one
by one.  Their pictures are not available, so each page also tests missing pictures.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Literal, NamedTuple

from printer import FetchOptions, Printer
from printer.errors import NoArticle, WebprintError
from printer.options import Options
from printer.session import Session
from tests.support.web_server import WebServer

from .corpus import CORPUS, evenly, there
from .protocol import Effort, Row, Unavailable


def chosen(count: int) -> dict[str, bytes]:
    """Return ``count`` pages of the corpus, by file name."""
    return {f"{s.set}-{s.kind}-{s.id}": s.html for s in evenly(count)}


class End(NamedTuple):
    """The result of printing a page."""

    name: str
    seconds: float
    end: str
    details: str


#: The good results, and the one that means a bug.
GOOD, CRASH = frozenset({"printed", "no article"}), "CRASH"


def printed(
    pages: Mapping[str, bytes], render: Literal["auto", "never", "always"], out: Path | None
) -> Iterator[End]:
    """Print pages one by one; keep the PDFs in a folder if one is given."""
    options = Options(fetch=FetchOptions(cache=False, follow=False, render=render))
    with WebServer() as web:
        for name, page in pages.items():
            web.add(f"/{name}", page)
        for name in pages:
            start = time.perf_counter()
            try:
                with Printer(options, Session(options.fetch, user_urls=(web.url,))) as printer:
                    result = printer.print_pages([f"{web.url}/{name}"])
                end, details = "printed", f"{result.pages} pages, {len(result.warnings)} warnings"
                if out:
                    out.mkdir(parents=True, exist_ok=True)
                    (out / f"{name}.pdf").write_bytes(result.pdf)
            except NoArticle:
                end, details = "no article", ""
            except WebprintError as error:
                end, details = type(error).__name__, str(error)
            except Exception as error:  # noqa: BLE001 - a crash is what this looks for
                end, details = CRASH, f"{type(error).__name__}: {error}"
            yield End(name, time.perf_counter() - start, end, details)


def rows(effort: Effort) -> Iterator[Row]:
    """Yield the figures for the runner."""
    if not there():
        raise Unavailable("not measured: the corpus is not available")
    pages = chosen(effort.of(90, 30, 10))
    found = list(printed(pages, "never", None))
    for end, count in Counter(result.end for result in found).most_common():
        yield Row("pages of the web, of all kinds", end, count, n=len(pages))
    crashes = sum(result.end not in GOOD for result in found)
    yield Row("pages of the web, of all kinds", "other ends than these two", crashes, n=len(pages),
              goal="≤ 0")  # fmt: skip
    times = [result.seconds for result in found]
    yield Row("pages of the web, of all kinds", "median time", median(times), "s", len(pages))
    yield Row("pages of the web, of all kinds", "longest", max(times), "s", len(pages))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=45)
    parser.add_argument("--out", type=Path, help="save the PDFs in this folder")
    parser.add_argument("--render", default="never", choices=["auto", "never", "always"])
    options = parser.parse_args()
    if not there():
        print(f"no corpus at {CORPUS}")
        return 0
    found = []
    for result in printed(chosen(options.pages), options.render, options.out):
        print(
            f"{result.name:32} {result.seconds:5.1f} s  {result.end} {result.details}", flush=True
        )
        found.append(result)
    times = [result.seconds for result in found]
    ends = dict(Counter(result.end for result in found))
    print(ends, f"median {median(times):.1f} s, longest {max(times):.1f} s")
    return min(1, sum(result.end not in GOOD for result in found))


if __name__ == "__main__":
    sys.exit(main())
