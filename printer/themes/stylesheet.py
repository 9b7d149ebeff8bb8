"""All CSS of a document: the page's geometry, the faces, the theme's rules, what a person adds."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from ..options import PrintOptions
from .options import StyledTheme
from .page import PageGeometry

#: No backgrounds and no heavy rules; pictures are drawn light.
INK_SAVED = """
* { background: none !important }
img { opacity: .55 }
html { --hair: .3pt solid #999; --grey: #666 }
table { border-width: .4pt !important }
"""


def build_stylesheet(styling: StyledTheme, paper: PageGeometry, options: PrintOptions) -> Markup:
    """Return the style sheet, fit to stand in a style element."""
    css = "\n".join((
        styling.faces,
        "\n".join(_geometry(paper)),
        _values(styling, paper),
        styling.theme.css,
        _columns(paper),
        _chapters(styling),
        INK_SAVED if options.ink_save else "",
        options.css,
    ))  # fmt: skip
    return Markup(css.replace("</", "<\\/"))  # noqa: S704 - our own and the person's files


def _geometry(paper: PageGeometry) -> Iterator[str]:
    top, right, bottom, left = paper.margins
    yield f"@page {{ size: {_mm(paper.width, paper.height)}; margin: {_mm(*paper.margins)} }}"
    if paper.gutter:
        inner, outer = _mm(left + paper.gutter), _mm(right - paper.gutter)
        for page, edge, other in (("right", "left", "right"), ("left", "right", "left")):
            yield f"@page :{page} {{ margin-{edge}: {inner}; margin-{other}: {outer} }}"
    # A page on its side for a table that is too wide for one that stands.
    side = min(left, right)
    margins = (side, bottom, side, top)
    yield f"@page turned {{ size: {_mm(paper.height, paper.width)}; margin: {_mm(*margins)} }}"
    yield f"html {{ font-size: {paper.font_size:.2f}pt }}"


def _chapters(styling: StyledTheme) -> str:
    if styling.theme.page.chapters == "any":
        return ""
    blank = "@page :blank { @top-left { content: none } @top-right { content: none }"
    blank += " @bottom-center { content: none } }"
    return f"article + article, .contents + article {{ break-before: right }} {blank}"


def _values(styling: StyledTheme, paper: PageGeometry) -> str:
    values = (
        *styling.values,
        ("leading", f"{styling.theme.page.leading}rem"),
        ("columns", str(paper.columns)),
        ("gap", _mm(paper.gap)),
    )
    return f":root {{ {'; '.join(f'--{name}: {value}' for name, value in values)} }}"


def _columns(paper: PageGeometry) -> str:
    # A single column is set as plain text, which costs less and breaks better.
    if paper.columns == 1:
        return ""
    # No page is turned between columns: the widest tables go across them instead.
    return """
.body { columns: var(--columns); column-gap: var(--gap) }
div.widest { page: auto; break-after: auto; column-span: all }
"""


def _mm(*lengths: float) -> str:
    return " ".join(f"{length:.3f}mm" for length in lengths)
