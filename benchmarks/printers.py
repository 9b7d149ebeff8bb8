"""Measure what programs that print web pages put on paper: how much of the article, and what else.

News pages of the Daniel corpus, from which the model learned nothing, are served on loopback
and printed by each program, in a new process; pictures are not available.  The words that pdftotext
reads from each PDF are compared with those of the article.  A paragraph is missing if less than
half of its runs of three words are on paper.  "Reader view" is the page that Mozilla's Readability
makes, printed by Chromium; the time is that of Chromium alone.  Running heads and page numbers
count as other words.  Times are only reported if the machine was idle at the start.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

import pikepdf

from printer.fetch.browser.process import find_chromium
from tests.support.web_server import WebServer

from .cold_start import PERCOLLATE
from .corpus import Sample, require_corpus, samples
from .extractors import version_of
from .fault_tools import WEBPRINT
from .machine import NODE, environ_for_node
from .protocol import Effort, Row, Unavailable, run_alone
from .scoring import bag, tokens

#: Seconds that a program has for a page.
LIMIT = 90

PRINTED = "words of the article printed"

Command = Callable[[str, Path], list[str]]


class Print(NamedTuple):
    """The print of a page: how well the text agrees, pages, tags, kB, and how long it took."""

    recall: float
    missing: float
    other: float
    pages: int
    tagged: bool
    kilobytes: float
    seconds: float


def chromium(url: str, out: Path) -> list[str]:
    """Return the command of a browser's own print."""
    program = next(iter(find_chromium()))
    switches = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    # What a page refers to elsewhere is not there, so do not wait for it.
    switches.append("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
    return [
        program,
        *switches,
        f"--user-data-dir={out.parent}/profile",
        f"--print-to-pdf={out}",
        url,
    ]


def programs() -> Iterator[tuple[str, Command | None]]:
    """Yield the programs with their commands, None for those not installed."""
    yield "webprint", lambda url, out: [
        *WEBPRINT, url, "-o", str(out), "--no-cache",
    ]  # fmt: skip
    browser = next(iter(find_chromium()), None)
    yield "a browser's print (Chromium)", chromium if browser else None
    reader = (NODE / "node_modules/@mozilla/readability").is_dir() and browser
    yield "Reader view, printed", chromium if reader else None
    percollate = PERCOLLATE.exists() and shutil.which("node")
    name = f"percollate {version_of('percollate')}" if percollate else "percollate"
    yield name, (
        (lambda url, out: [str(PERCOLLATE), "pdf", "--no-sandbox", "-o", str(out), url])
        if percollate else None
    )  # fmt: skip
    yield "wkhtmltopdf", (
        (lambda url, out: ["wkhtmltopdf", "--quiet", "--load-error-handling", "ignore",
                           "--load-media-error-handling", "ignore", url, str(out)])
        if shutil.which("wkhtmltopdf") else None
    )  # fmt: skip


def reader_view(sample: Sample) -> str:
    """Return Readability's reader view of a page as a complete page."""
    line = json.dumps({"html": sample.html.decode("utf-8", "replace"), "url": sample.url})
    command = ["node", "readability.js"]
    ran = subprocess.run(
        command, cwd=NODE, input=line, capture_output=True, text=True, timeout=LIMIT, check=True
    )
    article = json.loads(ran.stdout)
    title = html.escape(article["title"])
    head = f"<!doctype html><meta charset=utf-8><title>{title}</title><h1>{title}</h1>"
    return head + str(article["html"])


def text_of(pdf: Path) -> str:
    """Return the text of a PDF with the words that it hyphenates undone."""
    ran = subprocess.run(["pdftotext", str(pdf), "-"], capture_output=True, check=True)
    text = ran.stdout.decode("utf-8", "replace").replace("\u00ad\n", "").replace("\u00ad", "")
    return re.sub(r"[-\u2010]\n", "", text)


def missing_paragraphs(text: str, expected: str) -> float:
    """Return the share of an article's paragraphs, one per line, that a text lacks."""
    printed_runs = runs(text)
    paragraphs = [
        paragraph_runs for line in expected.splitlines() if (paragraph_runs := runs(line))
    ]
    lost = sum(2 * len(paragraph & printed_runs) < len(paragraph) for paragraph in paragraphs)
    return lost / max(1, len(paragraphs))


def runs(text: str) -> set[tuple[str, ...]]:
    """Return the runs of three words in a text."""
    words = tokens(text)
    return set(zip(words, words[1:], words[2:], strict=False))


def print_page(
    command: list[str], out: Path, expected: str, environment: Mapping[str, str]
) -> Print | None:
    """Print a page and compare; return None if there is no PDF."""
    out.unlink(missing_ok=True)
    start = time.perf_counter()
    # Start a new session, so that no helper process of a program outlives it.
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    seconds = time.perf_counter() - start
    if not out.exists():
        return None
    text = text_of(out)
    score = bag(tokens(text), tokens(expected))
    with pikepdf.open(out) as pdf:
        marks = pdf.Root.get("/MarkInfo", pikepdf.Dictionary())
        tagged = bool(marks.get("/Marked", False)) and "/StructTreeRoot" in pdf.Root
        pages, kilobytes = len(pdf.pages), out.stat().st_size / 1000
        missing = missing_paragraphs(text, expected)
        return Print(score.recall, missing, 1 - score.precision, pages, tagged, kilobytes, seconds)


def measure_prints(pages: list[Sample]) -> Iterator[tuple[str, list[Print | None]]]:
    """Yield each program's print of each page; nothing for a program that is not installed."""
    environment = environ_for_node()
    with ExitStack() as stack:
        web = stack.enter_context(WebServer())
        # A browser may still write its profile when its print is done.
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        out = Path(folder) / "out.pdf"
        for number, page in enumerate(pages):
            web.add(f"/{number}", page.html.decode("utf-8", "replace"))
        for name, command in programs():
            prints: list[Print | None] = []
            for number, page in enumerate(pages if command else ()):
                url = f"{web.url}/{number}"
                if name.startswith("Reader view"):
                    url = web.add(f"/reader/{number}", reader_view(page))
                assert command is not None
                prints.append(print_page(command(url, out), out, page.text or "", environment))
            yield name, prints


def rows(effort: Effort) -> Iterator[Row]:
    require_corpus()
    if not shutil.which("pdftotext"):
        raise Unavailable("not measured: pdftotext is not installed")
    idle = os.getloadavg()[0] <= len(os.sched_getaffinity(0))
    for name, prints in measure_prints(choose_pages(effort.of(40, 20, 4))):
        printed = [page for page in prints if page]
        if not printed:
            yield Row(name, PRINTED, note="not measured: not installed")
            continue
        n = len(prints)
        yield Row(name, PRINTED, fmean(p.recall for p in printed), n=n)
        yield Row(name, "paragraphs missing", fmean(p.missing for p in printed), n=n)
        yield Row(name, "share of other words on paper", fmean(p.other for p in printed), n=n)
        yield Row(name, "pages of paper, mean", fmean(p.pages for p in printed), n=n)
        yield Row(name, "share of PDFs with tags", fmean(p.tagged for p in printed), n=n)
        yield Row(name, "size, median", median(p.kilobytes for p in printed), "kB", n=n)
        if idle:
            yield Row(name, "time, median", median(p.seconds for p in printed), "s", n=n)
        else:
            yield Row(name, "time, median", note="not measured: the machine was busy")
        yield Row(name, "pages not printed", n - len(printed), n=n)


def choose_pages(count: int) -> list[Sample]:
    """Return pages from the whole corpus at equal distances."""
    pages = [page for page in samples("daniel") if page.text]
    return pages[:: max(1, len(pages) // count)][:count]


if __name__ == "__main__":
    run_alone(rows)
