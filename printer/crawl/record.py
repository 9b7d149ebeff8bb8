"""What becomes of a visit, written in one transaction: all of it is known afterwards, or nothing.

Articles are kept once.  A page is the same as another when its text is nearly that one's (see
:mod:`printer.crawl.shingles`), and an address the same as another that redirects to it or that it
names as canonical.  What pages say of their canonical address is believed until two pages of
different texts name the same.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict
from http import HTTPStatus
from urllib.parse import urlsplit

import numpy as np
from sqlalchemy import Connection, select, update

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
        match what:
            case Visited():
                return _visited(frontier, connection, taken, what)
            case Moved():
                _moved(frontier, connection, taken, what.target)
            case Failed():
                _failed(frontier, connection, taken, what)
            case Refused():
                frontier.settle(connection, taken, state="refused", said=what.why)
            case NotYet():
                due = frontier.store.now(connection) + what.rest
                frontier.settle(connection, taken, state="waiting", due=due)
    return None


def _moved(frontier: Frontier, connection: Connection, taken: Taken, target: str) -> None:
    if taken.depth == 0:
        frontier.widen(connection, target)
    score = select(addresses.c.score).where(addresses.c.seq == taken.seq)
    lead = Lead(target, connection.execute(score).scalar_one(), taken.depth, taken.kind)
    parent = _parent(connection, taken.seq)
    frontier.add(connection, [lead], parent or taken.seq)
    frontier.settle(connection, taken, state="done", outcome="moved", said=target[:2000])
    _count(frontier, connection, taken.shape)


def _failed(frontier: Frontier, connection: Connection, taken: Taken, what: Failed) -> None:
    tries = taken.tries + 1
    said = what.error.message[:300]
    if not what.passing or tries >= frontier.options.tries:
        frontier.settle(connection, taken, state="failed", tries=tries, said=said)
        _count(frontier, connection, taken.shape)
        return
    after = getattr(what.error, "after", 0.0)
    rest = min(max(frontier.options.rest * 2.0 ** (tries - 1), after), LONGEST_REST)
    due = frontier.store.now(connection) + rest
    frontier.settle(connection, taken, state="waiting", tries=tries, due=due, said=said)
    if after or getattr(what.error, "status", 0) == HTTPStatus.TOO_MANY_REQUESTS:
        # That is said of the host, and not of the page.
        holders.rest(connection, taken.host, due)


def _visited(
    frontier: Frontier, connection: Connection, taken: Taken, what: Visited
) -> Found | None:
    frontier.add(connection, what.leads, taken.seq)
    sketch = shingles.sketch(what.text) if what.told else None
    if what.told is None or sketch is None or what.capture is None:
        if what.canonical and _is_near(taken.url, what.canonical):
            # A page that is no article may say so of many that differ: its address is gone to.
            score = select(addresses.c.score).where(addresses.c.seq == taken.seq)
            lead = Lead(what.canonical, connection.execute(score).scalar_one(), taken.depth)
            frontier.add(connection, [lead], taken.seq)
        frontier.settle(connection, taken, state="done", outcome="followed", said=what.why)
        _count(frontier, connection, taken.shape)
        return None
    twin = _twin(frontier, connection, sketch)
    _claim_canonical(frontier, connection, taken, what.canonical, sketch, twin)
    if twin:
        frontier.settle(connection, taken, state="done", outcome="duplicate", same=twin)
        _count(frontier, connection, taken.shape)
        return None
    found = _keep(frontier, connection, taken, what, sketch)
    frontier.settle(connection, taken, state="done", outcome="article")
    _credit(frontier, connection, taken)
    return found


def _keep(
    frontier: Frontier, connection: Connection, taken: Taken, what: Visited, sketch: shingles.Sketch
) -> Found:
    told, capture = what.told, what.capture
    assert told is not None  # noqa: S101 - whoever calls has looked
    assert capture is not None  # noqa: S101
    score = told.relevance if frontier.options.query else told.confidence
    url = normal_url(capture.url)
    connection.execute(
        articles.insert().values(
            address=taken.seq, crawl=frontier.crawl, url=url,
            told=json.dumps(asdict(told)), score=score, sketch=shingles.to_bytes(sketch),
            body=zlib.compress(capture.body, 6), charset=capture.charset[:40],
            fetched=capture.fetched.timestamp() if capture.fetched else 0.0,
        )
    )  # fmt: skip
    keys = [
        {"crawl": frontier.crawl, "band": band, "address": taken.seq}
        for band in shingles.bands(sketch)
    ]
    connection.execute(bands.insert(), keys)
    return Found(taken.seq, url, score, taken.depth, told)


def _twin(frontier: Frontier, connection: Connection, sketch: shingles.Sketch) -> int:
    """Return the article that has nearly the same text, 0 when there is none."""
    candidates = select(bands.c.address).where(
        bands.c.crawl == frontier.crawl, bands.c.band.in_(shingles.bands(sketch))
    )
    wanted = select(articles.c.address, articles.c.sketch).where(
        articles.c.address.in_(candidates.distinct())
    )
    best, nearest = shingles.NEAR, 0
    for row in connection.execute(wanted):
        alike = shingles.resemblance(shingles.from_bytes(row.sketch), sketch)
        if alike >= best and (alike > best or not nearest):
            best, nearest = alike, row.address
    return nearest


def _claim_canonical(
    frontier: Frontier,
    connection: Connection,
    taken: Taken,
    canonical: str,
    sketch: shingles.Sketch,
    twin: int,
) -> None:
    """Let an article's canonical address be the same as this one, so that it is not visited."""
    if not canonical or not _is_near(taken.url, canonical):
        return
    key = mark(canonical)
    known = connection.execute(
        select(addresses.c.seq, addresses.c.state, addresses.c.same).where(
            addresses.c.crawl == frontier.crawl, addresses.c.mark == key
        )
    ).first()
    if known is None:
        frontier.add(connection, [Lead(canonical, 0.0, taken.depth)], taken.seq)
    elif known.seq == taken.seq:
        return
    elif known.state == "same":
        if known.same != twin and not _is_like(connection, known.same, sketch):
            # Two pages of different texts name it: what they say is not to be believed.
            again = update(addresses).where(addresses.c.seq == known.seq)
            connection.execute(again.values(state="waiting", same=0))
        return
    claimed = update(addresses).where(
        addresses.c.crawl == frontier.crawl,
        addresses.c.mark == key,
        addresses.c.state == "waiting",
    )
    connection.execute(claimed.values(state="same", same=twin or taken.seq))


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


# What shapes of addresses have given


def _count(frontier: Frontier, connection: Connection, name: str) -> None:
    """Count a visit that gave no new article."""
    _shape(frontier, connection, name, streak=shapes.c.streak + 1, fetched=shapes.c.fetched + 1)


def _credit(frontier: Frontier, connection: Connection, taken: Taken) -> None:
    """Count a visit that gave one, for its own shape and those of the pages that led to it."""
    _shape(frontier, connection, taken.shape, streak=0, fetched=shapes.c.fetched + 1)
    seq = _parent(connection, taken.seq)
    for _ in range(_ANCESTRY):
        about = select(addresses.c.shape, addresses.c.parent).where(addresses.c.seq == seq)
        row = connection.execute(about).first() if seq else None
        if row is None:
            return
        if row.shape != taken.shape:
            _shape(frontier, connection, row.shape, streak=0)
        seq = row.parent


def _shape(frontier: Frontier, connection: Connection, name: str, **values: object) -> None:
    which = (shapes.c.crawl == frontier.crawl) & (shapes.c.shape == name)
    if connection.execute(select(shapes.c.shape).where(which)).first() is None:
        connection.execute(shapes.insert().values(crawl=frontier.crawl, shape=name))
    connection.execute(update(shapes).where(which).values(**values))


def _parent(connection: Connection, seq: int) -> int:
    about = select(addresses.c.parent).where(addresses.c.seq == seq)
    return int(connection.execute(about).scalar() or 0)
