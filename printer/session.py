"""What the pages of a run share: connections, the cache, the browser, pictures that were fetched.

Each is opened, and its libraries loaded, when it is first needed.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from .capture import Capture
from .options import FetchOptions, ImageOptions

if TYPE_CHECKING:
    from .fetch.browser.browser import Browser
    from .fetch.client import HttpClient
    from .images.size_probe import SizeProbe


class Session:
    """Holds what a run has opened, for any thread; ``browser`` shows ``at_once`` pages at once.

    ``given`` are files at hand by their address.
    """

    def __init__(
        self,
        fetch: FetchOptions,
        pictures: ImageOptions,
        named: tuple[str, ...],
        given: Mapping[str, bytes],
        at_once: int,
    ) -> None:
        self._fetch, self._pictures = fetch, pictures
        self._named, self._given, self._at_once = named, given, at_once
        self._lock = threading.RLock()
        self._open = ExitStack()
        self._web: HttpClient | None = None
        self._browser: Browser | None = None
        self._files: SizeProbe | None = None
        self._told: list[str] = []

    def close(self) -> None:
        """Close what was opened."""
        self._open.close()

    def warm(self) -> None:
        """Load WeasyPrint while pages are fetched; it has come to rest when all is closed.

        What reads the fonts looks at the environment, which a program may change afterwards.
        """
        from .render.weasy.engine import load_fonts

        thread = threading.Thread(target=load_fonts, daemon=True)
        thread.start()
        self._open.callback(thread.join)

    @property
    def web(self) -> HttpClient:
        """The connections, and the cache of answers."""
        with self._lock:
            if self._web is None:
                from .fetch.client import HttpClient

                self._web = self._open.enter_context(HttpClient(self._fetch, user_urls=self._named))
            return self._web

    @property
    def browser(self) -> Browser:
        """The browser, behind the same guard as the connections."""
        with self._lock:
            if self._browser is None:
                from .fetch.browser.browser import Browser

                browser = Browser(self._fetch, self.web.guard, pages=self._at_once)
                self._browser = self._open.enter_context(browser)
            return self._browser

    @property
    def files(self) -> SizeProbe:
        """The pictures that were fetched."""
        with self._lock:
            if self._files is None:
                from .images.size_probe import SizeProbe

                folder = _cache_folder if self._fetch.cache else None
                files = SizeProbe(self.get, self._pictures, folder, self._told)
                self._files = self._open.enter_context(files)
            return self._files

    def details(self) -> tuple[str, ...]:
        """Say what only those want to know who asked for more: how well a cache served."""
        return self._files.details() if self._files else ()

    def warnings(self) -> list[str]:
        """Return what was to be said of the connections and the caches since the last call."""
        told = [*self._told, *(self._web.warnings if self._web else ())]
        self._told.clear()
        if self._web:
            self._web.warnings.clear()
        return told

    def get(self, url: str, referer: str) -> Capture:
        """Return a picture's file: beside a saved page, at hand, or from the web."""
        if url.startswith("file:"):
            from .fetch.files import read_sibling

            return read_sibling(url, referer, self._fetch.max_bytes)
        if url in self._given:
            return Capture(self._given[url], url, url, method="browser")
        return self.web.get_resource(url, referer)


def _cache_folder() -> Path:
    from .fetch.cache import cache_folder

    return cache_folder()
