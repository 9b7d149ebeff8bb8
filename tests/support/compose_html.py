"""Compose a piece of HTML with every segment selected, except those that contain a marker word."""

from __future__ import annotations

from printer.article import Article, Heading, Paragraph, Spans, plain_text
from printer.compose import compose
from printer.html.page import read_page
from printer.selection import Verdict

URL = "https://example.org/a/page"


def compose_article(html: str, *, drop: str = "") -> Article:
    """Return the article of all segments except those that contain the word ``drop``."""
    page = read_page(f"<!doctype html><html lang=en><title></title><body>{html}", URL)
    keep = tuple(not drop or drop not in segment.text for segment in page.segments)
    return compose(page, Verdict(keep), ())


def first_spans(html: str) -> Spans:
    """Return the spans of the first block."""
    block = compose_article(html).blocks[0]
    assert isinstance(block, Paragraph | Heading)
    return block.spans


def outline(html: str) -> list[tuple[int, str]]:
    """Return the level and the text of each heading that is not inside another block."""
    blocks = compose_article(html).blocks
    return [(b.level, plain_text(b.spans)) for b in blocks if isinstance(b, Heading)]
