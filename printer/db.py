"""Databases: SQLite and PostgreSQL by SQLAlchemy, and the library of past prints.

SQLAlchemy is imported when it is needed: the cache and the library use SQLite alone.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import JobsError, UsageError
from .files import os_errors

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine, MetaData

    from .article import Article

#: Seconds that a statement waits for a lock.
LOCK_TIMEOUT = 5.0

_RETRY_SECONDS = 0.01


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
    """Open an SQLite file that only its owner can read, and create its tables if need be.

    A ``shared`` connection may be used by several threads, one at a time.
    """
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
    """Delete a database and the files that SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


#: The execution option of read-only connections.
_READ_ONLY = "read_only"


def open_engine(database: str) -> Engine:
    """Open a postgresql:// URL or an SQLite file; raises :class:`UsageError`."""
    from sqlalchemy import create_engine
    from sqlalchemy.engine import URL, make_url
    from sqlalchemy.exc import SQLAlchemyError

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
        raise UsageError(
            f"{url.get_backend_name()}:// is no database of webprint",
            hint="Name the path of an SQLite file, or a postgresql:// address",
        )
    return _sqlite(url)


def sqlite_path(database: str) -> Path | None:
    """Return the path of an SQLite database, None for another."""
    if "://" not in database:
        return Path(database)
    from sqlalchemy.engine import make_url

    url = make_url(database)
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def _sqlite(url: URL) -> Engine:
    from sqlalchemy import create_engine, event

    path = Path(str(url.database))
    with os_errors(JobsError, f"the folder {path.parent} cannot be created"):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(OSError):  # Whatever opens the file says why it cannot be created.
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


def advisory_lock(connection: Connection, lock: int) -> None:
    """Hold a lock until the transaction ends; unneeded on SQLite, which has a single writer."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({lock})")


@contextmanager
def translate_db_errors(action: str, hint: str = "") -> Iterator[None]:
    """Raise :class:`JobsError` for database errors."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except SQLAlchemyError as error:
        # PostgreSQL says on further lines what one might try.
        reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0][:200]
        raise JobsError(f"{action}: {reason}", hint=hint) from error


class Tables:
    """Tables in one database, which are made if need be, with serialized writes.

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
            advisory_lock(connection, self._lock)
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with translate_db_errors(*self._problem), read_only(self._engine) as connection:
            yield connection


#: The most characters of an article's text that are stored.
_MAX_TEXT = 2_000_000

_TABLES = """
CREATE TABLE IF NOT EXISTS prints (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL, title TEXT NOT NULL, byline TEXT NOT NULL,
    site TEXT NOT NULL, printed TEXT NOT NULL, file TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS prints_by_url ON prints (url);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    title, byline, site, text, content='prints', content_rowid='id',
    tokenize="unicode61 remove_diacritics 2");
CREATE TRIGGER IF NOT EXISTS prints_in AFTER INSERT ON prints BEGIN
    INSERT INTO words (rowid, title, byline, site, text)
    VALUES (new.id, new.title, new.byline, new.site, new.text); END;
CREATE TRIGGER IF NOT EXISTS prints_out AFTER DELETE ON prints BEGIN
    INSERT INTO words (words, rowid, title, byline, site, text)
    VALUES ('delete', old.id, old.title, old.byline, old.site, old.text); END;
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """An article found; ``snippet`` quotes the passage with the searched words in []."""

    title: str
    url: str
    printed: str
    file: str
    snippet: str


class Library:
    """Store and search the text of printed articles; a context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._errors():
            self._connection = open_private_file(path, _TABLES)

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def add(self, articles: Sequence[Article], file: str, when: datetime | None = None) -> None:
        """Store articles printed into a file; an article replaces an earlier one of its URL."""
        moment = (when or datetime.now(UTC)).isoformat(timespec="seconds")
        with self._errors(), self._connection:
            for article in articles:
                if article.url:
                    self._connection.execute("DELETE FROM prints WHERE url = ?", (article.url,))
                row = (article.url, article.title, article.byline, article.site, moment, file,
                       article.text[:_MAX_TEXT])  # fmt: skip
                self._connection.execute(
                    "INSERT INTO prints (url, title, byline, site, printed, file, text)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    tuple(value.encode("utf-8", "replace").decode() for value in row),
                )

    def search(self, words: str, limit: int = 20) -> list[Hit]:
        """Return the articles with all of these words, best first; the title weighs most."""
        quoted = " ".join(search_terms(words))
        if not quoted:
            return []
        query = (
            "SELECT prints.title, prints.url, prints.printed, prints.file,"
            " snippet(words, 3, '[', ']', '…', 16)"
            " FROM words JOIN prints ON prints.id = words.rowid"
            " WHERE words MATCH ? ORDER BY bm25(words, 8, 3, 2, 1) LIMIT ?"
        )
        with self._errors():
            return [Hit(*row) for row in self._connection.execute(query, (quoted, limit))]

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise JobsError(f"the library {self._path} cannot be used: {error}") from error


def search_terms(words: str) -> Iterator[str]:
    """Yield words as FTS5 strings, so that none of them is an operator."""
    for word in words.split()[:50]:
        text = word[:100].replace('"', " ").replace("\0", " ").strip("* ")
        if any(map(str.isalnum, text)):
            yield f'"{text}"' + ("*" if word.endswith("*") else "")
