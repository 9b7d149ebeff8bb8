"""The last step of the way a page goes: articles and their pictures become a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from .article import Article, Paragraph, Quote, Span
from .capture import Capture
from .errors import RenderError, WebprintError
from .options import PrintOptions
from .output import Edition, Failure, PreparedPictures, Result
from .render.worker_pool import RenderPool

if TYPE_CHECKING:
    from .render.book import Prepare, RenderedBook
    from .render.worker_pool import Renderer


@dataclass(frozen=True, slots=True)
class SetOptions:
    """How articles are set: the ``page``, and the resolution of its pictures.

    Of an ``edition`` they are a digest.
    """

    page: PrintOptions
    dpi: int = 0
    edition: Edition | None = None


def set_articles(
    pages: Sequence[tuple[Article, Capture]],
    prepare: Prepare,
    options: SetOptions,
    press: Renderer | None = None,
) -> Result:
    """Set articles on paper, or write them in the format that is asked for.

    ``prepare`` prepares the pictures of the articles at the places it is given.
    """
    page = options.page
    if page.format == "pdf":
        alone = len(pages) == 1 and options.edition is None and not page.fit
        if alone and isinstance(press, RenderPool):
            return _in_press(press, pages[0], prepare((0,)), options)
        return _printed(pages, prepare, options, press)
    from .export import export_articles

    articles = [_with_summary(article, page) for article, _ in pages]
    prepared = prepare(range(len(articles)))
    if options.edition:
        articles = _told(articles, options.edition)
    fetched = pages[0][1].fetched
    data, report = export_articles(
        articles, page.format, prepared.pictures, title=page.title, fetched=fetched
    )
    return Result(
        data=data,
        pages=0,
        title=articles[0].title,
        format=page.format,
        pictures=len(prepared.pictures),
        missing=prepared.missing,
        warnings=(*(w for a in articles for w in a.warnings), *prepared.warnings),
        report=report,
    )


def _with_summary(article: Article, options: PrintOptions) -> Article:
    """Put an article's key paragraphs before it as a quotation, which every format can hold."""
    if not article.key or options.format == "json":
        return article
    return replace(article, blocks=(Quote(article.key), *article.blocks), key=())


def _told(articles: Sequence[Article], edition: Edition) -> list[Article]:
    """Return a digest's articles with what is told of them, and a last one of what is missing."""
    from .render.digest_words import digest_words

    said = digest_words(articles[0].language)
    made = []
    for article, story in zip(articles, edition.stories, strict=True):
        reading = said.reading.format(minutes=story.minutes, words=story.words)
        line = [story.section, story.source, reading, said.updated if story.updated else ""]
        top = Paragraph((Span(" · ".join(filter(None, line)), ("small",)),))
        blocks = (top, *article.blocks)
        if story.also:
            names = (
                Span(name, href=url if url.startswith("http") else "") for name, url in story.also
            )
            spans = [span for each in names for span in (Span(", "), each)][1:]
            blocks = (*blocks, Paragraph((Span(f"{said.also} "), *spans)))
        made.append(replace(article, blocks=blocks))
    if edition.remarks:
        lines = (Paragraph((Span(f"{name}: {why}"),)) for name, why in edition.remarks)
        made.append(Article(said.missing, tuple(lines), language=articles[0].language))
    return made


def _in_press(
    press: RenderPool,
    page: tuple[Article, Capture],
    prepared: PreparedPictures,
    options: SetOptions,
) -> Result:
    """Set one article in a press, which has loaded meanwhile what makes its HTML too."""
    article, capture = page
    # What a browser saw of the page was for finding the article.
    capture = replace(capture, layout=None, screenshot=b"")
    pictures = replace(prepared, pictures=dict(prepared.pictures))
    result: Result = press.run("setting the pages", _set_alone, article, capture, pictures, options)
    return result


def _set_alone(
    article: Article, capture: Capture, prepared: PreparedPictures, options: SetOptions
) -> Result:
    """Set one article in this process, where nobody sees what else is raised."""
    try:
        return _printed([(article, capture)], lambda _: prepared, options, None)
    except WebprintError:
        raise
    except Exception as error:
        fault = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise RenderError(f"the article could not be set: {fault}") from error


def _printed(
    pages: Sequence[tuple[Article, Capture]],
    prepare: Prepare,
    options: SetOptions,
    press: Renderer | None,
) -> Result:
    from .render.book import fit_to_pages, render_articles
    from .render.completeness import check_completeness
    from .render.context import RenderContext
    from .render.pdf.impose import impose
    from .render.pdf.provenance import build_provenance

    articles = [article for article, _ in pages]
    fetched = pages[0][1].fetched
    page = options.page
    sources = build_provenance(pages, attach=page.pdf == "a-3u")
    # What is tried at several sizes is prepared once.
    pictures = cache(prepare) if page.fit else prepare

    def print_(chosen: PrintOptions) -> RenderedBook:
        whole = RenderContext.of(articles, chosen, fetched, options.edition, options.dpi)
        return render_articles(whole, pictures, press, sources)

    volume = fit_to_pages(page, print_).printed
    lost = {place for place, _ in volume.failed}
    rtl = articles[0].direction == "rtl"
    imposed = impose(volume.pdf, volume.pages, page, rtl=rtl)
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
        report=check_completeness(
            [a for n, a in enumerate(articles) if n not in lost], volume.layout
        ),
    )
