"""The way a page goes: the only module that joins the stages.

    source -> Capture -> Page -> Verdict -> Placed pictures -> Article -> pictures, HTML -> PDF

Stages that wait or are slow to load are imported where needed, so extraction alone stays light.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from .article import Article
from .capture import Capture
from .compose import append_comments
from .compose.merge_pages import merge_pages
from .editing.blocks import EditableBlock, append_blocks
from .errors import FetchError, MissingLibrary, NoArticle, WebprintError
from .extract_stage import explain, extract, find
from .html.page import Page, read_page
from .html.pagination import next_page_url
from .options import (
    FORMATS_WITH_PICTURES,
    ExtractOptions,
    FetchOptions,
    ImageOptions,
    PrintOptions,
    SiteRule,
)
from .output import CompletenessReport, Edition, Failure, Picture, PreparedPictures, Result
from .prefetch import prefetch
from .selection import Explanation, PictureDecision
from .session import Session
from .summarize import summarize
from .urls import split_credentials

__all__ = [
    "ExtractedPage",
    "Notify",
    "PageSource",
    "Printer",
    "Step",
    "check_options",
    "extract",
    "print_pages",
]  # fmt: skip

if TYPE_CHECKING:
    from .images.size_probe import SizeFilter
    from .render.worker_pool import Renderer

#: A page to print: an address, the path of a local file, or what was captured already.
PageSource: TypeAlias = str | Capture

Step = Literal["fetch", "browse", "enough", "unsure", "empty", "extract", "pictures", "print"]

#: Called as work goes on, with the source's name and the step begun.
Notify: TypeAlias = Callable[[str, Step], None]

#: Below this confidence a page is loaded in a browser when that is allowed.
UNSURE = 0.3

#: How many pages of one article are joined at most.
MOST_PAGES = 30


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """A page that was fetched and read: all its pictures, kept or dropped; what kind it is.

    ``lost`` is what of the page's chosen text did not come into the article.
    ``pieces`` are what can be left out or brought back, when the printer was asked for them.
    """

    article: Article
    capture: Capture
    pictures: tuple[PictureDecision, ...] = ()
    kind: str = "article"
    canonical: str = ""
    lost: tuple[CompletenessReport, ...] = ()
    pieces: tuple[EditableBlock, ...] = field(default=(), repr=False)


#: Finds a page's article in another process.
Elsewhere: TypeAlias = Callable[[Capture, ExtractOptions], ExtractedPage]

#: A page that was to be read, and what came of it.
PageOutcome: TypeAlias = tuple[PageSource, ExtractedPage | WebprintError]


@dataclass(slots=True)
class Printer:
    """Prints pages; holds the connections, the cache and the browser they share.

    A context manager: what it opened is closed at the end.  ``named`` are the addresses that the
    person asked for (see :class:`printer.fetch.client.Web`), ``given`` files at hand by address,
    ``press`` prints instead of this process, and ``measure`` fetches pictures of unknown size while
    a page is read, and drops those of icons.  ``rules`` gives the rules for the site of an address
    (see :class:`printer.site_rules.Shelf`).  Of several pages ``at_once`` are read at a time, in
    one browser, and ``elsewhere`` finds their articles.  ``at_hand`` holds prepared pictures, and
    with ``editable`` takes those of what is printed.
    """

    fetch: FetchOptions = field(default_factory=FetchOptions)
    extract: ExtractOptions = field(default_factory=ExtractOptions)
    pictures: ImageOptions = field(default_factory=ImageOptions)
    page: PrintOptions = field(default_factory=PrintOptions)
    named: tuple[str, ...] = field(default=(), repr=False)
    given: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    notify: Notify = lambda _source, _step: None
    press: Renderer | None = None
    measure: bool = True
    rules: Callable[[str], tuple[SiteRule, ...]] | None = None
    at_once: int = 3
    elsewhere: Elsewhere | None = None
    editable: bool = False
    at_hand: dict[str, Picture] = field(default_factory=dict, repr=False)
    _held: Session = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._held = Session(self.fetch, self.pictures, self.named, self.given, self.at_once)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def read(self, source: PageSource) -> ExtractedPage:
        """Fetch a page and extract its article, in a browser when the static page is not enough."""
        capture = self._capture(source := _public(source))
        if capture.method == "browser" or not _is_web(capture.url):
            return self._extract(capture)
        try:
            reading = self._extract(capture)
        except NoArticle as error:
            if self.fetch.render == "never":
                error.hint = error.hint or "A script may show its text: leave out --render never"
                raise
            return self._read_in_browser(error, capture.requested_url, "empty")
        if self.fetch.render == "never":
            return reading
        if reading.article.confidence >= UNSURE:
            self.notify(_name(source), "enough")
            return reading
        return self._read_in_browser(reading, capture.requested_url, "unsure")

    def explain(self, source: PageSource, *, picture: bool = False) -> Explanation:
        """Fetch a page and say what was thought of each of its segments and pictures.

        With ``picture`` a browser loads an address, whatever the options say, and pictures it.
        """
        capture = self._capture(_public(source), picture)
        page = _parsed(capture)
        told = explain(page, self._extraction(page.url), self._measuring())
        return replace(told, screenshot=capture.screenshot)

    def print_pages(self, sources: Sequence[PageSource]) -> Result:
        """Print pages to one file.

        Of several pages, one that fails costs itself alone and is named in ``failures``; when none
        is left, the first failure is raised.
        """
        return self.render_outcomes(self.read_all(sources))

    def read_all(self, sources: Sequence[PageSource]) -> Iterator[PageOutcome]:
        """Read pages to print, ``at_once`` of them at a time, and give them in their order."""
        if self.press:
            self.press.start(len(sources))
        elif self.page.format == "pdf":
            self._held.warm()
        check_options(self.page)
        return prefetch(self.read, map(_public, sources), min(self.at_once, len(sources)))

    def render_outcomes(self, came: Iterable[PageOutcome]) -> Result:
        """Set on paper what there is of some pages, in one PDF; see :meth:`print`."""
        readings: list[ExtractedPage] = []
        failures: list[Failure] = []
        for source, one in came:
            if isinstance(one, WebprintError):
                failures.append(Failure(_name(source), one))
            else:
                readings.append(replace(one, capture=one.capture.until_set(self.page)))
        if not readings:
            raise failures[0].error
        result = self.render(readings)
        return replace(result, failures=(*failures, *result.failures))

    def render(self, readings: Sequence[ExtractedPage], edition: Edition | None = None) -> Result:
        """Set articles that were read on paper, or write them in the format asked for.

        Of an ``edition`` they are a digest.
        """
        from .render_stage import SetOptions, set_articles

        if self.page.deterministic:
            readings = [replace(each, capture=_undated(each.capture)) for each in readings]

        def prepare(places: Sequence[int]) -> PreparedPictures:
            name = _name(readings[places[0]].capture)
            self.notify(name, "pictures")
            prepared = self._prepare([readings[place] for place in places])
            self.notify(name, "print")
            return prepared

        pages = [(reading.article, reading.capture) for reading in readings]
        options = SetOptions(self.page, self.pictures.dpi, edition)
        result = set_articles(pages, prepare, options, self.press)
        judged = tuple(each for reading in readings for each in reading.pictures)
        warnings = (*result.warnings, *self._held.warnings())
        report = result.report.including([lost for reading in readings for lost in reading.lost])
        return replace(result, picture_decisions=judged, warnings=warnings, report=report)

    def _prepare(self, readings: Sequence[ExtractedPage]) -> PreparedPictures:
        articles = [reading.article for reading in readings]
        figures = [(figure, article.url) for article in articles for figure in article.figures]
        pages = [reading.capture.url for reading in readings]
        if self.page.format not in FORMATS_WITH_PICTURES:
            return PreparedPictures()
        keys = [figure.svg or figure.src for figure, _ in figures]
        known = {key: self.at_hand[key] for key in keys if key in self.at_hand}
        left = [each for each, key in zip(figures, keys, strict=True) if key not in known]
        if not left:
            return PreparedPictures(known)
        from .images.prepare import prepare
        from .themes.page import max_picture_size

        width, height = max_picture_size(self.page)
        grey = self.pictures.grayscale or self.page.grayscale
        options = replace(self.pictures, grayscale=grey)
        with self._held.files.reuse(pages) as get:
            made = prepare(left, get, options, width=width, height=height)
        if self.editable:
            self.at_hand.update(made.pictures)
        return replace(made, pictures={**known, **made.pictures}) if known else made

    def _capture(self, source: PageSource, picture: bool = False) -> Capture:
        if isinstance(source, Capture):
            return source
        if source.startswith("file:") or _is_file(source):
            from .fetch.files import path_of_file_url, read_file

            path = path_of_file_url(source) if source.startswith("file:") else Path(source)
            return read_file(path, self.fetch.max_bytes)
        if self.fetch.render == "always" or picture:
            return self._browse(source, picture=picture)
        self.notify(source, "fetch")
        return self._held.web.get_page(source)

    def _extract(self, capture: Capture) -> ExtractedPage:
        self.notify(_name(capture), "extract")
        options = self._extraction(capture.url)
        if self.elsewhere:
            return self.elsewhere(capture, options)
        page = _parsed(capture)
        found = find(page, options, self._measuring(), editable=self.editable)
        article, pictures = found.article, found.pictures
        lost: tuple[CompletenessReport, ...] = (found.lost,)
        follow = self.fetch.follow and _is_web(capture.url)
        follows = (found.follows or next_page_url(page)) if follow else ""
        if follows:
            more = list(self._continued(article, page.url, follows))
            article = merge_pages([article, *(each for each, _, _ in more)])
            pictures = (*pictures, *(judgement for _, judged, _ in more for judgement in judged))
            lost = (*lost, *(each for _, _, each in more))
        article = append_comments(summarize(article, self.extract), page, found.comments)
        parts = append_blocks(found.pieces, article.blocks)
        stated = page.metadata.canonical
        return ExtractedPage(article, capture, pictures, found.kind, stated, lost, parts)

    def _extraction(self, url: str) -> ExtractOptions:
        """Return the options of extraction for a page, with the rules for its site."""
        if self.rules is None:
            return self.extract
        return replace(self.extract, rules=(*self.extract.rules, *self.rules(url)))

    def _continued(
        self, first: Article, url: str, follows: str
    ) -> Iterator[tuple[Article, tuple[PictureDecision, ...], CompletenessReport]]:
        """Yield article, pictures, what was lost of each page that goes on, while they do.

        A page under another title, or with the words of one before, is not its continuation.
        """
        seen_urls, seen_texts = {url}, {first.text}
        while follows and follows not in seen_urls and len(seen_urls) < MOST_PAGES:
            seen_urls.add(follows)
            try:
                capture = self._held.web.get_page(follows)
                page = _parsed(capture)
                found = find(page, self._extraction(page.url), self._measuring())
            except WebprintError as error:
                warnings = (f"a page of it is missing: {error}",)
                yield replace(first, blocks=(), warnings=warnings), (), CompletenessReport()
                return
            article = found.article
            if article.title != first.title or article.text in seen_texts:
                return
            seen_texts.add(article.text)
            yield article, found.pictures, found.lost
            follows = found.follows or next_page_url(page)

    def _read_in_browser(
        self, static: ExtractedPage | NoArticle, url: str, why: Step
    ) -> ExtractedPage:
        """Read the page as a browser shows it; what the static page gave stands if that fails."""
        try:
            return self._extract(self._browse(url, why))
        except (FetchError, MissingLibrary, NoArticle) as error:
            if isinstance(static, NoArticle):
                told = "" if isinstance(error, NoArticle) else f": {error}"
                static.hint = static.hint or f"Loading it in a browser did not help{told}"
                raise static from error
            warning = f"the page was not loaded in a browser: {error}"
            article = replace(static.article, warnings=(*static.article.warnings, warning))
            return replace(static, article=article)

    def _browse(self, url: str, step: Step = "browse", *, picture: bool = False) -> Capture:
        self.notify(url, step)
        return self._held.browser.capture(url, picture=picture)

    def _measuring(self) -> SizeFilter | None:
        return self._held.files.filter if self.measure else None

    def details(self) -> tuple[str, ...]:
        """Say what only those want to know who asked for more: how well a cache served."""
        return self._held.details()


def print_pages(
    sources: PageSource | Iterable[PageSource],
    *,
    fetch: FetchOptions | None = None,
    extract: ExtractOptions | None = None,
    pictures: ImageOptions | None = None,
    page: PrintOptions | None = None,
    limit: float | None = 120.0,
) -> Result:
    """Print pages to one file: a PDF, or in the ``format`` of ``page``.

    Setting the pages may take ``limit`` seconds, in a process that is ended after them: a thread
    cannot be, and a stranger's page may be made to take for ever.  With None they are set here,
    without limit; to print many pages keep a :class:`Printer`, with a ``press``.

    A source is an address, the path of a local HTML file, or a :class:`Capture`.  Raises a
    :class:`WebprintError` when nothing could be printed; of several pages the ones that failed
    are in ``Result.failures``.
    """
    wanted = [sources] if isinstance(sources, str | Capture) else list(sources)
    printer = Printer(
        fetch=fetch or FetchOptions(),
        extract=extract or ExtractOptions(),
        pictures=pictures or ImageOptions(),
        page=page or PrintOptions(),
        named=tuple(source for source in wanted if isinstance(source, str)),
    )
    with ExitStack() as stack:
        if limit is not None and printer.page.format == "pdf":
            from .render.worker_pool import RenderPool

            press = stack.enter_context(RenderPool(limit, fork=False))
            press.start()
            printer.press = press
        return stack.enter_context(printer).print_pages(wanted)


def check_options(options: PrintOptions) -> None:
    """Raise for options that cannot be printed with before anything is fetched."""
    from .themes.page import page_geometry

    page_geometry(options)


def _undated(capture: Capture) -> Capture:
    """Return a capture with the time that reproducible builds set, or with none."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    known = epoch.isascii() and epoch.isdigit() and len(epoch) < 12
    return replace(capture, fetched=datetime.fromtimestamp(int(epoch), UTC) if known else None)


def _parsed(capture: Capture) -> Page:
    return read_page(capture.body, capture.url, capture.charset, capture.layout)


def _public(source: PageSource) -> PageSource:
    """Take a name and a password out of an address, which are never to be shown."""
    return split_credentials(source)[0] if isinstance(source, str) else source


def _is_file(source: str) -> bool:
    return "://" not in source and Path(source).exists()


def _is_web(url: str) -> bool:
    return url.startswith(("http://", "https://"))


def _name(source: PageSource) -> str:
    return source if isinstance(source, str) else source.requested_url
