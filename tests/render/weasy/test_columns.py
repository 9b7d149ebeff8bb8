"""Headings stand on the page of what spans the columns below them, and above all of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import weasyprint

from printer.article import Code
from printer.options import PrintOptions
from printer.render.weasy.engine import lay_out_document
from printer.render.weasy.patches import patched
from tests.support.documents import render_html
from tests.support.sample_articles import SAMPLE_ARTICLE, heading, paragraph

CODE = Code(
    "\n".join(f"ferry = river.crossing(hour={n}, tide='high', moor=True)" for n in range(9))
)
TEXT = "The river rose in the night and by morning the lower meadow was under water. "


def lay_out(lines: int) -> list[Any]:
    """Return the pages of text of some lines in columns, and code that spans them."""
    before = [paragraph(TEXT) for _ in range(lines)]
    blocks = (*before, heading("Crossings"), heading("By hour", 3), CODE, paragraph(TEXT))
    document = render_html(
        [replace(SAMPLE_ARTICLE, blocks=blocks, url="")], {}, PrintOptions(theme="newspaper")
    )
    html = weasyprint.HTML(string=document.html, base_url=None)
    with patched():
        return [page._page_box for page in lay_out_document(html, document).pages]


def find(pages: list[Any], tag: str) -> tuple[int, Any]:
    """Return the page and the first box of an element."""
    return next(
        (number, box)
        for number, page in enumerate(pages)
        for box in page.descendants()
        if box.element_tag == tag
    )


@pytest.mark.parametrize("lines", [20, 28, 40, 44, 48, 104])
def test_headings_stand_above_all_of_the_code_that_spans_columns(lines: int) -> None:
    pages = lay_out(lines)
    page, code = find(pages, "pre")
    for tag in ("h2", "h3"):
        number, box = find(pages, tag)
        assert number == page
        assert box.width > 0.9 * code.width
    assert box.position_y < code.position_y < box.position_y + 60
    boxes = [box for page in pages for box in page.descendants()]
    assert [type(box).__name__ for box in boxes if box.element_tag == "h2"].count("BlockBox") == 1
