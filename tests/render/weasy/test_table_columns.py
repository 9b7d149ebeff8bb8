"""The columns of a table are as wide as the text of all rows asks, not just the longest cell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import weasyprint

from printer.article import Cell, Table
from printer.options import PrintOptions
from printer.render.context import render_html
from printer.render.weasy import patches
from printer.render.weasy.engine import lay_out_document
from printer.render.weasy.table_columns import divide_width
from printer.themes.page import page_geometry
from tests.support.sample_articles import SAMPLE_ARTICLE, paragraph

GEOMETRY = page_geometry(PrintOptions())
#: The right edge of the text of a page, in CSS pixels.
PAGE_RIGHT = (GEOMETRY.margins[3] + GEOMETRY.text_width) * 96 / 25.4 + 1

LONG = "A box of oak for salt, with a lid that a child can lift and a strap to hang it by. " * 2


def lay_out(*rows: tuple[str | Cell, ...]) -> Any:
    """Return the box of a table."""
    cells = (tuple(Cell((paragraph(c),)) if isinstance(c, str) else c for c in row) for row in rows)
    article = replace(SAMPLE_ARTICLE, blocks=(Table((), tuple(cells)),), url="")
    document = render_html([article], {}, PrintOptions())
    html = weasyprint.HTML(string=document.html, base_url=None)
    with patches.patched():
        (page, *_) = (page._page_box for page in lay_out_document(html, document).pages)
    boxes = (box for box in page.descendants() if type(box).__name__ == "TableBox")
    return next(boxes)


def heights(rows: list[tuple[str, ...]], monkeypatch: Any) -> tuple[float, float]:
    """Return the height of a table, and that by the automatic layout."""
    adjusted = lay_out(*rows).height
    monkeypatch.setattr(patches, "disabled", {divide_width})
    return adjusted, lay_out(*rows).height


def test_one_long_cell_does_not_make_all_others_narrow(monkeypatch):
    rows = [("Description", LONG)]
    rows += [(f"The height of the {n} shelf", f"{n} cm") for n in ("first", "second", "third")] * 3
    adjusted, automatic = heights(rows, monkeypatch)
    assert adjusted < 0.9 * automatic


def test_the_text_of_all_rows_counts(monkeypatch):
    rows = [("Bread and salt " * 12, "Meals")]
    rows += [("Oak", "Boards and boxes for the kitchen, sawn to size")] * 9
    adjusted, automatic = heights(rows, monkeypatch)
    assert adjusted < 0.8 * automatic


def test_no_column_is_narrower_than_a_word_or_breaks_a_short_cell():
    rows = [("Schraubenschlüssel", "Oak " * 40, "Meals")]
    rows += [("12 to 14 cm", "Oak", LONG[:80])] * 9
    table = lay_out(*rows)
    for row in table.children[0].children:
        lines = [box for box in row.children[0].descendants() if type(box).__name__ == "LineBox"]
        assert len(lines) == 1


def test_columns_of_similar_text_stay_as_they_are(monkeypatch):
    rows = [(LONG[: 60 + 20 * n], LONG[: 80 + 15 * n]) for n in range(4)]
    adjusted, automatic = heights(rows, monkeypatch)
    assert adjusted == automatic


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
