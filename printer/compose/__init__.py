"""Composition: the chosen segments and pictures become an article of typed blocks."""

from __future__ import annotations

from ..article import Article, Paragraph, Span
from ..dom.page import Page
from ..model import Placed, Verdict

__all__ = ["compose"]


def compose(page: Page, verdict: Verdict, pictures: tuple[Placed, ...]) -> Article:
    """Build the article from a page and what was decided about it."""
    del pictures
    kept = (s for s, keep in zip(page.segments, verdict.keep, strict=True) if keep)
    return Article(
        title=page.metadata.title,
        blocks=tuple(Paragraph((Span(segment.text),)) for segment in kept),
        url=page.url,
        language=page.metadata.language,
    )
