"""Print many real pages and report the outcome of each: a PDF, 'no article', or an error.

The pages are taken evenly from all sets and kinds of the corpus, served on loopback and printed one
by one.  Their pictures are not available, so each page also tests missing pictures.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from statistics import median
from typing import NamedTuple

from printer import FetchOptions, Printer
from printer.errors import NoArticle, WebprintError
from printer.options import Options
from printer.session import Session
from tests.support.web_server import WebServer

from .corpus import evenly, there
from .protocol import Effort, Row, Unavailable, run_alone


def chosen(count: int) -> dict[str, bytes]:
    """Return ``count`` pages of the corpus, by file name."""
    return {f"{s.set}-{s.kind}-{s.id}": s.html for s in evenly(count)}


class End(NamedTuple):
    """The result of printing a page; ``error`` says what went wrong."""

    name: str
    seconds: float
    end: str
    error: str = ""


#: The good results.
GOOD = frozenset({"printed", "no article"})


def printed(pages: Mapping[str, bytes]) -> Iterator[End]:
    """Print pages one by one."""
    options = Options(fetch=FetchOptions(cache=False, follow=False, render="never"))
    with WebServer() as web:
        for name, page in pages.items():
            web.add(f"/{name}", page)
        for name in pages:
            start = time.perf_counter()
            try:
                with Printer(options, Session(options.fetch, user_urls=(web.url,))) as printer:
                    printer.print_pages([f"{web.url}/{name}"])
                end, error = "printed", ""
            except NoArticle:
                end, error = "no article", ""
            except WebprintError as failure:
                end, error = type(failure).__name__, str(failure)
            except Exception as failure:  # noqa: BLE001 - a crash is what this looks for
                end, error = "CRASH", f"{type(failure).__name__}: {failure}"
            yield End(name, time.perf_counter() - start, end, error)


def rows(effort: Effort) -> Iterator[Row]:
    if not there():
        raise Unavailable("not measured: the corpus is not available")
    pages = chosen(effort.of(90, 30, 10))
    found = list(printed(pages))
    for end, count in Counter(result.end for result in found).most_common():
        yield Row("pages of the web, of all kinds", end, count, n=len(pages))
    failed = [f"{result.name}: {result.error}" for result in found if result.end not in GOOD]
    yield Row("pages of the web, of all kinds", "other ends than these two", len(failed),
              n=len(pages), goal="≤ 0", note="; ".join(failed))  # fmt: skip
    times = [result.seconds for result in found]
    yield Row("pages of the web, of all kinds", "median time", median(times), "s", len(pages))
    yield Row("pages of the web, of all kinds", "longest", max(times), "s", len(pages))


if __name__ == "__main__":
    run_alone(rows)
