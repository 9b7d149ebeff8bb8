"""SQLAlchemy engines for SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError

from ..errors import JobsError, UsageError
from .sqlite import enable_wal

#: Seconds that a statement waits for a lock.
LOCK_TIMEOUT = 5.0

#: The execution option of read-only connections.
_READ_ONLY = "read_only"


def open_engine(database: str, *, durable: bool = True) -> Engine:
    """Open a postgresql:// URL or an SQLite file.

    A ``durable`` commit to SQLite waits for the disk; any other may be lost in a power failure
    until a durable one follows.  Raises :class:`UsageError` for another kind of database,
    :class:`JobsError` if the file's folder cannot be created.
    """
    try:
        url = make_url(database) if "://" in database else URL.create("sqlite", database=database)
    except (SQLAlchemyError, ValueError) as error:
        raise UsageError("--database is not the address of a database") from error
    if url.get_backend_name() == "postgresql":
        timeout = f"-c lock_timeout={int(LOCK_TIMEOUT * 1000)}"
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            connect_args={"connect_timeout": int(LOCK_TIMEOUT), "options": timeout},
        )
    if url.get_backend_name() != "sqlite" or not url.database:
        raise UsageError("--database takes the path of an SQLite file or a postgresql:// address")
    return _sqlite(url, "FULL" if durable else "NORMAL")


def sqlite_path(database: str) -> Path | None:
    """Return the path of an SQLite database, None for another."""
    if "://" not in database:
        return Path(database)
    url = make_url(database)
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def _sqlite(url: URL, synchronous: str) -> Engine:
    path = Path(str(url.database))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise JobsError(f"the folder {path.parent} cannot be created: {error.strerror}") from error
    with suppress(OSError):  # Whatever opens the file says why it cannot be created.
        path.touch(mode=0o600)
    engine = create_engine(url, connect_args={"timeout": LOCK_TIMEOUT, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        # The driver would begin transactions late; _begin does it instead.
        connection.isolation_level = None
        enable_wal(connection, LOCK_TIMEOUT)
        for setting in (f"synchronous = {synchronous}", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {setting}").close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A transaction that reads before it writes would fail if another wrote in between.
        read_only = connection.get_execution_options().get(_READ_ONLY)
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")

    return engine


@contextmanager
def read_only(engine: Engine) -> Iterator[Connection]:
    """Open a read-only connection, which does not wait for writers."""
    with engine.connect() as connection:
        yield connection.execution_options(**{_READ_ONLY: True})


def advisory_lock(connection: Connection, lock: int) -> None:
    """Hold a lock until the transaction ends; unneeded on SQLite, which has a single writer."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({lock})"))


@contextmanager
def translate_db_errors(action: str, hint: str = "") -> Iterator[None]:
    """Raise :class:`JobsError` for database errors."""
    try:
        yield
    except SQLAlchemyError as error:
        reason = " ".join(str(getattr(error, "orig", None) or error).split())[:200]
        raise JobsError(f"{action}: {reason}", hint=hint) from error
