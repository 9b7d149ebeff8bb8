"""Making a digest: what the sources offer is read, chosen, arranged and set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias
from zoneinfo import ZoneInfo

from ..article import Article
from ..capture import Capture, PageSource
from ..errors import NoArticle, WebprintError
from ..output import Edition, Failure, Result, Story
from ..pipeline import ExtractedPage, Notify, Printer, prefetch, remote_extractor
from ..settings import Settings
from ..summarize import Tokenizer, build_profile
from ..summarize.bm25 import BM25Document, bm25_scores
from .candidates import Candidate, SourceResult
from .collector import Collector
from .config import Digest
from .history import History, StoryRecord, url_key
from .selection import (
    Rejected,
    SelectedStory,
    Selector,
    filter_candidates,
    in_print_order,
)
from .sources.reading_list import reading_list_path

if TYPE_CHECKING:
    from ..render.worker_pool import RenderPool
    from .distributed import RemoteWorkers


#: With a query so many times the limit is read, to choose from.
_QUERY_FACTOR = 4

#: A page with less text than this part of its feed's own gives less than it.
_MIN_PAGE_SHARE = 0.7

#: The page of a find: as it was fetched, or read already; or why it cannot be had.
Paged: TypeAlias = ExtractedPage | Capture | WebprintError


@dataclass(frozen=True, slots=True)
class ArticleLoader:
    """Reads pages, and the texts of feeds where these say more.

    ``pages`` gives the page of each find, in their order; ``at_once`` articles are found at a time.
    """

    printer: Printer
    feed_printer: Printer
    pages: Callable[[Sequence[Candidate]], Iterable[Paged]]
    at_once: int = 1

    def fill(
        self,
        selector: Selector,
        candidates: Sequence[Candidate],
        duplicates: Mapping[str, Sequence[Candidate]],
    ) -> None:
        """Offer a chooser what was found until it has enough; the rest is told to be too much.

        ``others`` are finds at the same addresses, by the mark of each.
        """
        digest = selector.digest
        most = digest.limit * (_QUERY_FACTOR if digest.query else 1)
        waiting, left = list(candidates), 2 * most + 50
        while waiting and left > 0 and len(selector.stories) < most:
            batch = list(islice(_within_limits(waiting, selector, most), left))
            if not batch:
                break
            left -= len(batch)
            ids = set(map(id, batch))
            waiting = [find for find in waiting if id(find) not in ids]
            for find, reading in self._read_all(batch, digest):
                if isinstance(reading, WebprintError):
                    selector.reject(find, reading.message)
                else:
                    selector.consider(find, reading, duplicates.get(url_key(find.url), ()))
        for find in waiting:
            selector.rejected.append(Rejected(find, "is over the limit"))

    def _read_all(
        self, batch: Sequence[Candidate], digest: Digest
    ) -> Iterator[tuple[Candidate, ExtractedPage | WebprintError]]:
        def read(came: tuple[Candidate, Paged]) -> ExtractedPage:
            find, page = came
            return self._read(find, page, find.source.body or digest.body)

        fetched = zip(batch, self.pages(_with_feed_pages(batch, digest)), strict=True)
        for (find, _), reading in prefetch(read, fetched, self.at_once):
            yield find, reading

    def _read(self, find: Candidate, page: Paged, body: str) -> ExtractedPage:
        """Return the article of a find, whose page may be read; raises what stood in the way."""
        if find.source.kind == "mail" and find.capture is not None:
            return _with_source_metadata(self.feed_printer.read(find.capture), find, mail=True)
        if body == "feed" and find.html:
            return _with_source_metadata(self.feed_printer.read(_feed_page(find)), find)
        try:
            if isinstance(page, WebprintError):
                raise page
            browse = self.printer.options.fetch.render == "always" and find.capture is None
            if isinstance(page, Capture):
                page = self.printer.read(find.url if browse else page)
            reading = page
        except WebprintError:
            own = self._feed_reading(find) if find.is_full_text else None
            if own is None:
                raise
            return own
        own = self._feed_reading(find) if find.is_full_text else None
        if own and len(reading.article.text) < _MIN_PAGE_SHARE * len(own.article.text):
            return own
        return _with_source_metadata(reading, find)

    def _feed_reading(self, find: Candidate) -> ExtractedPage | None:
        """Return the text that the feed holds."""
        try:
            return _with_source_metadata(self.feed_printer.read(_feed_page(find)), find)
        except NoArticle:
            return None


def _within_limits(
    waiting: Sequence[Candidate], chooser: Selector, most: int
) -> Iterator[Candidate]:
    """Yield what may still be taken, as far as the limits of all and of each source go."""
    room = most - len(chooser.stories)
    taken: dict[int, int] = {}
    for each in chooser.stories:
        taken[each.candidate.source_index] = taken.get(each.candidate.source_index, 0) + 1
    for find in waiting:
        limit = find.source.limit
        if room <= 0:
            return
        if not limit or taken.get(find.source_index, 0) < limit:
            taken[find.source_index] = taken.get(find.source_index, 0) + 1
            room -= 1
            yield find


def _with_feed_pages(batch: Sequence[Candidate], digest: Digest) -> list[Candidate]:
    """Return finds such that nothing is fetched of which the feed's own text is wanted."""
    return [
        replace(find, capture=_feed_page(find))
        if (find.source.body or digest.body) == "feed" and find.html
        else find
        for find in batch
    ]


def _feed_page(find: Candidate) -> Capture:
    """Make a page of what a feed gives of an article."""
    title = escape(find.title)
    page = (
        f"<!doctype html><html><head><meta charset=utf-8><title>{title}</title></head>"
        f"<body><article><h1>{title}</h1>{find.html}</article></body></html>"
    )
    body = page.encode("utf-8", "replace")
    return Capture(body, PageSource(find.url, find.url, "text/html", "utf-8", fetched=find.when))


def _with_source_metadata(
    reading: ExtractedPage, find: Candidate, *, mail: bool = False
) -> ExtractedPage:
    """Fill in what the page does not say of its article, and the source does."""
    article = reading.article
    published = article.published or (find.when.isoformat() if find.when else "")
    article = replace(
        article,
        title=find.title if mail else article.title or find.title,
        byline=article.byline or find.author,
        published=published,
        site=article.site or find.source_name,
    )
    return replace(reading, article=article)


#: Words a minute that people read (Brysbaert 2019: 238 of English non-fiction).
WORDS_PER_MINUTE = 238

#: So many times articles are left out to keep to the pages there may be.
_MAX_CUTS = 4


@dataclass(frozen=True, slots=True)
class Issue:
    """What goes into a digest: the articles in order, what is left out and why.

    ``offers`` are the sources' answers, failures among them.
    """

    digest: Digest
    when: datetime
    stories: tuple[SelectedStory, ...]
    rejected: tuple[Rejected, ...] = ()
    sources: tuple[SourceResult, ...] = ()
    unchanged: tuple[Candidate, ...] = ()

    @property
    def problems(self) -> tuple[tuple[str, str], ...]:
        """What is missing that should be there, and why."""
        failed = [(each.name, each.error.message) for each in self.sources if each.error]
        lost = [
            (r.candidate.title or r.candidate.url, r.reason) for r in self.rejected if r.is_error
        ]
        return (*failed, *lost)

    @property
    def edition(self) -> Edition:
        """What the templates are told."""
        return Edition(tuple(map(_story_info, self.stories)), self.when, self.problems)

    def records(self) -> list[StoryRecord]:
        """Return what is to be remembered when it was delivered."""
        return [
            StoryRecord(each.urls, each.reading.article.title, each.fingerprints, each.sketch)
            for each in self.stories
        ]


@dataclass(slots=True)
class IssueBuilder:
    """Makes the issues of digests; ``named`` says which settings the command line gave.

    ``press`` sets them, and ``readers`` find the articles; without them both is done here.  With
    ``spread`` the workers of other machines do both.
    """

    settings: Settings
    history: History
    named: frozenset[str] = frozenset()
    notify: Notify = lambda _source, _step: None
    press: RenderPool | None = None
    readers: RenderPool | None = None
    spread: RemoteWorkers | None = None

    def build(self, digest: Digest, now: datetime) -> Issue:
        """Ask all sources and choose; raises the first error when every source failed."""
        addresses = tuple(source.location for source in digest.source)
        with self._printer(digest, addresses) as printer:
            fetch = replace(printer.options.fetch, render="never", follow=False)
            feed_printer = printer.variant(replace(printer.options, fetch=fetch))
            gatherer = Collector(
                printer.session.client, partial(reading_list_path, self.settings), self.settings
            )
            offers = gatherer.collect(digest)
            if all(offer.error for offer in offers):
                raise next(offer.error for offer in offers if offer.error)
            found, refused, others = filter_candidates(digest, offers, self.history, now)
            chooser = Selector(digest, self.history)
            run = f"{digest.name[:60]} {now:%Y-%m-%d}"
            pages = partial(self.spread.pages, run=run) if self.spread else gatherer.fetch_pages
            at_once = self.readers.size if self.readers else 1
            ArticleLoader(printer, feed_printer, pages, at_once).fill(chooser, found, others)
        order, beyond = _choose_best(digest, chooser.stories)
        when = now.astimezone(ZoneInfo(digest.timezone))
        every = (*refused, *beyond, *chooser.rejected)
        return Issue(digest, when, tuple(order), every, tuple(offers), tuple(chooser.unchanged))

    def render(self, issue: Issue) -> tuple[Issue, Result]:
        """Set an issue; returns it without what could not be set, or not on so many pages."""
        digest = issue.digest
        with self._printer(digest, tuple(source.location for source in digest.source)) as printer:
            most = printer.options.page.fit
            for tries in reversed(range(_MAX_CUTS)):
                result = printer.render([each.reading for each in issue.stories], issue.edition)
                if result.failures:
                    issue = _without(issue, result.failures)
                    continue
                fits = most <= 0 or result.pages <= most
                # What is left out after the last try would be on paper and not in the issue.
                if fits or len(issue.stories) == 1 or not tries:
                    break
                issue = _cut(issue, len(issue.stories) * most // result.pages)
        return issue, result

    def _printer(self, digest: Digest, named: tuple[str, ...]) -> Printer:
        """Return what reads and prints."""
        own: dict[str, object] = {"title": digest.heading, "qr": digest.qr}
        own |= {n: v for n in ("theme", "paper", "format") if (v := getattr(digest, n))}
        own |= {"fit": digest.fit} if digest.fit is not None else {}
        own = {name: value for name, value in own.items() if name not in self.named}
        options = self.settings.options()
        return Printer.from_settings(
            self.settings,
            options=replace(options, page=replace(options.page, **own)),  # type: ignore[arg-type]
            user_urls=named,
            renderer=self.spread or self.press,
            extractor=remote_extractor(self.readers, named) if self.readers else None,
            notify=self.notify,
        )


def _choose_best(
    digest: Digest, stories: Sequence[SelectedStory]
) -> tuple[list[SelectedStory], list[Rejected]]:
    """Return the articles to be printed in their order, and those that say too little."""
    worth = _relevance(digest, stories)
    useful = [each for each in stories if not worth or worth[id(each)] > 0]
    refused = [
        Rejected(each.candidate, f"says nothing of {digest.query!r}")
        for each in stories
        if worth and worth[id(each)] <= 0
    ]
    best = sorted(useful, key=lambda each: -worth.get(id(each), 0.0))
    refused += [
        Rejected(each.candidate, f"is over the limit of {digest.limit}")
        for each in best[digest.limit :]
    ]
    return in_print_order(digest, best[: digest.limit], worth), refused


def _relevance(digest: Digest, stories: Sequence[SelectedStory]) -> dict[int, float]:
    if not digest.query:
        return {}
    texts = [each.reading.article for each in stories]
    scores = bm25_scores([BM25Document(a.title, a.text, a.language) for a in texts], digest.query)
    return {id(each): score for each, score in zip(stories, scores, strict=True)}


def _story_info(taken: SelectedStory) -> Story:
    article, find = taken.reading.article, taken.candidate
    words = count_words(article)
    return Story(
        section=find.section,
        source=find.source_name or article.site,
        words=words,
        minutes=max(1, round(words / WORDS_PER_MINUTE)),
        keywords=keywords(article),
        also=tuple(
            (each.source_name or each.title or each.url, each.url)
            for each in taken.duplicates
            if each.source_name or each.url != find.url
        ),
        updated=taken.updated,
    )


def count_words(article: Article) -> int:
    """Return how many words an article has; two signs of Han or kana count as one."""
    text = article.text
    signs = sum("\u3040" <= c <= "\u9fff" for c in text)
    return len(text.split()) + signs // 2


def keywords(article: Article, most: int = 8) -> tuple[str, ...]:
    """Return what an article is about, most first."""
    found = build_profile(article.paragraphs, Tokenizer(article.language), article.title)
    return found.keywords[:most]


def _without(issue: Issue, failures: Sequence[Failure]) -> Issue:
    """Leave out what could not be set, so that the last page tells of it."""
    reasons = {failure.source: str(failure.error) for failure in failures}
    kept: list[SelectedStory] = []
    refused = list(issue.rejected)
    for each in issue.stories:
        reason = reasons.get(each.reading.source.requested_url)
        if reason is None:
            kept.append(each)
        else:
            refused.append(Rejected(each.candidate, reason, is_error=True))
    return replace(issue, stories=tuple(kept), rejected=tuple(refused))


def _cut(issue: Issue, count: int) -> Issue:
    """Leave articles out, the last of the longest section first."""
    kept = list(issue.stories)
    refused = list(issue.rejected)
    while len(kept) > max(1, min(count, len(issue.stories) - 1)):
        sections = [each.candidate.section for each in kept]
        longest = max(dict.fromkeys(sections), key=sections.count)
        last = max(n for n, section in enumerate(sections) if section == longest)
        gone = kept.pop(last)
        refused.append(
            Rejected(gone.candidate, "does not fit on the pages there may be", is_error=True)
        )
    return replace(issue, stories=tuple(kept), rejected=tuple(refused))
