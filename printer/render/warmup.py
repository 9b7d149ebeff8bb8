"""Preloading of everything that renders an article, before the first one arrives."""

from __future__ import annotations

from contextlib import suppress

from ..article import Article, Heading, Paragraph, Span
from ..errors import WebprintError
from ..options import PrintOptions
from ..output import PreparedPictures
from . import completeness  # noqa: F401 - otherwise imported on the first render
from .book import render_articles
from .context import RenderContext
from .pdf import impose  # noqa: F401
from .weasy.engine import RenderedPdf, import_weasyprint

_TEXT = (
    Span("Everything that is read but once for all articles is read for this one, "),
    Span("typefaces", ("em",)),
    Span(" and dictionaries for hyphenation "),
    Span("notwithstanding", ("strong",)),
    Span(": nobody will ever see it, and what follows it need not wait."),
)
_SPECIMEN = Article(
    "A title",
    (Heading(2, (Span("A heading"),)), Paragraph(_TEXT)),
    byline="Author",
    published="2000-01-01",
    url="https://example.org/",
    language="en",
)


def render_specimen() -> None:
    """Render an article to fill all caches for the next one.

    Only for processes that do nothing else meanwhile.  Errors of the system are ignored here and
    reported by the first real print.
    """
    with suppress(OSError):
        import_weasyprint()
    with suppress(WebprintError):
        print_specimen()


def print_specimen() -> RenderedPdf:
    """Return the specimen as a PDF; raises like :func:`.weasy.engine.render_pdf`."""
    context = RenderContext.of([_SPECIMEN], PrintOptions())
    return render_articles(context, lambda _: PreparedPictures())
