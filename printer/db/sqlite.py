"""SQLite helpers for all our database files, without SQLAlchemy."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

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


def is_corruption(error: BaseException | None) -> bool:
    """Return whether an error means a damaged file, not one that is busy, full or out of reach."""
    return type(error) is sqlite3.DatabaseError


def delete_database(path: Path) -> None:
    """Delete a database and the files that SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
