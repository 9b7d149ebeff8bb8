"""Making a digest: what the sources offer is read, chosen, arranged and set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from ..article import Article
from ..fetch.client import Web
from ..output import Edition, Failure, Result, Story
from ..pipeline import Notify, Printer
from ..remote_extract import apart
from ..settings import Settings
from ..site_rules.store import rule_store
from ..summarize import Vocabulary, profile
from ..summarize.relevance import Candidate, relevance
from .choose import Chooser, Refused, Remembers, Taken, arranged, candidates
from .described import Digest
from .finds import Find, Offer
from .gather import Gatherer
from .later import list_path
from .memory import ToKeep
from .reading import Reader

if TYPE_CHECKING:
    from ..render.worker_pool import RenderPool
    from .spread import Spread

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
        with (
            Web(self.settings.fetch_options(), named=addresses) as web,
            self._printer(digest, addresses) as printer,
            self._printer(digest, addresses, feed=True) as feed_printer,
        ):
            gatherer = Gatherer(web, partial(list_path, self.settings), self.settings)
            offers = gatherer.offers(digest)
            if all(offer.error for offer in offers):
                raise next(offer.error for offer in offers if offer.error)
            found, refused, others = candidates(digest, offers, self.memory, now)
            chooser = Chooser(digest, self.memory)
            run = f"{digest.name[:60]} {now:%Y-%m-%d}"
            pages = partial(self.spread.pages, run=run) if self.spread else gatherer.pages
            at_once = self.readers.count if self.readers else 1
            Reader(printer, feed_printer, pages, at_once).fill(chooser, found, others)
        order, beyond = _best(digest, chooser.taken)
        when = now.astimezone(ZoneInfo(digest.timezone))
        every = (*refused, *beyond, *chooser.refused)
        return Issue(digest, when, tuple(order), every, tuple(offers), tuple(chooser.unchanged))

    def set(self, issue: Issue) -> tuple[Issue, Result]:
        """Set an issue; returns it without what could not be set, or not on so many pages."""
        digest = issue.digest
        with self._printer(digest, tuple(source.where for source in digest.source)) as printer:
            most = printer.page.fit
            for tries in reversed(range(_CUTS)):
                result = printer.set([each.reading for each in issue.taken], issue.edition)
                if result.failures:
                    issue = _without(issue, result.failures)
                    continue
                fits = most <= 0 or result.pages <= most
                # What is left out after the last try would be on paper and not in the issue.
                if fits or len(issue.taken) == 1 or not tries:
                    break
                issue = _cut(issue, len(issue.taken) * most // result.pages)
        return issue, result

    def _printer(self, digest: Digest, named: tuple[str, ...], *, feed: bool = False) -> Printer:
        """Return what reads and prints; with ``feed`` what reads the texts that feeds hold."""
        settings = self.settings
        own: dict[str, object] = {"title": digest.heading, "qr": digest.qr}
        own |= {n: v for n in ("theme", "paper", "format") if (v := getattr(digest, n))}
        own |= {"fit": digest.fit} if digest.fit is not None else {}
        own = {name: value for name, value in own.items() if name not in self.named}
        fetch, pictures = settings.fetch_options(), settings.image_options()
        if feed:
            fetch = replace(fetch, render="never", follow=False)
        return Printer(
            fetch=fetch,
            extract=settings.extract_options(),
            pictures=pictures,
            page=replace(settings.print_options(), **own),  # type: ignore[arg-type]
            named=named,
            notify=self.notify,
            press=self.spread or self.press,
            elsewhere=apart(self.readers, fetch, pictures, named) if self.readers else None,
            rules=rule_store(not settings.no_rules, settings.rules),
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
    scores = relevance([Candidate(a.title, a.text, a.language) for a in texts], digest.query)
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
    found = profile(article.paragraphs, Vocabulary(article.language), article.title)
    return found.keywords[:most]


def _without(issue: Issue, failures: Sequence[Failure]) -> Issue:
    """Leave out what could not be set, so that the last page tells of it."""
    reasons = {failure.source: str(failure.error) for failure in failures}
    kept: list[Taken] = []
    refused = list(issue.refused)
    for each in issue.taken:
        reason = reasons.get(each.reading.capture.requested_url)
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
