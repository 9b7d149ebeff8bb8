"""The render stage: articles and their prepared pictures become a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from .article import Article, Heading, Paragraph, Quote, Span
from .errors import RenderError
from .options import Options, PrintOptions
from .output import Edition, ExtractedPage, PreparedPictures, Result
from .urls import is_http

if TYPE_CHECKING:
    from .render.book import Prepare, RenderedBook
    from .render.weasy.engine import RenderedPdf
    from .render.worker_pool import RenderPool

#: A file, and the errors of the articles that failed, by their index.
Rendered: TypeAlias = tuple[Result, Mapping[int, RenderError]]


def render_pages(
    pages: Sequence[ExtractedPage],
    prepare: Prepare,
    options: Options,
    edition: Edition | None = None,
    renderer: RenderPool | None = None,
) -> Rendered:
    """Render articles into one file, in the format of ``options.page``.

    ``prepare`` prepares the pictures of the articles at the given places; an ``edition`` makes the
    articles a digest; without a ``renderer`` this process renders.  Raise :class:`RenderError`.
    """
    if options.page.format != "pdf":
        return _export(pages, prepare, options.page, edition), {}
    alone = len(pages) == 1 and edition is None and not options.page.fit
    if alone and renderer:
        # Meanwhile the worker has loaded the modules that build the HTML.
        prepared = prepare((0,))
        prepared = replace(prepared, pictures=dict(prepared.pictures))
        page = replace(pages[0], pictures=(), losses=(), blocks=())
        rendered: Rendered = renderer.run(
            "rendering the article", _render_in_worker, page, prepared, options
        )
        return rendered
    return _render_pdf(pages, prepare, options, edition, renderer)


def _render_in_worker(
    page: ExtractedPage, prepared: PreparedPictures, options: Options
) -> Rendered:
    return _render_pdf([page], lambda _: prepared, options)


def _render_pdf(
    pages: Sequence[ExtractedPage],
    prepare: Prepare,
    options: Options,
    edition: Edition | None = None,
    renderer: RenderPool | None = None,
) -> Rendered:
    from .render.book import fit_to_pages, render_articles
    from .render.completeness import check_completeness
    from .render.context import RenderContext
    from .render.pdf.impose import impose
    from .render.pdf.provenance import build_provenance

    printing = options.page
    articles = [extracted.article for extracted in pages]
    provenance = build_provenance(pages, attach=printing.pdf == "a-3u")
    # Fitting tries several sizes: the pictures are prepared once.
    pictures = cache(prepare) if printing.fit else prepare

    def render(variant: PrintOptions) -> RenderedBook:
        fetched = pages[0].source.fetched
        context = RenderContext.of(articles, variant, fetched, edition, options.images.dpi)
        return render_articles(context, pictures, renderer, provenance)

    book = fit_to_pages(printing, render)
    failed = dict(book.failed)
    imposed = impose(book.pdf, book.pages, printing, rtl=articles[0].direction == "rtl")
    rendered = [article for place, article in enumerate(articles) if place not in failed]
    result = Result(
        data=imposed.pdf,
        pages=book.pages,
        sheets=imposed.sheets,
        title=articles[0].title,
        pictures=book.pictures,
        missing_pictures=book.missing_pictures,
        warnings=(*_warnings(articles), *book.warnings),
        report=check_completeness(rendered, book.layout),
    )
    return result, failed


def _export(
    pages: Sequence[ExtractedPage], prepare: Prepare, options: PrintOptions, edition: Edition | None
) -> Result:
    from .export import export_articles

    articles = [_with_key_paragraphs(page.article, options) for page in pages]
    prepared = prepare(range(len(articles)))
    if edition:
        articles = _digest_articles(articles, edition)
    data, report = export_articles(
        articles,
        options.format,
        prepared.pictures,
        title=options.title,
        fetched=pages[0].source.fetched,
    )
    return Result(
        data=data,
        pages=0,
        title=articles[0].title,
        format=options.format,
        pictures=len(prepared.pictures),
        missing_pictures=prepared.missing,
        warnings=(*_warnings(articles), *prepared.warnings),
        report=report,
    )


def _warnings(articles: Sequence[Article]) -> tuple[str, ...]:
    return tuple(warning for article in articles for warning in article.warnings)


def _with_key_paragraphs(article: Article, options: PrintOptions) -> Article:
    """Put an article's key paragraphs before it as a quotation, which every format supports."""
    if not article.key or options.format == "json":
        return article
    return replace(article, blocks=(Quote(article.key), *article.blocks), key=())


def _digest_articles(articles: Sequence[Article], edition: Edition) -> list[Article]:
    """Add what a digest prints: a line above each article, related ones below, problems at the end.

    A PDF's templates lay these out themselves; the other formats contain only articles.
    """
    from .i18n import digest_labels

    labels = digest_labels(articles[0].language)
    digest = []
    for article, story in zip(articles, edition.stories, strict=True):
        reading_time = labels.reading.format(minutes=story.minutes, words=story.words)
        updated = labels.updated if story.updated else ""
        line = filter(None, [story.section, story.source, reading_time, updated])
        blocks = (Paragraph((Span(" · ".join(line), ("small",)),)), *article.blocks)
        if story.also:
            spans = [Span(f"{labels.also} ")]
            for name, url in story.also:
                separator = [Span(", ")] if spans[1:] else []
                spans += [*separator, Span(name, href=url if is_http(url) else "")]
            blocks = (*blocks, Paragraph(tuple(spans)))
        digest.append(replace(article, blocks=blocks))
    if edition.problems:
        lines = (Paragraph((Span(f"{name}: {reason}"),)) for name, reason in edition.problems)
        digest.append(Article(labels.problems, tuple(lines), language=articles[0].language))
    return digest


#: What is printed before the first article, to load everything that renders one.
_TEXT = (
    Span("Rendering this paragraph loads the fonts in "),
    Span("italic", ("em",)),
    Span(" and in "),
    Span("bold", ("strong",)),
    Span(" as well as the dictionaries for hyphenation, so that the first article need not wait."),
)
_SPECIMEN = Article(
    "A title",
    (Heading(2, (Span("A heading"),)), Paragraph(_TEXT)),
    byline="Author",
    published="2000-01-01",
    url="https://example.org/",
    language="en",
)


def warm_up_renderer() -> None:
    """Render an article to fill all caches for the next one.

    Only for processes that do nothing else meanwhile.  Errors of the system are ignored here and
    reported by the first real print.
    """
    from .errors import WebprintError
    from .render import completeness  # noqa: F401 - otherwise imported on the first render
    from .render.pdf import impose  # noqa: F401
    from .render.weasy.engine import import_weasyprint

    with suppress(OSError):
        import_weasyprint()
    with suppress(WebprintError):
        render_specimen()


def render_specimen() -> RenderedPdf:
    """Render an article as a test; raises like :func:`.render.weasy.engine.render_pdf`."""
    from .render.book import render_articles
    from .render.context import RenderContext

    context = RenderContext.of([_SPECIMEN], PrintOptions())
    return render_articles(context, lambda _: PreparedPictures())
