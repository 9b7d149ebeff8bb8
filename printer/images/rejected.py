"""The cache of rejected addresses (CUTER, section IV): pictures not worth another download.

The templates of a site repeat its icons and banners on every page.  The address of a picture that
was fetched and refused for its size is remembered, and looked up only when a picture is about to
be fetched.  On disk between runs, shared by concurrent processes, bounded in number and age.  What
is kept of an address is its hash, so that the file tells nobody what was read and a long address
takes no more room than a short one.

The cache is a help and never a hindrance: at a fault it turns itself off and says so once.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Self

from ..db.sqlite import is_damage, throw_away, write_ahead
from .sizes import SizeLimits

FILE = "rejected-pictures.db"

#: What is remembered at most, and for how long: a picture may have changed.
MOST = 100_000
SECONDS = 30 * 24 * 3600.0

_BUSY_SECONDS = 2.0


class RejectedURLs:
    """A bounded set of addresses; ``lookups`` and ``hits`` count what was asked of it.

    ``folder`` is where it is kept, ``warn`` is told when it cannot be.  ``clock`` gives seconds.
    """

    def __init__(
        self,
        folder: Path,
        warn: Callable[[str], None],
        *,
        most: int = MOST,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.lookups = self.hits = self._added = 0
        self._warn, self._most, self._seconds, self._clock = warn, most, seconds, clock
        self._store: sqlite3.Connection | None = None
        self._path = path = folder / FILE
        for again in (True, False):
            try:
                self._store = _opened(path)
                return
            except (sqlite3.NotSupportedError, sqlite3.OperationalError, OSError) as error:
                self._fault(error)
                return
            except sqlite3.DatabaseError as error:
                if not again:
                    self._fault(error)
                    return
                throw_away(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._added:
            self._prune()
        if self._store is not None:
            self._store.close()
            self._store = None

    @property
    def rate(self) -> float:
        """The share of look-ups that found something, from 0 to 1."""
        return self.hits / self.lookups if self.lookups else 0.0

    def known(self, urls: Iterable[str], limits: SizeLimits) -> frozenset[str]:
        """Return which of the addresses were refused under these limits not too long ago."""
        wanted = {_key(url, limits): url for url in urls}
        if self._store is None or not wanted:
            return frozenset()
        since = self._clock() - self._seconds
        found = set()
        try:
            for key, url in wanted.items():
                query = "SELECT 1 FROM rejected WHERE key = ? AND at > ?"
                if self._store.execute(query, (key, since)).fetchone():
                    found.add(url)
        except sqlite3.Error as error:
            self._fault(error)
            return frozenset()
        self.lookups += len(wanted)
        self.hits += len(found)
        return frozenset(found)

    def add(self, urls: Iterable[str], limits: SizeLimits) -> None:
        """Remember addresses that were refused."""
        now = self._clock()
        rows = [(_key(url, limits), now) for url in urls]
        if self._store is None or not rows:
            return
        try:
            with self._store:
                self._store.executemany("INSERT OR REPLACE INTO rejected VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            self._fault(error)
            return
        self._added += len(rows)
        if self._added > self._most // 10:
            self._prune()

    def _prune(self) -> None:
        """Forget what is too old, and the oldest of what is too many."""
        self._added = 0
        if self._store is None:
            return
        try:
            with self._store:
                self._store.execute(
                    "DELETE FROM rejected WHERE at <= ? OR key IN "
                    "(SELECT key FROM rejected ORDER BY at DESC LIMIT -1 OFFSET ?)",
                    (self._clock() - self._seconds, self._most),
                )
        except sqlite3.Error as error:
            self._fault(error)

    def _fault(self, error: Exception) -> None:
        self._added = 0
        self.close()
        if is_damage(error):
            throw_away(self._path)
        self._warn(f"the cache of rejected pictures is not used: {error}")


def _opened(path: Path) -> sqlite3.Connection:
    """Open the file, private to its user, and make its table."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    store = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)
    try:
        write_ahead(store, _BUSY_SECONDS)
        # No writer waits for the disk: what a power failure loses costs a download.
        store.execute("PRAGMA synchronous = NORMAL")
        store.execute(
            "CREATE TABLE IF NOT EXISTS rejected (key BLOB PRIMARY KEY, at REAL) WITHOUT ROWID"
        )
        store.execute("CREATE INDEX IF NOT EXISTS by_age ON rejected (at)")
        store.commit()
    except BaseException:
        store.close()
        raise
    return store


def _key(url: str, limits: SizeLimits) -> bytes:
    """Return what is kept of an address: refused by one limit is not refused by another."""
    return sha256(f"{limits}\n{url.partition('#')[0]}".encode("utf-8", "replace")).digest()[:16]
