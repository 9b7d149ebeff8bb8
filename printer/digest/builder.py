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
from .candidates import Find, Offer
from .collector import Gatherer
from .config import Digest
from .history import ToKeep, mark
from .selection import Chooser, Refused, Remembers, Taken, arranged, candidates
from .sources.reading_list import list_path

if TYPE_CHECKING:
    from ..render.worker_pool import RenderPool
    from .distributed import Spread


#: With a query so many times the limit is read, to choose from.
_CHOICE = 4

#: A page with less text than this part of its feed's own gives less than it.
_LESS = 0.7

#: The page of a find: as it was fetched, or read already; or why it cannot be had.
Paged: TypeAlias = ExtractedPage | Capture | WebprintError


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads pages, and the texts of feeds where these say more.

    ``pages`` gives the page of each find, in their order; ``at_once`` articles are found at a time.
    """

    printer: Printer
    feed_printer: Printer
    pages: Callable[[Sequence[Find]], Iterable[Paged]]
    at_once: int = 1

    def fill(
        self, chooser: Chooser, found: Sequence[Find], others: Mapping[str, Sequence[Find]]
    ) -> None:
        """Offer a chooser what was found until it has enough; the rest is told to be too much.

        ``others`` are finds at the same addresses, by the mark of each.
        """
        digest = chooser.digest
        most = digest.limit * (_CHOICE if digest.query else 1)
        waiting, left = list(found), 2 * most + 50
        while waiting and left > 0 and len(chooser.taken) < most:
            batch = list(islice(_wanted(waiting, chooser, most), left))
            if not batch:
                break
            left -= len(batch)
            ids = set(map(id, batch))
            waiting = [find for find in waiting if id(find) not in ids]
            for find, reading in self._read_all(batch, digest):
                if isinstance(reading, WebprintError):
                    chooser.fault(find, reading.message)
                else:
                    chooser.offer(find, reading, others.get(mark(find.url), ()))
        for find in waiting:
            chooser.refused.append(Refused(find, "is over the limit"))

    def _read_all(
        self, batch: Sequence[Find], digest: Digest
    ) -> Iterator[tuple[Find, ExtractedPage | WebprintError]]:
        def read(came: tuple[Find, Paged]) -> ExtractedPage:
            find, page = came
            return self._read(find, page, find.source.body or digest.body)

        fetched = zip(batch, self.pages(_paged(batch, digest)), strict=True)
        for (find, _), reading in prefetch(read, fetched, self.at_once):
            yield find, reading

    def _read(self, find: Find, page: Paged, body: str) -> ExtractedPage:
        """Return the article of a find, whose page may be read; raises what stood in the way."""
        if find.source.kind == "mail" and find.capture is not None:
            return _named(self.feed_printer.read(find.capture), find, mail=True)
        if body == "feed" and find.html:
            return _named(self.feed_printer.read(_feed_page(find)), find)
        try:
            if isinstance(page, WebprintError):
                raise page
            browse = self.printer.options.fetch.render == "always" and find.capture is None
            if isinstance(page, Capture):
                page = self.printer.read(find.url if browse else page)
            reading = page
        except WebprintError:
            own = self._own(find) if find.full else None
            if own is None:
                raise
            return own
        own = self._own(find) if find.full else None
        if own and len(reading.article.text) < _LESS * len(own.article.text):
            return own
        return _named(reading, find)

    def _own(self, find: Find) -> ExtractedPage | None:
        """Return the text that the feed holds."""
        try:
            return _named(self.feed_printer.read(_feed_page(find)), find)
        except NoArticle:
            return None


def _wanted(waiting: Sequence[Find], chooser: Chooser, most: int) -> Iterator[Find]:
    """Yield what may still be taken, as far as the limits of all and of each source go."""
    room = most - len(chooser.taken)
    taken: dict[int, int] = {}
    for each in chooser.taken:
        taken[each.find.place] = taken.get(each.find.place, 0) + 1
    for find in waiting:
        limit = find.source.limit
        if room <= 0:
            return
        if not limit or taken.get(find.place, 0) < limit:
            taken[find.place] = taken.get(find.place, 0) + 1
            room -= 1
            yield find


def _paged(batch: Sequence[Find], digest: Digest) -> list[Find]:
    """Return finds such that nothing is fetched of which the feed's own text is wanted."""
    return [
        replace(find, capture=_feed_page(find))
        if (find.source.body or digest.body) == "feed" and find.html
        else find
        for find in batch
    ]


def _feed_page(find: Find) -> Capture:
    """Make a page of what a feed gives of an article."""
    title = escape(find.title)
    page = (
        f"<!doctype html><html><head><meta charset=utf-8><title>{title}</title></head>"
        f"<body><article><h1>{title}</h1>{find.html}</article></body></html>"
    )
    body = page.encode("utf-8", "replace")
    return Capture(body, PageSource(find.url, find.url, "text/html", "utf-8", fetched=find.when))


def _named(reading: ExtractedPage, find: Find, *, mail: bool = False) -> ExtractedPage:
    """Fill in what the page does not say of its article, and the source does."""
    article = reading.article
    published = article.published or (find.when.isoformat() if find.when else "")
    article = replace(
        article,
        title=find.title if mail else article.title or find.title,
        byline=article.byline or find.author,
        published=published,
        site=article.site or find.name,
    )
    return replace(reading, article=article)


#: Words a minute that people read (Brysbaert 2019: 238 of English non-fiction).
PACE = 238

#: So many times articles are left out to keep to the pages there may be.
_CUTS = 4


@dataclass(frozen=True, slots=True)
class Issue:
    """What goes into a digest: the articles in order, what is left out and why.

    ``offers`` are the sources' answers, failures among them.
    """

    digest: Digest
    when: datetime
    taken: tuple[Taken, ...]
    refused: tuple[Refused, ...] = ()
    offers: tuple[Offer, ...] = ()
    unchanged: tuple[Find, ...] = ()

    @property
    def remarks(self) -> tuple[tuple[str, str], ...]:
        """What is missing that should be there, and why."""
        failed = [(each.name, each.error.message) for each in self.offers if each.error]
        lost = [(r.find.title or r.find.url, r.reason) for r in self.refused if r.fault]
        return (*failed, *lost)

    @property
    def edition(self) -> Edition:
        """What the templates are told."""
        return Edition(tuple(map(_story, self.taken)), self.when, self.remarks)

    def to_keep(self) -> list[ToKeep]:
        """Return what is to be remembered when it was delivered."""
        return [
            ToKeep(each.urls, each.reading.article.title, each.stamps, each.sketch)
            for each in self.taken
        ]


@dataclass(slots=True)
class Editor:
    """Makes the issues of digests; ``named`` says which settings the command line gave.

    ``press`` sets them, and ``readers`` find the articles; without them both is done here.  With
    ``spread`` the workers of other machines do both.
    """

    settings: Settings
    memory: Remembers
    named: frozenset[str] = frozenset()
    notify: Notify = lambda _source, _step: None
    press: RenderPool | None = None
    readers: RenderPool | None = None
    spread: Spread | None = None

    def issue(self, digest: Digest, now: datetime) -> Issue:
        """Ask all sources and choose; raises the first error when every source failed."""
        addresses = tuple(source.where for source in digest.source)
        with self._printer(digest, addresses) as printer:
            fetch = replace(printer.options.fetch, render="never", follow=False)
            feed_printer = printer.variant(replace(printer.options, fetch=fetch))
            gatherer = Gatherer(
                printer.session.client, partial(list_path, self.settings), self.settings
            )
            offers = gatherer.offers(digest)
            if all(offer.error for offer in offers):
                raise next(offer.error for offer in offers if offer.error)
            found, refused, others = candidates(digest, offers, self.memory, now)
            chooser = Chooser(digest, self.memory)
            run = f"{digest.name[:60]} {now:%Y-%m-%d}"
            pages = partial(self.spread.pages, run=run) if self.spread else gatherer.pages
            at_once = self.readers.size if self.readers else 1
            Reader(printer, feed_printer, pages, at_once).fill(chooser, found, others)
        order, beyond = _best(digest, chooser.taken)
        when = now.astimezone(ZoneInfo(digest.timezone))
        every = (*refused, *beyond, *chooser.refused)
        return Issue(digest, when, tuple(order), every, tuple(offers), tuple(chooser.unchanged))

    def set(self, issue: Issue) -> tuple[Issue, Result]:
        """Set an issue; returns it without what could not be set, or not on so many pages."""
        digest = issue.digest
        with self._printer(digest, tuple(source.where for source in digest.source)) as printer:
            most = printer.options.page.fit
            for tries in reversed(range(_CUTS)):
                result = printer.render([each.reading for each in issue.taken], issue.edition)
                if result.failures:
                    issue = _without(issue, result.failures)
                    continue
                fits = most <= 0 or result.pages <= most
                # What is left out after the last try would be on paper and not in the issue.
                if fits or len(issue.taken) == 1 or not tries:
                    break
                issue = _cut(issue, len(issue.taken) * most // result.pages)
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


def _best(digest: Digest, taken: Sequence[Taken]) -> tuple[list[Taken], list[Refused]]:
    """Return the articles to be printed in their order, and those that say too little."""
    worth = _worth(digest, taken)
    useful = [each for each in taken if not worth or worth[id(each)] > 0]
    refused = [
        Refused(each.find, f"says nothing of {digest.query!r}")
        for each in taken
        if worth and worth[id(each)] <= 0
    ]
    best = sorted(useful, key=lambda each: -worth.get(id(each), 0.0))
    refused += [
        Refused(each.find, f"is over the limit of {digest.limit}") for each in best[digest.limit :]
    ]
    return arranged(digest, best[: digest.limit], worth), refused


def _worth(digest: Digest, taken: Sequence[Taken]) -> dict[int, float]:
    if not digest.query:
        return {}
    texts = [each.reading.article for each in taken]
    scores = bm25_scores([BM25Document(a.title, a.text, a.language) for a in texts], digest.query)
    return {id(each): score for each, score in zip(taken, scores, strict=True)}


def _story(taken: Taken) -> Story:
    article, find = taken.reading.article, taken.find
    words = count_words(article)
    return Story(
        section=find.section,
        source=find.name or article.site,
        words=words,
        minutes=max(1, round(words / PACE)),
        keywords=keywords(article),
        also=tuple(
            (each.name or each.title or each.url, each.url)
            for each in taken.also
            if each.name or each.url != find.url
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
    kept: list[Taken] = []
    refused = list(issue.refused)
    for each in issue.taken:
        reason = reasons.get(each.reading.source.requested_url)
        if reason is None:
            kept.append(each)
        else:
            refused.append(Refused(each.find, reason, fault=True))
    return replace(issue, taken=tuple(kept), refused=tuple(refused))


def _cut(issue: Issue, count: int) -> Issue:
    """Leave articles out, the last of the longest section first."""
    kept = list(issue.taken)
    refused = list(issue.refused)
    while len(kept) > max(1, min(count, len(issue.taken) - 1)):
        sections = [each.find.section for each in kept]
        longest = max(dict.fromkeys(sections), key=sections.count)
        last = max(n for n, section in enumerate(sections) if section == longest)
        gone = kept.pop(last)
        refused.append(Refused(gone.find, "does not fit on the pages there may be", fault=True))
    return replace(issue, taken=tuple(kept), refused=tuple(refused))
