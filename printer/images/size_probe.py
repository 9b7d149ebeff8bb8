"""Sizes of pictures read from their files where the page states none (CUTER, section IV).

Downloads are kept until the picture is prepared for print, so that no picture is fetched twice.
Only the head of a file is parsed for its size; nothing is decoded here.

The cache of rejected URLs is part of the paper's method: a site repeats its icons and banners on
every page, so the URL of a picture rejected for its size is stored and looked up before the next
download.
"""

from __future__ import annotations

import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TypeAlias

from PIL import Image

from ..capture import Capture, GetResource
from ..db import delete_database, is_corruption, open_private_file
from ..errors import FetchTimeout, TooLarge, WebprintError
from ..files import Closing
from ..html.page import Page
from ..options import ImageOptions
from ..urls import is_http
from .prepare import run_in_threads
from .raster import DECODE_LOCK, FORMATS, UnusablePicture
from .selection import PictureSelection, SelectedPicture, SizeLimits
from .svg import looks_like_svg, svg_size

#: Rejects selected pictures whose files fail the limits.
SizeFilter: TypeAlias = Callable[[Page, PictureSelection, SizeLimits], PictureSelection]

MAX_BUFFERED_BYTES = 100_000_000

#: The reason to reject a picture whose URL is in the cache.
CACHED = "rejected for its size before"


class SizeProbe(Closing):
    """The downloaded pictures of one run, which are rejected by their files."""

    def __init__(
        self,
        get: GetResource,
        options: ImageOptions,
        folder: Callable[[], Path] | None = None,
        messages: list[str] | None = None,
    ) -> None:
        """Initialize the probe without opening anything.

        ``folder`` returns that of the cache, or raises RuntimeError; ``messages`` gets warnings.
        """
        self._get, self._options, self._folder = get, options, folder
        self._messages = [] if messages is None else messages
        self.cache: RejectCache | None = None
        # URL -> the page that refers to it, and the file or the error.
        self._downloads: dict[str, tuple[str, Capture | WebprintError]] = {}
        self._size = 0
        self._lock = threading.Lock()
        self._cache_lock = threading.Lock()

    def close(self) -> None:
        if self.cache is not None:
            self.cache.close()

    @contextmanager
    def reuse(self, pages: Collection[str]) -> Iterator[GetResource]:
        """Yield a function that returns a kept download once, else fetches; discard the rest."""
        try:
            yield self._pop_or_get
        finally:
            for url, (page, _) in list(self._downloads.items()):
                if page in pages:
                    self._pop(url)

    def _pop_or_get(self, url: str, referer: str) -> Capture:
        download = self._pop(url)
        if isinstance(download, WebprintError):
            raise download
        return download or self._get(url, referer)

    def reject_by_size(
        self, page: Page, selection: PictureSelection, limits: SizeLimits
    ) -> PictureSelection:
        """Reject the selected pictures that their files or the cache show to be unwanted.

        Only pictures whose size the page does not state are fetched.  One that cannot be fetched or
        read stays selected; the error is reported when it is printed.
        """
        urls = {
            picture: url for picture in selection.selected if (url := _probe_url(picture, page))
        }
        probed = tuple(dict.fromkeys(urls.values()))
        cache = self._open_cache() if probed else None
        cached: frozenset[str] = frozenset()
        if cache is not None:
            with self._cache_lock:
                cached = cache.lookup(filter(is_http, probed), limits)
        new = self._download([url for url in probed if url not in cached], page.url, limits)
        if cache is not None:
            with self._cache_lock:
                cache.add(filter(is_http, new), limits)
        reasons = dict.fromkeys(cached, CACHED) | new
        return selection.reject({p: reasons[url] for p, url in urls.items() if url in reasons})

    def _open_cache(self) -> RejectCache | None:
        with self._cache_lock:
            if self.cache is None and self._folder is not None:
                try:
                    self.cache = RejectCache(self._folder(), self._messages.append)
                except RuntimeError:
                    self._folder = None  # the page cache is in the same folder, and warns
            return self.cache

    def _download(self, urls: Sequence[str], referer: str, limits: SizeLimits) -> dict[str, str]:
        """Fetch pictures in parallel; keep the good ones, return the reasons to reject others."""
        deadline = time.monotonic() + self._options.timeout
        bytes_left = self._options.total_bytes  # threads may exceed it slightly

        def work(url: str) -> str:
            nonlocal bytes_left
            download: Capture | WebprintError
            try:
                if bytes_left < 0:
                    raise TooLarge("the pictures together are over the size limit", url=url)
                download = self._pop_or_get(url, referer)
                bytes_left -= len(download.body)
                reason = _reject_reason(download.body, limits)
            except WebprintError as error:
                download, reason = error, ""
            except Exception as error:  # noqa: BLE001 - a failure costs only its own picture
                text = f"{type(error).__name__}: {str(error)[:80]}"
                download, reason = WebprintError(text, url=url), ""
            if not reason:
                self._keep(url, referer, download)
            return reason

        outcomes = run_in_threads(work, urls, self._options.workers, deadline)
        for index, url in enumerate(urls):
            if index not in outcomes:
                self._keep(url, referer, FetchTimeout("it took too long to fetch", url=url))
        return {urls[index]: reason for index, reason in outcomes.items() if reason}

    def _pop(self, url: str) -> Capture | WebprintError | None:
        with self._lock:
            return self._discard(url)

    def _discard(self, url: str) -> Capture | WebprintError | None:
        """Remove and return a download; the caller holds the lock."""
        _, download = self._downloads.pop(url, ("", None))
        self._size -= _size_of(download)
        return download

    def _keep(self, url: str, page: str, download: Capture | WebprintError) -> None:
        """Store a download; discard the oldest while the total exceeds ``MAX_BUFFERED_BYTES``."""
        with self._lock:
            self._discard(url)
            self._downloads[url] = page, download
            self._size += _size_of(download)
            while self._size > MAX_BUFFERED_BYTES and len(self._downloads) > 1:
                self._discard(next(iter(self._downloads)))


def _size_of(download: Capture | WebprintError | None) -> int:
    return len(download.body) if isinstance(download, Capture) else 0


def _reject_reason(data: bytes, limits: SizeLimits) -> str:
    size = read_size(data)
    if size is None:
        return ""
    # The size of an SVG file has nothing to do with the size of the drawing.
    return limits.reject_reason(*size, None if looks_like_svg(data) else len(data))


def read_size(data: bytes) -> tuple[int, int] | None:
    """Return the size stated in the head of a picture's file, None if it states none."""
    if looks_like_svg(data):
        try:
            width, height = svg_size(data)
        except UnusablePicture:
            return None
        return round(width), round(height)
    try:
        with DECODE_LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(BytesIO(data), formats=FORMATS) as image:
                return image.size
    except Exception:  # noqa: BLE001 - decoders raise anything; printing reports it
        return None


def _probe_url(picture: SelectedPicture, page: Page) -> str:
    """Return the URL of the file to measure a picture by, '' if its size is known."""
    candidate = picture.candidate
    if candidate.kind == "drawing" or (candidate.width and candidate.height):
        return ""
    url = next(iter(candidate.urls(page.base)), "")
    return "" if url[:5] == "data:" else url


CACHE_FILE = "rejected-pictures.db"
MAX_ENTRIES = 100_000
#: Pictures may change.
MAX_AGE_SECONDS = 30 * 24 * 3600.0
# Writes need not wait for the disk: losing one costs only a download.
_TABLE = """PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS rejected (key BLOB PRIMARY KEY, at REAL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_age ON rejected (at);"""


class RejectCache(Closing):
    """A bounded set of rejected URLs on disk, shared by concurrent processes.

    It stores hashes, so that the file does not reveal which pages were read.  On any error it
    disables itself and warns once.
    """

    def __init__(self, folder: Path, warn: Callable[[str], None]) -> None:
        self._added = 0
        self._warn = warn
        self._connection: sqlite3.Connection | None = None
        self._path = folder / CACHE_FILE
        try:
            try:
                self._connection = open_private_file(self._path, _TABLE, shared=True)
            except sqlite3.DatabaseError as error:
                if not is_corruption(error):
                    raise
                delete_database(self._path)
                self._connection = open_private_file(self._path, _TABLE, shared=True)
        except (sqlite3.Error, OSError) as error:
            self._disable(error)

    def close(self) -> None:
        if self._added:
            self._prune()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def lookup(self, urls: Iterable[str], limits: SizeLimits) -> frozenset[str]:
        """Return the URLs that were rejected under these limits within the maximum age."""
        keys = {_key(url, limits): url for url in urls}
        if self._connection is None or not keys:
            return frozenset()
        query = "SELECT 1 FROM rejected WHERE key = ? AND at > ?"
        since = time.time() - MAX_AGE_SECONDS
        try:
            return frozenset(
                url
                for key, url in keys.items()
                if self._connection.execute(query, (key, since)).fetchone()
            )
        except sqlite3.Error as error:
            self._disable(error)
            return frozenset()

    def add(self, urls: Iterable[str], limits: SizeLimits) -> None:
        now = time.time()
        rows = [(_key(url, limits), now) for url in urls]
        if rows and self._execute("INSERT OR REPLACE INTO rejected VALUES (?, ?)", rows):
            self._added += len(rows)
            if self._added > MAX_ENTRIES // 10:
                self._prune()

    def _prune(self) -> None:
        """Delete expired entries, and the oldest beyond the maximum number."""
        self._added = 0
        self._execute(
            "DELETE FROM rejected WHERE at <= ? OR key IN "
            "(SELECT key FROM rejected ORDER BY at DESC LIMIT -1 OFFSET ?)",
            [(time.time() - MAX_AGE_SECONDS, MAX_ENTRIES)],
        )

    def _execute(self, statement: str, rows: Sequence[tuple[object, ...]]) -> bool:
        """Execute a statement in one transaction; return whether it succeeded."""
        if self._connection is None:
            return False
        try:
            with self._connection:
                self._connection.executemany(statement, rows)
        except sqlite3.Error as error:
            self._disable(error)
            return False
        return True

    def _disable(self, error: Exception) -> None:
        self._added = 0
        self.close()
        if is_corruption(error):
            delete_database(self._path)
        self._warn(f"the cache of rejected pictures is not used: {error}")


def _key(url: str, limits: SizeLimits) -> bytes:
    """Return a hash of a URL together with the limits, as others may accept the picture."""
    return sha256(f"{limits}\n{url.partition('#')[0]}".encode("utf-8", "replace")).digest()[:16]
