"""A caption is printed once, with its picture."""

from __future__ import annotations

from printer.article import Block, Figure, Paragraph, Span
from printer.compose.postprocess import postprocess

CAPTION = "Ada Fenwick stands on the ferry at Kestermouth in May"
FIGURE = Figure("a.jpg", caption_spans=(Span(CAPTION),), credit="Photo: A. Name")
TEXT = Paragraph((Span("The ferry crosses the river twice an hour, and nobody hurries."),))


def compose_(*blocks: Block) -> list[str]:
    """Return the letters of the remaining blocks: F for a figure, else the first of its type."""
    found = postprocess(blocks, "The ferry", {}, linked=False)
    return [type(block).__name__[0] for block in found]


def test_a_picture_that_stands_again_with_its_caption_is_left_out() -> None:
    other = Figure("a.jpg", caption_spans=(Span("The quay at Kestermouth"),))
    assert compose_(FIGURE, FIGURE, FIGURE, TEXT, other, FIGURE, TEXT) == ["F", "P", "F", "P"]
