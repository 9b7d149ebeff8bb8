"""Pages put on sheets: several on a side, or as a booklet to fold.

What comes out is for paper: the drawn pages are kept, tags, links and outline are not.
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

Rectangle: TypeAlias = tuple[float, float, float, float]

#: A side of a sheet: the indexes of its pages from left to right and top down, None for a blank.
Side: TypeAlias = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Imposed:
    """A PDF whose pages are sides of sheets, and how many sheets it takes."""

    pdf: bytes = field(repr=False)
    sheets: int


def impose(pdf: bytes, pages: int, options: PrintOptions, *, rtl: bool = False) -> Imposed:
    """Put the pages of a document on sheets as these options ask; ``rtl`` is bound on the right."""
    both_sides = options.duplex or options.booklet
    if not options.booklet and options.nup == 1:
        return Imposed(pdf, (pages + 1) // 2 if both_sides else pages)
    plan = booklet_sides(pages) if options.booklet else side_by_side(pages, options.nup)
    if rtl:
        plan = [_mirrored(side) for side in plan]
    data = _drawn(pdf, plan, grid=(2, 2) if options.nup == 4 else (2, 1), booklet=options.booklet)
    return Imposed(data, (len(plan) + 1) // 2 if both_sides else len(plan))


def booklet_sides(pages: int) -> list[Side]:
    """Return the sides of a folded booklet, front and back in turn, filled up to whole sheets.

    Sheet by sheet from the outside: the last page beside the first, then on the back the second
    beside the last but one.
    """
    whole = -(-pages // 4) * 4

    def page(index: int) -> int | None:
        return index if index < pages else None

    sides: list[Side] = []
    for sheet in range(whole // 4):
        first, last = 2 * sheet, whole - 1 - 2 * sheet
        sides.append((page(last), page(first)))
        sides.append((page(first + 1), page(last - 1)))
    return sides


def side_by_side(pages: int, count: int) -> list[Side]:
    """Return sides of ``count`` pages each, in reading order."""
    numbers = range(-(-pages // count) * count)
    filled = [n if n < pages else None for n in numbers]
    return [tuple(filled[n : n + count]) for n in range(0, len(filled), count)]


def _mirrored(side: Side) -> Side:
    rows = [side[n : n + 2] for n in range(0, len(side), 2)]
    return tuple(page for row in rows for page in reversed(row))


def _drawn(pdf: bytes, plan: Sequence[Side], grid: tuple[int, int], *, booklet: bool) -> bytes:
    """Draw pages on sheets as large as the first page is, turned when two stand beside each other.

    The pages of a booklet were set at the size of half a sheet, and keep it.
    """
    import pikepdf

    try:
        with pikepdf.open(BytesIO(pdf)) as source, pikepdf.new() as out:
            width, height = _size(source.pages[0])
            sheet = (2 * width, height) if booklet else (width, height)
            if grid == (2, 1) and not booklet:
                sheet = (height, width)
            for side in plan:
                _draw(source, out, side, sheet, grid)
            _described(source, out, booklet=booklet)
            target = BytesIO()
            out.save(target, deterministic_id=True)
            return target.getvalue()
    except pikepdf.PdfError as error:
        raise RenderError(f"the pages could not be put on sheets: {error}") from error


def _draw(
    source: Pdf, out: Pdf, side: Side, sheet: tuple[float, float], grid: tuple[int, int]
) -> None:
    """Add a side to a document."""
    import pikepdf

    forms = pikepdf.Dictionary()
    drawn = []
    for index, place in zip(side, _places(sheet, grid), strict=True):
        if index is not None:
            page, name = source.pages[index], f"/P{index}"
            forms[name] = out.copy_foreign(page.as_form_xobject())
            drawn.append(_placed(name, _size(page), place))
    target = out.add_blank_page(page_size=sheet)
    target.obj.Resources = pikepdf.Dictionary(XObject=forms)
    target.obj.Contents = out.make_stream("\n".join(drawn).encode())


def _size(page: Page) -> tuple[float, float]:
    left, bottom, right, top = (float(value) for value in page.mediabox)
    return right - left, top - bottom


def _placed(name: str, size: tuple[float, float], place: Rectangle) -> str:
    """Return the drawing of a page in the middle of its place, as large as it can be there."""
    left, bottom, right, top = place
    scale = min((right - left) / size[0], (top - bottom) / size[1])
    x = (left + right - scale * size[0]) / 2
    y = (bottom + top - scale * size[1]) / 2
    return f"q {scale:.6f} 0 0 {scale:.6f} {x:.4f} {y:.4f} cm {name} Do Q"


def _places(sheet: tuple[float, float], grid: tuple[int, int]) -> Iterator[Rectangle]:
    width, height = sheet[0] / grid[0], sheet[1] / grid[1]
    for row in reversed(range(grid[1])):
        for column in range(grid[0]):
            left, bottom = column * width, row * height
            yield left, bottom, left + width, bottom + height


def _described(source: Pdf, out: Pdf, *, booklet: bool) -> None:
    """Keep the title and the author, and tell the printer how the sheet is turned."""
    import pikepdf

    for key in ("/Title", "/Author", "/Creator", "/Subject"):
        if key in source.docinfo:
            out.docinfo[key] = str(source.docinfo[key])
    if "/Lang" in source.Root:
        out.Root.Lang = str(source.Root.Lang)
    out.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
    if booklet:
        out.Root.ViewerPreferences.Duplex = pikepdf.Name.DuplexFlipShortEdge
