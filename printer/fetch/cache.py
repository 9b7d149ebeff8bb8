"""The HTTP cache on disk (RFC 9111), in the user's cache folder.

If it is locked, damaged or cannot be written, fetching continues without it, with one warning.
What identifies a person (cookies, authorization) is not written to disk.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from weakref import WeakSet

from hishel import Entry, Headers, Request, Response, SqliteStorage

from ..db import delete_database, is_corruption
from ..files import reason_of

_MAX_SIZE = 256_000_000
_LOCK_TIMEOUT = 2.0
_PRIVATE_REQUEST = frozenset({"authorization", "cookie", "proxy-authorization"})
_PRIVATE_RESPONSE = frozenset({"set-cookie", "set-cookie2"})


def cache_folder() -> Path:
    """Return our cache folder (XDG); raise ``RuntimeError`` for a user without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if base.startswith("/") else Path.home() / ".cache"
    return root / "webprint"


def open_cache(
    folder: Path, *, max_entry: int, secrets: Iterable[str], warn: Callable[[str], None]
) -> Cache | None:
    """Open the cache, or warn and return None if it cannot be used.

    ``max_entry`` is the maximum size of a body in bytes, ``secrets`` are names of request headers
    that must not be stored.  A damaged cache is deleted and replaced by a new one.
    """
    path = folder / "responses.db"
    for attempt in (1, 2):
        try:
            return Cache(path, max_entry, secrets, warn)
        except sqlite3.OperationalError as error:
            warn(f"the cache in {folder} cannot be used: {error}")
            return None
        except sqlite3.DatabaseError:
            delete_database(path)
            if attempt == 2:
                warn(f"the cache in {folder} is damaged and cannot be replaced")
        except (OSError, RuntimeError) as error:
            warn(f"the cache in {folder} cannot be used: {reason_of(error)}")
            return None
    return None


def _check_owner(path: Path) -> None:
    """Refuse a place where others could read what is fetched, and answer for any site."""
    status = path.stat()
    if status.st_uid not in (os.geteuid(), 0) or status.st_mode & stat.S_IWOTH:
        raise PermissionError("it belongs to another user, or all users can change it")


class Cache(SqliteStorage):
    """A bounded SQLite store that is ``disabled`` at its first failure."""

    def __init__(
        self, path: Path, max_entry: int, secrets: Iterable[str], warn: Callable[[str], None]
    ) -> None:
        self._path = path
        self._warn = warn
        self.disabled = False
        self._corrupt = False
        self._secrets = _PRIVATE_REQUEST | {name.lower() for name in secrets}
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_owner(path.parent)
        path.touch(mode=0o600)
        _check_owner(path)
        connection = sqlite3.connect(
            path, timeout=_LOCK_TIMEOUT, check_same_thread=False, isolation_level=None
        )
        super().__init__(connection=connection, max_size=_MAX_SIZE, max_stream_size=max_entry)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
            # Private, but the only way to create its tables here, where errors are raised.
            self._ensure_connection()
            connection.execute(f"PRAGMA busy_timeout={int(_LOCK_TIMEOUT * 1000)}")
        except BaseException:
            connection.close()
            raise
        _error_handler.caches.add(self)

    def disable(self, error: BaseException | None) -> None:
        """Stop using the cache for the rest of the run, and warn once."""
        if not self.disabled:
            self.disabled = True
            self._warn(f"the cache is not used any more: {error or 'it failed'}")
        self._corrupt |= is_corruption(error)

    def create_entry(
        self,
        request: Request,
        response: Response,
        key: str,
        *,
        ttl: float | None = None,
        tti: float | None = None,
    ) -> Entry:
        """Store a response while it is read, without headers that identify a person."""
        if self.disabled:
            return Entry(id=uuid.uuid4(), request=request, response=response)
        entry = super().create_entry(
            replace(request, headers=_remove_headers(request.headers, self._secrets)),
            replace(response, headers=_remove_headers(response.headers, _PRIVATE_RESPONSE)),
            key,
            ttl=ttl,
            tti=tti,
        )
        return replace(entry, response=replace(entry.response, headers=response.headers))

    def update_headers(self, id: uuid.UUID, headers: Headers) -> None:  # noqa: A002
        super().update_headers(id, _remove_headers(headers, _PRIVATE_RESPONSE))

    def close(self) -> None:
        """Close the store, and delete it if it is corrupt."""
        _error_handler.caches.discard(self)
        super().close()
        if self._corrupt:
            delete_database(self._path)


class _ErrorHandler(logging.Handler):
    """Notice the errors that the store catches and only logs."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.caches: WeakSet[Cache] = WeakSet()

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        for cache in list(self.caches):
            cache.disable(error)


_error_handler = _ErrorHandler()
logging.getLogger("hishel").addHandler(_error_handler)
logging.getLogger("hishel").propagate = False


def _remove_headers(headers: Headers, names: frozenset[str]) -> Headers:
    return Headers(
        {name: headers.get_list(name) or [] for name in headers if name.lower() not in names}
    )
