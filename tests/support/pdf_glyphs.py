"""Find where ink is on the page: letters outside their page, overlapping text, colour."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any, NamedTuple

import pypdfium2

#: Letters this close in the text may share a box: ligatures, and letters with their marks.
NEAR = 6

#: Two boxes overlap if this share of the smaller one is covered.
COVERED = 0.6

CELL = 12.0


class Letter(NamedTuple):
    """A letter and the box of its ink, in points from the page's lower left corner."""

    sign: str
    place: int
    left: float
    bottom: float
    right: float
    top: float


@contextmanager
def open_pdf(pdf: bytes) -> Iterator[Any]:
    """Open a PDF with pdfium while the block runs."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        yield document
    finally:
        document.close()


def find_overlaps(pdf: bytes) -> list[str]:
    """Return a line for letters outside their page or over others, a few per page."""
    problems = []
    with open_pdf(pdf) as document:
        for number, page in enumerate(document, 1):
            width, height = page.get_size()
            letters = list(_letters(page))
            outside = [letter for letter in letters if not _is_inside(letter, width, height)]
            faults = [f"{letter.sign!r} stands outside the page" for letter in outside[:3]]
            pairs = list(_overlapping(letters))
            faults += [f"{first.sign!r} and {second.sign!r} overlap" for first, second in pairs[:3]]
            problems += [f"page {number}: {fault}" for fault in faults]
    return problems


def _letters(page: Any) -> Iterator[Letter]:
    text = page.get_textpage()
    signs = text.get_text_range()
    if len(signs) != text.count_chars():  # what the first plane does not have is counted twice
        signs = [text.get_text_range(place, 1) or " " for place in range(text.count_chars())]
    for place, sign in enumerate(signs):
        if sign.isspace() or not sign.isprintable() or unicodedata.category(sign[0])[0] == "M":
            continue
        left, bottom, right, top = text.get_charbox(place)
        if right - left > 0.5 and top - bottom > 0.5:
            yield Letter(sign, place, left, bottom, right, top)


def _is_inside(letter: Letter, width: float, height: float) -> bool:
    across = letter.left >= -0.5 and letter.right <= width + 0.5
    return across and letter.bottom >= -0.5 and letter.top <= height + 0.5


def _overlapping(letters: list[Letter]) -> Iterator[tuple[Letter, Letter]]:
    grid = defaultdict(list)
    for letter in letters:
        grid[_cell(letter)].append(letter)
    for first in letters:
        column, row = _cell(first)
        for right, up in product((-1, 0, 1), repeat=2):
            for second in grid.get((column + right, row + up), ()):
                if second.place - first.place >= NEAR and _is_on(first, second):
                    yield first, second


def _cell(letter: Letter) -> tuple[int, int]:
    center = (letter.left + letter.right) / 2, (letter.bottom + letter.top) / 2
    return int(center[0] // CELL), int(center[1] // CELL)


def _is_on(first: Letter, second: Letter) -> bool:
    width = min(first.right, second.right) - max(first.left, second.left)
    height = min(first.top, second.top) - max(first.bottom, second.bottom)
    if width <= 0 or height <= 0:
        return False
    areas = (
        (letter.right - letter.left) * (letter.top - letter.bottom) for letter in (first, second)
    )
    return width * height > COVERED * min(areas)
