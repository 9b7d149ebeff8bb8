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
    from pikepdf import Pdf, Rectangle

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
    from pikepdf import Rectangle

    try:
        with pikepdf.open(BytesIO(pdf)) as source, pikepdf.new() as target:
            page = Rectangle(source.pages[0].mediabox)
            width, height = page.width, page.height
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
    """Draw pages in the cells of a sheet, centered and as large as possible."""
    from pikepdf import Name

    page = target.add_blank_page(page_size=sheet)
    for index, cell in zip(side, _cells(sheet, grid), strict=True):
        if index is not None:
            form = target.copy_foreign(source.pages[index].as_form_xobject())
            name = page.add_resource(form, Name.XObject, Name(f"/P{index}"))
            placement = page.calc_form_xobject_placement(
                form, name, cell, invert_transformations=True, allow_shrink=True, allow_expand=True
            )
            page.contents_add(placement)


def _cells(sheet: tuple[float, float], grid: tuple[int, int]) -> Iterator[Rectangle]:
    """Yield the cells of a grid, by rows from the top left."""
    from pikepdf import Rectangle

    width, height = sheet[0] / grid[0], sheet[1] / grid[1]
    for row in reversed(range(grid[1])):
        for column in range(grid[0]):
            left, bottom = column * width, row * height
            yield Rectangle(left, bottom, left + width, bottom + height)


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
