"""The frontier and URL-seen set on disk (Khade, Rao & Potey, section III A; Olston & Najork, 2010).

Every URL ever seen has one row; the waiting rows are the frontier.  A worker leases the most
promising URL whose host is free: each host serves one worker at a time, with a delay between
requests.  The outcome of a visit is written in one transaction, so that a killed crawl continues
where it stopped, and fetches again only the pages it was fetching.

Articles are kept once.  A page is a duplicate of another with nearly the same text (see
:mod:`printer.crawl.near_duplicates`), and a URL is a duplicate of one that it redirects to or names
as canonical.  A canonical URL is trusted until two pages with different texts name it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection, Row, case, delete, func, select, update

from ..backoff import Backoff
from ..capture import Capture
from ..errors import BadURL, HTTPStatusError
from ..urls import canonical_url, origin_of, url_key
from . import near_duplicates
from .models import (
    ArticleInfo,
    CrawledArticle,
    CrawlOptions,
    CrawlSummary,
    Deferred,
    Failed,
    Lease,
    Link,
    Outcome,
    Redirected,
    Skipped,
    Visited,
)
from .near_duplicates import NEAR_DUPLICATE, Sketch, resemblance
from .scope import Scope, canonical_link, site_of, url_pattern
from .store import (
    MAX_DELAY,
    Store,
    addresses,
    articles,
    bands,
    crawls,
    delay_host,
    hosts,
    patterns,
    release_ended_workers,
    release_worker,
    start_delay,
    worker_id,
)

#: The seconds that a lease outlasts the time limit of a fetch.
LEASE_GRACE = 60.0

#: The most URLs that a crawl remembers.
MAX_ADDRESSES = 300_000

#: After this many pages of a pattern in a row have led to no new article, directly or through their
#: links, its other URLs wait until no others do, and are skipped if that changes nothing.
MAX_BARREN_PAGES = 25

#: The most pages of a pattern, and of one with a query, as list filters combine endlessly.
MAX_PER_PATTERN, MAX_PER_QUERY_PATTERN = 10_000, 500

#: The most leases of a URL; one leased more often probably crashes its visitors.
MAX_LEASES = 60

#: The most sitemaps that a crawl reads.
MAX_SITEMAPS = 50

#: The most ancestor pages whose patterns are credited with an article.
_MAX_ANCESTORS = 6

_SEED_SCORE = 1e3
_PARKED_PENALTY = 1e6
_BARREN = "pages of its kind led to nothing new"


class Frontier:
    """The URLs of one crawl, shared by threads, processes and machines.

    Args:
        store: the tables.
        crawl: the id of the crawl.
        options: what the crawl looks for.
        timeout: how many seconds a fetch may take.
    """

    def __init__(
        self, store: Store, crawl: str, options: CrawlOptions, timeout: float = 60
    ) -> None:
        self.store = store
        self.crawl = crawl
        self.options = options
        self.worker = worker_id()
        self._lease_seconds = timeout + LEASE_GRACE
        self._in_crawl = addresses.c.crawl == crawl

    def open(self, seeds: Sequence[str], *, fresh: bool = False) -> None:
        """Start or continue the crawl; with ``fresh``, forget what was found before."""
        with self.store.write() as connection:
            if fresh:
                for table in (addresses, articles, bands, patterns):
                    connection.execute(delete(table).where(table.c.crawl == self.crawl))
                connection.execute(delete(crawls).where(crawls.c.id == self.crawl))
            now = self.store.now(connection)
            release_ended_workers(connection, now, self.options.delay)
            if self._update_crawl(connection, state="open", stop_reason=""):
                # Its limits may be higher now, and the servers of its seeds run again.
                lost = (addresses.c.depth == 0) & (addresses.c.state == "failed")
                again = update(addresses).where(self._in_crawl, lost)
                connection.execute(again.values(state="waiting", failures=0))
                return
            sites = sorted({*map(site_of, seeds), *self.options.hosts})
            row = {"id": self.crawl, "state": "open", "hosts": json.dumps(sites), "created": now}
            connection.execute(crawls.insert().values(row))
            self.add(connection, [Link(seed, _SEED_SCORE, 0) for seed in seeds], 0)

    def add(self, connection: Connection, links: Iterable[Link], parent: int) -> None:
        """Add URLs not seen before; raise the score of waiting ones to that of their best link.

        ``parent`` is the row of the page that has the links, or 0 for seeds, which may be out of
        scope.
        """
        scope = Scope.of(self.options, self._sites(connection))
        best: dict[str, tuple[Link, str]] = {}
        for link in links:
            canonical = canonical_link(link)
            if canonical and (parent == 0 or scope.allows(canonical)):
                key = url_key(canonical.url)
                if key not in best or best[key][0].score < link.score:
                    best[key] = canonical, link.url.partition("#")[0]
        known = self._known_scores(connection, list(best))
        for key, (link, _) in best.items():
            if key in known and known[key] < link.score:
                waiting = (addresses.c.url_key == key) & (addresses.c.state == "waiting")
                better = update(addresses).where(self._in_crawl, waiting)
                connection.execute(better.values(score=link.score))
        rows = [
            {
                "crawl": self.crawl, "url_key": key, "url": url, "host": origin_of(url).netloc,
                "kind": link.kind, "depth": link.depth, "score": link.score,
                "pattern": url_pattern(link.url), "parent": parent,
            }
            for key, (link, url) in best.items()
            if key not in known
        ]  # fmt: skip
        if rows and (rows := rows[: max(0, MAX_ADDRESSES - self._count(connection))]):
            self._add_hosts(connection, {str(row["host"]) for row in rows})
            connection.execute(addresses.insert(), rows)

    def add_site(self, connection: Connection, url: str) -> None:
        """Extend the scope to the site that a seed redirects to."""
        sites = sorted({*self._sites(connection), site_of(url)})
        self._update_crawl(connection, hosts=json.dumps(sites))

    def lease(self) -> Lease | float | None:
        """Lease the most promising URL whose host is free.

        Returns the seconds until the next attempt if none is ready, or None if the crawl is over.
        """
        with self.store.write() as connection:
            now = self.store.now(connection)
            late = (addresses.c.state == "taken") & (addresses.c.lease_until < now)
            expired = update(addresses).where(self._in_crawl, late)
            connection.execute(expired.values(state="waiting", worker="", lease_until=0.0))
            if reason := self._stop_reason(connection):
                self._update_crawl(connection, state="over", stop_reason=reason)
                return None
            while row := self._next_ready(connection, now):
                this = update(addresses).where(addresses.c.id == row.id)
                if reason := self._skip_reason(connection, row):
                    skip: dict[str, Any] = {"state": "refused", "message": reason}
                    if reason == _BARREN and not row.parked:
                        skip = {"parked": True, "score": row.score - _PARKED_PENALTY}
                    connection.execute(this.values(skip))
                    continue
                until, number = now + self._lease_seconds, row.leases + 1
                connection.execute(
                    this.values(state="taken", worker=self.worker, lease_until=until, leases=number)
                )
                host = update(hosts).where(hosts.c.name == row.host)
                connection.execute(host.values(next_at=until, worker=self.worker))
                return Lease(
                    row.id, row.url, row.kind, row.depth, row.host, row.pattern, number,
                    row.failures,
                )  # fmt: skip
            release_ended_workers(connection, now, self.options.delay)
            return self._seconds_until_ready(connection, now)

    def record(self, lease: Lease, outcome: Outcome) -> CrawledArticle | None:
        """Write the outcome of a visit; return the article if it is a new one.

        Nothing is written if the lease has expired.
        """
        with self.store.write() as connection:
            leased = select(addresses.c.id).where(
                addresses.c.id == lease.id, addresses.c.state == "taken",
                addresses.c.worker == self.worker, addresses.c.leases == lease.number,
            )  # fmt: skip
            if connection.execute(leased).first() is None:
                return None
            return _Recorder(self, connection, lease).record(outcome)

    def release(self) -> None:
        """Release the leases of this process."""
        with self.store.write() as connection:
            now = self.store.now(connection)
            release_worker(connection, self.worker, now, self.options.delay)

    def summary(self) -> CrawlSummary:
        """Return the progress of the crawl."""
        failed = self._in_crawl & (addresses.c.state == "failed")
        with self.store.read() as connection:
            states = _counts(connection, addresses.c.state, self._in_crawl)
            outcomes = _counts(
                connection, addresses.c.outcome, self._in_crawl & (addresses.c.state == "done")
            )
            failures = _counts(connection, addresses.c.message, failed, limit=20)
            reason = select(crawls.c.stop_reason).where(crawls.c.id == self.crawl)
            stop_reason = connection.execute(reason).scalar()
        return CrawlSummary(
            fetched=states.get("done", 0) + states.get("failed", 0),
            waiting=states.get("waiting", 0) + states.get("taken", 0),
            articles=outcomes.get("article", 0),
            duplicates=outcomes.get("duplicate", 0),
            failed=states.get("failed", 0),
            skipped=states.get("refused", 0),
            stop_reason=stop_reason or "",
            failures=failures,
        )

    def _sites(self, connection: Connection) -> list[str]:
        of_crawl = select(crawls.c.hosts).where(crawls.c.id == self.crawl)
        sites: list[str] = json.loads(connection.execute(of_crawl).scalar() or "[]")
        return sites

    def _update_crawl(self, connection: Connection, **values: object) -> bool:
        """Change the row of the crawl; return whether there is one."""
        this = update(crawls).where(crawls.c.id == self.crawl)
        return connection.execute(this.values(values)).rowcount > 0

    def _stop_reason(self, connection: Connection) -> str:
        """Return why the crawl must stop, or ''."""
        counted = select(func.count()).where(articles.c.crawl == self.crawl)
        if connection.execute(counted).scalar_one() >= self.options.articles:
            return f"{self.options.articles} articles were found"
        if self._count(connection, "taken") == 0 and not self._has_room(connection):
            return f"{self.options.pages} pages were fetched"
        return ""

    def _has_room(self, connection: Connection) -> bool:
        return self._count(connection, "taken", "done", "failed") < self.options.pages

    def _next_ready(self, connection: Connection, now: float) -> Row[Any] | None:
        if not self._has_room(connection):
            return None
        ready = (
            select(addresses)
            .join(hosts, hosts.c.name == addresses.c.host)
            .where(
                self._in_crawl,
                addresses.c.state == "waiting",
                addresses.c.due <= now,
                hosts.c.next_at <= now,
            )
            .order_by(addresses.c.score.desc(), addresses.c.id)
        )
        return connection.execute(ready.limit(1)).first()

    def _skip_reason(self, connection: Connection, row: Row[Any]) -> str:
        """Return why not to visit a URL now, given the yield of its pattern, or ''."""
        if row.leases >= MAX_LEASES:
            return "its visits never ended"
        if row.kind == "sitemap":
            read = (addresses.c.state == "done") & (addresses.c.kind == "sitemap")
            counted = select(func.count()).where(self._in_crawl, read)
            many = connection.execute(counted).scalar_one() >= MAX_SITEMAPS
            return "too many sitemaps were read" if many else ""
        if row.depth == 0 or row.failures:
            return ""
        of_pattern = (patterns.c.crawl == self.crawl) & (patterns.c.pattern == row.pattern)
        pattern = connection.execute(select(patterns).where(of_pattern)).first()
        if pattern is None:
            return ""
        if pattern.fetched >= (MAX_PER_QUERY_PATTERN if "?" in row.url else MAX_PER_PATTERN):
            return "too many pages of its kind were fetched"
        return _BARREN if pattern.streak >= MAX_BARREN_PAGES else ""

    def _seconds_until_ready(self, connection: Connection, now: float) -> float | None:
        """Return the seconds until a URL may be ready; if none ever will be, end the crawl."""
        ready = case((hosts.c.next_at > addresses.c.due, hosts.c.next_at), else_=addresses.c.due)
        waiting = (
            select(func.min(ready))
            .select_from(addresses)
            .join(hosts, hosts.c.name == addresses.c.host)
            .where(self._in_crawl, addresses.c.state == "waiting")
        )
        leased = select(func.min(addresses.c.lease_until)).where(
            self._in_crawl, addresses.c.state == "taken"
        )
        times = [connection.execute(query).scalar() for query in (waiting, leased)]
        known = [float(time) for time in times if time is not None]
        if known:
            return max(0.0, min(known) - now)
        self._update_crawl(connection, state="over", stop_reason="nothing is left to visit")
        return None

    def _known_scores(self, connection: Connection, keys: Sequence[str]) -> dict[str, float]:
        """Return the scores of URLs seen before, by key."""
        scores: dict[str, float] = {}
        for start in range(0, len(keys), 500):  # SQLite limits the parameters of a statement.
            known = select(addresses.c.url_key, addresses.c.score).where(
                self._in_crawl, addresses.c.url_key.in_(keys[start : start + 500])
            )
            scores.update(tuple(row) for row in connection.execute(known))
        return scores

    def _count(self, connection: Connection, *states: str) -> int:
        counted = select(func.count()).select_from(addresses).where(self._in_crawl)
        if states:
            counted = counted.where(addresses.c.state.in_(states))
        return int(connection.execute(counted).scalar_one())

    def _add_hosts(self, connection: Connection, names: set[str]) -> None:
        known = select(hosts.c.name).where(hosts.c.name.in_(sorted(names)))
        if new := names.difference(connection.execute(known).scalars()):
            connection.execute(hosts.insert(), [{"name": name} for name in sorted(new)])


def _counts(
    connection: Connection, column: Any, which: Any, limit: int | None = None
) -> dict[str, int]:
    """Return how many rows have each value of a column, the most frequent first."""
    counted = select(column, func.count()).where(which).group_by(column)
    rows = connection.execute(counted.order_by(func.count().desc()).limit(limit))
    return {row[0]: row[1] for row in rows}


@dataclass(frozen=True, slots=True)
class _Recorder:
    """Writes the outcome of one visit in one transaction."""

    frontier: Frontier
    connection: Connection
    lease: Lease

    def record(self, outcome: Outcome) -> CrawledArticle | None:
        match outcome:
            case Visited():
                return self._visited(outcome)
            case Redirected():
                self._redirected(outcome.target)
            case Failed():
                self._failed(outcome)
            case Skipped():
                self._finish(state="refused", message=outcome.reason)
            case Deferred():
                self._finish(state="waiting", due=self._now() + outcome.delay)
        return None

    def _visited(self, page: Visited) -> CrawledArticle | None:
        lease = self.lease
        self._add_links(page.links, lease.id)
        sketch = near_duplicates.sketch(page.text) if page.info else None
        if page.info is None or sketch is None or page.capture is None:
            if page.canonical and _is_plausible_canonical(lease.url, page.canonical):
                # Pages that are not articles may name it although they differ, so visit it.
                self._add_links([Link(page.canonical, self._row().score, lease.depth)], lease.id)
            self._finish(state="done", outcome="followed", message=page.reason)
            self._count_barren()
            return None
        duplicate_of = self._near_duplicate(sketch)
        self._claim_canonical(page.canonical, sketch, duplicate_of)
        if duplicate_of:
            self._finish(state="done", outcome="duplicate", duplicate_of=duplicate_of)
            self._count_barren()
            return None
        article = self._save_article(page.info, page.capture, sketch)
        self._finish(state="done", outcome="article")
        self._credit_patterns()
        return article

    def _redirected(self, target: str) -> None:
        """Visit the target in place of this URL."""
        lease, row = self.lease, self._row()
        if lease.depth == 0:
            self.frontier.add_site(self.connection, target)
        self._add_links([Link(target, row.score, lease.depth, lease.kind)], row.parent or lease.id)
        self._finish(state="done", outcome="moved", message=target[:2000])
        self._count_barren()

    def _failed(self, failure: Failed) -> None:
        """Schedule another attempt, or give up."""
        options, error = self.frontier.options, failure.error
        failures, message = self.lease.failures + 1, error.message[:300]
        if not failure.temporary or failures >= options.max_attempts:
            self._finish(state="failed", failures=failures, message=message)
            self._count_barren()
            return
        retry_after, status = 0.0, 0
        if isinstance(error, HTTPStatusError):
            retry_after, status = error.retry_after, error.status
        backoff = Backoff(options.retry_delay, MAX_DELAY)
        due = self._now() + backoff.delay(failures, at_least=retry_after)
        self._finish(state="waiting", due=due, failures=failures, message=message)
        if retry_after or status == HTTPStatus.TOO_MANY_REQUESTS:
            # These failures concern the host, not the page.
            delay_host(self.connection, self.lease.host, due)

    def _now(self) -> float:
        return self.frontier.store.now(self.connection)

    def _row(self) -> Row[Any]:
        this = select(addresses).where(addresses.c.id == self.lease.id)
        return self.connection.execute(this).one()

    def _finish(self, **values: Any) -> None:
        """End the lease and start the delay of the host."""
        this = update(addresses).where(addresses.c.id == self.lease.id)
        ended = {"worker": "", "lease_until": 0.0, "message": ""}
        self.connection.execute(this.values(ended | values))
        host = hosts.c.name == self.lease.host
        start_delay(self.connection, host, self._now(), self.frontier.options.delay)

    def _add_links(self, links: Iterable[Link], parent: int) -> None:
        self.frontier.add(self.connection, links, parent)

    # Articles

    def _save_article(self, info: ArticleInfo, capture: Capture, sketch: Sketch) -> CrawledArticle:
        lease, crawl = self.lease, self.frontier.crawl
        score = info.relevance if self.frontier.options.query else info.confidence
        url, fetched = canonical_url(capture.url), capture.source.fetched
        self.connection.execute(
            articles.insert().values(
                address=lease.id,
                crawl=crawl,
                url=url,
                info=json.dumps(asdict(info)),
                score=score,
                sketch=near_duplicates.to_bytes(sketch),
                body=zlib.compress(capture.body, 6),
                charset=capture.source.charset[:40],
                fetched=fetched.timestamp() if fetched else 0.0,
            )
        )
        rows = [
            {"crawl": crawl, "band": band, "address": lease.id}
            for band in near_duplicates.bands(sketch)
        ]
        self.connection.execute(bands.insert(), rows)
        return CrawledArticle(lease.id, url, score, lease.depth, info)

    def _near_duplicate(self, sketch: Sketch) -> int:
        """Return the row of the article with nearly the same text, or 0."""
        sharing_band = select(bands.c.address).where(
            bands.c.crawl == self.frontier.crawl, bands.c.band.in_(near_duplicates.bands(sketch))
        )
        candidates = select(articles.c.address, articles.c.sketch).where(
            articles.c.address.in_(sharing_band.distinct())
        )
        best, nearest = NEAR_DUPLICATE, 0
        for row in self.connection.execute(candidates):
            score = resemblance(near_duplicates.from_bytes(row.sketch), sketch)
            if score >= best and (score > best or not nearest):
                best, nearest = score, row.address
        return nearest

    def _claim_canonical(self, canonical: str, sketch: Sketch, duplicate_of: int) -> None:
        """Mark the canonical URL of an article as its duplicate, so that it is not visited."""
        lease, connection = self.lease, self.connection
        if not canonical or not _is_plausible_canonical(lease.url, canonical):
            return
        there = (addresses.c.crawl == self.frontier.crawl) & (
            addresses.c.url_key == url_key(canonical)
        )
        known = connection.execute(select(addresses).where(there)).first()
        if known is None:
            self._add_links([Link(canonical, 0.0, lease.depth)], lease.id)
        elif known.id == lease.id:
            return
        elif known.state == "same":
            claimed_by = known.duplicate_of
            if claimed_by != duplicate_of and not self._resembles(claimed_by, sketch):
                # Two pages with different texts name it, so trust neither.
                again = update(addresses).where(addresses.c.id == known.id)
                connection.execute(again.values(state="waiting", duplicate_of=0))
            return
        claimed = update(addresses).where(there, addresses.c.state == "waiting")
        connection.execute(claimed.values(state="same", duplicate_of=duplicate_of or lease.id))

    def _resembles(self, article: int, sketch: Sketch) -> bool:
        of_article = select(articles.c.sketch).where(articles.c.address == article)
        data = self.connection.execute(of_article).scalar()
        known = near_duplicates.from_bytes(data) if data else sketch * 0
        return resemblance(known, sketch) >= NEAR_DUPLICATE

    # Patterns

    def _count_barren(self) -> None:
        """Count a visit that yielded no new article."""
        self._update_pattern(
            self.lease.pattern, streak=patterns.c.streak + 1, fetched=patterns.c.fetched + 1
        )

    def _credit_patterns(self) -> None:
        """Credit an article to its pattern and to those of the pages that led to it."""
        pattern = self.lease.pattern
        self._update_pattern(pattern, streak=0, fetched=patterns.c.fetched + 1)
        parent = self._row().parent
        for _ in range(_MAX_ANCESTORS):
            ancestor = select(addresses).where(addresses.c.id == parent)
            row = self.connection.execute(ancestor).first() if parent else None
            if row is None:
                return
            if row.pattern != pattern:
                self._update_pattern(row.pattern, streak=0)
            parent = row.parent

    def _update_pattern(self, pattern: str, **values: object) -> None:
        crawl = self.frontier.crawl
        this = (patterns.c.crawl == crawl) & (patterns.c.pattern == pattern)
        if self.connection.execute(select(patterns.c.pattern).where(this)).first() is None:
            self.connection.execute(patterns.insert().values(crawl=crawl, pattern=pattern))
        self.connection.execute(update(patterns).where(this).values(values))


def _is_plausible_canonical(url: str, canonical: str) -> bool:
    """Return whether to trust a canonical URL: a page of the same site, but not its front page."""
    try:
        if site_of(url) != site_of(canonical):
            return False
        here, there = canonical_url(url), canonical_url(canonical)
    except BadURL:
        return False
    parts = urlsplit(there)
    return here != there and not (parts.path == "/" and not parts.query)
