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
from . import near_duplicates
from .models import (
    CrawlOptions,
    Failed,
    Found,
    Lead,
    Moved,
    NotYet,
    Refused,
    Summary,
    Taken,
    Told,
    Visited,
)
from .scope import Scope, host_of, normal_lead, same_host, shape
from .store import (
    LONGEST_REST,
    Store,
    addresses,
    articles,
    bands,
    crawls,
    delay_host,
    hosts,
    release_ended_workers,
    release_worker,
    shapes,
    start_delay,
    worker_id,
)
from .urls import mark, normal_url

#: Seconds a worker may hold an address beyond the time a fetch may take.
GRACE = 60.0

#: Addresses that a crawl remembers; what is found beyond them is let go.
MOST_ADDRESSES = 300_000

#: After so many pages of a shape in a row that led to no new article, directly or by what they
#: link to, the others of it wait until nothing else does; if that changes nothing, they are left.
BARREN = 25

#: Pages of one shape, and of one that has a query: selections of a list come in any number.
MOST_OF_SHAPE, MOST_OF_QUERY = 10_000, 500

#: An address that was taken so often and never settled ends the processes that visit it.
MOST_TURNS = 60

#: Sitemaps that are read in one crawl.
MOST_SITEMAPS = 50

_PARKED = 1e6


class Frontier:
    """The addresses of one crawl; to be shared by threads, processes and machines."""

    def __init__(self, store: Store, crawl: str, options: CrawlOptions, lease: float = 60) -> None:
        self.store = store
        self.crawl = crawl
        self.options = options
        self.worker = worker_id()
        self._lease = lease + GRACE

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
            within = sorted({same_host(host_of(seed)) for seed in seeds} | set(self.options.hosts))
            begun |= {"id": self.crawl, "hosts": json.dumps(within)}
            now = self.store.now(connection)
            connection.execute(crawls.insert().values(**begun, created=now))
            self.add(connection, [Lead(seed, 1e3, 0) for seed in seeds], 0)

    def _forget(self, connection: Connection) -> None:
        for table in (addresses, articles, bands, shapes):
            connection.execute(delete(table).where(table.c.crawl == self.crawl))
        connection.execute(delete(crawls).where(crawls.c.id == self.crawl))

    def add(self, connection: Connection, leads: Iterable[Lead], parent: int) -> int:
        """Add the addresses that were not seen before; return how many.

        One that still waits becomes as promising as the best link to it.
        """
        scope = self.scope(connection)
        found: dict[str, tuple[Lead, str]] = {}
        for lead in leads:
            normal = normal_lead(lead)
            if normal and (parent == 0 or scope.admits(normal[0])):
                key = mark(normal[0].url)
                if key not in found or found[key][0].score < lead.score:
                    found[key] = normal
        seen = self._seen(connection, list(found))
        for key, (lead, _) in found.items():
            if key in seen and seen[key] < lead.score:
                better = update(addresses).where(self._is(key), addresses.c.state == "waiting")
                connection.execute(better.values(score=lead.score))
        new = [(key, *pair) for key, pair in found.items() if key not in seen]
        new = new[: max(0, MOST_ADDRESSES - self._count(connection))] if new else []
        if new:
            self._know_hosts(connection, {host_of(url) for _, _, url in new})
            connection.execute(
                addresses.insert(),
                [
                    {
                        "crawl": self.crawl, "mark": key, "url": url, "host": host_of(url),
                        "kind": lead.kind, "depth": lead.depth, "score": lead.score,
                        "shape": shape(lead.url), "parent": parent,
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
        within = {*self.scope(connection).hosts, same_host(host_of(url))}
        wider = update(crawls).where(crawls.c.id == self.crawl)
        connection.execute(wider.values(hosts=json.dumps(sorted(within))))

    def take(self) -> Taken | float | None:
        """Take the most promising address whose host may be asked.

        Returns the seconds after which to ask again when none is ready, None when the crawl is
        over.
        """
        with self.store.write() as connection:
            now = self.store.now(connection)
            self._take_back(connection, now)
            if over := self._over(connection):
                ended = update(crawls).where(crawls.c.id == self.crawl)
                connection.execute(ended.values(state="over", why=over))
                return None
            while row := self._first(connection, now):
                if why := self._unworthy(connection, row):
                    self._set_aside(connection, row, why)
                    continue
                until = now + self._lease
                mine = update(addresses).where(addresses.c.seq == row.seq)
                turn = row.turn + 1
                connection.execute(
                    mine.values(state="taken", worker=self.worker, until=until, turn=turn)
                )
                asked = update(hosts).where(hosts.c.name == row.host)
                connection.execute(asked.values(next_at=until, holder=self.worker))
                return Taken(
                    row.seq, row.url, row.kind, row.depth, row.host, row.shape, turn, row.tries
                )
            release_ended_workers(connection, now, self.options.delay)
            return self._pause(connection, now)

    def holds(self, connection: Connection, taken: Taken) -> bool:
        """Tell whether an address is still this worker's."""
        held = select(addresses.c.seq).where(
            addresses.c.seq == taken.seq, addresses.c.state == "taken",
            addresses.c.worker == self.worker, addresses.c.turn == taken.turn,
        )  # fmt: skip
        return connection.execute(held).first() is not None

    def settle(self, connection: Connection, taken: Taken, **values: Any) -> None:
        """Write what became of an address, and leave its host alone for its pause."""
        row = update(addresses).where(addresses.c.seq == taken.seq)
        connection.execute(row.values(**{"worker": "", "until": 0.0, "said": "", **values}))
        start_delay(connection, [taken.host], self.store.now(connection), self.options.delay)

    def give_back(self) -> None:
        """Put back what this worker has taken and will not visit."""
        with self.store.write() as connection:
            now = self.store.now(connection)
            release_worker(connection, self.worker, now, self.options.delay)

    def summary(self) -> Summary:
        """Say how the crawl stands."""
        mine = addresses.c.crawl == self.crawl
        done = mine & (addresses.c.state == "done")
        with self.store.read() as connection:
            states = _counted(connection, addresses.c.state, mine)
            outcomes = _counted(connection, addresses.c.outcome, done)
            failures = connection.execute(
                select(addresses.c.said, func.count())
                .where(mine, addresses.c.state == "failed")
                .group_by(addresses.c.said)
                .order_by(func.count().desc())
                .limit(20)
            ).all()
            why = connection.execute(select(crawls.c.why).where(crawls.c.id == self.crawl)).scalar()
        return Summary(
            fetched=states.get("done", 0) + states.get("failed", 0),
            waiting=states.get("waiting", 0) + states.get("taken", 0),
            found=outcomes.get("article", 0),
            duplicates=outcomes.get("duplicate", 0),
            failed=states.get("failed", 0),
            refused=states.get("refused", 0),
            over=why or "",
            failures={row[0]: row[1] for row in failures},
        )

    # What take is made of

    def _take_back(self, connection: Connection, now: float) -> None:
        """Let addresses wait again whose worker was not heard of in time."""
        late = update(addresses).where(
            addresses.c.crawl == self.crawl,
            addresses.c.state == "taken",
            addresses.c.until < now,
        )
        connection.execute(late.values(state="waiting", worker="", until=0.0))

    def _over(self, connection: Connection) -> str:
        """Say why nothing more is to be visited, '' as long as something is."""
        kept = select(func.count()).where(articles.c.crawl == self.crawl)
        if connection.execute(kept).scalar_one() >= self.options.articles:
            return f"{self.options.articles} articles were found"
        if self._count(connection, "taken") == 0 and not self._room(connection):
            return f"{self.options.pages} pages were fetched"
        return ""

    def _room(self, connection: Connection) -> bool:
        """Tell whether one more page may be fetched."""
        return self._count(connection, "taken", "done", "failed") < self.options.pages

    def _first(self, connection: Connection, now: float) -> Row[Any] | None:
        if not self._room(connection):
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

    def _unworthy(self, connection: Connection, row: Row[Any]) -> str:
        """Say why an address is not to be visited now, by what others of its shape have given."""
        if row.turn >= MOST_TURNS:
            return "whoever visited it did not come to an end"
        if row.kind == "sitemap" and self._sitemaps(connection) >= MOST_SITEMAPS:
            return "many sitemaps were read"
        if row.kind != "page" or row.depth == 0 or row.tries:
            return ""
        about = select(shapes.c.fetched, shapes.c.streak).where(
            shapes.c.crawl == self.crawl, shapes.c.shape == row.shape
        )
        known = connection.execute(about).first()
        if known is None:
            return ""
        if known.fetched >= (MOST_OF_QUERY if "?" in row.url else MOST_OF_SHAPE):
            return "many pages of its kind were fetched"
        return "pages of its kind led to nothing new" if known.streak >= BARREN else ""

    def _set_aside(self, connection: Connection, row: Row[Any], why: str) -> None:
        aside: dict[str, Any] = {"state": "refused", "said": why}
        if not row.parked and why.startswith("pages of"):
            aside = {"parked": True, "score": addresses.c.score - _PARKED}
        connection.execute(update(addresses).where(addresses.c.seq == row.seq).values(**aside))

    def _pause(self, connection: Connection, now: float) -> float | None:
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

    def _is(self, key: str) -> Any:
        return (addresses.c.crawl == self.crawl) & (addresses.c.mark == key)

    def _seen(self, connection: Connection, keys: Sequence[str]) -> dict[str, float]:
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

    def _know_hosts(self, connection: Connection, names: Iterable[str]) -> None:
        wanted = sorted(set(names))
        known = set(
            connection.execute(select(hosts.c.name).where(hosts.c.name.in_(wanted))).scalars()
        )
        if new := [{"name": name} for name in wanted if name not in known]:
            connection.execute(hosts.insert(), new)


def _counted(connection: Connection, column: Any, which: Any) -> dict[str, int]:
    """Return how many rows have each value of a column."""
    rows = connection.execute(select(column, func.count()).where(which).group_by(column))
    return {row[0]: row[1] for row in rows}


#: How many links back from an article its finding is counted for the shapes of what led to it.
_ANCESTRY = 6


def record(
    frontier: Frontier,
    taken: Taken,
    what: Visited | Moved | Failed | Refused | NotYet,
) -> Found | None:
    """Write what became of a visit; return the article if a new one was found.

    Nothing is written when the address is no longer this worker's.
    """
    with frontier.store.write() as connection:
        if not frontier.holds(connection, taken):
            return None
        entry = _Entry(frontier, connection, taken)
        match what:
            case Visited():
                return entry.visited(what)
            case Moved():
                entry.moved(what.target)
            case Failed():
                entry.failed(what)
            case Refused():
                entry.settle(state="refused", said=what.why)
            case NotYet():
                entry.settle(state="waiting", due=frontier.store.now(connection) + what.rest)
    return None


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is written of one visit, in one transaction."""

    frontier: Frontier
    connection: Connection
    taken: Taken

    def settle(self, **values: Any) -> None:
        """Write what became of the address."""
        self.frontier.settle(self.connection, self.taken, **values)

    def moved(self, target: str) -> None:
        """Go on at another address, in place of this one."""
        taken = self.taken
        if taken.depth == 0:
            self.frontier.widen(self.connection, target)
        lead = Lead(target, self._score(), taken.depth, taken.kind)
        self._add([lead], self._parent() or taken.seq)
        self.settle(state="done", outcome="moved", said=target[:2000])
        self._count()

    def failed(self, what: Failed) -> None:
        """Let the address wait for another try, or give it up."""
        tries = self.taken.tries + 1
        options, said = self.frontier.options, what.error.message[:300]
        if not what.passing or tries >= options.tries:
            self.settle(state="failed", tries=tries, said=said)
            self._count()
            return
        after = getattr(what.error, "after", 0.0)
        rest = min(max(options.rest * 2.0 ** (tries - 1), after), LONGEST_REST)
        due = self.frontier.store.now(self.connection) + rest
        self.settle(state="waiting", tries=tries, due=due, said=said)
        if after or getattr(what.error, "status", 0) == HTTPStatus.TOO_MANY_REQUESTS:
            # That is said of the host, and not of the page.
            delay_host(self.connection, self.taken.host, due)

    def visited(self, what: Visited) -> Found | None:
        """Add where a page leads, and keep its article if it is a new one."""
        taken = self.taken
        self._add(what.leads, taken.seq)
        sketch = near_duplicates.sketch(what.text) if what.told else None
        if what.told is None or sketch is None or what.capture is None:
            if what.canonical and _is_near(taken.url, what.canonical):
                # A page that is no article may say so of many that differ: its address is gone to.
                self._add([Lead(what.canonical, self._score(), taken.depth)], taken.seq)
            self.settle(state="done", outcome="followed", said=what.why)
            self._count()
            return None
        twin = self._twin(sketch)
        self._claim_canonical(what.canonical, sketch, twin)
        if twin:
            self.settle(state="done", outcome="duplicate", same=twin)
            self._count()
            return None
        found = self._keep(what.told, what.capture, sketch)
        self.settle(state="done", outcome="article")
        self._credit()
        return found

    # Articles

    def _keep(self, told: Told, capture: Capture, sketch: near_duplicates.Sketch) -> Found:
        taken, crawl = self.taken, self.frontier.crawl
        score = told.relevance if self.frontier.options.query else told.confidence
        url = normal_url(capture.url)
        self.connection.execute(
            articles.insert().values(
                address=taken.seq, crawl=crawl, url=url,
                told=json.dumps(asdict(told)), score=score, sketch=near_duplicates.to_bytes(sketch),
                body=zlib.compress(capture.body, 6), charset=capture.charset[:40],
                fetched=capture.fetched.timestamp() if capture.fetched else 0.0,
            )
        )  # fmt: skip
        keys = [
            {"crawl": crawl, "band": band, "address": taken.seq}
            for band in near_duplicates.bands(sketch)
        ]
        self.connection.execute(bands.insert(), keys)
        return Found(taken.seq, url, score, taken.depth, told)

    def _twin(self, sketch: near_duplicates.Sketch) -> int:
        """Return the article that has nearly the same text, 0 when there is none."""
        candidates = select(bands.c.address).where(
            bands.c.crawl == self.frontier.crawl, bands.c.band.in_(near_duplicates.bands(sketch))
        )
        wanted = select(articles.c.address, articles.c.sketch).where(
            articles.c.address.in_(candidates.distinct())
        )
        best, nearest = near_duplicates.NEAR, 0
        for row in self.connection.execute(wanted):
            alike = near_duplicates.resemblance(near_duplicates.from_bytes(row.sketch), sketch)
            if alike >= best and (alike > best or not nearest):
                best, nearest = alike, row.address
        return nearest

    def _claim_canonical(self, canonical: str, sketch: near_duplicates.Sketch, twin: int) -> None:
        """Let an article's canonical address be the same as this one, so that it is not visited."""
        taken, connection = self.taken, self.connection
        if not canonical or not _is_near(taken.url, canonical):
            return
        there = (addresses.c.crawl == self.frontier.crawl) & (addresses.c.mark == mark(canonical))
        known = connection.execute(
            select(addresses.c.seq, addresses.c.state, addresses.c.same).where(there)
        ).first()
        if known is None:
            self._add([Lead(canonical, 0.0, taken.depth)], taken.seq)
        elif known.seq == taken.seq:
            return
        elif known.state == "same":
            if known.same != twin and not _is_like(connection, known.same, sketch):
                # Two pages of different texts name it: what they say is not to be believed.
                again = update(addresses).where(addresses.c.seq == known.seq)
                connection.execute(again.values(state="waiting", same=0))
            return
        claimed = update(addresses).where(there, addresses.c.state == "waiting")
        connection.execute(claimed.values(state="same", same=twin or taken.seq))

    # What shapes of addresses have given

    def _count(self) -> None:
        """Count a visit that gave no new article."""
        again = {"streak": shapes.c.streak + 1, "fetched": shapes.c.fetched + 1}
        self._shape(self.taken.shape, **again)

    def _credit(self) -> None:
        """Count a visit that gave one, for its own shape and those of the pages that led to it."""
        own = self.taken.shape
        self._shape(own, streak=0, fetched=shapes.c.fetched + 1)
        seq = self._parent()
        for _ in range(_ANCESTRY):
            about = select(addresses.c.shape, addresses.c.parent).where(addresses.c.seq == seq)
            row = self.connection.execute(about).first() if seq else None
            if row is None:
                return
            if row.shape != own:
                self._shape(row.shape, streak=0)
            seq = row.parent

    def _shape(self, name: str, **values: object) -> None:
        crawl = self.frontier.crawl
        which = (shapes.c.crawl == crawl) & (shapes.c.shape == name)
        if self.connection.execute(select(shapes.c.shape).where(which)).first() is None:
            self.connection.execute(shapes.insert().values(crawl=crawl, shape=name))
        self.connection.execute(update(shapes).where(which).values(**values))

    # What is known of the address

    def _add(self, leads: Iterable[Lead], parent: int) -> None:
        self.frontier.add(self.connection, leads, parent)

    def _score(self) -> float:
        about = select(addresses.c.score).where(addresses.c.seq == self.taken.seq)
        return float(self.connection.execute(about).scalar_one())

    def _parent(self) -> int:
        about = select(addresses.c.parent).where(addresses.c.seq == self.taken.seq)
        return int(self.connection.execute(about).scalar() or 0)


def _is_like(connection: Connection, article: int, sketch: near_duplicates.Sketch) -> bool:
    kept = select(articles.c.sketch).where(articles.c.address == article)
    data = connection.execute(kept).scalar()
    other = near_duplicates.from_bytes(data) if data else np.zeros_like(sketch)
    return near_duplicates.resemblance(other, sketch) >= near_duplicates.NEAR


def _is_near(url: str, canonical: str) -> bool:
    """Tell whether a canonical address may be believed: another one of the site, not its door."""
    try:
        if same_host(host_of(url)) != same_host(host_of(canonical)):
            return False
        here, there = normal_url(url), normal_url(canonical)
    except BadURL:
        return False
    parts = urlsplit(there)
    return here != there and not (parts.path == "/" and not parts.query)
