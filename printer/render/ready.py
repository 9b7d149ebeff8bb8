"""What sets an article is loaded before the first one comes, while that is fetched and read."""

from __future__ import annotations

from contextlib import suppress

from ..article import Article, Heading, Paragraph, Span
from ..errors import WebprintError
from ..options import PrintOptions
from ..output import PreparedPictures
from . import completeness, fit
from .book import render_articles
from .context import RenderContext
from .pdf import impose
from .pdf.provenance import Provenance
from .spared import load_weasyprint

#: The modules that setting.py loads besides, when it is called.
LOADED = (fit, impose, completeness)

#: Set first, so that templates, typefaces, a dictionary and what else is read once have been read.
_FIRST = Article(
    "A title",
    (
        Heading(2, (Span("A heading"),)),
        Paragraph(
            (
                Span("Everything that is read but once for all articles is read for this one, "),
                Span("typefaces", ("em",)),
                Span(" and dictionaries for hyphenation "),
                Span("notwithstanding", ("strong",)),
                Span(": nobody will ever see it, and what follows it need not wait."),
            )
        ),
    ),
    byline="Author",
    published="2000-01-01",
    url="https://example.org/",
    language="en",
)


def make_ready() -> None:
    """Load all that sets an article, and set one; in a process that does nothing else meanwhile.

    What is wrong with the system shows when it is printed with.
    """
    with suppress(OSError):
        load_weasyprint()
    with suppress(WebprintError):
        render_articles(
            RenderContext.of([_FIRST], PrintOptions()),
            lambda _: PreparedPictures(),
            None,
            Provenance(),
        )
