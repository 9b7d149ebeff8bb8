"""Time printing one page, cold, beside percollate and bare WeasyPrint.

`webprint FILE out.pdf` on an article of about ten pages, made from the sample essay, is
compared with a script that imports WeasyPrint and prints the HTML that webprint makes of the file,
without pictures.  `webprint ADDRESS out.pdf` is compared with `percollate pdf ADDRESS` on a page
served on loopback with its pictures, and percollate with that script, the lower bound for any
program that prints with WeasyPrint.  The two sides alternate, each run in a new process; ratios
are taken pair by pair.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from lxml import html as lxml_html

import printer
from printer.options import PrintOptions
from printer.render.context import Document
from printer.render.weasy.engine import render_pdf
from tests.support.documents import render_html
from tests.support.web_server import WebServer

from .extractors import version_of
from .fault_tools import WEBPRINT
from .machine import NODE, environ_for_node
from .protocol import Effort, Pairs, Row, by_turns, run_alone

ROOT = Path(__file__).resolve().parents[1]
ESSAY = ROOT / "samples" / "essay" / "page.html"
PERCOLLATE = NODE / "node_modules" / ".bin" / "percollate"

BARE = """
import sys
import weasyprint
weasyprint.HTML(sys.argv[1]).write_pdf(sys.argv[2])
"""


def lengthen(source: bytes, pages: int) -> bytes:
    """Repeat the paragraphs of a page's article until it prints on ``pages`` pages."""
    article = printer.extract(source)
    printed = render_pdf(render_html([article], {}, PrintOptions())).pages
    tree: Any = lxml_html.fromstring(source)
    last = max(tree.iter("p"), key=lambda p: len(p.text_content()))
    parent = last.getparent()
    paragraphs = [p for p in parent.iterchildren("p") if len(p.text_content()) > 100]
    for _ in range(max(1, round(pages / printed)) - 1):
        for paragraph in paragraphs:
            last.addnext(lxml_html.fromstring(lxml_html.tostring(paragraph)))
    document: bytes = lxml_html.tostring(tree, encoding="utf-8", doctype="<!doctype html>")
    return document


def seconds(command: list[str], environment: Mapping[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, env=environment, capture_output=True)
    return time.perf_counter() - start


def webprint(*arguments: str) -> Callable[[], float]:
    """Return a function that times a call of the command line."""
    # The run that does not count writes the bytecode that an installed program would have.
    environment = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    }
    return lambda: seconds([*WEBPRINT, *arguments], environment)


def beside_weasyprint(source: bytes, document: Document, runs: int) -> Pairs:
    """Time a cold start beside WeasyPrint alone, both on files."""
    with tempfile.TemporaryDirectory() as name:
        page, final = Path(name, "page.html"), Path(name, "final.html")
        page.write_bytes(source)
        final.write_text(document.html)
        bare = [sys.executable, "-c", BARE, str(final), str(Path(name, "b.pdf"))]
        print_page = webprint(str(page), str(Path(name, "a.pdf")), "--images", "none")
        return by_turns(print_page, lambda: seconds(bare, os.environ), runs)


@contextmanager
def serve_page(source: bytes) -> Iterator[str]:
    """Serve a page with the pictures and the style sheet of the essay; yield its address."""
    with WebServer() as web:
        for file in (*(ESSAY.parent / "img").iterdir(), ESSAY.parent / "style.css"):
            kind = {".css": "text/css", ".png": "image/png", ".svg": "image/svg+xml"}
            path = f"/{file.relative_to(ESSAY.parent)}"
            web.add(path, file.read_bytes(), media_type=kind.get(file.suffix, "image/jpeg"))
        yield web.add("/page.html", source.decode())


def beside_percollate(url: str, document: Document, runs: int) -> tuple[Pairs, Pairs] | None:
    """Time percollate on a served page beside a cold start, and beside bare WeasyPrint.

    WeasyPrint gets the HTML that webprint makes of the page, without pictures.  Returns None if
    percollate is not installed.
    """
    if not PERCOLLATE.exists() or shutil.which("node") is None:
        return None
    with tempfile.TemporaryDirectory() as name:
        final, *files = (
            Path(name, filename) for filename in ("final.html", "a.pdf", "b.pdf", "c.pdf")
        )
        final.write_text(document.html)
        environment = environ_for_node()
        percollate_command = [str(PERCOLLATE), "pdf", "--no-sandbox", "-o", str(files[1]), url]
        bare = [sys.executable, "-c", BARE, str(final), str(files[2])]

        def percollate() -> float:
            return seconds(percollate_command, environment)

        full = by_turns(webprint(url, str(files[0]), "--no-cache"), percollate, runs)
        floor = by_turns(lambda: seconds(bare, os.environ), percollate, runs)
        assert all(file.read_bytes().startswith(b"%PDF-") for file in files)
        return full, floor


def rows(effort: Effort) -> Iterator[Row]:
    runs, source = effort.of(11, 7, 1), lengthen(ESSAY.read_bytes(), 10)
    document = render_html([printer.extract(source)], {}, PrintOptions())
    figure = f"cold, a file without pictures, {render_pdf(document).pages} pages"
    pairs = beside_weasyprint(source, document, runs)
    yield Row("webprint", figure, median(pairs.tested), "s", runs, pairs.ratio, "≤ 1.5")
    yield Row("bare WeasyPrint, HTML given", figure, median(pairs.baseline), "s", runs)
    essay = render_html([printer.extract(ESSAY.read_bytes())], {}, PrintOptions())
    with serve_page(ESSAY.read_bytes()) as url:
        figure = "cold, a served page with pictures"
        if percollate_pairs := beside_percollate(url, essay, runs):
            full, floor = percollate_pairs
            yield Row("webprint", figure, median(full.tested), "s", runs, full.ratio, "≤ 0.5")
            name = f"percollate {version_of('percollate')}"
            yield Row(name, figure, median(full.baseline), "s", runs)
            name, bare_figure = (
                "bare WeasyPrint",
                "cold, that article's HTML given, without pictures",
            )
            yield Row(name, bare_figure, median(floor.tested), "s", runs, floor.ratio)
        else:
            yield Row(
                "percollate", figure, note="not measured: Node or percollate is not installed"
            )


if __name__ == "__main__":
    run_alone(rows)
