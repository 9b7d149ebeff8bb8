"""The tables of crawls: frontier and URL-seen set in one, hosts, robots.txt, articles found."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
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
    case,
    event,
    func,
    select,
    update,
)

from ..db.engine import advisory_lock, open_engine, read_only, translate_db_errors
from ..urls import normalize_url
from .scope import netloc_of

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

patterns = Table(
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
        self._is_postgresql = engine.dialect.name == "postgresql"
        if not self._is_postgresql:
            event.listen(engine, "connect", _relax_sync)
        with self.write() as connection:
            metadata.create_all(connection)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that no other writer shares."""
        with _database_errors(), self._engine.begin() as connection:
            advisory_lock(connection, _LOCK)
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a connection that only reads."""
        with _database_errors(), read_only(self._engine) as connection:
            yield connection

    def now(self, connection: Connection) -> float:
        """Return the seconds since 1970."""
        if self._is_postgresql:
            moment = select(func.extract("epoch", func.clock_timestamp()))
            return float(connection.execute(moment).scalar_one())
        return self._clock()


def _relax_sync(connection: Any, _record: object) -> None:
    """Do not wait for the disk at each page.

    A process that is killed loses nothing by that.  A machine that loses its power may forget its
    last visits, and makes them again.
    """
    connection.execute("PRAGMA synchronous = NORMAL").close()


def _database_errors() -> AbstractContextManager[None]:
    return translate_db_errors(
        "the state of the crawl cannot be used now",
        "What was found is kept; go on with --resume when it can be reached",
    )


#: No address that failed, and no host, rests longer, in seconds.
MAX_DELAY = 3_600.0


def worker_id() -> str:
    """Return this process's name, which no other process ever has."""
    return f"{_machine_id()} {os.getpid()} {_start_time(os.getpid())}"


def _machine_id() -> str:
    """Return what tells this machine, as long as it runs, and this space of processes."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:18]
    return f"{platform.node()[:60]} {boot} {os.stat('/proc/self/ns/pid').st_ino}"  # noqa: PTH116


def _start_time(pid: int) -> str:
    """Return when a process began, in the kernel's ticks, '' when it is no more."""
    try:
        state, *more = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "" if state in "ZX" else more[18]
    except (OSError, ValueError, IndexError):
        return ""


def has_ended(worker: str) -> bool:
    """Tell whether a worker is known to have ended."""
    place, pid, born = worker.rsplit(" ", 2) if worker.count(" ") >= 2 else ("", "", "")
    return place == _machine_id() and pid.isdecimal() and _start_time(int(pid)) != born


def release_ended_workers(connection: Connection, now: float, delay: float) -> None:
    """Give back what workers have taken that are known to have ended."""
    held = select(addresses.c.worker).where(addresses.c.state == "taken").distinct()
    kept = select(hosts.c.holder).where(hosts.c.holder != "").distinct()
    workers = {*connection.execute(held).scalars(), *connection.execute(kept).scalars()}
    for worker in filter(has_ended, workers):
        release_worker(connection, worker, now, delay)


def release_worker(connection: Connection, worker: str, now: float, delay: float) -> None:
    """Let what a worker has taken wait again, and its hosts be asked after their pause."""
    mine = update(addresses).where(addresses.c.worker == worker, addresses.c.state == "taken")
    connection.execute(mine.values(state="waiting", worker="", until=0.0))
    _start_delay_where(connection, hosts.c.holder == worker, now, delay)


def start_delay(connection: Connection, names: Iterable[str], now: float, delay: float) -> None:
    """Let hosts that were asked be asked again after their pause."""
    _start_delay_where(connection, hosts.c.name.in_(list(names)), now, delay)


def delay_host(connection: Connection, host: str, until: float) -> None:
    """Leave a host alone until a time."""
    which = (hosts.c.name == host) & (hosts.c.next_at < until)
    connection.execute(update(hosts).where(which).values(next_at=until))


def _start_delay_where(connection: Connection, which: Any, now: float, delay: float) -> None:
    connection.execute(
        update(hosts).where(which).values(next_at=now + host_delay(delay), holder="")
    )


def host_delay(delay: float) -> ColumnElement[float]:
    """Return the seconds that a host is left: ``delay``, or those it asks for where they are more.

    What it asks for stands in its row.
    """
    return case((hosts.c.delay > delay, hosts.c.delay), else_=delay)


class HostDelays:
    """When each host may be asked again, in a database that all who ask share."""

    def __init__(self, database: str, delay: float) -> None:
        self._store = Store(open_engine(database))
        self._delay = delay

    def close(self) -> None:
        """Close the database."""
        self._store.close()

    def waiting_hosts(self) -> frozenset[str]:
        """Return the hosts that are not to be asked now."""
        with self._store.read() as connection:
            now = self._store.now(connection)
            late = select(hosts.c.name).where(hosts.c.next_at > now)
            return frozenset(connection.execute(late).scalars())

    def delay(self, url: str, seconds: float) -> None:
        """Leave the host of an address alone for so long, at the least."""
        with self._store.write() as connection:
            until = self._store.now(connection) + min(seconds, MAX_DELAY)
            delay_host(connection, netloc_of(normalize_url(url)), until)

    def acquire(self, url: str) -> bool:
        """Ask the host of an address now, if it may be; its pause begins."""
        host = netloc_of(normalize_url(url))
        with self._store.write() as connection:
            now = self._store.now(connection)
            known = select(hosts.c.next_at).where(hosts.c.name == host)
            next_at = connection.execute(known).scalar()
            if next_at is None:
                connection.execute(hosts.insert().values(name=host))
            elif next_at > now:
                return False
            asked = update(hosts).where(hosts.c.name == host)
            connection.execute(asked.values(next_at=now + host_delay(self._delay)))
        return True
