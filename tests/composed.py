"""Compose a piece of HTML with every segment kept, or those that a word marks as not."""

from __future__ import annotations

from printer.article import Article
from printer.compose import compose
from printer.dom.page import read_page
from printer.model import Verdict

URL = "https://example.org/a/page"


def article(html: str, *, drop: str = "") -> Article:
    """Return the article of all segments but those that hold the word ``drop``."""
    page = read_page(f"<!doctype html><html lang=en><title></title><body>{html}", URL)
    keep = tuple(not drop or drop not in segment.text for segment in page.segments)
    return compose(page, Verdict(keep), ())
