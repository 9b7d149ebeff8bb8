"""The last step of the way a page goes: articles and their pictures become a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .article import Article
from .model import Capture, Edition, Prepared, Result
from .options import PrintOptions

if TYPE_CHECKING:
    from .render.html import Document
    from .render.pdf import Printed


def set_articles(
    pages: Sequence[tuple[Article, Capture]],
    prepared: Prepared,
    options: PrintOptions,
    to_pdf: Callable[[Document], Printed] | None = None,
    dpi: int = 0,
    edition: Edition | None = None,
) -> Result:
    """Set articles on paper, or write them in the format that is asked for."""
    if options.format == "pdf":
        return _printed(pages, prepared, options, to_pdf, dpi, edition)
    from .export import write

    articles = [article for article, _ in pages]
    fetched = pages[0][1].fetched
    data, report = write(
        articles, options.format, prepared.pictures, title=options.title, fetched=fetched
    )
    return Result(
        data=data,
        pages=0,
        title=articles[0].title,
        format=options.format,
        pictures=len(prepared.pictures),
        missing=prepared.missing,
        warnings=(*(w for a in articles for w in a.warnings), *prepared.warnings),
        report=report,
    )


def _printed(
    pages: Sequence[tuple[Article, Capture]],
    prepared: Prepared,
    options: PrintOptions,
    to_pdf: Callable[[Document], Printed] | None,
    dpi: int,
    edition: Edition | None,
) -> Result:
    from .render.archive import origin
    from .render.fit import fitted
    from .render.html import render_html
    from .render.impose import impose
    from .render.loss import compare
    from .render.pdf import to_pdf as print_here

    articles = [article for article, _ in pages]
    fetched = pages[0][1].fetched
    sources = origin(pages, attach=options.pdf == "a-3u")

    def print_(chosen: PrintOptions) -> Printed:
        document = render_html(articles, prepared.pictures, chosen, fetched, edition)
        document = replace(document, origin=sources, dpi=dpi)
        return (to_pdf or print_here)(document)

    printed = fitted(options, print_).printed
    rtl = articles[0].direction == "rtl"
    imposed = impose(printed.pdf, printed.pages, options, rtl=rtl)
    warnings = (w for a in articles for w in a.warnings)
    return Result(
        data=imposed.pdf,
        pages=printed.pages,
        sheets=imposed.sheets,
        title=articles[0].title,
        pictures=len(prepared.pictures),
        missing=prepared.missing,
        warnings=(*warnings, *prepared.warnings, *printed.warnings),
        report=compare(articles, printed.laid),
    )
