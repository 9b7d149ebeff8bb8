"""The session: the HTTP client, the browser and the downloaded pictures that prints share.

Modules that wait or are slow to import are imported when a resource is first used.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from .capture import Capture, PageSource
from .files import Closing
from .options import FetchOptions, ImageOptions

if TYPE_CHECKING:
    from .fetch.browser.browser import Browser
    from .fetch.client import HttpClient
    from .images.size_probe import SizeProbe


class Session(Closing):
    """Open each resource, and import its libraries, when it is first used; safe between threads.

    Args:
        fetch: how pages are fetched.
        images: the limits of pictures.
        user_urls: the URLs that the user asked for.  Their origins may be at private addresses,
            and only they receive the user's headers.
        files: resources already available, by URL, such as pictures sent with a page.
        concurrency: the number of pages that are read at a time.
    """

    def __init__(
        self,
        fetch: FetchOptions | None = None,
        images: ImageOptions | None = None,
        *,
        user_urls: Sequence[str] = (),
        files: Mapping[str, bytes] | None = None,
        concurrency: int = 3,
    ) -> None:
        self.concurrency = concurrency
        self._fetch, self._images = fetch or FetchOptions(), images or ImageOptions()
        self._user_urls, self._files = tuple(user_urls), files or {}
        self._lock = threading.RLock()
        self._resources = ExitStack()
        self._client: HttpClient | None = None
        self._browser: Browser | None = None
        self._downloads: SizeProbe | None = None
        self._warnings: list[str] = []

    def close(self) -> None:
        self._resources.close()

    @property
    def client(self) -> HttpClient:
        """The HTTP client with its cache."""
        with self._lock:
            if self._client is None:
                from .fetch.client import HttpClient

                client = HttpClient(self._fetch, user_urls=self._user_urls)
                self._client = self._resources.enter_context(client)
            return self._client

    @property
    def browser(self) -> Browser:
        """The browser, behind the same address guard as the client."""
        with self._lock:
            if self._browser is None:
                from .fetch.browser.browser import Browser

                browser = Browser(self._fetch, self.client.guard, pages=self.concurrency)
                self._browser = self._resources.enter_context(browser)
            return self._browser

    @property
    def downloads(self) -> SizeProbe:
        """The pictures downloaded in this run."""
        with self._lock:
            if self._downloads is None:
                from .images.size_probe import SizeProbe

                folder = _cache_folder if self._fetch.cache else None
                downloads = SizeProbe(self.get_resource, self._images, folder, self._warnings)
                self._downloads = self._resources.enter_context(downloads)
            return self._downloads

    def get_resource(self, url: str, referer: str) -> Capture:
        """Return a resource of the page at ``referer``; raise :class:`FetchError`."""
        if url.startswith("file:"):
            from .fetch.files import read_sibling

            return read_sibling(url, referer, self._fetch.max_bytes)
        if url in self._files:
            return Capture(self._files[url], PageSource(url, url, method="browser"))
        return self.client.get_resource(url, referer)

    def take_warnings(self) -> list[str]:
        """Return and clear the warnings collected so far."""
        with self._lock:
            shared = (self._client, self._browser)
            sources = [self._warnings, *(resource.warnings for resource in shared if resource)]
            # Other threads may add warnings meanwhile: only those that are returned are removed.
            return [source.pop(0) for source in sources for _ in range(len(source))]


def _cache_folder() -> Path:
    from .fetch.cache import cache_folder  # imports hishel: only when a picture is looked up

    return cache_folder()
