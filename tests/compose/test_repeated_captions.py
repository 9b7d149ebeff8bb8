"""A caption is printed once, with its picture."""

from __future__ import annotations

from printer.article import Block, Figure, Heading, Paragraph, Span
from printer.compose.cleanup import clean_up

CAPTION = "Ada Fenwick stands on the ferry at Kestermouth in May"
FIGURE = Figure("a.jpg", caption_spans=(Span(CAPTION),), credit="Photo: A. Name")
TEXT = Paragraph((Span("The ferry crosses the river twice an hour, and nobody hurries."),))


def compose_(*blocks: Block) -> list[str]:
    """Return the letters of the remaining blocks: F for a figure, else the first of its type."""
    found = clean_up(blocks, "The ferry", {}, linked=False)
    return [type(block).__name__[0] for block in found]


def test_text_that_repeats_the_caption_nearby_is_left_out() -> None:
    again = Paragraph((Span(CAPTION + "."),))
    with_credit = Paragraph((Span(CAPTION + " Photo: A. Name"),))
    assert compose_(TEXT, again, FIGURE, Heading(2, (Span(CAPTION),)), TEXT) == ["P", "F", "P"]
    assert compose_(FIGURE, with_credit, TEXT) == ["F", "P"]


def test_text_far_away_or_not_quite_the_same_is_kept() -> None:
    again = Paragraph((Span(CAPTION + "."),))
    other = Paragraph((Span(CAPTION + ", says the mayor."),))
    assert compose_(FIGURE, TEXT, TEXT, TEXT, again, TEXT) == ["F", "P", "P", "P", "P", "P"]
    assert compose_(FIGURE, other, TEXT) == ["F", "P", "P"]
    short = Figure("a.jpg", caption_spans=(Span("The ferry at sea"),))
    line = Paragraph((Span("The ferry at sea"),))
    assert compose_(TEXT, short, line, TEXT) == ["P", "F", "P", "P"]


def test_a_picture_that_stands_again_with_its_caption_is_left_out() -> None:
    other = Figure("a.jpg", caption_spans=(Span("The quay at Kestermouth"),))
    assert compose_(FIGURE, FIGURE, FIGURE, TEXT, other, FIGURE, TEXT) == ["F", "P", "F", "P"]
