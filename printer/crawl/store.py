"""The tables of crawls, the leases that workers hold on them, and the delays of hosts."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sa

from ..db import Tables, open_engine
from ..urls import normalize_url, origin_of

#: The longest delay of a URL that failed and of a host, in seconds.
MAX_DELAY = 3_600.0

#: The PostgreSQL advisory lock that serializes writers, as in SQLite; a write takes milliseconds.
_LOCK = 0x77656271

metadata = sa.MetaData()

crawls = sa.Table(
    "crawl_runs",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("state", sa.String(10), nullable=False),
    sa.Column("hosts", sa.Text, nullable=False),
    sa.Column("stop_reason", sa.Text, nullable=False, default=""),
    sa.Column("created", sa.Float, nullable=False),
)

#: Every URL ever seen, once: the waiting ones are the frontier.
addresses = sa.Table(
    "crawl_urls",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("crawl", sa.String(64), nullable=False),
    sa.Column("url_key", sa.String(64), nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("kind", sa.String(10), nullable=False, default="page"),
    sa.Column("depth", sa.Integer, nullable=False),
    sa.Column("score", sa.Float, nullable=False),
    sa.Column("pattern", sa.String(64), nullable=False),
    sa.Column("parent", sa.Integer, nullable=False, default=0),
    sa.Column("state", sa.String(10), nullable=False, default="waiting"),
    sa.Column("parked", sa.Boolean, nullable=False, default=False),
    sa.Column("worker", sa.String(200), nullable=False, default=""),
    sa.Column("lease_until", sa.Float, nullable=False, default=0.0),
    sa.Column("leases", sa.Integer, nullable=False, default=0),
    sa.Column("failures", sa.Integer, nullable=False, default=0),
    sa.Column("due", sa.Float, nullable=False, default=0.0),
    sa.Column("outcome", sa.String(20), nullable=False, default=""),
    sa.Column("message", sa.Text, nullable=False, default=""),
    sa.Column("duplicate_of", sa.Integer, nullable=False, default=0),
    sa.Index("crawl_urls_seen", "crawl", "url_key", unique=True),
    sa.Index("crawl_urls_next", "crawl", "state", "score"),
    sa.Index("crawl_urls_hosts", "crawl", "state", "host", "due"),
    sa.Index("crawl_urls_patterns", "crawl", "pattern", "state", "parked"),
    sqlite_autoincrement=True,
)

#: When each host may be contacted again; shared by crawls and batches.
hosts = sa.Table(
    "crawl_host_delays",
    metadata,
    sa.Column("name", sa.String(300), primary_key=True),
    sa.Column("next_at", sa.Float, nullable=False, default=0.0),
    sa.Column("delay", sa.Float, nullable=False, default=0.0),
    sa.Column("worker", sa.String(200), nullable=False, default=""),
)

robots = sa.Table(
    "crawl_robots_txt",
    metadata,
    sa.Column("origin", sa.String(300), primary_key=True),
    sa.Column("state", sa.String(10), nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("fetched", sa.Float, nullable=False),
    sa.Column("failures", sa.Integer, nullable=False, default=0),
)

articles = sa.Table(
    "crawl_found_articles",
    metadata,
    sa.Column("address", sa.Integer, primary_key=True),
    sa.Column("crawl", sa.String(64), nullable=False, index=True),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("info", sa.Text, nullable=False),
    sa.Column("score", sa.Float, nullable=False),
    sa.Column("sketch", sa.LargeBinary, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("charset", sa.String(40), nullable=False, default=""),
    sa.Column("fetched", sa.Float, nullable=False),
)

bands = sa.Table(
    "crawl_sketch_bands",
    metadata,
    sa.Column("crawl", sa.String(64), primary_key=True),
    sa.Column("band", sa.BigInteger, primary_key=True),
    sa.Column("address", sa.Integer, primary_key=True),
)

#: The yield of each URL pattern; ``streak`` counts the pages since the last new article.
patterns = sa.Table(
    "crawl_url_patterns",
    metadata,
    sa.Column("crawl", sa.String(64), primary_key=True),
    sa.Column("pattern", sa.String(64), primary_key=True),
    sa.Column("fetched", sa.Integer, nullable=False, default=0),
    sa.Column("streak", sa.Integer, nullable=False, default=0),
)


class Store(Tables):
    """The tables of crawls, with one clock: that of the PostgreSQL server, if any."""

    def __init__(self, engine: sa.Engine, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._is_postgresql = engine.dialect.name == "postgresql"
        if not self._is_postgresql:
            # Commits are not synced: after a power failure, the last visits are repeated.
            relax = "PRAGMA synchronous = NORMAL"
            sa.event.listen(engine, "connect", lambda link, _: link.execute(relax).close())
        hint = "What was found is kept; continue with --resume when the database is back"
        problem = "the database of the crawl is not available"
        super().__init__(engine, metadata, _LOCK, problem, hint)

    def now(self, connection: sa.Connection) -> float:
        if self._is_postgresql:
            clock = sa.select(sa.func.extract("epoch", sa.func.clock_timestamp()))
            return float(connection.execute(clock).scalar_one())
        return self._clock()


def change(
    connection: sa.Connection, table: sa.Table, condition: sa.ColumnElement[bool], **values: object
) -> int:
    """Set values in the rows of a table that a condition selects; return how many they are."""
    return connection.execute(sa.update(table).where(condition).values(values)).rowcount


# ---- leases ----


def worker_id() -> str:
    """Return a name of this process that is unique across machines and time."""
    return f"{_machine_id()} {os.getpid()} {_start_time(os.getpid())}"


def _machine_id() -> str:
    """Return an id of this machine, its boot and the process namespace."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:18]
    return f"{platform.node()[:60]} {boot} {os.stat('/proc/self/ns/pid').st_ino}"  # noqa: PTH116


def _start_time(pid: int) -> str:
    """Return when a process started, in kernel ticks, or '' if it has ended."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "" if state in "ZX" else fields[18]
    except (OSError, ValueError, IndexError):
        return ""


def _has_ended(worker: str) -> bool:
    """Return whether a worker has ended; False for those of other machines."""
    machine, pid, started = worker.rsplit(" ", 2) if worker.count(" ") >= 2 else ("", "", "")
    return machine == _machine_id() and pid.isdecimal() and _start_time(int(pid)) != started


def release_ended_workers(connection: sa.Connection, now: float, delay: float) -> None:
    """Release the leases of workers that are known to have ended, such as killed ones."""
    of_addresses = sa.select(addresses.c.worker).where(addresses.c.state == "taken").distinct()
    of_hosts = sa.select(hosts.c.worker).where(hosts.c.worker != "").distinct()
    workers = set(connection.execute(of_addresses.union(of_hosts)).scalars())
    for worker in filter(_has_ended, workers):
        release_worker(connection, worker, now, delay)


def release_worker(connection: sa.Connection, worker: str, now: float, delay: float) -> None:
    """Release a worker's leases, and start the delay of its hosts."""
    leased = (addresses.c.worker == worker) & (addresses.c.state == "taken")
    change(connection, addresses, leased, state="waiting", worker="", lease_until=0.0)
    start_delay(connection, hosts.c.worker == worker, now, delay)


# ---- delays of hosts ----


def start_delay(
    connection: sa.Connection, condition: sa.ColumnElement[bool], now: float, delay: float
) -> None:
    """Release hosts; they may be contacted again after their delay."""
    change(connection, hosts, condition, next_at=now + _host_delay(delay), worker="")


def delay_host(connection: sa.Connection, host: str, until: float) -> None:
    is_earlier = (hosts.c.name == host) & (hosts.c.next_at < until)
    change(connection, hosts, is_earlier, next_at=until)


def shorten_delays(connection: sa.Connection, until: float) -> None:
    """End all delays and leases by a time; a wrong clock, or others, may have set later ends."""
    for column in (hosts.c.next_at, addresses.c.due, addresses.c.lease_until):
        change(connection, column.table, column > until, **{column.name: until})


def _host_delay(delay: float) -> sa.ColumnElement[float]:
    """Return the delay per host: ``delay``, or that of its robots.txt if longer."""
    return sa.case((hosts.c.delay > delay, hosts.c.delay), else_=delay)


class HostDelays:
    """The delays of hosts in seconds, for programs that share a crawl's database."""

    def __init__(self, database: str, delay: float) -> None:
        self._store = Store(open_engine(database))
        self._delay = delay

    def close(self) -> None:
        self._store.close()

    def waiting_hosts(self) -> frozenset[str]:
        with self._store.read() as connection:
            now = self._store.now(connection)
            late = sa.select(hosts.c.name, hosts.c.next_at).where(hosts.c.next_at > now)
            rows = connection.execute(late).all()
        latest = now + max(MAX_DELAY, self._delay)
        if not all(row.next_at <= latest for row in rows):  # PostgreSQL stores NaN.
            with self._store.write() as connection:
                shorten_delays(connection, latest)
        return frozenset(row.name for row in rows)

    def delay(self, url: str, seconds: float) -> None:
        """Delay requests to the host of a URL for some seconds; raise :class:`BadURL`."""
        host = origin_of(normalize_url(url)).netloc
        with self._store.write() as connection:
            delay_host(connection, host, self._store.now(connection) + min(seconds, MAX_DELAY))

    def acquire(self, url: str) -> bool:
        """Return whether a host may be contacted, and start its delay; raise :class:`BadURL`."""
        host = origin_of(normalize_url(url)).netloc
        with self._store.write() as connection:
            now = self._store.now(connection)
            next_at = connection.execute(
                sa.select(hosts.c.next_at).where(hosts.c.name == host)
            ).scalar()
            if next_at is not None and next_at > now:
                return False
            if next_at is None:
                connection.execute(hosts.insert().values(name=host))
            change(connection, hosts, hosts.c.name == host, next_at=now + _host_delay(self._delay))
        return True
