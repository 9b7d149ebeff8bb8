"""Answers kept on disk by RFC 9111, in the user's cache folder.

The cache is a help and never a hindrance: when it is locked, damaged or cannot be written, the
fetch goes on without it and says so once.  What was sent and set to tell one person from another
(cookies, authorization) is not written to disk.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from weakref import WeakSet

from hishel import BaseStorage, Entry, Headers, Request, Response, SqliteStorage

from ..db.sqlite import delete_database, is_corruption

_MAX_SIZE = 256_000_000
_BUSY_SECONDS = 2.0
_PRIVATE_REQUEST = frozenset({"authorization", "cookie", "proxy-authorization"})
_PRIVATE_RESPONSE = frozenset({"set-cookie", "set-cookie2"})


def cache_folder() -> Path:
    """Return webprint's folder in the user's cache folder (XDG base directories).

    Raises ``RuntimeError`` for a user without a home.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if base.startswith("/") else Path.home() / ".cache"
    return root / "webprint"


def open_cache(
    folder: Path, *, max_entry: int, secrets: Iterable[str], warn: Callable[[str], None]
) -> Cache | None:
    """Open the cache, or warn and return None when it cannot be used.

    ``max_entry`` is the size limit of one body in bytes, ``secrets`` the names of request headers
    that are not to be kept.  A damaged cache is thrown away and begun anew.
    """
    path = folder / "answers.db"
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
            reason = getattr(error, "strerror", None) or error
            warn(f"the cache in {folder} cannot be used: {reason}")
            return None
    return None


class Cache(BaseStorage):
    """A bounded SQLite store that turns itself ``off`` at the first fault."""

    def __init__(
        self, path: Path, max_entry: int, secrets: Iterable[str], warn: Callable[[str], None]
    ) -> None:
        super().__init__()
        self._path = path
        self._warn = warn
        self.off = False
        self._damaged = False
        self._secrets = _PRIVATE_REQUEST | {name.lower() for name in secrets}
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        connection = sqlite3.connect(
            path, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None
        )
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
            self._store = SqliteStorage(
                connection=connection, max_size=_MAX_SIZE, max_stream_size=max_entry
            )
            # Private, but the one way to have its tables made now, where a fault is raised.
            self._store._ensure_connection()
            connection.execute(f"PRAGMA busy_timeout={int(_BUSY_SECONDS * 1000)}")
        except BaseException:
            connection.close()
            raise
        _listener.caches.add(self)

    def fault(self, error: BaseException | None) -> None:
        """Stop using the cache for the rest of the run, and say so once."""
        if not self.off:
            self.off = True
            self._warn(f"the cache is not used any more: {error or 'it failed'}")
        if is_corruption(error):
            self._damaged = True

    def get_entries(self, key: str) -> list[Entry]:
        """Return what is kept under a key."""
        return [] if self.off else self._store.get_entries(key)

    def create_entry(
        self,
        request: Request,
        response: Response,
        key: str,
        *,
        ttl: float | None = None,
        tti: float | None = None,
    ) -> Entry:
        """Keep an answer as it is read, without what tells one person from another."""
        if self.off:
            return Entry(id=uuid.uuid4(), request=request, response=response)
        entry = self._store.create_entry(
            replace(request, headers=_without(request.headers, self._secrets)),
            replace(response, headers=_without(response.headers, _PRIVATE_RESPONSE)),
            key,
            ttl=ttl,
            tti=tti,
        )
        return replace(entry, response=replace(entry.response, headers=response.headers))

    def update_headers(self, id: uuid.UUID, headers: Headers) -> None:  # noqa: A002
        """Freshen a kept answer after a 304."""
        if not self.off:
            self._store.update_headers(id, _without(headers, _PRIVATE_RESPONSE))

    def remove_entry(self, id: uuid.UUID) -> None:  # noqa: A002
        """Forget a kept answer."""
        if not self.off:
            self._store.remove_entry(id)

    def close(self) -> None:
        """Close the store; throw it away if it turned out to be damaged."""
        _listener.caches.discard(self)
        self._store.close()
        if self._damaged:
            delete_database(self._path)


class _Listener(logging.Handler):
    """Hears the faults that the store swallows and only logs."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.caches: WeakSet[Cache] = WeakSet()

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        for cache in list(self.caches):
            cache.fault(error)


_listener = _Listener()
logging.getLogger("hishel").addHandler(_listener)
logging.getLogger("hishel").propagate = False


def _without(headers: Headers, names: frozenset[str]) -> Headers:
    return Headers(
        {name: headers.get_list(name) or [] for name in headers if name.lower() not in names}
    )
