"""What becomes of a visit, written in one transaction: all of it is known afterwards, or nothing.

Articles are kept once.  A page is the same as another when its text is nearly that one's (see
:mod:`printer.crawl.shingles`), and an address the same as another that redirects to it or that it
names as canonical.  What pages say of their canonical address is believed until two pages of
different texts name the same.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from sqlalchemy import Connection, select, update

from ..capture import Capture
from ..errors import BadURL
from . import holders, shingles
from .frontier import Frontier
from .model import (
    Failed,
    Found,
    Lead,
    Moved,
    NotYet,
    Refused,
    Taken,
    Told,
    Visited,
)  # fmt: skip
from .schema import addresses, articles, bands, shapes
from .scope import host_of, same_host
from .urls import mark, normal_url

#: How many links back from an article its finding is counted for the shapes of what led to it.
_ANCESTRY = 6

#: No address that failed rests longer, in seconds.
LONGEST_REST = 3_600.0


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
            holders.rest(self.connection, self.taken.host, due)

    def visited(self, what: Visited) -> Found | None:
        """Add where a page leads, and keep its article if it is a new one."""
        taken = self.taken
        self._add(what.leads, taken.seq)
        sketch = shingles.sketch(what.text) if what.told else None
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

    def _keep(self, told: Told, capture: Capture, sketch: shingles.Sketch) -> Found:
        taken, crawl = self.taken, self.frontier.crawl
        score = told.relevance if self.frontier.options.query else told.confidence
        url = normal_url(capture.url)
        self.connection.execute(
            articles.insert().values(
                address=taken.seq, crawl=crawl, url=url,
                told=json.dumps(asdict(told)), score=score, sketch=shingles.to_bytes(sketch),
                body=zlib.compress(capture.body, 6), charset=capture.charset[:40],
                fetched=capture.fetched.timestamp() if capture.fetched else 0.0,
            )
        )  # fmt: skip
        keys = [
            {"crawl": crawl, "band": band, "address": taken.seq} for band in shingles.bands(sketch)
        ]
        self.connection.execute(bands.insert(), keys)
        return Found(taken.seq, url, score, taken.depth, told)

    def _twin(self, sketch: shingles.Sketch) -> int:
        """Return the article that has nearly the same text, 0 when there is none."""
        candidates = select(bands.c.address).where(
            bands.c.crawl == self.frontier.crawl, bands.c.band.in_(shingles.bands(sketch))
        )
        wanted = select(articles.c.address, articles.c.sketch).where(
            articles.c.address.in_(candidates.distinct())
        )
        best, nearest = shingles.NEAR, 0
        for row in self.connection.execute(wanted):
            alike = shingles.resemblance(shingles.from_bytes(row.sketch), sketch)
            if alike >= best and (alike > best or not nearest):
                best, nearest = alike, row.address
        return nearest

    def _claim_canonical(self, canonical: str, sketch: shingles.Sketch, twin: int) -> None:
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


def _is_like(connection: Connection, article: int, sketch: shingles.Sketch) -> bool:
    kept = select(articles.c.sketch).where(articles.c.address == article)
    data = connection.execute(kept).scalar()
    other = shingles.from_bytes(data) if data else np.zeros_like(sketch)
    return shingles.resemblance(other, sketch) >= shingles.NEAR


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
