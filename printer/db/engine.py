"""Databases of ours: how one is opened, SQLite with a write-ahead log or PostgreSQL, and used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError

from ..errors import JobsError, UsageError
from .sqlite import enable_wal

#: Seconds a statement waits for others that hold the database.
LOCK_TIMEOUT = 5.0

#: The execution option of connections that only read.
_READING = "reading"


def open_engine(database: str, *, durable: bool = True) -> Engine:
    """Open a database, by URL or as the path of an SQLite file.

    What is written to SQLite waits for the disk when it is ``durable``; else it is lost when power
    is, though not with the process, and what others write durably afterwards takes it along.

    Raises :class:`UsageError` for a URL that cannot be read or names another kind of database.
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


def _sqlite(url: URL, synchronous: str) -> Engine:
    path = Path(str(url.database))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise JobsError(f"the folder {path.parent} cannot be made: {error.strerror}") from error
    engine = create_engine(url, connect_args={"timeout": LOCK_TIMEOUT, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        # SQLAlchemy begins transactions itself, below; the driver's own way begins them late.
        connection.isolation_level = None
        enable_wal(connection, LOCK_TIMEOUT)
        for setting in (f"synchronous = {synchronous}", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {setting}").close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A transaction that reads first and writes then would fail if another wrote in between.
        reading = connection.get_execution_options().get(_READING)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine


@contextmanager
def read_only(engine: Engine) -> Iterator[Connection]:
    """Open a connection that only reads, which waits for no writer."""
    with engine.connect() as connection:
        yield connection.execution_options(**{_READING: True})


def advisory_lock(connection: Connection, lock: int) -> None:
    """Let one transaction at a time go on that asks for this lock; SQLite lets one write anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({lock})"))


@contextmanager
def translate_db_errors(
    action: str, hint: str = "", passthrough: tuple[type[Exception], ...] = ()
) -> Iterator[None]:
    """Raise :class:`JobsError` for what a database refuses: ``what``, and its words in one line.

    Errors ``besides`` are the caller's to deal with.
    """
    try:
        yield
    except passthrough:
        raise
    except SQLAlchemyError as error:
        said = " ".join(str(getattr(error, "orig", None) or error).split())[:200]
        raise JobsError(f"{action}: {said}", hint=hint) from error
