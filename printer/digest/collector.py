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
from .candidates import Find, Offer, of_entry
from .config import Digest, Source
from .sources.crawl import crawled
from .sources.discovery import get_feed
from .sources.feeds import addressed
from .sources.mail import mails
from .sources.reading_list import addresses

#: Connections at once, and of those to one host.
AT_ONCE, PER_HOST = 8, 2

#: A host that did not answer in time so often is not asked for further pages of this digest.
TIMEOUTS = 3


class Gatherer:
    """Gets feeds and pages side by side; ``reading_list`` tells where one is."""

    def __init__(
        self, web: HttpClient, reading_list: Callable[[str], Path], settings: Settings
    ) -> None:
        self._web = web
        self._settings = settings
        self._reading_list = reading_list
        self._hosts: dict[str, threading.Semaphore] = defaultdict(
            lambda: threading.Semaphore(PER_HOST)
        )
        self._lock = threading.Lock()
        self._silent: dict[str, list[FetchTimeout]] = defaultdict(list)

    def offers(self, digest: Digest) -> list[Offer]:
        """Return what each source offers, in the order of the description."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            query = [digest.query] * len(digest.source)
            return list(pool.map(self._offer, digest.source, range(len(digest.source)), query))

    def _offer(self, source: Source, place: int, query: str) -> Offer:
        try:
            name, finds = self._ask(source, place, query)
        except WebprintError as error:
            return Offer(source, error=error, name=source.name or source.where)
        return Offer(source, tuple(finds), name=name or source.name or source.where)

    def _ask(self, source: Source, place: int, query: str) -> tuple[str, Iterable[Find]]:
        match source.kind:
            case "feed":
                with self._turn(source.where):
                    feed = get_feed(self._web, source.where).feed
                found = (of_entry(e, source, place, feed.title) for e in addressed(feed.entries))
                return source.name or feed.title, found
            case "page":
                return source.name, [Find(source.where, source, place, source.name)]
            case "mail":
                return source.name, mails(source, place)
            case "crawl":
                return source.name, crawled(source, place, query, self._settings)
            case _:
                urls = addresses(self._reading_list(source.where))
                return source.name, [Find(url, source, place, source.name) for url in urls]

    def pages(self, finds: Sequence[Find]) -> Iterator[Capture | WebprintError]:
        """Yield the page of each, or why it cannot be had."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(self._page, finds)

    def _page(self, find: Find) -> Capture | WebprintError:
        if find.capture is not None:
            return find.capture
        host = _host(find.url)
        try:
            with self._turn(find.url):
                if len(self._silent[host]) >= TIMEOUTS:
                    return self._silent[host][0]
                return self._web.get_page(find.url)
        except FetchTimeout as error:
            self._silent[host].append(error)
            return error
        except WebprintError as error:
            return error

    @contextmanager
    def _turn(self, url: str) -> Iterator[None]:
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
