"""Databases: SQLite and PostgreSQL, locks, and words for full-text searches.

SQLAlchemy is imported when it is needed: the cache and the library use SQLite alone.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import JobsError, UsageError
from .files import os_errors

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine, MetaData

LOCK_TIMEOUT = 5.0

_RETRY_SECONDS = 0.01
_NOT_SQLITE = "file is not a database"


#: The bytes that a compressed value may have.  A few kilobytes could become gigabytes.
MAX_DECOMPRESSED = 500_000_000


def decompress(data: bytes) -> bytes:
    """Return a value that :func:`zlib.compress` wrote to a database; raise :class:`JobsError`."""
    decompressor = zlib.decompressobj()
    try:
        value = decompressor.decompress(data, MAX_DECOMPRESSED)
    except (zlib.error, TypeError) as error:
        raise JobsError("the database holds a damaged value") from error
    if not decompressor.eof:
        raise JobsError("the database holds a value that is too large or cut off")
    return value


def enable_wal(connection: sqlite3.Connection, timeout: float) -> None:
    """Switch to a write-ahead log, so that readers and the writer do not wait for each other.

    SQLite's own timeout has no effect here: of two connections that switch a new file at the same
    time, each holds what the other needs, and one is refused immediately.  So this retries for
    ``timeout`` seconds, then raises :class:`sqlite3.OperationalError`.
    """
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").close()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(_RETRY_SECONDS)


def open_private_file(path: Path, tables: str, *, shared: bool = False) -> sqlite3.Connection:
    """Open an SQLite file of this user, with its tables; ``shared`` is for several threads."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.chmod(0o600)
    connection = sqlite3.connect(path, timeout=LOCK_TIMEOUT, check_same_thread=not shared)
    try:
        enable_wal(connection, LOCK_TIMEOUT)
        connection.executescript(tables)
    except BaseException:
        connection.close()
        raise
    return connection


def is_corruption(error: BaseException | None) -> bool:
    """Return whether an error means a damaged file, not one that is busy, full or out of reach."""
    return type(error) is sqlite3.DatabaseError


def delete_database(path: Path) -> None:
    """Delete a database and the files that SQLite keeps next to it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


_READ_ONLY = "read_only"


def open_engine(database: str) -> Engine:
    """Open a postgresql:// URL or an SQLite file; raise :class:`UsageError`."""
    from sqlalchemy import create_engine
    from sqlalchemy.engine import URL, make_url
    from sqlalchemy.exc import SQLAlchemyError

    try:
        url = make_url(database) if "://" in database else URL.create("sqlite", database=database)
    except (SQLAlchemyError, ValueError) as error:
        raise UsageError("this is not the address of a database") from error
    if url.get_backend_name() == "postgresql":
        if "@" in f"{url.host}{url.database}":
            # A part of the password; the driver would take it for the host, and report it.
            raise UsageError(
                "the password in the database's address contains @",
                hint="Write %40 instead, and %2F for /",
            )
        timeout = f"-c lock_timeout={int(LOCK_TIMEOUT * 1000)}"
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            connect_args={"connect_timeout": int(LOCK_TIMEOUT), "options": timeout},
        )
    if url.get_backend_name() != "sqlite" or not url.database:
        raise UsageError(
            f"{url.get_backend_name()}:// databases are not supported",
            hint="Name the path of an SQLite file, or a postgresql:// address",
        )
    return _open_sqlite(url)


def sqlite_path(database: str) -> Path | None:
    """Return the path of an SQLite file; None for other databases and for what names none."""
    if "://" not in database:
        return Path(database)
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import SQLAlchemyError

    try:
        url = make_url(database)
    except (SQLAlchemyError, ValueError):
        return None
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def _open_sqlite(url: URL) -> Engine:
    from sqlalchemy import create_engine, event

    path = Path(str(url.database))
    with os_errors(JobsError, f"the folder {path.parent} cannot be created"):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(OSError):  # Opening the file will report why it cannot be created.
        path.touch(mode=0o600)
    engine = create_engine(url, connect_args={"timeout": LOCK_TIMEOUT, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        # The driver would begin transactions late; _begin does it instead.
        connection.isolation_level = None
        enable_wal(connection, LOCK_TIMEOUT)
        for setting in ("synchronous = FULL", "foreign_keys = ON"):
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


@contextmanager
def translate_db_errors(action: str, hint: str = "") -> Iterator[None]:
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except SQLAlchemyError as error:
        # PostgreSQL adds hints on further lines.
        reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0][:200]
        if reason == _NOT_SQLITE:
            hint = "Name another database; this one was left as it is"
        raise JobsError(f"{action}: {reason}", hint=hint) from error


class Tables:
    """Tables in one database, created if missing, with serialized writes.

    Every method raises :class:`JobsError`, with ``problem`` and ``hint``, if it cannot be used.
    """

    def __init__(
        self, engine: Engine, metadata: MetaData, lock: int, problem: str, hint: str = ""
    ) -> None:
        self._engine, self._lock = engine, lock
        self._problem = problem, hint
        with self.write() as connection:
            metadata.create_all(connection)

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction, one writer at a time."""
        with translate_db_errors(*self._problem), self._engine.begin() as connection:
            if connection.dialect.name == "postgresql":  # SQLite has a single writer anyway.
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({self._lock})")
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with translate_db_errors(*self._problem), read_only(self._engine) as connection:
            yield connection


def search_terms(words: str) -> Iterator[str]:
    """Yield words as FTS5 strings, so that none of them is an operator."""
    for word in words.split()[:50]:
        text = word[:100].replace('"', " ").replace("\0", " ").strip("* ")
        if any(map(str.isalnum, text)):
            yield f'"{text}"' + ("*" if word.endswith("*") else "")
