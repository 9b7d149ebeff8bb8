"""No last page of a few lines: the pages are run long by a line or two where that spares one.

A printer of books does the same by hand.  The type stays as it is; the page's foot and head each
give a line, and the lines stand a little closer.  It is tried once, on a short document of which
only a little stands on the last page, and taken when it comes out a page shorter.
"""

from __future__ import annotations

from typing import Any

from ..options import PrintOptions
from ..themes.options import StyledTheme
from ..themes.page import UNITS, PageGeometry

#: The pages of a document that is laid out again, and how full its last page is at most.
FEWEST, MOST, SHORT = 2, 6, 0.2

#: The lines stand closer by this part; less than so many lines of margin are left as they are.
CLOSER, LEAST_MARGIN = 0.97, 3


def longer_pages(styling: StyledTheme, paper: PageGeometry, options: PrintOptions) -> str:
    """Return the style sheet that runs the pages long; '' where what a person chose forbids it."""
    page = styling.theme.page
    chosen = {assignment.partition("=")[0].strip() for assignment in options.theme_options}
    if options.fit or options.margin or options.css or page.line_numbers:
        return ""
    if chosen & {"leading", "top", "bottom"}:
        return ""
    line = page.leading * paper.font_size * UNITS["pt"]
    top, _, bottom, _ = paper.margins
    if min(top, bottom) < LEAST_MARGIN * line:
        return ""
    # Important, as it comes before the document's own style sheet in the cascade.
    edges = {"top": top - line, "bottom": bottom - line}
    margins = (f"margin-{edge}: {length:.3f}mm !important" for edge, length in edges.items())
    leading = f"--leading: {CLOSER * page.leading:.4f}rem !important"
    return f"@page {{ {'; '.join(margins)} }} :root {{ {leading} }}"


def is_short(pages: list[Any]) -> bool:
    """Tell whether little stands on the last of a few pages."""
    if not FEWEST <= len(pages) <= MOST:
        return False
    page = pages[-1]._page_box
    root = page.children[0]
    ends = (
        box.position_y + box.height
        for box in root.descendants()
        if not getattr(box, "children", ()) and isinstance(box.height, int | float)
    )
    return bool(max(ends, default=0) - page.content_box_y() < SHORT * page.height)
