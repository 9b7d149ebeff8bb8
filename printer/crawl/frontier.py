"""Frontier and URL-seen set on disk (Khade, Rao & Potey, section III A; Olston & Najork, 2010).

Every address that was ever found has one row.  Rows that wait are the frontier: taken are the most
promising first, and each host is asked by one worker at a time and then left alone for its pause.
A row that is taken belongs to its worker until a time; what a worker learned is written in one
transaction, so that a crawl killed at any moment goes on where it was, and asks again only for
what was on its way.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from sqlalchemy import Connection, Row, case, delete, func, select, update

from ..capture import Capture
from ..errors import BadURL
from ..urls import canonical_url, url_key
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
    Redirected,
    Skipped,
    Visited,
)
from .scope import Scope, canonical_link, netloc_of, url_pattern, without_www
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

#: Seconds a worker may hold an address beyond the time a fetch may take.
LEASE_GRACE = 60.0

#: Addresses that a crawl remembers; what is found beyond them is let go.
MAX_ADDRESSES = 300_000

#: After so many pages of a shape in a row that led to no new article, directly or by what they
#: link to, the others of it wait until nothing else does; if that changes nothing, they are left.
MAX_BARREN_PAGES = 25

#: Pages of one shape, and of one that has a query: selections of a list come in any number.
MAX_PER_PATTERN, MAX_PER_QUERY_PATTERN = 10_000, 500

#: An address that was taken so often and never settled ends the processes that visit it.
MAX_LEASES = 60

#: Sitemaps that are read in one crawl.
MAX_SITEMAPS = 50

_PARKED_PENALTY = 1e6


class Frontier:
    """The addresses of one crawl; to be shared by threads, processes and machines."""

    def __init__(self, store: Store, crawl: str, options: CrawlOptions, lease: float = 60) -> None:
        self.store = store
        self.crawl = crawl
        self.options = options
        self.worker = worker_id()
        self._lease_seconds = lease + LEASE_GRACE

    def open(self, seeds: Sequence[str], *, fresh: bool = False) -> None:
        """Begin the crawl, or go on with it; ``fresh`` forgets what was found before."""
        with self.store.write() as connection:
            if fresh:
                self._forget(connection)
            release_ended_workers(connection, self.store.now(connection), self.options.delay)
            known = connection.execute(select(crawls.c.id).where(crawls.c.id == self.crawl)).first()
            begun = {"state": "open", "why": ""}
            if known:  # Its bounds may be wider now.
                connection.execute(update(crawls).where(crawls.c.id == self.crawl).values(begun))
                return
            within = sorted(
                {without_www(netloc_of(seed)) for seed in seeds} | set(self.options.hosts)
            )
            begun |= {"id": self.crawl, "hosts": json.dumps(within)}
            now = self.store.now(connection)
            connection.execute(crawls.insert().values(**begun, created=now))
            self.add(connection, [Link(seed, 1e3, 0) for seed in seeds], 0)

    def _forget(self, connection: Connection) -> None:
        for table in (addresses, articles, bands, patterns):
            connection.execute(delete(table).where(table.c.crawl == self.crawl))
        connection.execute(delete(crawls).where(crawls.c.id == self.crawl))

    def add(self, connection: Connection, links: Iterable[Link], parent: int) -> int:
        """Add the addresses that were not seen before; return how many.

        One that still waits becomes as promising as the best link to it.
        """
        scope = self.scope(connection)
        found: dict[str, tuple[Link, str]] = {}
        for lead in links:
            normal = canonical_link(lead)
            if normal and (parent == 0 or scope.allows(normal[0])):
                key = url_key(normal[0].url)
                if key not in found or found[key][0].score < lead.score:
                    found[key] = normal
        seen = self._known_scores(connection, list(found))
        for key, (lead, _) in found.items():
            if key in seen and seen[key] < lead.score:
                better = update(addresses).where(self._has_key(key), addresses.c.state == "waiting")
                connection.execute(better.values(score=lead.score))
        new = [(key, *pair) for key, pair in found.items() if key not in seen]
        new = new[: max(0, MAX_ADDRESSES - self._count(connection))] if new else []
        if new:
            self._add_hosts(connection, {netloc_of(url) for _, _, url in new})
            connection.execute(
                addresses.insert(),
                [
                    {
                        "crawl": self.crawl, "mark": key, "url": url, "host": netloc_of(url),
                        "kind": lead.kind, "depth": lead.depth, "score": lead.score,
                        "shape": url_pattern(lead.url), "parent": parent,
                    }
                    for key, lead, url in new
                ],
            )  # fmt: skip
        return len(new)

    def scope(self, connection: Connection) -> Scope:
        """Return where the crawl may go by now."""
        known = connection.execute(select(crawls.c.hosts).where(crawls.c.id == self.crawl)).scalar()
        return Scope.of(self.options, json.loads(known or "[]"))

    def widen(self, connection: Connection, url: str) -> None:
        """Let the crawl go to the host that a seed has moved to."""
        within = {*self.scope(connection).hosts, without_www(netloc_of(url))}
        wider = update(crawls).where(crawls.c.id == self.crawl)
        connection.execute(wider.values(hosts=json.dumps(sorted(within))))

    def lease(self) -> Lease | float | None:
        """Take the most promising address whose host may be asked.

        Returns the seconds after which to ask again when none is ready, None when the crawl is
        over.
        """
        with self.store.write() as connection:
            now = self.store.now(connection)
            self._expire_leases(connection, now)
            if over := self._stop_reason(connection):
                ended = update(crawls).where(crawls.c.id == self.crawl)
                connection.execute(ended.values(state="over", why=over))
                return None
            while row := self._next_ready(connection, now):
                if why := self._skip_reason(connection, row):
                    self._skip(connection, row, why)
                    continue
                until = now + self._lease_seconds
                mine = update(addresses).where(addresses.c.seq == row.seq)
                turn = row.turn + 1
                connection.execute(
                    mine.values(state="taken", worker=self.worker, until=until, turn=turn)
                )
                asked = update(hosts).where(hosts.c.name == row.host)
                connection.execute(asked.values(next_at=until, holder=self.worker))
                return Lease(
                    row.seq, row.url, row.kind, row.depth, row.host, row.shape, turn, row.tries
                )
            release_ended_workers(connection, now, self.options.delay)
            return self._seconds_until_ready(connection, now)

    def owns(self, connection: Connection, lease: Lease) -> bool:
        """Tell whether an address is still this worker's."""
        held = select(addresses.c.seq).where(
            addresses.c.seq == lease.id, addresses.c.state == "taken",
            addresses.c.worker == self.worker, addresses.c.turn == lease.number,
        )  # fmt: skip
        return connection.execute(held).first() is not None

    def finish(self, connection: Connection, lease: Lease, **values: Any) -> None:
        """Write what became of an address, and leave its host alone for its pause."""
        row = update(addresses).where(addresses.c.seq == lease.id)
        connection.execute(row.values(**{"worker": "", "until": 0.0, "said": "", **values}))
        start_delay(connection, [lease.host], self.store.now(connection), self.options.delay)

    def release(self) -> None:
        """Put back what this worker has taken and will not visit."""
        with self.store.write() as connection:
            now = self.store.now(connection)
            release_worker(connection, self.worker, now, self.options.delay)

    def summary(self) -> CrawlSummary:
        """Say how the crawl stands."""
        mine = addresses.c.crawl == self.crawl
        done = mine & (addresses.c.state == "done")
        with self.store.read() as connection:
            states = _counts(connection, addresses.c.state, mine)
            outcomes = _counts(connection, addresses.c.outcome, done)
            failures = connection.execute(
                select(addresses.c.said, func.count())
                .where(mine, addresses.c.state == "failed")
                .group_by(addresses.c.said)
                .order_by(func.count().desc())
                .limit(20)
            ).all()
            why = connection.execute(select(crawls.c.why).where(crawls.c.id == self.crawl)).scalar()
        return CrawlSummary(
            fetched=states.get("done", 0) + states.get("failed", 0),
            waiting=states.get("waiting", 0) + states.get("taken", 0),
            articles=outcomes.get("article", 0),
            duplicates=outcomes.get("duplicate", 0),
            failed=states.get("failed", 0),
            skipped=states.get("refused", 0),
            stop_reason=why or "",
            failures={row[0]: row[1] for row in failures},
        )

    # What take is made of

    def _expire_leases(self, connection: Connection, now: float) -> None:
        """Let addresses wait again whose worker was not heard of in time."""
        late = update(addresses).where(
            addresses.c.crawl == self.crawl,
            addresses.c.state == "taken",
            addresses.c.until < now,
        )
        connection.execute(late.values(state="waiting", worker="", until=0.0))

    def _stop_reason(self, connection: Connection) -> str:
        """Say why nothing more is to be visited, '' as long as something is."""
        kept = select(func.count()).where(articles.c.crawl == self.crawl)
        if connection.execute(kept).scalar_one() >= self.options.articles:
            return f"{self.options.articles} articles were found"
        if self._count(connection, "taken") == 0 and not self._has_room(connection):
            return f"{self.options.pages} pages were fetched"
        return ""

    def _has_room(self, connection: Connection) -> bool:
        """Tell whether one more page may be fetched."""
        return self._count(connection, "taken", "done", "failed") < self.options.pages

    def _next_ready(self, connection: Connection, now: float) -> Row[Any] | None:
        if not self._has_room(connection):
            return None
        wanted = (
            select(addresses)
            .join(hosts, hosts.c.name == addresses.c.host)
            .where(
                addresses.c.crawl == self.crawl,
                addresses.c.state == "waiting",
                addresses.c.due <= now,
                hosts.c.next_at <= now,
            )
            .order_by(addresses.c.score.desc(), addresses.c.seq)
            .limit(1)
        )
        return connection.execute(wanted).first()

    def _skip_reason(self, connection: Connection, row: Row[Any]) -> str:
        """Say why an address is not to be visited now, by what others of its shape have given."""
        if row.turn >= MAX_LEASES:
            return "whoever visited it did not come to an end"
        if row.kind == "sitemap" and self._sitemaps(connection) >= MAX_SITEMAPS:
            return "many sitemaps were read"
        if row.kind != "page" or row.depth == 0 or row.tries:
            return ""
        about = select(patterns.c.fetched, patterns.c.streak).where(
            patterns.c.crawl == self.crawl, patterns.c.shape == row.shape
        )
        known = connection.execute(about).first()
        if known is None:
            return ""
        if known.fetched >= (MAX_PER_QUERY_PATTERN if "?" in row.url else MAX_PER_PATTERN):
            return "many pages of its kind were fetched"
        return "pages of its kind led to nothing new" if known.streak >= MAX_BARREN_PAGES else ""

    def _skip(self, connection: Connection, row: Row[Any], why: str) -> None:
        aside: dict[str, Any] = {"state": "refused", "said": why}
        if not row.parked and why.startswith("pages of"):
            aside = {"parked": True, "score": addresses.c.score - _PARKED_PENALTY}
        connection.execute(update(addresses).where(addresses.c.seq == row.seq).values(**aside))

    def _seconds_until_ready(self, connection: Connection, now: float) -> float | None:
        """Return the seconds until something may be ready, None when nothing ever will be."""
        mine = addresses.c.crawl == self.crawl
        ready = case((hosts.c.next_at > addresses.c.due, hosts.c.next_at), else_=addresses.c.due)
        soonest = connection.execute(
            select(func.min(ready))
            .select_from(addresses)
            .join(hosts, hosts.c.name == addresses.c.host)
            .where(mine, addresses.c.state == "waiting")
        ).scalar()
        held = connection.execute(
            select(func.min(addresses.c.until)).where(mine, addresses.c.state == "taken")
        ).scalar()
        times = [moment for moment in (soonest, held) if moment is not None]
        if not times:
            everything = update(crawls).where(crawls.c.id == self.crawl)
            connection.execute(everything.values(state="over", why="nothing is left to visit"))
            return None
        return max(0.0, float(min(times)) - now)

    # Small questions

    def _has_key(self, key: str) -> Any:
        return (addresses.c.crawl == self.crawl) & (addresses.c.mark == key)

    def _known_scores(self, connection: Connection, keys: Sequence[str]) -> dict[str, float]:
        seen: dict[str, float] = {}
        for start in range(0, len(keys), 500):
            known = select(addresses.c.mark, addresses.c.score).where(
                addresses.c.crawl == self.crawl, addresses.c.mark.in_(keys[start : start + 500])
            )
            seen.update({row.mark: row.score for row in connection.execute(known)})
        return seen

    def _sitemaps(self, connection: Connection) -> int:
        read = select(func.count()).where(
            addresses.c.crawl == self.crawl, addresses.c.state == "done",
            addresses.c.kind == "sitemap",
        )  # fmt: skip
        return int(connection.execute(read).scalar_one())

    def _count(self, connection: Connection, *states: str) -> int:
        counted = select(func.count()).select_from(addresses).where(addresses.c.crawl == self.crawl)
        if states:
            counted = counted.where(addresses.c.state.in_(states))
        return int(connection.execute(counted).scalar_one())

    def _add_hosts(self, connection: Connection, names: Iterable[str]) -> None:
        wanted = sorted(set(names))
        known = set(
            connection.execute(select(hosts.c.name).where(hosts.c.name.in_(wanted))).scalars()
        )
        if new := [{"name": name} for name in wanted if name not in known]:
            connection.execute(hosts.insert(), new)


def _counts(connection: Connection, column: Any, which: Any) -> dict[str, int]:
    """Return how many rows have each value of a column."""
    rows = connection.execute(select(column, func.count()).where(which).group_by(column))
    return {row[0]: row[1] for row in rows}


#: How many links back from an article its finding is counted for the shapes of what led to it.
_MAX_ANCESTORS = 6


def record_visit(
    frontier: Frontier,
    lease: Lease,
    outcome: Visited | Redirected | Failed | Skipped | Deferred,
) -> CrawledArticle | None:
    """Write what became of a visit; return the article if a new one was found.

    Nothing is written when the address is no longer this worker's.
    """
    with frontier.store.write() as connection:
        if not frontier.owns(connection, lease):
            return None
        entry = _VisitRecord(frontier, connection, lease)
        match outcome:
            case Visited():
                return entry.visited(outcome)
            case Redirected():
                entry.redirected(outcome.target)
            case Failed():
                entry.failed(outcome)
            case Skipped():
                entry.finish(state="refused", said=outcome.reason)
            case Deferred():
                entry.finish(state="waiting", due=frontier.store.now(connection) + outcome.delay)
    return None


@dataclass(frozen=True, slots=True)
class _VisitRecord:
    """What is written of one visit, in one transaction."""

    frontier: Frontier
    connection: Connection
    lease: Lease

    def finish(self, **values: Any) -> None:
        """Write what became of the address."""
        self.frontier.finish(self.connection, self.lease, **values)

    def redirected(self, target: str) -> None:
        """Go on at another address, in place of this one."""
        taken = self.lease
        if taken.depth == 0:
            self.frontier.widen(self.connection, target)
        lead = Link(target, self._score(), taken.depth, taken.kind)
        self._add_links([lead], self._parent() or taken.id)
        self.finish(state="done", outcome="moved", said=target[:2000])
        self._count_barren()

    def failed(self, what: Failed) -> None:
        """Let the address wait for another try, or give it up."""
        tries = self.lease.tries + 1
        options, said = self.frontier.options, what.error.message[:300]
        if not what.temporary or tries >= options.max_attempts:
            self.finish(state="failed", tries=tries, said=said)
            self._count_barren()
            return
        after = getattr(what.error, "retry_after", 0.0)
        rest = min(max(options.retry_delay * 2.0 ** (tries - 1), after), MAX_DELAY)
        due = self.frontier.store.now(self.connection) + rest
        self.finish(state="waiting", tries=tries, due=due, said=said)
        if after or getattr(what.error, "status", 0) == HTTPStatus.TOO_MANY_REQUESTS:
            # That is said of the host, and not of the page.
            delay_host(self.connection, self.lease.host, due)

    def visited(self, what: Visited) -> CrawledArticle | None:
        """Add where a page leads, and keep its article if it is a new one."""
        taken = self.lease
        self._add_links(what.links, taken.id)
        sketch = near_duplicates.sketch(what.text) if what.info else None
        if what.info is None or sketch is None or what.capture is None:
            if what.canonical and _is_plausible_canonical(taken.url, what.canonical):
                # A page that is no article may say so of many that differ: its address is gone to.
                self._add_links([Link(what.canonical, self._score(), taken.depth)], taken.id)
            self.finish(state="done", outcome="followed", said=what.reason)
            self._count_barren()
            return None
        twin = self._near_duplicate(sketch)
        self._claim_canonical(what.canonical, sketch, twin)
        if twin:
            self.finish(state="done", outcome="duplicate", same=twin)
            self._count_barren()
            return None
        found = self._save_article(what.info, what.capture, sketch)
        self.finish(state="done", outcome="article")
        self._credit()
        return found

    # Articles

    def _save_article(
        self, told: ArticleInfo, capture: Capture, sketch: near_duplicates.Sketch
    ) -> CrawledArticle:
        taken, crawl = self.lease, self.frontier.crawl
        score = told.relevance if self.frontier.options.query else told.confidence
        url = canonical_url(capture.url)
        self.connection.execute(
            articles.insert().values(
                address=taken.id, crawl=crawl, url=url,
                told=json.dumps(asdict(told)), score=score, sketch=near_duplicates.to_bytes(sketch),
                body=zlib.compress(capture.body, 6), charset=capture.source.charset[:40],
                fetched=capture.source.fetched.timestamp() if capture.source.fetched else 0.0,
            )
        )  # fmt: skip
        keys = [
            {"crawl": crawl, "band": band, "address": taken.id}
            for band in near_duplicates.bands(sketch)
        ]
        self.connection.execute(bands.insert(), keys)
        return CrawledArticle(taken.id, url, score, taken.depth, told)

    def _near_duplicate(self, sketch: near_duplicates.Sketch) -> int:
        """Return the article that has nearly the same text, 0 when there is none."""
        candidates = select(bands.c.address).where(
            bands.c.crawl == self.frontier.crawl, bands.c.band.in_(near_duplicates.bands(sketch))
        )
        wanted = select(articles.c.address, articles.c.sketch).where(
            articles.c.address.in_(candidates.distinct())
        )
        best, nearest = near_duplicates.NEAR_DUPLICATE, 0
        for row in self.connection.execute(wanted):
            alike = near_duplicates.resemblance(near_duplicates.from_bytes(row.sketch), sketch)
            if alike >= best and (alike > best or not nearest):
                best, nearest = alike, row.address
        return nearest

    def _claim_canonical(self, canonical: str, sketch: near_duplicates.Sketch, twin: int) -> None:
        """Let an article's canonical address be the same as this one, so that it is not visited."""
        taken, connection = self.lease, self.connection
        if not canonical or not _is_plausible_canonical(taken.url, canonical):
            return
        there = (addresses.c.crawl == self.frontier.crawl) & (
            addresses.c.mark == url_key(canonical)
        )
        known = connection.execute(
            select(addresses.c.seq, addresses.c.state, addresses.c.same).where(there)
        ).first()
        if known is None:
            self._add_links([Link(canonical, 0.0, taken.depth)], taken.id)
        elif known.seq == taken.id:
            return
        elif known.state == "same":
            if known.same != twin and not _is_near_duplicate(connection, known.same, sketch):
                # Two pages of different texts name it: what they say is not to be believed.
                again = update(addresses).where(addresses.c.seq == known.seq)
                connection.execute(again.values(state="waiting", same=0))
            return
        claimed = update(addresses).where(there, addresses.c.state == "waiting")
        connection.execute(claimed.values(state="same", same=twin or taken.id))

    # What shapes of addresses have given

    def _count_barren(self) -> None:
        """Count a visit that gave no new article."""
        again = {"streak": patterns.c.streak + 1, "fetched": patterns.c.fetched + 1}
        self._update_pattern(self.lease.pattern, **again)

    def _credit(self) -> None:
        """Count a visit that gave one, for its own shape and those of the pages that led to it."""
        own = self.lease.pattern
        self._update_pattern(own, streak=0, fetched=patterns.c.fetched + 1)
        seq = self._parent()
        for _ in range(_MAX_ANCESTORS):
            about = select(addresses.c.shape, addresses.c.parent).where(addresses.c.seq == seq)
            row = self.connection.execute(about).first() if seq else None
            if row is None:
                return
            if row.shape != own:
                self._update_pattern(row.shape, streak=0)
            seq = row.parent

    def _update_pattern(self, name: str, **values: object) -> None:
        crawl = self.frontier.crawl
        which = (patterns.c.crawl == crawl) & (patterns.c.shape == name)
        if self.connection.execute(select(patterns.c.shape).where(which)).first() is None:
            self.connection.execute(patterns.insert().values(crawl=crawl, shape=name))
        self.connection.execute(update(patterns).where(which).values(**values))

    # What is known of the address

    def _add_links(self, leads: Iterable[Link], parent: int) -> None:
        self.frontier.add(self.connection, leads, parent)

    def _score(self) -> float:
        about = select(addresses.c.score).where(addresses.c.seq == self.lease.id)
        return float(self.connection.execute(about).scalar_one())

    def _parent(self) -> int:
        about = select(addresses.c.parent).where(addresses.c.seq == self.lease.id)
        return int(self.connection.execute(about).scalar() or 0)


def _is_near_duplicate(
    connection: Connection, article: int, sketch: near_duplicates.Sketch
) -> bool:
    kept = select(articles.c.sketch).where(articles.c.address == article)
    data = connection.execute(kept).scalar()
    other = near_duplicates.from_bytes(data) if data else np.zeros_like(sketch)
    return near_duplicates.resemblance(other, sketch) >= near_duplicates.NEAR_DUPLICATE


def _is_plausible_canonical(url: str, canonical: str) -> bool:
    """Tell whether a canonical address may be believed: another one of the site, not its door."""
    try:
        if without_www(netloc_of(url)) != without_www(netloc_of(canonical)):
            return False
        here, there = canonical_url(url), canonical_url(canonical)
    except BadURL:
        return False
    parts = urlsplit(there)
    return here != there and not (parts.path == "/" and not parts.query)
