"""Build the issue of a digest: collect candidates, read them, select, and render the articles."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from zoneinfo import ZoneInfo

from ..capture import Capture, PageSource
from ..crawl.models import CrawlOptions
from ..errors import FetchTimeout, MissingLibrary, NoArticle, WebprintError
from ..fetch.client import HttpClient
from ..output import Edition, ExtractedPage, Result, Story
from ..pipeline import Notify, Printer, prefetch, remote_extractor
from ..settings import Settings
from ..summarize import Tokenizer, bm25_scores, build_profile
from ..text import count_words
from ..urls import host_of
from .config import Digest, Source
from .feeds import Entry, get_feed, parse_date
from .mail import read_mail_folder
from .reading_list import read_urls, reading_list_path
from .selection import (
    Rejected,
    SelectedStory,
    SourceResult,
    StoryCandidate,
    StoryHistory,
    StorySelector,
    filter_candidates,
    in_print_order,
    story_key,
)

if TYPE_CHECKING:
    from ..render.worker_pool import RenderPool


DEFAULT_CRAWL_LIMIT = 20

MAX_CONNECTIONS = 8
MAX_CONNECTIONS_PER_HOST = 2

#: The timeouts after which no more pages of a host are fetched for the digest.
MAX_TIMEOUTS = 3


class Collector:
    """Reads the sources of a digest, and fetches pages, in threads."""

    def __init__(self, client: HttpClient, settings: Settings) -> None:
        self._client = client
        self._settings = settings
        self._lock = threading.Lock()
        self._slots: dict[str, threading.Semaphore] = defaultdict(
            lambda: threading.Semaphore(MAX_CONNECTIONS_PER_HOST)
        )
        self._timeouts: dict[str, list[FetchTimeout]] = defaultdict(list)

    def collect(self, digest: Digest) -> list[SourceResult]:

        def collect_source(index: int) -> SourceResult:
            source = digest.source[index]
            fallback = source.name or source.location
            try:
                name, entries = self._entries(source, digest.query)
            except WebprintError as error:
                return SourceResult(fallback, error=error)
            candidates = (StoryCandidate.of(entry, source, index, name) for entry in entries)
            return SourceResult(source.name or name or fallback, tuple(candidates))

        with ThreadPoolExecutor(MAX_CONNECTIONS) as pool:
            return list(pool.map(collect_source, range(len(digest.source))))

    def _entries(self, source: Source, query: str) -> tuple[str, Sequence[Entry]]:
        match source.kind:
            case "feed":
                with self._host_slot(source.location):
                    feed = get_feed(self._client, source.location)
                first_by_url = {entry.url: entry for entry in reversed(feed.entries)}
                return feed.title, [
                    entry for entry in feed.entries if first_by_url[entry.url] is entry
                ]
            case "page":
                return "", [Entry(source.location)]
            case "mail":
                return "", read_mail_folder(Path(source.mail).expanduser())
            case "crawl":
                # The crawl also finds articles printed before.
                articles = 3 * (source.limit or DEFAULT_CRAWL_LIMIT)
                options = CrawlOptions(
                    query=query, articles=articles, pages=source.pages, depth=source.depth,
                    delay=source.delay,
                )  # fmt: skip
                return "", crawl_entries(source.location, options, self._settings)
            case _:
                urls = read_urls(reading_list_path(self._settings, source.location))
                return "", [Entry(url) for url in urls]

    def fetch_pages(
        self, candidates: Sequence[StoryCandidate]
    ) -> Iterator[Capture | WebprintError]:
        """Yield the candidates' pages in order; only a few are in memory at a time."""
        return (page for _, page in prefetch(self._fetch_page, candidates, MAX_CONNECTIONS))

    def _fetch_page(self, candidate: StoryCandidate) -> Capture | WebprintError:
        if page := candidate.error or candidate.capture:
            return page
        with self._lock:
            timeouts = self._timeouts[host_of(candidate.url)]
        try:
            with self._host_slot(candidate.url):
                if len(timeouts) >= MAX_TIMEOUTS:
                    return timeouts[0]
                return self._client.get_page(candidate.url)
        except WebprintError as error:
            if isinstance(error, FetchTimeout):
                timeouts.append(error)
            return error

    @contextmanager
    def _host_slot(self, url: str) -> Iterator[None]:
        """Wait until another connection to the host of a URL is permitted."""
        with self._lock:
            slot = self._slots[host_of(url)]
        with slot:
            yield


#: Reading speed in words per minute (Brysbaert, 2019, for English non-fiction).
WORDS_PER_MINUTE = 238

#: The maximum number of times to render again with fewer articles, until they fit.
_MAX_CUTS = 4

#: With a query, the multiple of the limit that is read to choose from.
_QUERY_FACTOR = 4

#: A page with a smaller share of the text in its feed is incomplete.
_MIN_PAGE_SHARE = 0.7

#: A candidate, with its page or the error.
_Fetched: TypeAlias = tuple[StoryCandidate, Capture | WebprintError]


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue of a digest: its stories in order, and the rejected candidates with reasons."""

    digest: Digest
    date: datetime
    stories: tuple[SelectedStory, ...]
    rejected: tuple[Rejected, ...] = ()
    sources: tuple[SourceResult, ...] = ()
    unchanged: tuple[StoryCandidate, ...] = ()

    @property
    def problems(self) -> tuple[tuple[str, str], ...]:
        """The names of missing items, each with its error."""
        failed = [(result.name, result.error.message) for result in self.sources if result.error]
        failures = [
            (rejected.candidate.title or rejected.candidate.url, rejected.reason)
            for rejected in self.rejected
            if rejected.is_error
        ]
        return (*failed, *failures)

    @property
    def edition(self) -> Edition:
        return Edition(tuple(map(_template_story, self.stories)), self.date, self.problems)

    def without(self, reasons: Mapping[int, str]) -> Issue:
        """Return the issue without the stories at some indexes, which are reported as errors."""
        failures = [Rejected(self.stories[n].candidate, reasons[n], is_error=True) for n in reasons]
        stories = (story for number, story in enumerate(self.stories) if number not in reasons)
        return replace(self, stories=tuple(stories), rejected=(*self.rejected, *failures))


@dataclass(slots=True)
class IssueBuilder:
    """Builds the issues of digests.

    ``fixed_settings`` names the settings that override those of a digest.  The processes of a
    ``pool`` extract and render, or else this process.
    """

    settings: Settings
    history: StoryHistory
    fixed_settings: frozenset[str] = frozenset()
    notify: Notify = lambda _source, _step: None
    pool: RenderPool | None = None

    def printer(self, digest: Digest) -> Printer:
        """Return the printer for :meth:`build` and :meth:`render`, a context manager."""
        values: dict[str, object] = {"title": digest.heading, "qr": digest.qr}
        values |= {n: v for n in ("theme", "paper", "format") if (v := getattr(digest, n))}
        values |= {"fit": digest.fit} if digest.fit is not None else {}
        values = {name: value for name, value in values.items() if name not in self.fixed_settings}
        options = self.settings.options()
        urls = tuple(source.location for source in digest.source)
        return Printer.from_settings(
            self.settings,
            options=replace(options, page=replace(options.page, **values)),  # type: ignore[arg-type]
            user_urls=urls,
            renderer=self.pool,
            extractor=remote_extractor(self.pool, urls) if self.pool else None,
            notify=self.notify,
        )

    def build(self, digest: Digest, now: datetime, printer: Printer) -> Issue:
        """Read all sources, and select articles; raise :class:`WebprintError`."""
        collector = Collector(printer.session.client, self.settings)
        results = collector.collect(digest)
        if all(result.error for result in results):
            raise next(result.error for result in results if result.error)
        candidates, rejected, duplicates = filter_candidates(digest, results, self.history, now)
        selector = StorySelector(digest, self.history)
        concurrency = self.pool.size if self.pool else 1
        loader = _ArticleLoader(selector, printer, collector, concurrency)
        loader.fill(candidates, duplicates)
        stories, over_limit = _choose_best(digest, selector.stories)
        return Issue(
            digest,
            now.astimezone(ZoneInfo(digest.timezone)),
            tuple(stories),
            (*rejected, *over_limit, *selector.rejected),
            tuple(results),
            tuple(selector.unchanged),
        )

    def render(self, issue: Issue, printer: Printer) -> tuple[Issue, Result]:
        """Render an issue; return it without the stories that failed or did not fit."""
        limit = printer.options.page.fit
        for remaining in reversed(range(_MAX_CUTS)):
            result = printer.render([story.page for story in issue.stories], issue.edition)
            if result.errors:
                outcomes = enumerate(result.outcomes)
                issue = issue.without({n: str(page.error) for n, page in outcomes if page.error})
                continue
            fits = limit <= 0 or result.pages <= limit
            # A cut after the last attempt would not be rendered.
            if fits or len(issue.stories) == 1 or not remaining:
                break
            issue = _drop_stories(issue, len(issue.stories) * limit // result.pages)
        return issue, result


@dataclass(frozen=True, slots=True)
class _ArticleLoader:
    """Reads candidates' pages, or the text in their feeds if that is longer."""

    selector: StorySelector
    printer: Printer
    collector: Collector
    concurrency: int

    def fill(
        self,
        candidates: Sequence[StoryCandidate],
        duplicates: Mapping[str, Sequence[StoryCandidate]],
    ) -> None:
        """Read candidates until enough stories are selected; reject the others."""
        selector, digest = self.selector, self.selector.digest
        limit = digest.limit * (_QUERY_FACTOR if digest.query else 1)
        pending, attempts = list(candidates), 2 * limit + 50
        while pending and attempts > 0 and len(selector.stories) < limit:
            batch = self._next_batch(pending, limit)[:attempts]
            if not batch:
                break
            attempts -= len(batch)
            in_batch = set(map(id, batch))
            pending = [candidate for candidate in pending if id(candidate) not in in_batch]
            for candidate, page in self._read_all(batch):
                if isinstance(page, WebprintError):
                    selector.reject(candidate, page.message, is_error=True)
                else:
                    selector.consider(candidate, page, duplicates.get(story_key(candidate.url), ()))
        for candidate in pending:
            selector.reject(candidate, "is over the limit")

    def _next_batch(self, pending: Sequence[StoryCandidate], limit: int) -> list[StoryCandidate]:
        stories = self.selector.stories
        counts = Counter(story.candidate.source_index for story in stories)
        batch: list[StoryCandidate] = []
        for candidate in pending:
            source_limit = candidate.source.limit
            if len(stories) + len(batch) >= limit:
                break
            if not source_limit or counts[candidate.source_index] < source_limit:
                counts[candidate.source_index] += 1
                batch.append(candidate)
        return batch

    def _read_all(
        self, batch: Sequence[StoryCandidate]
    ) -> Iterator[tuple[StoryCandidate, ExtractedPage | WebprintError]]:
        # Candidates printed from the feed need not be fetched.
        to_fetch = [
            replace(candidate, capture=_feed_page(candidate))
            if self._prints_feed(candidate)
            else candidate
            for candidate in batch
        ]
        pages = zip(batch, self.collector.fetch_pages(to_fetch), strict=True)
        for (candidate, _), page in prefetch(self._read, pages, self.concurrency):
            yield candidate, page

    def _prints_feed(self, candidate: StoryCandidate) -> bool:
        body = candidate.source.body or self.selector.digest.body
        return body == "feed" and bool(candidate.html)

    def _read(self, fetched: _Fetched) -> ExtractedPage:
        candidate, capture = fetched
        if candidate.source.kind == "mail" and candidate.capture is not None:
            page = self._feed_printer().read(candidate.capture)
            titled = replace(page, article=replace(page.article, title=candidate.title))
            return _with_source_metadata(titled, candidate)
        if self._prints_feed(candidate):
            return self._read_feed(candidate)
        feed: ExtractedPage | None = None
        if candidate.is_full_text:
            with suppress(NoArticle):
                feed = self._read_feed(candidate)
        try:
            page = self._read_page(candidate, capture)
        except WebprintError:
            if feed is None:
                raise
            return feed
        if feed and len(page.article.text) < _MIN_PAGE_SHARE * len(feed.article.text):
            return feed
        return _with_source_metadata(page, candidate)

    def _feed_printer(self) -> Printer:
        options = self.printer.options
        fetch = replace(options.fetch, render="never", follow=False)
        return self.printer.variant(replace(options, fetch=fetch))

    def _read_page(
        self, candidate: StoryCandidate, capture: Capture | WebprintError
    ) -> ExtractedPage:
        if isinstance(capture, WebprintError):
            raise capture
        browses = self.printer.options.fetch.render == "always" and candidate.capture is None
        page = self.printer.read(candidate.url if browses else capture)
        if page.article.obstacle:
            raise NoArticle.behind(page.article.obstacle, candidate.url)
        return page

    def _read_feed(self, candidate: StoryCandidate) -> ExtractedPage:
        """Extract the text in the feed; raise :class:`NoArticle`."""
        return _with_source_metadata(self._feed_printer().read(_feed_page(candidate)), candidate)


def _feed_page(candidate: StoryCandidate) -> Capture:
    title, url = escape(candidate.title), candidate.url
    page = (
        f"<!doctype html><html><head><meta charset=utf-8><title>{title}</title></head>"
        f"<body><article><h1>{title}</h1>{candidate.html}</article></body></html>"
    )
    source = PageSource(url, url, "text/html", "utf-8", fetched=candidate.date)
    return Capture(page.encode("utf-8", "replace"), source)


def _with_source_metadata(page: ExtractedPage, candidate: StoryCandidate) -> ExtractedPage:
    article = page.article
    article = replace(
        article,
        title=article.title or candidate.title,
        byline=article.byline or candidate.author,
        published=article.published or (candidate.date.isoformat() if candidate.date else ""),
        site=article.site or candidate.source_name,
    )
    return replace(page, article=article)


def _choose_best(
    digest: Digest, stories: Sequence[SelectedStory]
) -> tuple[list[SelectedStory], list[Rejected]]:
    """Return the stories to print, in order, and those irrelevant or over the limit."""
    if digest.query:
        scores = bm25_scores([story.article for story in stories], digest.query)
        for story, score in zip(stories, scores, strict=True):
            story.relevance = score
    rejected = [
        Rejected(story.candidate, f"does not match the query {digest.query!r}")
        for story in stories
        if story.relevance <= 0
    ]
    relevant = [story for story in stories if story.relevance > 0]
    best = sorted(relevant, key=lambda story: -story.relevance)
    reason = f"is over the limit of {digest.limit}"
    rejected += [Rejected(story.candidate, reason) for story in best[digest.limit :]]
    return in_print_order(digest, best[: digest.limit]), rejected


def _template_story(story: SelectedStory) -> Story:
    article, candidate = story.article, story.candidate
    words = count_words(article.text)
    profile = build_profile(article.paragraphs, Tokenizer(article.language), article.title)
    return Story(
        section=candidate.source.section,
        source=candidate.source_name or article.site,
        words=words,
        minutes=max(1, round(words / WORDS_PER_MINUTE)),
        keywords=profile.keywords[:8],
        also=tuple(
            (duplicate.source_name or duplicate.title or duplicate.url, duplicate.url)
            for duplicate in story.duplicates
            if duplicate.source_name or duplicate.url != candidate.url
        ),
        updated=story.updated,
    )


def _drop_stories(issue: Issue, count: int) -> Issue:
    """Remove stories, beginning with the last of the longest section."""
    sections = {n: story.candidate.source.section for n, story in enumerate(issue.stories)}
    cut: dict[int, str] = {}
    while len(sections) > max(1, min(count, len(issue.stories) - 1)):
        remaining = list(sections.values())
        longest = max(dict.fromkeys(remaining), key=remaining.count)
        last = max(n for n, section in sections.items() if section == longest)
        cut[last] = "does not fit on the pages"
        del sections[last]
    return issue.without(cut)


def crawl_entries(url: str, options: CrawlOptions, settings: Settings) -> list[Entry]:
    """Crawl a site from scratch; return its articles with their pages.  Raise WebprintError."""
    try:
        from ..crawl.crawler import Crawl
    except ImportError as error:
        raise MissingLibrary.of_extra(
            f"crawling needs {error.name}", "crawl,digest,server"
        ) from error

    with Crawl.from_settings(settings, [url], options) as crawl:
        crawl.run()
        return [
            Entry(
                article.url, article.info.title, parse_date(article.info.published),
                capture=capture, source_name=article.info.site,
            )
            for article, capture in crawl.captures()
        ]  # fmt: skip
