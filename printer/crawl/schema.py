"""The tables of crawls: frontier and URL-seen set in one, hosts, robots.txt, articles found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    event,
    func,
    select,
)

from ..db.engine import faults_told, reading, wait_in_line

metadata = MetaData()

#: Of PostgreSQL's advisory locks, the one that makes writers of these tables stand in line, as
#: SQLite makes them.  What is written at a time takes a few milliseconds.
_LOCK = 0x77656271

crawls = Table(
    "crawls",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("state", String(10), nullable=False),
    Column("hosts", Text, nullable=False),
    Column("why", Text, nullable=False, default=""),
    Column("created", Float, nullable=False),
)

#: Every address that was ever found, once: what waits is the frontier, all of it the seen set.
addresses = Table(
    "crawl_addresses",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("crawl", String(64), nullable=False),
    Column("mark", String(64), nullable=False),
    Column("url", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("kind", String(10), nullable=False, default="page"),
    Column("depth", Integer, nullable=False),
    Column("score", Float, nullable=False),
    Column("shape", String(64), nullable=False),
    Column("parent", Integer, nullable=False, default=0),
    Column("state", String(10), nullable=False, default="waiting"),
    Column("parked", Boolean, nullable=False, default=False),
    Column("worker", String(200), nullable=False, default=""),
    Column("until", Float, nullable=False, default=0.0),
    Column("turn", Integer, nullable=False, default=0),
    Column("tries", Integer, nullable=False, default=0),
    Column("due", Float, nullable=False, default=0.0),
    Column("outcome", String(20), nullable=False, default=""),
    Column("said", Text, nullable=False, default=""),
    Column("same", Integer, nullable=False, default=0),
    Index("crawl_addresses_seen", "crawl", "mark", unique=True),
    Index("crawl_addresses_next", "crawl", "state", "score"),
    Index("crawl_addresses_hosts", "crawl", "state", "host", "due"),
    sqlite_autoincrement=True,
)

#: When each host may be asked again, whoever asks: crawls and lists of pages share it.
hosts = Table(
    "crawl_hosts",
    metadata,
    Column("name", String(300), primary_key=True),
    Column("next_at", Float, nullable=False, default=0.0),
    Column("delay", Float, nullable=False, default=0.0),
    Column("holder", String(200), nullable=False, default=""),
)

robots = Table(
    "crawl_robots",
    metadata,
    Column("origin", String(300), primary_key=True),
    Column("state", String(10), nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("read_at", Float, nullable=False),
    Column("tries", Integer, nullable=False, default=0),
)

articles = Table(
    "crawl_articles",
    metadata,
    Column("address", Integer, primary_key=True),
    Column("crawl", String(64), nullable=False, index=True),
    Column("url", Text, nullable=False),
    Column("told", Text, nullable=False),
    Column("score", Float, nullable=False),
    Column("sketch", LargeBinary, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("charset", String(40), nullable=False, default=""),
    Column("fetched", Float, nullable=False),
)

bands = Table(
    "crawl_bands",
    metadata,
    Column("crawl", String(64), primary_key=True),
    Column("band", BigInteger, primary_key=True),
    Column("address", Integer, primary_key=True),
)

shapes = Table(
    "crawl_shapes",
    metadata,
    Column("crawl", String(64), primary_key=True),
    Column("shape", String(64), primary_key=True),
    Column("fetched", Integer, nullable=False, default=0),
    Column("streak", Integer, nullable=False, default=0),
)


class Store:
    """The tables in one database: reads, writes that stand in line, and one clock for all.

    On PostgreSQL the server's clock counts, so that those of the workers need not agree.
    """

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock
        self._served = engine.dialect.name == "postgresql"
        if not self._served:
            event.listen(engine, "connect", _quick)
        with self.write() as connection:
            metadata.create_all(connection)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that no other writer shares."""
        with _told(), self._engine.begin() as connection:
            wait_in_line(connection, _LOCK)
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a connection that only reads."""
        with _told(), reading(self._engine) as connection:
            yield connection

    def now(self, connection: Connection) -> float:
        """Return the seconds since 1970."""
        if self._served:
            moment = select(func.extract("epoch", func.clock_timestamp()))
            return float(connection.execute(moment).scalar_one())
        return self._clock()


def _quick(connection: Any, _record: object) -> None:
    """Do not wait for the disk at each page.

    A process that is killed loses nothing by that.  A machine that loses its power may forget its
    last visits, and makes them again.
    """
    connection.execute("PRAGMA synchronous = NORMAL").close()


def _told() -> AbstractContextManager[None]:
    return faults_told(
        "the state of the crawl cannot be used now",
        "What was found is kept; go on with --resume when it can be reached",
    )
