"""The style sheet of a document: page geometry, fonts, and the rules of theme and user."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup

from ..options import PrintOptions
from .options import StyledTheme
from .page import UNITS, PageGeometry

#: For saving ink: no backgrounds, thin rules, light pictures.
INK_SAVING_CSS = """
* { background: none !important }
img { opacity: .55 }
html { --hair: .3pt solid #999; --grey: #666 }
table { border-width: .4pt !important }
"""

#: For several columns only: without ``columns``, a single one is laid out faster and breaks better.
#: No page is rotated; the widest tables span the columns instead.
COLUMNS_CSS = """
.body { columns: var(--columns); column-gap: var(--gap) }
div.widest { page: auto; break-after: auto; column-span: all }
pre .line:nth-child(n) { break-before: auto; break-after: auto }
"""

GRAYSCALE_CSS = ":root { --accent: black }"

CHAPTERS_CSS = """
article + article, .contents + article { break-before: right }
@page :blank { @top-left { content: none } @top-right { content: none }
  @bottom-center { content: none } }
"""

#: The height of capitals, in ems (a book face).
CAPITAL_HEIGHT = 0.65

#: The factors by which the leading of longer pages is reduced, and the type if that is not enough;
#: the fewest lines of a margin from which a line may be taken.
CLOSER_LEADING, SMALLER_TYPE, MIN_MARGIN_LINES = 0.97, 0.97, 3

#: The width of wide figures if that is not enough either, as a share of the measure, and about
#: their height, as a share of the page.
NARROWER_FIGURES, FIGURE_HEIGHT = 0.8, 0.35


class LongerPages(NamedTuple):
    """A style sheet that fits more on a page, and about what it gains at most.

    ``gain`` is the share of a page that it gains on each, ``gain_by_figure`` by each wide figure.
    """

    css: str
    gain: float
    gain_by_figure: float = 0.0


def build_stylesheet(styling: StyledTheme, page: PageGeometry, options: PrintOptions) -> Markup:
    """Return the style sheet, escaped for a style element."""
    css = "\n".join((
        styling.font_css,
        *_page_rules(page),
        _variables(styling, page),
        styling.theme.css,
        COLUMNS_CSS if page.columns > 1 else "",
        CHAPTERS_CSS if styling.theme.page.chapters != "any" else "",
        GRAYSCALE_CSS if options.grayscale else "",
        INK_SAVING_CSS if options.ink_save else "",
        options.css,
    ))  # fmt: skip
    return Markup(css.replace("</", "<\\/"))  # noqa: S704 - our own and the user's files


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
    yield f"@page turned {{ size: {_mm(page.height, page.width)}; margin: {margins} }}"
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


def build_longer_pages(
    styling: StyledTheme, page: PageGeometry, options: PrintOptions
) -> tuple[LongerPages, ...]:
    """Return style sheets that fit more on a page, least first; none if the options forbid it.

    Pages become two lines longer; with the second style sheet, the type is also slightly smaller,
    and with the third, wide figures are narrower and centred.
    """
    settings = styling.theme.page
    if options.fit or options.margin or options.css or settings.line_numbers:
        return ()
    if styling.chosen & {"leading", "top", "bottom"}:
        return ()
    line = settings.leading * page.font_size * UNITS["pt"]
    top, _, bottom, _ = page.margins
    if min(top, bottom) < MIN_MARGIN_LINES * line:
        return ()
    # ``!important``, since it precedes the document's style sheet in the cascade.
    edges = {"top": top - line, "bottom": bottom - line}
    margins = "; ".join(f"margin-{edge}: {edges[edge]:.3f}mm !important" for edge in edges)
    leading = f"--leading: {CLOSER_LEADING * settings.leading:.4f}rem !important"
    height = (1 + 2 * line / page.text_height) / CLOSER_LEADING
    longer = LongerPages(f"@page {{ {margins} }} :root {{ {leading} }}", height - 1)
    if "font_size" in styling.chosen or options.font_size:
        return (longer,)
    size = f"{SMALLER_TYPE * page.font_size:.3f}pt !important"
    smaller = f"{longer.css} html {{ font-size: {size} }}"
    # Lines are closer, and have more characters.
    gain = height / SMALLER_TYPE**2 - 1
    margin = f"{50 * (1 - NARROWER_FIGURES):.0f}%"
    inset = f"{smaller} .body > figure:not([class]) {{ margin-inline: {margin} !important }}"
    sheets = longer, LongerPages(smaller, gain)
    narrower = LongerPages(inset, gain, FIGURE_HEIGHT * (1 - NARROWER_FIGURES))
    return sheets if page.columns > 1 else (*sheets, narrower)


def _mm(*lengths: float) -> str:
    return " ".join(f"{length:.3f}mm" for length in lengths)
