"""The pipeline joins the stages.

    source --fetch--> Capture --extract--> ExtractedPage --render--> Result

Modules that wait or are slow to import are imported where they are needed, so that extraction
alone stays light.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeAlias, TypedDict, TypeVar, Unpack

from .capture import Capture, PageSource
from .compose.cleanup import merge_pages
from .errors import (
    FetchError,
    MissingLibrary,
    NoArticle,
    RenderError,
    UsageError,
    WebprintError,
)
from .extract_stage import Extraction, explain, extract_article
from .files import path_exists
from .html.page import Page, next_page_url, read_page
from .options import (
    FORMATS_WITH_PICTURES,
    ExtractOptions,
    FetchOptions,
    ImageOptions,
    Options,
    PrintOptions,
    SiteRule,
)
from .output import (
    ContentCounts,
    Edition,
    ExtractedPage,
    Loss,
    PageResult,
    Picture,
    PreparedPictures,
    Result,
    Step,
)
from .selection import Explanation
from .session import Session
from .urls import is_http, split_credentials

if TYPE_CHECKING:
    from .images.size_probe import SizeFilter
    from .render.worker_pool import RenderPool
    from .settings import Settings

T = TypeVar("T")
R = TypeVar("R")

#: A page to print: an address, the path of a local file, or one captured before.
PageInput: TypeAlias = str | PathLike[str] | Capture

#: Called at the beginning of each step with the source's name and the step.
Notify: TypeAlias = Callable[[str, Step], None]

#: Extracts a page's article, for example in another process.
Extractor: TypeAlias = Callable[[Capture, Options], ExtractedPage]

#: Returns the site rules for an address.
RuleLookup: TypeAlias = Callable[[str], tuple[SiteRule, ...]]

#: A requested page, and its article or the error.
ReadOutcome: TypeAlias = tuple[PageInput, ExtractedPage | WebprintError]

#: Below this confidence a page is loaded in a browser, where that is allowed.
MIN_CONFIDENCE = 0.3

#: What a page may show instead of its article to a client that is not a browser.
_OPEN_IN_BROWSERS = frozenset({"robot check", "consent"})

#: The errors of a browser after which the page that was fetched without it counts.
_BROWSER_ERRORS = (FetchError, MissingLibrary, NoArticle)

#: The most web pages of an article that are read.
MAX_PARTS = 30


class PrinterHooks(TypedDict, total=False):
    """The keyword arguments that :class:`Printer` and ``Printer.from_settings`` share."""

    extractor: Extractor | None
    notify: Notify
    probe_sizes: bool
    editable: bool
    picture_cache: dict[str, Picture] | None


class Printer:
    """Fetch pages, extract their articles and render them.

    A context manager that closes its session.  For a single call use :func:`print_pages`.

    Args:
        options: the options of all stages.
        session: the resources to use; by default new ones, without user URLs.
        renderer: the processes that render; by default this one.
        rules: returns the site rules for a URL.
        extractor: extracts articles; by default this process does.
        notify: called at the beginning of each step.
        probe_sizes: whether to download pictures of unknown size, in order to drop icons.
        editable: whether pages keep what an edit needs.
        picture_cache: prepared pictures by ``Figure.src`` or ``Figure.svg``, to use and to fill.
    """

    def __init__(
        self,
        options: Options | None = None,
        session: Session | None = None,
        renderer: RenderPool | None = None,
        *,
        rules: RuleLookup | None = None,
        extractor: Extractor | None = None,
        notify: Notify = lambda _source, _step: None,
        probe_sizes: bool = True,
        editable: bool = False,
        picture_cache: dict[str, Picture] | None = None,
    ) -> None:
        self.options = options or Options()
        self.session = session or Session(self.options.fetch, self.options.images)
        self.renderer = renderer
        self._rules = rules
        self._extractor = extractor
        self._notify = notify
        self._probe_sizes = probe_sizes
        self._editable = editable
        self._picture_cache = picture_cache

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        options: Options | None = None,
        user_urls: Sequence[str] = (),
        files: Mapping[str, bytes] | None = None,
        renderer: RenderPool | None = None,
        **hooks: Unpack[PrinterHooks],
    ) -> Self:
        """Return a printer for the settings, with their site rules.

        ``options`` replaces those of the settings; the rest is as in :class:`Session` and
        :class:`Printer`.
        """
        from .site_rules.store import rule_store

        options = options or settings.options()
        session = Session(options.fetch, options.images, user_urls=user_urls, files=files)
        rules = rule_store(not settings.no_rules, settings.rules)
        return cls(options, session, renderer, rules=rules, **hooks)

    def variant(self, options: Options | None = None, *, rules: bool = True) -> Self:
        """Return a printer with other options or without site rules, sharing the session."""
        printer = copy(self)
        printer.options = options or self.options
        printer._rules = self._rules if rules else None
        return printer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    # The three stages.

    def fetch(self, source: PageInput) -> Capture:
        """Fetch a page over HTTP, from a file, or in a browser where the options say so.

        Raises:
            FetchError: the page could not be fetched.
            BadURL: ``source`` is neither an address nor a file.
        """
        source = _without_credentials(source)
        if isinstance(source, Capture):
            return source
        if source.startswith("file:") or ("://" not in source and path_exists(source)):
            from .fetch.files import path_of_file_url, read_file

            path = path_of_file_url(source) if source.startswith("file:") else Path(source)
            return read_file(path, self.options.fetch.max_bytes)
        if self.options.fetch.render == "always":
            self._notify(source, "browse")
            return self.session.browser.capture(source)
        self._notify(source, "fetch")
        return self.session.client.get_page(source)

    def extract(self, capture: Capture) -> ExtractedPage:
        """Extract the article of a page, with its further pages where the options say so.

        Raises:
            NoArticle: the page contains no article.
        """
        self._notify(source_name(capture), "extract")
        options = self._extract_options(capture.url)
        if self._extractor:
            page = self._extractor(capture, replace(self.options, extract=options))
        else:
            page = self._extract(capture, options)
        keep_html = self._editable or self.options.page.pdf == "a-3u"
        return replace(page, html=capture.body) if keep_html else page

    def render(self, pages: Sequence[ExtractedPage], edition: Edition | None = None) -> Result:
        """Render articles into one file, in the format of the options.

        Args:
            pages: what :meth:`extract` returned.
            edition: what makes the articles a digest.

        Raises:
            UsageError: there is no page.
            RenderError: nothing could be rendered; one failing page of several is only skipped.
        """
        if not pages:
            raise UsageError("there is no page to print")
        from .render_stage import render_pages

        if self.options.page.deterministic:
            pages = [replace(page, source=_undated(page.source)) for page in pages]

        def prepare(indexes: Sequence[int]) -> PreparedPictures:
            name = pages[indexes[0]].source.requested_url
            self._notify(name, "pictures")
            prepared = self._prepare([pages[index] for index in indexes])
            self._notify(name, "print")
            return prepared

        result, failed = render_pages(pages, prepare, self.options, edition, self.renderer)
        losses = [loss for page in pages for loss in page.losses]
        warnings = (*result.warnings, *self.session.take_warnings())
        return replace(
            result,
            picture_decisions=tuple(decision for page in pages for decision in page.pictures),
            warnings=warnings,
            report=result.report.including(losses, sum(page.parts for page in pages)),
            obstacles=tuple(page.article.obstacle for page in pages if page.article.obstacle),
            outcomes=_outcomes(pages, failed, result.report.incomplete, warnings),
        )

    # Several stages at once.

    def read(self, source: PageInput) -> ExtractedPage:
        """Fetch a page and extract its article; see :meth:`load`."""
        return self.load(source)[1]

    def load(self, source: PageInput) -> tuple[Capture, ExtractedPage]:
        """Fetch a page and extract its article, in a browser where the static page falls short.

        Raises:
            WebprintError: the page cannot be fetched or contains no article.
        """
        capture = self.fetch(source)
        url, never = capture.source.requested_url, self.options.fetch.render == "never"
        if capture.source.method == "browser" or not is_http(capture.url):
            return capture, self.extract(capture)
        try:
            page = self.extract(capture)
        except NoArticle as error:
            if never:
                error.hint = error.hint or "A script may show its text: leave out --render never"
                raise
            self._notify(url, "empty")
            try:
                return self._load_in_browser(url)
            except _BROWSER_ERRORS as browser_error:
                detail = "" if isinstance(browser_error, NoArticle) else f": {browser_error}"
                error.hint = error.hint or f"Loading it in a browser did not help{detail}"
                raise error from browser_error
        if never:
            return capture, page
        blocked = page.article.obstacle in _OPEN_IN_BROWSERS
        if page.article.confidence >= MIN_CONFIDENCE and not blocked:
            self._notify(url, "enough")
            return capture, page
        self._notify(url, "unsure")
        try:
            return self._load_in_browser(url)
        except _BROWSER_ERRORS as error:
            warning = f"the page was not loaded in a browser: {error}"
            article = replace(page.article, warnings=(*page.article.warnings, warning))
            return capture, replace(page, article=article)

    def _load_in_browser(self, url: str) -> tuple[Capture, ExtractedPage]:
        capture = self.session.browser.capture(url)
        return capture, self.extract(capture)

    def explain(self, source: PageInput) -> Explanation:
        """Fetch a page and explain the decision about each of its segments and pictures."""
        capture = self.fetch(source)
        return explain(_parse_page(capture), self._extract_options(capture.url), self._size_probe())

    def print_pages(self, sources: Sequence[PageInput]) -> Result:
        """Print pages to one file.

        Pages that fail, if others succeed, have an error in ``Result.outcomes``.

        Raises:
            WebprintError: the first failure, if no page is left.
        """
        return self.render_outcomes(self.read_all(sources))

    def read_all(self, sources: Sequence[PageInput]) -> Iterator[ReadOutcome]:
        """Read pages, several at a time, and yield their articles or errors in their order.

        Raises:
            UsageError: there is no page, or the page options cannot be rendered.
        """
        if not sources:
            raise UsageError("there is no page to print")
        if self.renderer:
            self.renderer.start(len(sources))
        from .themes.page import page_geometry

        page_geometry(self.options.page)  # Raises for options that cannot be rendered.
        return prefetch(self.read, map(_without_credentials, sources), self.session.concurrency)

    def render_outcomes(self, outcomes: Iterable[ReadOutcome]) -> Result:
        """Render the pages that could be read; see :meth:`print_pages`."""
        pages: list[ExtractedPage] = []
        failed: list[tuple[int, str, WebprintError]] = []
        for index, (source, outcome) in enumerate(outcomes):
            if isinstance(outcome, WebprintError):
                failed.append((index, source_name(source), outcome))
            else:
                pages.append(outcome)
        if failed and not pages:
            raise failed[0][2]
        result = self.render(pages)
        rendered = list(result.outcomes)
        for index, name, error in failed:
            rendered.insert(index, PageResult(name, error=error))
        return replace(result, outcomes=tuple(rendered))

    def _extract(self, capture: Capture, options: ExtractOptions) -> ExtractedPage:
        probe = self._size_probe()
        first = extract_article(_parse_page(capture), options, probe, editable=self._editable)
        parts, warnings = [first], tuple[str, ...]()
        if self.options.fetch.follow and is_http(capture.url):
            further_parts, warnings = self._further_pages(first)
            parts += further_parts
        losses = [*(part.loss for part in parts), Loss(ContentCounts(parts=len(warnings)))]
        article = merge_pages([part.article for part in parts]) if parts[1:] else first.article
        article = replace(article, warnings=(*article.warnings, *warnings))
        article = first.with_additions(article, options)
        blocks = first.blocks
        if blocks:
            from .editing import append_blocks

            blocks = append_blocks(blocks, article.blocks)
        return ExtractedPage(
            article,
            capture.describe(),
            pictures=tuple(decision for part in parts for decision in part.pictures),
            kind=first.verdict.kind,
            canonical=first.page.metadata.canonical,
            losses=tuple(loss for loss in losses if loss.counts != ContentCounts()),
            parts=len(parts) if parts[1:] or warnings else 0,
            blocks=blocks,
        )

    def _further_pages(self, first: Extraction) -> tuple[list[Extraction], tuple[str, ...]]:
        """Return the further pages of an article, and a warning if some are missing.

        A page under another title, or with the text of an earlier one, is not its continuation.
        """
        parts, visited, texts = [first], {first.page.url}, {first.article.text}
        while url := parts[-1].next_page or next_page_url(parts[-1].page):
            if url in visited:
                break
            if len(visited) >= MAX_PARTS:
                return parts[1:], (
                    f"the article continues: only its first {MAX_PARTS} web pages are printed",
                )
            visited.add(url)
            try:
                page = _parse_page(self.session.client.get_page(url))
                part = extract_article(page, self._extract_options(page.url), self._size_probe())
            except WebprintError as error:
                return parts[1:], (
                    f"the article is incomplete: its next web page could not be read: {error}",
                )
            if part.article.title != first.article.title or part.article.text in texts:
                break
            texts.add(part.article.text)
            parts.append(part)
        return parts[1:], ()

    def _extract_options(self, url: str) -> ExtractOptions:
        options = self.options.extract
        if self._rules is None:
            return options
        return replace(options, rules=(*options.rules, *self._rules(url)))

    def _prepare(self, pages: Sequence[ExtractedPage]) -> PreparedPictures:
        if self.options.page.format not in FORMATS_WITH_PICTURES:
            return PreparedPictures()
        cache = {} if self._picture_cache is None else self._picture_cache
        figures = [(figure, page.article.url) for page in pages for figure in page.article.figures]
        keys = [figure.svg or figure.src for figure, _ in figures]
        cached = {key: cache[key] for key in keys if key in cache}
        missing = [place for place, key in zip(figures, keys, strict=True) if key not in cached]
        if not missing:
            return PreparedPictures(cached)
        from .images.prepare import prepare_pictures
        from .themes.page import max_picture_size

        width, height = max_picture_size(self.options.page)
        with self.session.downloads.reuse([page.source.url for page in pages]) as get:
            prepared = prepare_pictures(
                missing, get, self.options.images, width=width, height=height,
                grayscale=self.options.page.grayscale,
            )  # fmt: skip
        cache.update(prepared.pictures)
        return replace(prepared, pictures={**cached, **prepared.pictures}) if cached else prepared

    def _size_probe(self) -> SizeFilter | None:
        return self.session.downloads.reject_by_size if self._probe_sizes else None


def print_pages(
    sources: PageInput | Iterable[PageInput],
    *,
    fetch: FetchOptions | None = None,
    extract: ExtractOptions | None = None,
    images: ImageOptions | None = None,
    page: PrintOptions | None = None,
    limit: float | None = 120.0,
) -> Result:
    """Print pages to one file: a PDF, or in the ``format`` of ``page``.

    Args:
        sources: an address, the path of a local HTML file, a :class:`Capture`, or several of them.
        fetch: how pages are fetched.
        extract: how articles are extracted.
        images: how pictures are prepared.
        page: how the articles are printed.
        limit: seconds that rendering may take, in a process that is killed after them, since a
            hostile page may take forever.  None renders in this process without a limit.

    Raises:
        WebprintError: nothing could be printed.  Pages that fail, if others succeed, have an error
            in ``Result.outcomes``.
    """
    pages = [sources] if isinstance(sources, str | PathLike | Capture) else list(sources)
    options = Options(
        fetch=fetch or FetchOptions(),
        extract=extract or ExtractOptions(),
        images=images or ImageOptions(),
        page=page or PrintOptions(),
    )
    user_urls = tuple(source for source in pages if isinstance(source, str))
    with ExitStack() as stack:
        renderer = None
        if limit is not None and options.page.format == "pdf":
            from .render.worker_pool import RenderPool

            renderer = stack.enter_context(RenderPool(limit, fork=False))
            renderer.start()
        session = Session(options.fetch, options.images, user_urls=user_urls)
        return stack.enter_context(Printer(options, session, renderer)).print_pages(pages)


def prefetch(
    read: Callable[[T], R], sources: Iterable[T], concurrency: int
) -> Iterator[tuple[T, R | WebprintError]]:
    """Yield each source, in order, with what ``read`` returns for it or the error it raises.

    At most ``concurrency`` sources are read ahead, in threads, while one is used.
    """
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="webprint-read")
    pending: deque[tuple[T, Future[R]]] = deque()

    def next_outcome() -> tuple[T, R | WebprintError]:
        source, future = pending.popleft()
        try:
            return source, future.result()
        except WebprintError as error:
            return source, error

    try:
        for source in sources:
            pending.append((source, pool.submit(read, source)))
            if len(pending) > concurrency:
                yield next_outcome()
        while pending:
            yield next_outcome()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def remote_extractor(pool: RenderPool, user_urls: Sequence[str]) -> Extractor:
    """Return an extractor that runs in the processes of a pool, within its time limit."""
    return partial(pool.run, "extracting the article", extract_in_worker, tuple(user_urls))


def extract_in_worker(
    user_urls: tuple[str, ...], capture: Capture, options: Options
) -> ExtractedPage:
    """Extract a page with the session of this worker process."""
    session = worker_session(options.fetch, options.images, user_urls)
    page = Printer(options, session).extract(capture)
    warnings = (*page.article.warnings, *session.take_warnings())
    return replace(page, article=replace(page.article, warnings=warnings))


#: The session of this worker process, by its arguments.
_worker_sessions: dict[tuple[object, ...], Session] = {}


def worker_session(
    fetch: FetchOptions, images: ImageOptions, user_urls: tuple[str, ...]
) -> Session:
    """Return the session of this worker process, which the next page with its options reuses."""
    key = fetch, images, user_urls
    if key not in _worker_sessions:
        while _worker_sessions:
            _worker_sessions.popitem()[1].close()
        _worker_sessions[key] = Session(fetch, images, user_urls=user_urls)
    return _worker_sessions[key]


def _outcomes(
    pages: Sequence[ExtractedPage],
    failed: Mapping[int, RenderError],
    incomplete: Set[int],
    warnings: Iterable[str],
) -> tuple[PageResult, ...]:
    """Return what became of each page; ``incomplete`` counts those that did not fail."""
    of_pages = [warning for page in pages for warning in page.article.warnings]
    shared = [warning for warning in warnings if warning not in of_pages]
    outcomes = []
    indexes = count()
    for place, page in enumerate(pages):
        outcome = PageResult(page.source.requested_url, page.article.title, failed.get(place))
        if not outcome.error:
            is_printed = next(indexes) not in incomplete
            complete = is_printed and not page.losses and not page.article.obstacle
            page_warnings = (*page.article.warnings, *shared)
            outcome, shared = replace(outcome, warnings=page_warnings, complete=complete), []
        outcomes.append(outcome)
    return tuple(outcomes)


def _undated(source: PageSource) -> PageSource:
    """Return a source dated by SOURCE_DATE_EPOCH (reproducible builds), or undated."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    valid = epoch.isascii() and epoch.isdigit() and len(epoch) < 12
    return replace(source, fetched=datetime.fromtimestamp(int(epoch), UTC) if valid else None)


def _parse_page(capture: Capture) -> Page:
    return read_page(capture.body, capture.url, capture.source.charset, capture.layout)


def _without_credentials(source: PageInput) -> str | Capture:
    """Return a source without user name and password, which are never shown; a path as a URL."""
    if isinstance(source, PathLike):
        return Path(source).absolute().as_uri()
    return split_credentials(source)[0] if isinstance(source, str) else source


def source_name(source: PageInput) -> str:
    """Return the address or file name under which a source was requested."""
    return source.source.requested_url if isinstance(source, Capture) else os.fspath(source)
