"""Print pages and read the text back, to check that all of it is on paper and in order.

Prints the article of every sample, and of pages of the corpus if it is available, without pictures;
reads the PDF with pdftotext; and looks for every piece of the article's text in the result, with
hyphens and ligatures undone and running heads removed.  A piece may continue at the top of the next
page, after the notes at the bottom of this one.  Pieces must appear in order, except notes and
tables on pages of their own.  Formulas are drawings, which the program counts itself; its own
completeness report is compared too.
"""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import pypdfium2

from printer import Article, PrintOptions, extract
from printer.article import Figure, Table, walk
from printer.errors import NoArticle
from printer.render.completeness import body_pieces, check_completeness, note_pieces
from printer.render.weasy.engine import render_pdf
from printer.themes.page import UNITS, page_geometry
from tests.support.documents import render_html

from .corpus import CORPUS, is_available, spread_evenly
from .protocol import Effort, Row, floors, run_alone

#: A position: the page, and the number of letters before it on that page.
Place: TypeAlias = tuple[int, int]

#: The letters by which the rest of a piece is recognized at the top of a page that it fills.
MAX_PREFIX = 400

#: The fewest letters by which the rest of a piece is recognized anywhere on the next page, as
#: after another table cell.
CELL = 20

#: A table with more columns is printed on a separate page.
TURNED = 12

SAMPLES = Path(__file__).resolve().parent.parent / "samples"


def articles(count: int) -> Iterator[tuple[str, Article]]:
    """Yield the articles of all samples and of ``count`` pages of the corpus."""
    pages = {
        f"sample {page.parent.name}": page.read_bytes()
        for page in sorted(SAMPLES.glob("*/page.html"))
    }
    if count and is_available():
        pages |= {sample.key: sample.html for sample in spread_evenly(count)}
    elif count:
        print(f"no corpus at {CORPUS}: measuring the samples only", file=sys.stderr)
    for name, page in pages.items():
        try:
            article = extract(page, f"https://example.org/{name.replace(' ', '/')}", images="none")
        except NoArticle:
            continue
        yield name, article


def read_back(pdf: bytes, *order: str) -> list[str]:
    """Return the text of each page within the margins; with ``-raw``, in drawing order."""
    paper = page_geometry(PrintOptions())
    widest = max(paper.width, paper.height)  # Some pages may be in landscape.
    points = [length / UNITS["pt"] for length in (paper.margins[0], widest, paper.text_height)]
    top, width, height = (str(round(length)) for length in points)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "out.pdf"
        file.write_bytes(pdf)
        crop = ["-x", "0", "-y", top, "-W", width, "-H", height]
        command = ["pdftotext", *order, "-r", "72", *crop, str(file), "-"]
        ran = subprocess.run(command, capture_output=True, check=True)
    return [squeeze(page) for page in ran.stdout.decode("utf-8", "replace").split("\f")]


def read_by_pdfium(pdf: bytes) -> list[str]:
    """Return the text of each page by PDFium; pdftotext breaks Arabic at raised vowel signs."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        return [squeeze(page.get_textpage().get_text_range()) for page in document]
    finally:
        document.close()


def squeeze(text: str) -> str:
    """Return only letters and digits, with ligatures and presentation forms decomposed."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", plain)))


def parts(text: str) -> list[str]:
    """Return the strings to look for: words if right-to-left, as pdftotext reorders their lines."""
    strings = text.split() if is_right_to_left(text) else [text]
    return [piece for piece in map(squeeze, strings) if piece]


def is_right_to_left(text: str) -> bool:
    """Return whether a text contains right-to-left letters."""
    return any(unicodedata.bidirectional(sign) in ("R", "AL") for sign in text)


def place(piece: str, pages: list[str], start: Place) -> Place | None:
    """Return where the next occurrence of a piece at or after ``start`` ends, or None."""
    for page in range(start[0], len(pages)):
        offset = start[1] if page == start[0] else 0
        index = pages[page].find(piece, offset)
        if index >= 0:
            return page, index + len(piece)
        if end := broken(piece, pages, page, offset):
            return end
    return None


def broken(piece: str, pages: list[str], page: int, begin: int) -> Place | None:
    """Return where the part on this page ends of a piece that continues on the next, or None.

    More text may follow it on this page: the next cell of a table row that is split.
    """
    if page + 1 == len(pages):
        return None
    low, high = 0, len(piece)
    while low < high:  # Find the longest prefix on this page.
        middle = (low + high + 1) // 2
        occurs = pages[page].find(piece[:middle], begin) >= 0
        low, high = (middle, high) if occurs else (low, middle - 1)
    next_text = pages[page + 1]
    # The prefix found may include the first letters of a note at the bottom of the page, or of the
    # next cell.
    cuts = range(low, max(0, low - 4), -1)
    for cut in sorted(cuts, key=lambda cut: not next_text.startswith(piece[cut:])):
        remainder = piece[cut:]
        continues = next_text.startswith(remainder) or (
            len(remainder) >= CELL and remainder in next_text
        )
        if continues or (
            next_text[:MAX_PREFIX] == remainder[:MAX_PREFIX]
            and broken(remainder, pages, page + 1, 0) is not None
        ):
            return page, pages[page].find(piece[:cut], begin) + cut
    return None


def pieces_by_row(article: Article) -> Iterator[list[str]]:
    """Yield sequences printed in order: the text, the notes, and each table on its own page."""
    turned = [block for block in article.blocks if isinstance(block, Table) and is_turned(block)]
    text = tuple(block for block in article.blocks if block not in turned)
    yield list(body_pieces(replace(article, blocks=text)))
    yield list(note_pieces(article))
    for table in turned:
        yield list(body_pieces(Article("", blocks=(table,))))


def table_heads(article: Article) -> list[str]:
    """Return the heads of tables, which are repeated on each page that a table continues on."""
    tables = (block for block in walk(article.blocks) if isinstance(block, Table) and block.head)
    heads = (replace(table, body=(), foot=(), caption_spans=()) for table in tables)
    return [squeeze("".join(body_pieces(Article("", blocks=(head,))))) for head in heads]


def without_heads(pages: list[str], heads: list[str]) -> list[str]:
    """Remove table heads from the beginning of all pages but the first."""
    for head in heads:
        pages = [pages[0], *(page.removeprefix(head) for page in pages[1:])]
    return pages


def is_turned(table: Table) -> bool:
    """Return whether a table is printed on a separate page, which may follow later text."""
    first = next(iter((*table.head, *table.body)), ())
    return sum(cell.colspan for cell in first) > TURNED


def search(
    expected: list[list[str]], pages: list[str], turned: list[str]
) -> tuple[list[str], list[str]]:
    """Return the pieces not found, and those found only out of order."""
    lost: list[str] = []
    moved: list[str] = []
    for row in expected:
        position = (0, 0)
        for piece in row:
            is_rtl = is_right_to_left(piece)
            texts, start = (turned, (position[0], 0)) if is_rtl else (pages, position)
            end = place(piece, texts, start)
            if end is None:
                (lost if place(piece, texts, (0, 0)) is None else moved).append(piece)
            else:
                position = max(position, (end[0], 0)) if is_rtl else end
    return lost, moved


def judge(article: Article) -> tuple[int, list[str], list[str], bool]:
    """Print an article and compare it with its PDF.

    Returns the number of pieces, those lost, those out of order, and whether the report says that
    the print is complete.
    """
    bare = [block for block in article.blocks if not isinstance(block, Figure)]
    article = replace(article, blocks=tuple(bare))
    # The margins are cropped, so all pages must have the same.
    printed = render_pdf(replace(render_html([article], {}), extended_styles=()))
    expected = [[part for text in row for part in parts(text)] for row in pieces_by_row(article)]
    # In drawing order and in line order: only the latter is right for ruby annotations above words
    # and for right-to-left text.
    drawn, lines = read_back(printed.pdf, "-raw"), read_back(printed.pdf)
    turned = ["".join(both) for both in zip(lines, read_by_pdfium(printed.pdf), strict=False)]
    # A table head at the top of a page is the original or a repetition, so try with and without.
    readings = (
        drawn,
        lines,
        *(without_heads(text, table_heads(article)) for text in (drawn, lines)),
    )
    lost, moved = min((search(expected, pages, turned) for pages in readings),
                      key=lambda counts: len(counts[0]) + len(counts[1]))  # fmt: skip
    figures = sum(isinstance(block, Figure) for block in walk(article.blocks))
    report = check_completeness([article], printed.layout)
    missing = set(report.shortfall()) - ({"pictures"} if figures else set())
    return sum(map(len, expected)), lost, moved, not missing


def rows(effort: Effort) -> Iterator[Row]:
    total = complete_articles = agreed = lost_pieces = moved_pieces = all_pieces = 0
    for name, article in articles(effort.of(100, 40, 0)):
        number, lost, moved, complete = judge(article)
        if lost or moved:
            note = " / ".join(piece[:100] for piece in (*lost[:2], *moved[:1]))
            yield Row(
                name, "pieces lost or out of order", len(lost) + len(moved), n=number, note=note
            )
        total, all_pieces = total + 1, all_pieces + number
        complete_articles += not lost and not moved
        agreed += complete == (not lost)
        lost_pieces, moved_pieces = lost_pieces + len(lost), moved_pieces + len(moved)
    subject = "samples" if effort.quick or not is_available() else "samples and pages of the web"
    pinned = floors("quick")["completeness.complete"] if effort.quick else None
    goal = "≥ 1" if pinned is None else f"≥ {pinned}"
    share = complete_articles / max(1, total)
    yield Row(subject, "articles on paper whole and in order", share, n=total, goal=goal,
              pinned=effort.quick)  # fmt: skip
    yield Row(subject, "pieces of text lost", lost_pieces, n=all_pieces)
    yield Row(subject, "pieces of text out of order", moved_pieces, n=all_pieces)
    yield Row(
        subject,
        "articles on which the program's own report agrees",
        agreed / max(1, total),
        n=total,
    )
    if not effort.quick and not is_available():
        yield Row(
            "pages of the web",
            "pieces of text lost",
            note="not measured: the corpus is not available",
        )


if __name__ == "__main__":
    run_alone(rows)
