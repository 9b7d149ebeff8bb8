"""Imposition: several pages on each side of a sheet, or a booklet to fold.

The result is for paper: tags, links and outline are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, TypeAlias

from ...errors import RenderError
from ...options import PrintOptions

if TYPE_CHECKING:
    from pikepdf import Page, Pdf

#: Left, bottom, right and top.
Rectangle: TypeAlias = tuple[float, float, float, float]

#: The indexes of the pages on a side of a sheet, by rows from the top left; None for a blank page.
Side: TypeAlias = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class ImposedPdf:
    """A PDF whose pages are sides of sheets, with the number of sheets."""

    pdf: bytes = field(repr=False)
    sheets: int


def impose(pdf: bytes, pages: int, options: PrintOptions, *, rtl: bool = False) -> ImposedPdf:
    """Arrange the pages of a PDF on sheets; ``rtl`` documents are bound on the right."""
    uses_backs = options.duplex or options.booklet
    if options.booklet:
        sides = booklet_sides(pages)
    elif options.nup > 1:
        sides = nup_sides(pages, options.nup)
    else:
        return ImposedPdf(pdf, (pages + 1) // 2 if uses_backs else pages)
    if rtl:
        rows = [[side[n : n + 2] for n in range(0, len(side), 2)] for side in sides]
        sides = [tuple(page for row in side for page in reversed(row)) for side in rows]
    grid = (2, 2) if options.nup == 4 else (2, 1)
    data = _draw_sheets(pdf, sides, grid, booklet=options.booklet)
    return ImposedPdf(data, (len(sides) + 1) // 2 if uses_backs else len(sides))


def booklet_sides(pages: int) -> list[Side]:
    """Return a booklet's sides, fronts and backs alternating, the outermost sheet first."""
    total = -(-pages // 4) * 4

    def page(index: int) -> int | None:
        return index if index < pages else None

    sides: list[Side] = []
    for sheet in range(total // 4):
        first, last = 2 * sheet, total - 1 - 2 * sheet
        sides.append((page(last), page(first)))
        sides.append((page(first + 1), page(last - 1)))
    return sides


def nup_sides(pages: int, count: int) -> list[Side]:
    """Return sides of ``count`` pages each, in reading order."""
    indexes = [n if n < pages else None for n in range(-(-pages // count) * count)]
    return [tuple(indexes[n : n + count]) for n in range(0, len(indexes), count)]


def _draw_sheets(
    pdf: bytes, sides: Sequence[Side], grid: tuple[int, int], *, booklet: bool
) -> bytes:
    """Draw pages on sheets of the first page's size, rotated for two pages side by side."""
    import pikepdf

    try:
        with pikepdf.open(BytesIO(pdf)) as source, pikepdf.new() as target:
            width, height = _page_size(source.pages[0])
            sheet = (2 * width, height) if booklet else (width, height)
            if grid == (2, 1) and not booklet:
                sheet = (height, width)
            for side in sides:
                _draw_side(source, target, side, sheet, grid)
            _copy_metadata(source, target, booklet=booklet)
            buffer = BytesIO()
            target.save(buffer, deterministic_id=True)
            return buffer.getvalue()
    except pikepdf.PdfError as error:
        raise RenderError(f"the pages could not be arranged on sheets: {error}") from error


def _draw_side(
    source: Pdf, target: Pdf, side: Side, sheet: tuple[float, float], grid: tuple[int, int]
) -> None:
    import pikepdf

    forms = pikepdf.Dictionary()
    operations = []
    for index, cell in zip(side, _cells(sheet, grid), strict=True):
        if index is not None:
            page, name = source.pages[index], f"/P{index}"
            forms[name] = target.copy_foreign(page.as_form_xobject())
            operations.append(_draw_in_cell(name, _page_size(page), cell))
    page = target.add_blank_page(page_size=sheet)
    page.obj.Resources = pikepdf.Dictionary(XObject=forms)
    page.obj.Contents = target.make_stream("\n".join(operations).encode())


def _page_size(page: Page) -> tuple[float, float]:
    left, bottom, right, top = (float(value) for value in page.mediabox)
    return right - left, top - bottom


def _draw_in_cell(name: str, size: tuple[float, float], cell: Rectangle) -> str:
    """Return operators that draw a form centered in a cell, as large as possible."""
    left, bottom, right, top = cell
    scale = min((right - left) / size[0], (top - bottom) / size[1])
    x = (left + right - scale * size[0]) / 2
    y = (bottom + top - scale * size[1]) / 2
    return f"q {scale:.6f} 0 0 {scale:.6f} {x:.4f} {y:.4f} cm {name} Do Q"


def _cells(sheet: tuple[float, float], grid: tuple[int, int]) -> Iterator[Rectangle]:
    """Yield the cells of a grid, by rows from the top left."""
    width, height = sheet[0] / grid[0], sheet[1] / grid[1]
    for row in reversed(range(grid[1])):
        for column in range(grid[0]):
            left, bottom = column * width, row * height
            yield left, bottom, left + width, bottom + height


def _copy_metadata(source: Pdf, target: Pdf, *, booklet: bool) -> None:
    """Copy title and author, and set the duplex mode of the printer."""
    import pikepdf

    for key in ("/Title", "/Author", "/Creator", "/Subject"):
        if key in source.docinfo:
            target.docinfo[key] = str(source.docinfo[key])
    if "/Lang" in source.Root:
        target.Root.Lang = str(source.Root.Lang)
    target.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
    if booklet:
        target.Root.ViewerPreferences.Duplex = pikepdf.Name.DuplexFlipShortEdge
