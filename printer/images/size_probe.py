"""Pictures fetched to learn their size where the page does not tell it (CUTER, section IV).

What was fetched is kept until the picture is made ready for print, so that nothing is fetched
twice.  Only the head of a file is read for its size; nothing is decoded here.
"""

from __future__ import annotations

import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Self, TypeAlias

from PIL import Image

from ..capture import Capture, GetResource
from ..db.sqlite import delete_database, enable_wal, is_corruption
from ..errors import FetchTimeout, TooLarge, WebprintError
from ..html.page import Page
from ..options import ImageOptions
from .prepare import run_in_threads
from .raster import FORMATS, Unusable, decoding
from .selection import PictureSelection, RejectedPicture, SelectedPicture, SizeLimits
from .svg import drawing_size, looks_like_svg

#: Judges the pictures that were kept by their files, under limits.
SizeFilter: TypeAlias = Callable[[Page, PictureSelection, SizeLimits], PictureSelection]

#: Files kept in memory between measuring and printing are this many bytes at most, all together.
MAX_BUFFERED = 100_000_000


class SizeProbe:
    """Fetches pictures for one run, and judges them by their files.

    A context manager.  ``folder`` tells where to remember what was refused (None: nowhere; it may
    raise ``RuntimeError`` when there is no such place), ``told`` collects warnings.
    """

    def __init__(
        self,
        get: GetResource,
        options: ImageOptions,
        folder: Callable[[], Path] | None = None,
        told: list[str] | None = None,
    ) -> None:
        self._get, self._options = get, options
        self._folder, self._told = folder, [] if told is None else told
        self.cache: RejectCache | None = None
        self._came: dict[str, tuple[str, Capture | WebprintError]] = {}
        self._size = 0
        self._lock = threading.Lock()
        self._remembering = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.cache is not None:
            self.cache.close()

    def details(self) -> tuple[str, ...]:
        """Say how often a picture to be fetched was known to be refused."""
        cache = self.cache
        if cache is None or not cache.lookups:
            return ()
        known = f"{cache.hits} of {cache.lookups} known ({100 * cache.hit_rate:.0f} %)"
        return (f"rejected pictures, looked up before a download: {known}",)

    @contextmanager
    def reuse(self, pages: Collection[str]) -> Iterator[GetResource]:
        """Give what was fetched before, each once, or fetch it; forget what else pages have."""
        try:
            yield self._take
        finally:
            for url, (page, _) in list(self._came.items()):
                if page in pages:
                    self._taken(url)

    def _take(self, url: str, referer: str) -> Capture:
        came = self._taken(url)
        if isinstance(came, WebprintError):
            raise came
        return came or self._get(url, referer)

    def filter(self, page: Page, choice: PictureSelection, limits: SizeLimits) -> PictureSelection:
        """Drop the pictures kept so far whose files are too small, too long or refused before.

        Only those are fetched whose size the page does not state.  One that cannot be fetched or
        read stays: what is wrong with it is told when it is to be printed.
        """
        unsure = {each: url for each in choice.selected if (url := _unsure(each, page))}
        urls = dict.fromkeys(unsure.values())
        rejected = self._cache() if urls else None
        known: frozenset[str] = frozenset()
        if rejected is not None:
            with self._remembering:
                known = rejected.lookup(filter(_is_web, urls), limits)
        faults = dict.fromkeys(known, "refused for its size before")
        wanted = [url for url in urls if url not in known]
        refused = self._refused(wanted, page.url, limits)
        if rejected is not None:
            with self._remembering:
                rejected.add(filter(_is_web, refused), limits)
        faults.update(refused)
        return _without(choice, {k: faults[url] for k, url in unsure.items() if url in faults})

    def _taken(self, url: str) -> Capture | WebprintError | None:
        """Let go of what came for an address, and return it."""
        with self._lock:
            _, came = self._came.pop(url, ("", None))
            if isinstance(came, Capture):
                self._size -= len(came.body)
        return came

    def _cache(self) -> RejectCache | None:
        with self._remembering:
            if self.cache is None and self._folder is not None:
                try:
                    self.cache = RejectCache(self._folder(), self._told.append)
                except RuntimeError:
                    self._folder = None  # the cache of pages, which is kept there too, says so
            return self.cache

    def _refused(self, urls: Sequence[str], referer: str, limits: SizeLimits) -> dict[str, str]:
        """Fetch pictures in parallel; return why some are refused, and keep the others."""
        deadline = time.monotonic() + self._options.timeout
        room = _Room(self._options.total_bytes)

        def work(url: str) -> str:
            came = self._fetched(url, referer, room)
            fault = _fault(came, limits)
            if not fault:
                self._keep(url, referer, came)
            return fault

        faults = run_in_threads(
            work, urls, self._options.workers, lambda: deadline - time.monotonic()
        )
        for index, url in enumerate(urls):
            if index not in faults:
                self._keep(url, referer, FetchTimeout("it took too long to fetch", url=url))
        return {urls[index]: fault for index, fault in faults.items() if fault}

    def _fetched(self, url: str, referer: str, room: _Room) -> Capture | WebprintError:
        try:
            if room.left < 0:
                raise TooLarge("the pictures together are over the size limit", url=url)
            came = self._take(url, referer)
        except WebprintError as error:
            return error
        except Exception as error:  # noqa: BLE001 - a fault costs its own picture
            return WebprintError(f"{type(error).__name__}: {str(error)[:80]}", url=url)
        room.left -= len(came.body)
        return came

    def _keep(self, url: str, page: str, came: Capture | WebprintError) -> None:
        """Keep what came; what was kept longest gives way when it is too much."""
        self._taken(url)
        with self._lock:
            self._came[url] = page, came
            self._size += len(came.body) if isinstance(came, Capture) else 0
            oldest = list(self._came)[:-1] if self._size > MAX_BUFFERED else []
        for each in oldest:
            if self._size > MAX_BUFFERED:
                self._taken(each)


@dataclass(slots=True)
class _Room:
    """How many bytes the pictures of a page may still take; threads may overdraw it a little."""

    left: int


def _fault(came: Capture | WebprintError, limits: SizeLimits) -> str:
    """Return why a picture is refused by its file; '' also for one that says nothing."""
    size = read_size(came.body) if isinstance(came, Capture) else None
    if size is None or isinstance(came, WebprintError):
        return ""
    # A drawing of a few lines has a small file however large it is drawn.
    return limits.reject_reason(*size, None if looks_like_svg(came.body) else len(came.body))


def read_size(data: bytes) -> tuple[int, int] | None:
    """Return the width and height that a picture's file states; None when it states none.

    Reads the head of GIF, JPEG, PNG, WebP, AVIF and SVG files alone.
    """
    if looks_like_svg(data):
        try:
            width, height = drawing_size(data)
        except Unusable:
            return None
        return round(width), round(height)
    try:
        with decoding, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(BytesIO(data), formats=FORMATS) as image:
                return image.size
    except Image.DecompressionBombError:
        return None
    except Exception:  # noqa: BLE001 - decoders raise whatever a file provokes; printing says what
        return None


def _unsure(kept: SelectedPicture, page: Page) -> str:
    """Return the address to fetch a picture from when its size is not known, else ''."""
    candidate = kept.candidate
    if candidate.kind == "drawing" or (candidate.width and candidate.height):
        return ""
    sources = candidate.sources(page.base)
    return sources[0] if sources and sources[0][:5] != "data:" else ""


def _is_web(url: str) -> bool:
    return url.startswith(("http://", "https://"))


def _without(choice: PictureSelection, reasons: dict[SelectedPicture, str]) -> PictureSelection:
    if not reasons:
        return choice
    kept = tuple(each for each in choice.selected if each not in reasons)
    dropped = (RejectedPicture(each.candidate, why) for each, why in reasons.items())
    return replace(choice, selected=kept, rejected=(*choice.rejected, *dropped))


CACHE_FILE = "rejected-pictures.db"

#: What is remembered at most, and for how long: a picture may have changed.
MAX_ENTRIES = 100_000
MAX_AGE = 30 * 24 * 3600.0

_BUSY_SECONDS = 2.0


class RejectCache:
    """A bounded set of addresses; ``lookups`` and ``hits`` count what was asked of it.

    ``folder`` is where it is kept, ``warn`` is told when it cannot be.  ``clock`` gives seconds.
    """

    def __init__(
        self,
        folder: Path,
        warn: Callable[[str], None],
        *,
        most: int = MAX_ENTRIES,
        seconds: float = MAX_AGE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.lookups = self.hits = self._added = 0
        self._warn, self._most, self._seconds, self._clock = warn, most, seconds, clock
        self._store: sqlite3.Connection | None = None
        self._path = path = folder / CACHE_FILE
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
                delete_database(path)

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
    def hit_rate(self) -> float:
        """The share of look-ups that found something, from 0 to 1."""
        return self.hits / self.lookups if self.lookups else 0.0

    def lookup(self, urls: Iterable[str], limits: SizeLimits) -> frozenset[str]:
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
        if is_corruption(error):
            delete_database(self._path)
        self._warn(f"the cache of rejected pictures is not used: {error}")


def _opened(path: Path) -> sqlite3.Connection:
    """Open the file, private to its user, and make its table."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    store = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)
    try:
        enable_wal(store, _BUSY_SECONDS)
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
