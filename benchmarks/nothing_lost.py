"""Print pages and read the text back, to see whether all is on paper and in order.

    python -m benchmarks.nothing_lost [--pages N]

Reads every sample, and N pages of the corpus where it is there, prints each article without its
pictures, reads the PDF with pdftotext, and looks for every piece of the article's text in what
that gives: hyphens and ligatures undone, running heads left out.  A piece may go on over the next
page, behind the notes at the foot of this one.  Formulas are drawings and are counted by the
program itself, whose own report is compared as well.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from printer import Article, PrintOptions, extract
from printer.article import Figure, walk
from printer.errors import NoArticle
from printer.render.html import render_html
from printer.render.loss import compare, pieces
from printer.render.paper import UNITS, lay_out
from printer.render.pdf import to_pdf

from .corpus import CORPUS, samples, there

SAMPLES = Path(__file__).resolve().parent.parent / "samples"


def articles(count: int) -> Iterator[tuple[str, Article]]:
    """Yield the articles of all samples and of so many pages of the corpus."""
    pages = {
        f"sample {page.parent.name}": page.read_bytes()
        for page in sorted(SAMPLES.glob("*/page.html"))
    }
    if count and there():
        pages |= chosen(count)
    elif count:
        print(f"no corpus at {CORPUS}: samples alone", file=sys.stderr)
    for name, page in pages.items():
        try:
            article = extract(page, f"https://example.org/{name.replace(' ', '/')}", images="none")
        except NoArticle:
            continue
        yield name, article


def chosen(count: int) -> dict[str, bytes]:
    """Return pages from every set and kind of the corpus, taken in turn."""
    kinds = defaultdict(list)
    for sample in samples("wcxb", "traf", "moz"):
        if len(kinds[sample.set, sample.kind]) < count:
            kinds[sample.set, sample.kind].append(sample)
    turns = (sample for row in zip_longest(*kinds.values()) for sample in row if sample)
    return {sample.key: sample.html for sample in islice(turns, count)}


def read_back(pdf: bytes, *order: str) -> list[str]:
    """Return the text of each page inside its margins; ``-raw`` in the order it is drawn in."""
    paper = lay_out(PrintOptions())
    points = [length / UNITS["pt"] for length in (paper.margins[0], paper.width, paper.text_height)]
    top, width, height = (str(round(length)) for length in points)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "out.pdf"
        file.write_bytes(pdf)
        crop = ["-x", "0", "-y", top, "-W", width, "-H", height]
        command = ["pdftotext", *order, "-r", "72", *crop, str(file), "-"]
        ran = subprocess.run(command, capture_output=True, check=True)
    return [squeezed(page) for page in ran.stdout.decode("utf-8", "replace").split("\f")]


def squeezed(text: str) -> str:
    """Return letters and digits alone, ligatures and presentation forms undone."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", plain)))


def parts(text: str) -> list[str]:
    """Return what is looked for of a piece: pdftotext mixes the words of lines it turns round."""
    wanted = text.split() if is_turned(text) else [text]
    return [piece for piece in map(squeezed, wanted) if piece]


def is_turned(text: str) -> bool:
    """Tell whether a text has letters that are written from right to left."""
    return any(unicodedata.bidirectional(sign) in ("R", "AL") for sign in text)


def place(piece: str, pages: list[str], start: int) -> int:
    """Return the page from ``start`` on where a piece begins, -1 when it is nowhere."""
    for at in range(start, len(pages)):
        if holds(piece, pages, at):
            return at
    return -1


def holds(piece: str, pages: list[str], at: int) -> bool:
    """Tell whether a piece is on a page, or begins at it and goes on over the next ones."""
    if piece in pages[at]:
        return True
    low, high = 0, len(piece)
    while low < high:  # the longest beginning that this page holds
        middle = (low + high + 1) // 2
        low, high = (middle, high) if piece[:middle] in pages[at] else (low, middle - 1)
    return low > 0 and at + 1 < len(pages) and holds(piece[low:], pages, at + 1)


def judge(article: Article) -> tuple[int, list[str], list[str], bool]:
    """Print an article; return its pieces, those lost, those out of order, what the report says."""
    bare = [block for block in article.blocks if not isinstance(block, Figure)]
    article = replace(article, blocks=tuple(bare))
    printed = to_pdf(render_html([article], {}))
    pages, turned = read_back(printed.pdf, "-raw"), read_back(printed.pdf)
    wanted = [piece for text in pieces(article) for piece in parts(text)]
    lost, moved, last = [], [], 0
    for piece in wanted:
        # Letters drawn from right to left are put in order only with the lines of a page.
        read = turned if is_turned(piece) else pages
        at = place(piece, read, max(0, last - 1))
        if at < 0:
            (moved if place(piece, read, 0) >= 0 else lost).append(piece)
        else:
            last = max(last, at)
    figures = sum(isinstance(block, Figure) for block in walk(article.blocks))
    report = compare([article], printed.laid)
    told = set(report.lost()) - ({"pictures"} if figures else set())
    return len(wanted), lost, moved, not told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pages", type=int, default=100, help="pages of the corpus (100)")
    count = parser.parse_args().pages
    total = whole = agreed = 0
    for name, article in articles(count):
        number, lost, moved, complete = judge(article)
        total += 1
        whole += not lost and not moved
        agreed += complete == (not lost)
        if lost or moved or not complete:
            print(f"{name}: {number} pieces, {len(lost)} lost, {len(moved)} out of order"
                  f"{'' if complete else ', reported incomplete'}")  # fmt: skip
            for piece in (*lost[:2], *moved[:1]):
                print(f"    {piece[:100]}")
    print(f"{whole} of {total} articles are on paper whole and in order; "
          f"the report agrees on {agreed}")  # fmt: skip
    return 0 if whole == total else 1


if __name__ == "__main__":
    sys.exit(main())
