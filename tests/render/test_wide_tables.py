"""A table of long words stays on the page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import weasyprint

from printer.article import Cell, Table
from printer.options import PrintOptions
from printer.render.weasy import patches
from printer.render.weasy.engine import lay_out_document
from printer.themes.page import page_geometry
from tests.support.documents import render_html
from tests.support.sample_articles import SAMPLE_ARTICLE, paragraph

GEOMETRY = page_geometry(PrintOptions())
#: The right edge of the text of a page, in CSS pixels.
PAGE_RIGHT = (GEOMETRY.margins[3] + GEOMETRY.text_width) * 96 / 25.4 + 1


def lay_out(*rows: tuple[str | Cell, ...]) -> Any:
    """Return the box of a table."""
    cells = (tuple(Cell((paragraph(c),)) if isinstance(c, str) else c for c in row) for row in rows)
    article = replace(SAMPLE_ARTICLE, blocks=(Table((), tuple(cells)),), url="")
    document = render_html([article], {}, PrintOptions())
    html = weasyprint.HTML(string=document.html, base_url=None)
    with patches.patched():
        pages = [page._page_box for page in lay_out_document(html, document).pages]
    boxes = (
        box for page in pages for box in page.descendants() if type(box).__name__ == "TableBox"
    )
    return next(boxes)


def test_paragraphs_of_a_cell_are_not_indented():
    cell = Cell(
        (paragraph("The smaller one measures 28 cm."), paragraph("The larger one measures 42 cm."))
    )
    table = lay_out(("Waist", cell), ("Hips", cell))
    texts = (box for box in table.descendants() if getattr(box, "text", "").endswith("cm."))
    assert len({round(box.position_x) for box in texts}) == 1


def words_on_page(*rows: tuple[str, ...]) -> list[str]:
    """Return the words of a table as they stand on lines, none of which is off the page."""
    texts = [box for box in lay_out(*rows).descendants() if getattr(box, "text", "")]
    assert max(box.position_x + box.width for box in texts) <= PAGE_RIGHT
    return [word for box in texts for word in box.text.replace("\u200b", " ").split()]


def test_a_table_of_long_words_stays_on_the_page():
    names = ("Voraussetzungen", "Lieferbedingungen", "Zahlungsbedingungen", "Versandkosten")
    words = words_on_page((*names, *names[:2]), ("max_file_size", "yes", "no", "1", "2", "3"))
    assert not set(names) <= set(words)
    assert "max_file_size" in "".join(words)


def test_names_are_broken_after_their_signs_alone():
    rows = [tuple(f"column_of_lengths_{n}_{row}" for n in range(6)) for row in range(2)]
    words = words_on_page(*rows)
    assert "".join(words) == "".join(map("".join, rows))
    assert all(word.endswith("_") or word[-1].isdigit() for word in words)


def test_words_that_cannot_be_hyphenated_are_broken():
    rows = [("Size", *(f"{n}4711081547110815471108154711" for n in range(5)))] * 2
    words = words_on_page(*rows)
    assert "".join(words) == "".join(map("".join, rows))
    assert "Size" in words


def test_the_words_of_a_table_of_many_columns_are_not_broken():
    names = tuple(f"Ferry {n} to the harbour island" for n in range(13))
    texts = (getattr(box, "text", "") for box in lay_out(("Weight", *names)).descendants())
    words = {word for text in texts for word in text.split()}
    assert {"Weight", "harbour", "island"} <= words


def test_a_number_and_its_unit_share_a_line() -> None:
    names = ("Kreditsumme", "Laufzeit", "effektiver Jahreszins", "monatliche Rate", "Zinsaufwand")
    table = lay_out(names, ("5.000 €", "36 Monate", "2,0 %", "143,17 €", "154,24 €"))
    assert "36 Monate" in {getattr(box, "text", "") for box in table.descendants()}


@pytest.mark.parametrize("columns", [3, 4, 5, 6, 8, 12])
def test_numbers_with_units_stay_on_the_page(columns: int) -> None:
    assert words_on_page(*[("1000 Wmmmmmm",) * columns] * 2)
