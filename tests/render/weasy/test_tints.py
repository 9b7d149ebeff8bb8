"""The tint behind code on several pages ends with the last line on each."""

from __future__ import annotations

from dataclasses import replace

import pytest
import weasyprint

from printer.article import Code
from printer.render.weasy.box_tree import lowest_edge
from printer.render.weasy.engine import lay_out_document
from printer.render.weasy.patches import patched
from tests.support.documents import render_html
from tests.support.sample_articles import SAMPLE_ARTICLE, paragraph


@pytest.mark.parametrize("before", range(3, 15, 3))
def test_the_tint_behind_code_ends_with_its_last_line_on_a_page(before: int) -> None:
    long_line = "crossing = " + " + ".join(f"river.crossing(hour={hour})" for hour in range(30))
    code = Code("\n".join([long_line] * 14))
    article = replace(
        SAMPLE_ARTICLE,
        blocks=(*[paragraph("A line.")] * before, code, paragraph("The end.")),
        url="",
    )
    document = render_html([article], {})
    html = weasyprint.HTML(string=document.html, base_url=None)
    with patched():
        pages = [page._page_box for page in lay_out_document(html, document).pages]
    fragments = [box for page in pages for box in page.descendants() if box.element_tag == "pre"]
    assert len(fragments) > 1
    for box in fragments:
        assert box.padding_top
        assert box.padding_bottom
        assert abs(box.content_box_y() + box.height - lowest_edge(box)) < 4
