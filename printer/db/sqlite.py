"""What every SQLite file of ours needs that SQLite does not do by itself."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

_PAUSE_SECONDS = 0.01


def enable_wal(connection: sqlite3.Connection, patience: float) -> None:
    """Switch to a write-ahead log, waiting up to ``patience`` seconds for others to let go.

    Readers and the one writer then do not wait for each other.  SQLite's own timeout does not
    hold here: of two that switch a new file at once, each holds what the other needs, so one is
    refused without delay.  Raises :class:`sqlite3.OperationalError` when the wait was too short.
    """
    until = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").close()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(_PAUSE_SECONDS)


def is_corruption(error: BaseException | None) -> bool:
    """Tell whether a file is damaged, and not only busy, full or out of reach."""
    return type(error) is sqlite3.DatabaseError


def delete_database(path: Path) -> None:
    """Remove a file with all that SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
