"""A crawl: threads that lease URLs from the frontier, visit them and record the outcome."""

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
from .frontier import Frontier
from .models import ArticleInfo, CrawledArticle, CrawlOptions, CrawlSummary, Lease, Outcome
from .scope import parse_host
from .store import Store, addresses, articles
from .visit import SiteRules, Visitor

#: Called after each visit, with the article if it is a new one.
OnVisit = Callable[[Lease, Outcome, CrawledArticle | None], None]

#: The seconds between two looks of an idle worker for URLs that others found.
_POLL_SECONDS = 0.5


class Crawl:
    """Finds articles, starting at seed URLs; a context manager.

        with Crawl(["https://example.org/"], database="crawl.sqlite") as crawl:
            crawl.run()
            for article, capture in crawl.captures():
                page = printer.read(capture)

    Several crawls can share a database, and several processes or machines can share a crawl.

    Args:
        seeds: the URLs to start at, which may be private addresses.
        options: what to look for, and where to stop.
        database: the path of an SQLite file or a postgresql:// URL; a crawl with the same
            :meth:`CrawlOptions.crawl_id` is continued.
        fetch: how to fetch pages, and whether links to private addresses are followed.
        extract: how to extract articles.
        fresh: whether to forget what the same crawl found before.
        on_visit: called after each visit, from any thread.
        resolve: looks up host names.
        rules: returns the rules for the site of a URL, as for a
            :class:`printer.pipeline.Printer`.

    Raises:
        UsageError: there is no seed.
        BadURL: a seed or a host is not valid.
        JobsError: the database cannot be used.
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
        on_visit: OnVisit = lambda _lease, _outcome, _article: None,
        resolve: Resolver = resolve_host,
        rules: SiteRules | None = None,
    ) -> None:
        options = options or CrawlOptions()
        if not seeds:
            raise UsageError("a crawl needs an address to start at")
        urls = [normalize_url(seed) for seed in seeds]
        hosts = [parse_host(host) for host in options.hosts]
        sites = sorted(host.removeprefix("www.") for host in hosts)
        self.options = replace(options, hosts=tuple(sites))
        self.on_visit = on_visit
        self._extract, self._rules = extract or ExtractOptions(), rules
        self._changed = threading.Condition()
        self._errors: list[BaseException] = []
        # The frontier handles retries, and no page is fetched twice.
        fetch = replace(fetch or FetchOptions(), retries=0, cache=False, render="never")
        self._client = HttpClient(fetch, user_urls=[*urls, *hosts], resolve=resolve)
        try:
            self.store = Store(open_engine(database))
            crawl_id = self.options.crawl_id(urls)
            self.frontier = Frontier(self.store, crawl_id, self.options, fetch.timeout)
            self.frontier.open(urls, fresh=fresh)
        except BaseException:
            self._client.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections and the database."""
        self._client.close()
        self.store.close()

    def run(self, stop: threading.Event | None = None) -> CrawlSummary:
        """Crawl until a limit is reached, nothing is left, or ``stop`` is set.

        Raises:
            JobsError: the database cannot be used; what was found before is kept.
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
                while worker.is_alive():  # A join without a timeout would block interrupts.
                    worker.join(0.2)
        except BaseException:
            stop.set()
            raise
        finally:
            if stop.is_set():
                self._release(workers)
        if self._errors:
            raise self._errors[0]
        return self.summary()

    def articles(self) -> list[CrawledArticle]:
        """Return the articles found so far, the best first."""
        of_crawl = (
            select(
                articles.c.address, articles.c.url, articles.c.score, addresses.c.depth,
                articles.c.info,
            )
            .join(addresses, addresses.c.id == articles.c.address)
            .where(articles.c.crawl == self.frontier.crawl)
            .order_by(articles.c.score.desc(), articles.c.address)
            .limit(self.options.articles)  # Visits in progress at the end may have found more.
        )  # fmt: skip
        with self.store.read() as connection:
            rows = connection.execute(of_crawl).all()
        return [CrawledArticle(*row[:4], ArticleInfo(**json.loads(row[4]))) for row in rows]

    def capture(self, article: CrawledArticle) -> Capture:
        """Return the page of an article as it was fetched."""
        this = select(articles).where(articles.c.address == article.id)
        with self.store.read() as connection:
            row = connection.execute(this).one()
        fetched = datetime.fromtimestamp(row.fetched, UTC)
        source = PageSource(row.url, row.url, "text/html", row.charset, fetched=fetched)
        return Capture(zlib.decompress(row.body), source)

    def captures(self) -> Iterator[tuple[CrawledArticle, Capture]]:
        """Yield the articles found so far with their pages, the best first."""
        for article in self.articles():
            yield article, self.capture(article)

    def summary(self) -> CrawlSummary:
        """Return the progress of the crawl."""
        return self.frontier.summary()

    def _work(self, stop: threading.Event) -> None:
        visitor = Visitor(self.store, self._client, self.options, self._extract, self._rules)
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
                article = self.frontier.record(lease, outcome)
                self.on_visit(lease, outcome, article)
                with self._changed:
                    self._changed.notify_all()
        except BaseException as error:  # noqa: BLE001 - raised by run, in the thread of its caller
            self._errors.append(error)
            stop.set()
        with self._changed:
            self._changed.notify_all()

    def _release(self, workers: Sequence[threading.Thread]) -> None:
        """Wait briefly for visits in progress, then release the remaining leases."""
        for worker in workers:
            worker.join(1.0)
        try:
            self.frontier.release()
        except WebprintError:
            if not self._errors:
                raise
