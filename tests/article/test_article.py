"""The document model: its text, its pictures and its data."""

import json

from printer.article import (
    Article,
    Cell,
    Code,
    Figure,
    Heading,
    Item,
    List,
    Paragraph,
    Quote,
    Span,
    Table,
    transform,
)


def paragraph(text):
    return Paragraph((Span(text),))


ARTICLE = Article(
    "Tides",
    (
        paragraph("The tide comes in twice a day."),
        Heading(2, (Span("High water"),)),
        List((Item((paragraph("One moon pulls the sea."),)), Item((paragraph("Two."),)))),
        Table((), (((Cell((paragraph("Low"),)), Cell((paragraph("4 m"),)))),)),
        Code("tide(now)\n  return height"),
        Figure("https://example.org/a.jpg", caption_spans=(Span("A quay"),)),
        paragraph("潮は一日に二度満ちる。"),
    ),
    language="en",
)


def test_text_separates_blocks_by_blank_lines_and_pieces_by_line_breaks():
    assert ARTICLE.text == (
        "The tide comes in twice a day.\n\nHigh water\n\nOne moon pulls the sea.\nTwo.\n\n"
        "Low\t4 m\n\ntide(now)\n  return height\n\n潮は一日に二度満ちる。"
    )


def test_paragraphs_are_pieces_of_five_words_or_more():
    assert ARTICLE.paragraphs == (
        "The tide comes in twice a day.",
        "One moon pulls the sea.",
        "潮は一日に二度満ちる。",
    )


def test_figures_are_found_wherever_they_stand():
    inside = Article("", (List((Item((Figure("x"),)),)),))
    assert [f.src for f in inside.figures] == ["x"]


def test_the_data_are_json_and_leave_empty_values_out():
    data = json.loads(json.dumps(ARTICLE.to_dict()))
    assert [block["type"] for block in data["blocks"]] == [
        "paragraph", "heading", "list", "table", "code", "figure", "paragraph",
    ]  # fmt: skip
    assert data["blocks"][0] == {
        "type": "paragraph",
        "spans": [{"type": "span", "text": "The tide comes in twice a day."}],
    }
    assert data["figures"][0]["caption"] == "A quay"
    assert data["title"] == "Tides"


def test_nesting_may_be_deep():
    block = Figure("https://example.org/deep.jpg")
    for _ in range(5000):
        block = Quote((paragraph("A quotation of a quotation it is."), block))
    deep = Article("", (block,))
    assert [figure.src for figure in deep.figures] == ["https://example.org/deep.jpg"]
    assert len(deep.paragraphs) == 5000
    assert deep.text.count("\n") == 4999


def test_parts_are_replaced_at_any_level():
    def replacement(part):
        if isinstance(part, Figure):
            return []
        return [Span(part.text.upper())] if isinstance(part, Span) else None

    changed = transform(ARTICLE.blocks, replacement)
    assert len(changed) == len(ARTICLE.blocks) - 1
    assert Article("", changed[:4]).text == Article("", ARTICLE.blocks[:4]).text.upper()
