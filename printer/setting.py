"""The last step of the way a page goes: articles and their pictures become a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from .article import Article
from .model import Capture, Edition, Failure, Result
from .options import PrintOptions

if TYPE_CHECKING:
    from .render.press import Presses
    from .render.volume import Prepare, Volume


def set_articles(
    pages: Sequence[tuple[Article, Capture]],
    prepare: Prepare,
    options: PrintOptions,
    press: Presses | None = None,
    dpi: int = 0,
    edition: Edition | None = None,
) -> Result:
    """Set articles on paper, or write them in the format that is asked for.

    ``prepare`` prepares the pictures of the articles at the places it is given.
    """
    if options.format == "pdf":
        return _printed(pages, prepare, options, press, dpi, edition)
    from .export import write

    articles = [article for article, _ in pages]
    prepared = prepare(range(len(articles)))
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
    prepare: Prepare,
    options: PrintOptions,
    press: Presses | None,
    dpi: int,
    edition: Edition | None,
) -> Result:
    from .render.archive import origin
    from .render.fit import fitted
    from .render.html import Whole
    from .render.impose import impose
    from .render.loss import compare
    from .render.volume import print_articles

    articles = [article for article, _ in pages]
    fetched = pages[0][1].fetched
    sources = origin(pages, attach=options.pdf == "a-3u")
    # What is tried at several sizes is prepared once.
    pictures = cache(prepare) if options.fit else prepare

    def print_(chosen: PrintOptions) -> Volume:
        whole = Whole.of(articles, chosen, fetched, edition, dpi)
        return print_articles(whole, pictures, press, sources)

    volume = fitted(options, print_).printed
    lost = {place for place, _ in volume.failed}
    rtl = articles[0].direction == "rtl"
    imposed = impose(volume.pdf, volume.pages, options, rtl=rtl)
    warnings = (w for a in articles for w in a.warnings)
    return Result(
        data=imposed.pdf,
        pages=volume.pages,
        sheets=imposed.sheets,
        title=articles[0].title,
        pictures=volume.pictures,
        missing=volume.missing,
        warnings=(*warnings, *volume.warnings),
        failures=tuple(
            Failure(pages[place][1].requested_url, error) for place, error in volume.failed
        ),
        report=compare([a for n, a in enumerate(articles) if n not in lost], volume.laid),
    )
