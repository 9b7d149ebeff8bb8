"""Collect the candidates of a digest's sources, and fetch their pages; sources fail separately."""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

from ..capture import Capture
from ..crawl import CrawlOptions
from ..errors import FetchTimeout, WebprintError
from ..fetch.client import HttpClient
from ..settings import Settings
from ..urls import host_of
from .config import Digest, Source
from .sources.crawl import crawl_entries
from .sources.discovery import get_feed
from .sources.feeds import Entry
from .sources.mail import read_mail_folder
from .sources.reading_list import read_urls, reading_list_path

#: The most articles of a crawl if the source has no limit.
DEFAULT_CRAWL_LIMIT = 20

#: The most connections at a time, in all and to one host.
MAX_CONNECTIONS, MAX_PER_HOST = 8, 2

#: The timeouts after which no more pages of a host are fetched for the digest.
MAX_TIMEOUTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(Entry):
    """An entry with its source, and the index of that among the digest's sources.

    ``fingerprint`` changes with the entry of a feed; it is '' for other sources.
    """

    source: Source
    source_index: int
    fingerprint: str = ""

    @classmethod
    def of(cls, entry: Entry, source: Source, source_index: int, name: str = "") -> Candidate:
        """Return an entry as a candidate; ``name`` is the source's own name."""
        values = {field.name: getattr(entry, field.name) for field in fields(Entry)}
        values["source_name"] = source.name or name or entry.source_name
        if source.kind == "feed":
            state = f"{entry.updated}\n{entry.title}\n{entry.summary}\n{entry.html}"
            values["fingerprint"] = hashlib.sha256(state.encode("utf-8", "replace")).hexdigest()
        return cls(source=source, source_index=source_index, **values)


@dataclass(frozen=True, slots=True)
class SourceResult:
    """The candidates of a source, or its error."""

    name: str
    candidates: tuple[Candidate, ...] = ()
    error: WebprintError | None = None


class Collector:
    """Reads the sources of a digest, and fetches pages, in threads."""

    def __init__(self, client: HttpClient, settings: Settings) -> None:
        self._client = client
        self._settings = settings
        self._lock = threading.Lock()
        self._slots: dict[str, threading.Semaphore] = defaultdict(
            lambda: threading.Semaphore(MAX_PER_HOST)
        )
        self._timeouts: dict[str, list[FetchTimeout]] = defaultdict(list)

    def collect(self, digest: Digest) -> list[SourceResult]:
        """Return the candidates of each source, in the order of the digest."""

        def collect_source(index: int) -> SourceResult:
            source = digest.source[index]
            fallback = source.name or source.location
            try:
                name, entries = self._entries(source, digest.query)
            except WebprintError as error:
                return SourceResult(fallback, error=error)
            candidates = (Candidate.of(entry, source, index, name) for entry in entries)
            return SourceResult(source.name or name or fallback, tuple(candidates))

        with ThreadPoolExecutor(MAX_CONNECTIONS) as pool:
            return list(pool.map(collect_source, range(len(digest.source))))

    def _entries(self, source: Source, query: str) -> tuple[str, Sequence[Entry]]:
        """Return the name that a source has for itself, and its entries."""
        match source.kind:
            case "feed":
                with self._host_slot(source.location):
                    feed = get_feed(self._client, source.location).feed
                first = {entry.url: entry for entry in reversed(feed.entries)}
                return feed.title, [entry for entry in feed.entries if first[entry.url] is entry]
            case "page":
                return "", [Entry(source.location)]
            case "mail":
                return "", read_mail_folder(Path(source.mail).expanduser())
            case "crawl":
                options = CrawlOptions(
                    query=query,
                    # The crawl also finds articles printed before.
                    articles=3 * (source.limit or DEFAULT_CRAWL_LIMIT),
                    pages=source.pages,
                    depth=source.depth,
                    delay=source.delay,
                )
                return "", crawl_entries(source.location, options, self._settings)
            case _:
                urls = read_urls(reading_list_path(self._settings, source.location))
                return "", [Entry(url) for url in urls]

    def fetch_pages(self, candidates: Sequence[Candidate]) -> Iterator[Capture | WebprintError]:
        """Yield the page or the error of each candidate, in order."""
        with ThreadPoolExecutor(MAX_CONNECTIONS) as pool:
            yield from pool.map(self._fetch_page, candidates)

    def _fetch_page(self, candidate: Candidate) -> Capture | WebprintError:
        if candidate.capture is not None:
            return candidate.capture
        timeouts = self._timeouts[host_of(candidate.url)]
        try:
            with self._host_slot(candidate.url):
                if len(timeouts) >= MAX_TIMEOUTS:
                    return timeouts[0]
                return self._client.get_page(candidate.url)
        except WebprintError as error:
            if isinstance(error, FetchTimeout):
                timeouts.append(error)
            return error

    @contextmanager
    def _host_slot(self, url: str) -> Iterator[None]:
        """Wait until the host of a URL has a connection to spare."""
        with self._lock:
            slot = self._slots[host_of(url)]
        with slot:
            yield
