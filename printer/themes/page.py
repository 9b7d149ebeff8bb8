"""Page geometry (paper, margins and font size) and the style sheet, from the options and the theme.

Everything is parsed to numbers here, so that no user's text reaches CSS.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from markupsafe import Markup

from ..errors import UsageError
from ..options import PrintOptions
from ..output import SCREEN_DPI
from ..text import did_you_mean, truncate
from .loader import Device, ThemePage, all_themes
from .options import StyledTheme, apply_options, build_font_css

#: Top, right, bottom and left, in millimeters.
Margins: TypeAlias = tuple[float, float, float, float]

#: Lengths of CSS units in millimeters.
UNITS = {
    "mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6, "px": 25.4 / SCREEN_DPI
}  # fmt: skip
#: The average width of a character, in ems (English, a book face).
CHARACTER_WIDTH = 0.43
#: The size of the type of running heads, as in the style sheet.
RUNNING_HEAD_REM = 0.8
#: The usual height of a line.
LINE_HEIGHT_EM = 1.4
#: The share of the lines of paragraphs that is filled.
PARAGRAPH_FILL = 0.93


@dataclass(frozen=True, slots=True)
class PageGeometry:
    """The geometry of a page in millimeters; ``font_size`` is in points.

    ``gap`` is the space between columns.  In duplex printing, the inner margin is wider by
    ``gutter`` and the outer one narrower.
    """

    width: float
    height: float
    margins: Margins
    font_size: float
    columns: int = 1
    gap: float = 0.0
    gutter: float = 0.0
    picture_scale: float = 1.0

    @property
    def text_width(self) -> float:
        return self.width - self.margins[1] - self.margins[3]

    @property
    def text_height(self) -> float:
        return self.height - self.margins[0] - self.margins[2]

    @property
    def column_width(self) -> float:
        return (self.text_width - (self.columns - 1) * self.gap) / self.columns

    @property
    def em(self) -> float:
        return self.font_size * UNITS["pt"]

    @property
    def capacity(self) -> float:
        """The number of characters that fit on a page of plain paragraphs, roughly."""
        lines = self.columns * self.text_height / (LINE_HEIGHT_EM * self.em)
        return PARAGRAPH_FILL * lines * self.column_width / (CHARACTER_WIDTH * self.em)

    @property
    def head_room(self) -> int:
        """The number of characters that fit in a running head."""
        character = CHARACTER_WIDTH * RUNNING_HEAD_REM * self.em
        return max(24, min(120, int(self.text_width / character)))


DEFAULT_PAPER = "A4"
MIN_TEXT_BLOCK_MM = 30.0


def page_geometry(options: PrintOptions) -> PageGeometry:
    """Return the geometry of the page; raise UsageError for invalid or conflicting options.

    The default side margins give lines the length of the theme's ``measure``, so that lines on
    large paper are not too long to read.
    """
    _check_imposition(options)
    theme = apply_options(options).theme
    page = theme.page
    name = options.paper or page.paper or DEFAULT_PAPER
    device = theme.papers.get(name.strip().lower(), Device(size=name))
    width, height = _parse_paper(device.size, tuple(theme.papers))
    if options.landscape:
        width, height = max(width, height), min(width, height)
    if options.booklet:  # The paper is folded.
        width, height = height / 2, width
    font_size = device.font_size or page.font_size
    if options.font_size:
        font_size = _parse_font_size(options.font_size)
    em = font_size * UNITS["pt"]
    gap = page.gap * em
    margin = options.margin or device.margin
    margins = _parse_margins(margin) if margin else _default_margins(page, width, height, em)
    gutter = page.gutter * width if options.duplex or options.booklet else 0.0
    gutter = min(gutter, margins[1] / 2)
    geometry = PageGeometry(
        width, height, margins, font_size, page.columns, gap, gutter, page.pictures
    )
    if geometry.column_width < MIN_TEXT_BLOCK_MM or geometry.text_height < MIN_TEXT_BLOCK_MM:
        raise UsageError(
            f"these margins leave no room for text on {name}", hint="Use smaller margins"
        )
    return geometry


#: The maximum height of a picture, as a share of the height of the text block.
MAX_PICTURE_HEIGHT = 0.6


def max_picture_size(options: PrintOptions) -> tuple[float, float]:
    """Return the maximum width and height of a picture in millimeters."""
    page = page_geometry(options)
    return page.text_width, page.text_height * MAX_PICTURE_HEIGHT


def _check_imposition(options: PrintOptions) -> None:
    if options.nup not in (1, 2, 4):
        raise UsageError("--nup must be 1, 2 or 4")
    if options.booklet and options.nup > 1:
        raise UsageError("a booklet always has two pages on a side", hint="Leave out --nup")
    if options.pdf == "a-3u" and (options.booklet or options.nup > 1):
        raise UsageError(
            "--pdf a-3u cannot be combined with --booklet or --nup, which rearrange pages",
            hint="Print the archive and the imposed pages separately",
        )
    if options.landscape and options.booklet:
        raise UsageError(
            "--landscape cannot be combined with --booklet, which folds upright paper",
            hint="Leave one of them out",
        )
    if options.fit < 0:
        raise UsageError("--fit must not be negative")


def _default_margins(page: ThemePage, width: float, height: float, em: float) -> Margins:
    column = page.measure * CHARACTER_WIDTH * em
    line = column * page.columns + page.gap * em * (page.columns - 1)
    side = max(page.side * width, (width - line) / 2)
    return page.top * height, side, page.bottom * height, side


#: Paper sizes by name, in millimeters.
PAPERS = {
    "a3": (297.0, 420.0), "a4": (210.0, 297.0), "a5": (148.0, 210.0), "a6": (105.0, 148.0),
    "b5": (176.0, 250.0), "letter": (215.9, 279.4), "legal": (215.9, 355.6),
}  # fmt: skip
MIN_PAPER_MM = 50.0
MAX_PAPER_MM = 1500.0


def _parse_paper(text: str, theme_papers: tuple[str, ...]) -> tuple[float, float]:
    """Return the width and height of a paper, given by name or as in 148x210mm."""
    paper = PAPERS.get(text.strip().lower())
    if paper:
        return paper
    parts = re.split(r"[x×]", text.strip().lower())
    if len(parts) == 2 and _parse_length(parts[0]) is None:
        parts[0] = parts[0].strip() + parts[1].strip()[-2:]  # A single unit applies to both.
    lengths = [length for part in parts[:3] if (length := _parse_length(part)) is not None]
    if len(lengths) != 2 or len(parts) != 2:
        names = ("A4", "Letter", "A5", "Legal", *theme_papers)
        hint = f"Use {', '.join(names)} or WIDTHxHEIGHT such as 148mmx210mm"
        hint = f"{did_you_mean(text.strip(), names)} {hint}".lstrip()
        for theme in all_themes():
            if text.strip().lower() in theme.papers:
                hint = f"It is one of the theme {theme.name}: --theme {theme.name}"
        if "landscape" in text.lower():
            hint = "Add --landscape to turn the paper"
        raise UsageError(f"{truncate(text, 40)!r} is not a paper size", hint=hint)
    width, height = lengths
    if not (MIN_PAPER_MM <= width <= MAX_PAPER_MM and MIN_PAPER_MM <= height <= MAX_PAPER_MM):
        raise UsageError(
            f"{truncate(text, 40)!r} is out of range",
            hint=f"Width and height must be between {MIN_PAPER_MM:g} and {MAX_PAPER_MM:g} mm",
        )
    return width, height


def _parse_margins(text: str) -> Margins:
    parts = text.split()[:5]
    lengths = [length for part in parts if (length := _parse_length(part)) is not None]
    match lengths if len(lengths) == len(parts) else []:
        case [all_sides]:
            return all_sides, all_sides, all_sides, all_sides
        case [vertical, horizontal]:
            return vertical, horizontal, vertical, horizontal
        case [top, horizontal, bottom]:
            return top, horizontal, bottom, horizontal
        case [top, right, bottom, left]:
            return top, right, bottom, left
    hint = "Use a length such as 20mm, 2cm or 0.8in"
    raise UsageError(f"{truncate(text, 40)!r} is not a margin", hint=hint)


MIN_FONT_SIZE_PT = 5.0
MAX_FONT_SIZE_PT = 48.0


def _parse_font_size(text: str) -> float:
    length = _parse_length(text)
    size = length / UNITS["pt"] if length is not None else 0.0
    if not MIN_FONT_SIZE_PT <= size <= MAX_FONT_SIZE_PT:
        raise UsageError(
            f"{truncate(text, 40)!r} is not a font size",
            hint=f"Use a length from {MIN_FONT_SIZE_PT:g}pt to {MAX_FONT_SIZE_PT:g}pt, "
            "such as 11pt",
        )
    return size


_LENGTH = re.compile(r"([0-9]{1,5}(?:\.[0-9]{1,4})?)(mm|cm|in|pt|pc|px)")


def _parse_length(text: str) -> float | None:
    """Return a CSS length in millimeters, None if the text is not one."""
    text = text.strip().lower()
    match = _LENGTH.fullmatch(text) if text.isascii() else None
    if match:
        return float(match[1]) * UNITS[match[2]]
    return 0.0 if text == "0" else None


class ExtendedPageStyle(NamedTuple):
    """A style sheet that fits more on a page, and the share of a page that it gains."""

    css: str
    gain: float


_GRAYSCALE_CSS = ":root { --accent: black }"
#: The height of capitals, in ems (a book face).
CAPITAL_HEIGHT = 0.65


def build_stylesheet(styling: StyledTheme, page: PageGeometry, options: PrintOptions) -> Markup:
    """Return the style sheet, escaped for a style element."""
    css = "\n".join((
        build_font_css(styling.theme.fonts, styling.font),
        *_page_rules(page),
        _variables(styling, page),
        styling.theme.css,
        _read_css("columns") if page.columns > 1 else "",
        _read_css("chapters") if styling.theme.page.chapters != "any" else "",
        _GRAYSCALE_CSS if options.grayscale else "",
        _read_css("ink_save") if options.ink_save else "",
        options.css,
    ))  # fmt: skip
    return Markup(css.replace("</", "<\\/"))  # noqa: S704 - our own and the user's files


@cache
def _read_css(name: str) -> str:
    return Path(__file__).with_name(f"{name}.css").read_text("utf-8")


def _page_rules(page: PageGeometry) -> Iterator[str]:
    top, right, bottom, left = page.margins
    yield f"@page {{ size: {_mm(page.width, page.height)}; margin: {_mm(*page.margins)} }}"
    if page.gutter:
        inner, outer = _mm(left + page.gutter), _mm(right - page.gutter)
        yield f"@page :right {{ margin-left: {inner}; margin-right: {outer} }}"
        yield f"@page :left {{ margin-right: {inner}; margin-left: {outer} }}"
    # A rotated page for tables that are too wide.
    side = min(left, right)
    margins = _mm(side, bottom, side, top)
    yield f"@page rotated {{ size: {_mm(page.height, page.width)}; margin: {margins} }}"
    yield f"html {{ font-size: {page.font_size:.2f}pt }}"


def _variables(styling: StyledTheme, page: PageGeometry) -> str:
    values = (
        *styling.values,
        ("leading", f"{styling.theme.page.leading}rem"),
        ("columns", str(page.columns)),
        ("gap", _mm(page.gap)),
        # WeasyPrint does not calculate sizes of type.
        ("initial", f"{1 + 2 * styling.theme.page.leading / CAPITAL_HEIGHT:.4f}rem"),
    )
    return f":root {{ {'; '.join(f'--{name}: {value}' for name, value in values)} }}"


#: The factor by which the leading of longer pages is reduced.
CLOSER_LEADING = 0.97
#: The factor by which the type is reduced if that is not enough.
SMALLER_TYPE = 0.97
#: The fewest lines of a margin from which one is taken.
MIN_MARGIN_LINES = 3


def extend_pages(
    styling: StyledTheme, page: PageGeometry, options: PrintOptions
) -> tuple[ExtendedPageStyle, ...]:
    """Return style sheets with two more lines a page, the second with smaller type; or none."""
    settings = styling.theme.page
    if options.fit or options.margin or options.css or settings.line_numbers:
        return ()
    if styling.chosen & {"leading", "top", "bottom"}:
        return ()
    line = settings.leading * page.em
    top, _, bottom, _ = page.margins
    if min(top, bottom) < MIN_MARGIN_LINES * line:
        return ()
    # ``!important``, since it precedes the document's style sheet in the cascade.
    edges = {"top": top - line, "bottom": bottom - line}
    margins = "; ".join(f"margin-{edge}: {edges[edge]:.3f}mm !important" for edge in edges)
    leading = f"--leading: {CLOSER_LEADING * settings.leading:.4f}rem !important"
    height = (1 + 2 * line / page.text_height) / CLOSER_LEADING
    longer = ExtendedPageStyle(f"@page {{ {margins} }} :root {{ {leading} }}", height - 1)
    if "font_size" in styling.chosen or options.font_size:
        return (longer,)
    size = f"{SMALLER_TYPE * page.font_size:.3f}pt !important"
    smaller = f"{longer.css} html {{ font-size: {size} }}"
    # Lines are closer, and have more characters.
    return longer, ExtendedPageStyle(smaller, height / SMALLER_TYPE**2 - 1)


def _mm(*lengths: float) -> str:
    return " ".join(f"{length:.3f}mm" for length in lengths)
