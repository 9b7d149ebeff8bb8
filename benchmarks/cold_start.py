"""How long `webprint FILE out.pdf` takes from a cold start, beside bare WeasyPrint.

The bare script imports WeasyPrint and prints the very HTML that webprint makes of the file.  The
two run in turn, each in a process of its own; the ratio is taken pair by pair.

    python benchmarks/cold_start.py [--runs N] [--pages N] [FILE]

Without FILE, an article of about ten pages is made from the sample essay.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from lxml import html as lxml_html

import printer
from printer.options import PrintOptions
from printer.render.html import render_html
from printer.render.pdf import to_pdf

ESSAY = Path(__file__).parent.parent / "samples" / "essay" / "page.html"

WEBPRINT = "from printer.cli import main; main()"
BARE = """
import sys
import weasyprint
weasyprint.HTML(sys.argv[1]).write_pdf(sys.argv[2])
"""


def longer(source: bytes, pages: int) -> bytes:
    """Return the page with its article's paragraphs repeated until it prints on so many pages."""
    article = printer.extract(source)
    printed = to_pdf(render_html([article], {}, PrintOptions())).pages
    tree = lxml_html.fromstring(source)
    last = max(tree.iter("p"), key=lambda p: len(p.text_content()))
    parent = last.getparent()
    paragraphs = [p for p in parent.iterchildren("p") if len(p.text_content()) > 100]
    for _ in range(max(1, round(pages / printed)) - 1):
        for paragraph in paragraphs:
            last.addnext(lxml_html.fromstring(lxml_html.tostring(paragraph)))
    return lxml_html.tostring(tree, encoding="utf-8", doctype="<!doctype html>")


def seconds(command: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, env=environment, stderr=subprocess.PIPE)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--pages", type=int, default=10)
    given = parser.parse_args()
    source = given.file.read_bytes() if given.file else longer(ESSAY.read_bytes(), given.pages)
    document = render_html([printer.extract(source)], {}, PrintOptions())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "page.html").write_bytes(source)
        (folder / "final.html").write_text(document.html)
        environment = {**os.environ, "WEBPRINT_RENDER": "never"}
        # Installed programs are compiled; the first run below sees to it here as well.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        ours = [sys.executable, "-c", WEBPRINT, str(folder / "page.html"), str(folder / "a.pdf")]
        bare = [sys.executable, "-c", BARE, str(folder / "final.html"), str(folder / "b.pdf")]
        for command in (ours, bare):
            seconds([*command, *(["--no-images"] if command is ours else [])], environment)
        pairs = [
            (seconds([*ours, "--no-images"], environment), seconds(bare, environment))
            for _ in range(given.runs)
        ]
    print(f"{to_pdf(document).pages} pages, {given.runs} pairs of runs, medians")
    print(f"webprint          {median(a for a, _ in pairs):.2f} s")
    print(f"bare WeasyPrint   {median(b for _, b in pairs):.2f} s")
    print(f"ratio             {median(a / b for a, b in pairs):.2f}  (at most 1.5)")


if __name__ == "__main__":
    main()
