"""A crawl: workers that take from the frontier, visit and record, until it is over or stopped."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Self

from sqlalchemy import select

from ..capture import Capture, PageSource
from ..db.engine import open_engine
from ..errors import UsageError, WebprintError
from ..fetch.client import HttpClient
from ..fetch.ssrf import Resolver, resolve_host
from ..options import ExtractOptions, FetchOptions
from ..urls import normalize_url
from .frontier import Frontier, record_visit
from .models import ArticleInfo, CrawledArticle, CrawlOptions, CrawlSummary, Lease
from .scope import parse_host, without_www
from .store import Store, addresses, articles
from .visit import Outcome, SiteRules, Visitor

#: Called after each visit, with what was visited, what came of it, and the article if it is new.
OnVisit = Callable[[Lease, Outcome, CrawledArticle | None], None]

#: Seconds after which a worker that found nothing ready looks again: others may have found more.
_POLL_SECONDS = 0.5


def _ignore(taken: Lease, outcome: Outcome, found: CrawledArticle | None) -> None:
    del taken, outcome, found


class Crawl:
    """Finds articles from seed addresses; a context manager.

    ``database`` is the path of an SQLite file or a postgresql:// address; what is there of the same
    crawl (see :meth:`CrawlOptions.name`) is gone on with, unless ``fresh``.  Several crawls can
    share a database, and several processes or machines a crawl.  The seeds may be private
    addresses, and of what pages link to only what ``fetch`` allows.  ``rules`` gives the rules for
    the site of an address, as to a :class:`printer.pipeline.Printer`.

        with Crawl(["https://example.org/"], database="crawl.sqlite") as crawl:
            crawl.run()
            for found in crawl.found():
                printer.read(crawl.capture(found))
    """

    def __init__(
        self,
        seeds: Sequence[str],
        options: CrawlOptions | None = None,
        *,
        database: str,
        fetch: FetchOptions | None = None,
        extract: ExtractOptions | None = None,
        fresh: bool = False,
        on_visit: OnVisit = _ignore,
        resolve: Resolver = resolve_host,
        rules: SiteRules | None = None,
    ) -> None:
        options = options or CrawlOptions()
        if not seeds:
            raise UsageError("a crawl needs an address to begin with")
        known = [normalize_url(seed) for seed in seeds]
        wider = [parse_host(host) for host in options.hosts]
        self.options = replace(options, hosts=tuple(sorted(map(without_www, wider))))
        self.on_visit = on_visit
        self._extract, self._rules = extract or ExtractOptions(), rules
        self._changed = threading.Condition()
        self._errors: list[BaseException] = []
        # What fails is tried again by the frontier, and nothing is asked for twice: no cache.
        polite = replace(fetch or FetchOptions(), retries=0, cache=False, render="never")
        self._web = HttpClient(polite, user_urls=[*known, *wider], resolve=resolve)
        try:
            self.store = Store(open_engine(database))
            self.frontier = Frontier(
                self.store, self.options.crawl_id(known), self.options, polite.timeout
            )
            self.frontier.open(known, fresh=fresh)
        except BaseException:
            self._web.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close connections and database."""
        self._web.close()
        self.store.close()

    def run(self, stop: threading.Event | None = None) -> CrawlSummary:
        """Crawl until it is over, or until ``stop`` is set; what was found by then is kept.

        Raises the :class:`WebprintError` of a database that cannot be used.
        """
        stop = stop or threading.Event()
        workers = [
            threading.Thread(target=self._work, args=(stop,), daemon=True)
            for _ in range(max(1, self.options.parallel))
        ]
        for worker in workers:
            worker.start()
        try:
            for worker in workers:
                while worker.is_alive():  # An interrupt is heard between two waits.
                    worker.join(0.2)
        except BaseException:
            stop.set()
            raise
        finally:
            if stop.is_set():
                self._stop(workers)
        if self._errors:
            raise self._errors[0]
        return self.frontier.summary()

    def articles(self) -> list[CrawledArticle]:
        """Return the articles found so far, the best first."""
        wanted = (
            select(
                articles.c.address, articles.c.url, articles.c.score, articles.c.told,
                addresses.c.depth,
            )
            .join(addresses, addresses.c.seq == articles.c.address)
            .where(articles.c.crawl == self.frontier.crawl)
            .order_by(articles.c.score.desc(), articles.c.address)
            .limit(self.options.articles)  # Visits on their way at the end may have found more.
        )  # fmt: skip
        with self.store.read() as connection:
            return [
                CrawledArticle(
                    row.address, row.url, row.score, row.depth, ArticleInfo(**json.loads(row.told))
                )
                for row in connection.execute(wanted)
            ]

    def capture(self, found: CrawledArticle) -> Capture:
        """Return the page of an article as it was fetched, so that it need not be fetched again."""
        wanted = select(articles).where(articles.c.address == found.id)
        with self.store.read() as connection:
            row = connection.execute(wanted).one()
        return Capture(
            zlib.decompress(row.body),
            PageSource(
                url=row.url,
                requested_url=row.url,
                media_type="text/html",
                charset=row.charset,
                fetched=datetime.fromtimestamp(row.fetched, UTC),
            ),
        )

    def captures(self) -> Iterator[tuple[CrawledArticle, Capture]]:
        """Yield the articles found so far with their pages, the best first."""
        for found in self.articles():
            yield found, self.capture(found)

    def summary(self) -> CrawlSummary:
        """Say how the crawl stands."""
        return self.frontier.summary()

    def _work(self, stop: threading.Event) -> None:
        visitor = Visitor(self.store, self._web, self.options, self._extract, self._rules)
        try:
            while not stop.is_set():
                lease = self.frontier.lease()
                if lease is None:
                    break
                if isinstance(lease, float):
                    with self._changed:
                        self._changed.wait(min(max(lease, 0.005), _POLL_SECONDS))
                    continue
                outcome = visitor.visit(lease)
                found = record_visit(self.frontier, lease, outcome)
                self.on_visit(lease, outcome, found)
                with self._changed:
                    self._changed.notify_all()
        except BaseException as error:  # noqa: BLE001 - raised by run, in the thread that asked
            self._errors.append(error)
            stop.set()
        with self._changed:
            self._changed.notify_all()

    def _stop(self, workers: Sequence[threading.Thread]) -> None:
        """Wait a moment for visits on their way, and put back what is not done by then."""
        for worker in workers:
            worker.join(1.0)
        try:
            self.frontier.release()
        except WebprintError:
            if not self._errors:
                raise
