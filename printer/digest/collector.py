"""Asking the sources, several at once and no host too often; one that fails costs itself alone."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from ..capture import Capture
from ..errors import FetchTimeout, WebprintError
from ..fetch.client import HttpClient
from ..settings import Settings
from .candidates import Candidate, SourceResult, candidate_from_entry
from .config import Digest, Source
from .sources.crawl import crawl_source
from .sources.discovery import get_feed
from .sources.feeds import unique_entries
from .sources.mail import read_mail_folder
from .sources.reading_list import read_urls

#: Connections at once, and of those to one host.
MAX_CONNECTIONS, MAX_PER_HOST = 8, 2

#: A host that did not answer in time so often is not asked for further pages of this digest.
MAX_TIMEOUTS = 3


class Collector:
    """Gets feeds and pages side by side; ``reading_list`` tells where one is."""

    def __init__(
        self, web: HttpClient, reading_list: Callable[[str], Path], settings: Settings
    ) -> None:
        self._web = web
        self._settings = settings
        self._reading_list = reading_list
        self._hosts: dict[str, threading.Semaphore] = defaultdict(
            lambda: threading.Semaphore(MAX_PER_HOST)
        )
        self._lock = threading.Lock()
        self._timeouts: dict[str, list[FetchTimeout]] = defaultdict(list)

    def collect(self, digest: Digest) -> list[SourceResult]:
        """Return what each source offers, in the order of the description."""
        with ThreadPoolExecutor(MAX_CONNECTIONS) as pool:
            query = [digest.query] * len(digest.source)
            return list(
                pool.map(self._collect_source, digest.source, range(len(digest.source)), query)
            )

    def _collect_source(self, source: Source, place: int, query: str) -> SourceResult:
        try:
            name, finds = self._entries(source, place, query)
        except WebprintError as error:
            return SourceResult(source, error=error, name=source.name or source.location)
        return SourceResult(source, tuple(finds), name=name or source.name or source.location)

    def _entries(self, source: Source, place: int, query: str) -> tuple[str, Iterable[Candidate]]:
        match source.kind:
            case "feed":
                with self._host_slot(source.location):
                    feed = get_feed(self._web, source.location).feed
                found = (
                    candidate_from_entry(e, source, place, feed.title)
                    for e in unique_entries(feed.entries)
                )
                return source.name or feed.title, found
            case "page":
                return source.name, [Candidate(source.location, source, place, source.name)]
            case "mail":
                return source.name, read_mail_folder(source, place)
            case "crawl":
                return source.name, crawl_source(source, place, query, self._settings)
            case _:
                urls = read_urls(self._reading_list(source.location))
                return source.name, [Candidate(url, source, place, source.name) for url in urls]

    def fetch_pages(self, candidates: Sequence[Candidate]) -> Iterator[Capture | WebprintError]:
        """Yield the page of each, or why it cannot be had."""
        with ThreadPoolExecutor(MAX_CONNECTIONS) as pool:
            yield from pool.map(self._fetch_page, candidates)

    def _fetch_page(self, candidate: Candidate) -> Capture | WebprintError:
        if candidate.capture is not None:
            return candidate.capture
        host = _host(candidate.url)
        try:
            with self._host_slot(candidate.url):
                if len(self._timeouts[host]) >= MAX_TIMEOUTS:
                    return self._timeouts[host][0]
                return self._web.get_page(candidate.url)
        except FetchTimeout as error:
            self._timeouts[host].append(error)
            return error
        except WebprintError as error:
            return error

    @contextmanager
    def _host_slot(self, url: str) -> Iterator[None]:
        """Wait until the host may be asked."""
        with self._lock:
            host = self._hosts[_host(url)]
        with host:
            yield


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
