"""Pages as a browser shows them: after their scripts have run."""

from __future__ import annotations

import threading
import time
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Self

from ..errors import BadURL, FetchError, FetchTimeout, MissingLibrary, UsageError, WebprintError
from ..model import Capture
from ..options import FetchOptions
from .chromium import Chromium
from .guard import Guard
from .identity import identify
from .proxy import Proxy
from .urls import normalise, origin
from .view import PageGone, View, cookie_params
from .worker import Worker

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Driven
    from playwright.sync_api import BrowserContext

_GRACE_SECONDS = 3.0  # To end a browser that hangs.
_TRAFFIC = 10  # A page may load so many times the size limit of one answer.

#: Chromium's own words for what went wrong, and ours.
_NET_ERRORS = {
    "ERR_CERT_": "the server's certificate is not trusted",
    "ERR_SSL_": "no secure connection to the server",
    "ERR_CONNECTION_": "the connection to the server failed",
    "ERR_SOCKS_CONNECTION_": "the connection to the server failed",
    "ERR_EMPTY_RESPONSE": "the server hung up without an answer",
    "ERR_TOO_MANY_REDIRECTS": "the page redirects without end",
    "ERR_INVALID_RESPONSE": "the server's answer makes no sense",
    "ERR_INVALID_HTTP_RESPONSE": "the server's answer makes no sense",
    "ERR_RESPONSE_HEADERS_": "the server's answer makes no sense",
    "ERR_CONTENT_DECODING_": "the answer cannot be decompressed",
}
_BAD_TARGETS = ("ERR_UNSAFE_REDIRECT", "ERR_UNKNOWN_URL_SCHEME", "ERR_INVALID_URL", "ERR_FILE_")


class Browser:
    """Captures pages with Chromium, one at a time, from any thread; started when first needed.

    Everything Chromium sends goes through ``guard`` (see :mod:`.proxy`).  Raises
    :class:`MissingLibrary` when no Chromium can be started.
    """

    def __init__(self, options: FetchOptions, guard: Guard) -> None:
        self.options = options
        self._guard = guard
        self._identity = identify(options, guard.named)
        self._open = ExitStack()
        self._driven: Driven | None = None
        self._chromium: Chromium | None = None
        self._worker: Worker | None = None
        self._turn = threading.Lock()
        self._user_agent = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser."""
        if self._worker is not None:
            worker, self._worker = self._worker, None
            with suppress(FutureTimeout):
                worker.run(self._end, _GRACE_SECONDS)
            worker.stop()

    def capture(self, url: str) -> Capture:
        """Return the page at ``url`` after its scripts have run, as HTML in UTF-8.

        Ends within ``options.timeout``: a browser that hangs is ended, and started anew next time.
        """
        url = normalise(url)
        deadline = time.monotonic() + self.options.timeout
        with self._turn:
            if self._worker is None:
                self._worker = Worker("webprint-browser")
            left = max(deadline - time.monotonic(), 0)
            try:
                return self._worker.run(lambda: self._capture(url, deadline), left + _GRACE_SECONDS)
            except FutureTimeout:  # Even its end has not ended it: leave all of it behind.
                if self._chromium is not None:
                    self._chromium.kill()
                self._worker, self._driven, self._open = None, None, ExitStack()
                raise self._late(url) from None
            except WebprintError as error:
                error.url = error.url or url
                raise

    def _capture(self, url: str, deadline: float) -> Capture:
        from playwright.sync_api import Error as PlaywrightError

        view = View(self.options, self._identity, deadline)
        try:
            driven, chromium = self._ready(deadline)
            killer = threading.Timer(deadline - time.monotonic(), chromium.kill)
            killer.start()
            try:
                return self._captured(driven, url, view)
            finally:
                killer.cancel()
        except (PlaywrightError, PageGone) as error:
            explained = self._explained(error, url, view)
            if self._driven is None or not self._driven.is_connected():
                self._end()
            raise explained from error

    def _end(self) -> None:
        self._driven = self._chromium = None
        self._open.close()

    def _ready(self, deadline: float) -> tuple[Driven, Chromium]:
        """Return the running browser, started if need be."""
        if self._driven is not None and self._chromium is not None and self._driven.is_connected():
            self._proxy.begin()
            return self._driven, self._chromium
        self._end()
        from playwright.sync_api import sync_playwright

        options = self.options
        with ExitStack() as opening:
            traffic = options.max_bytes * _TRAFFIC
            proxy = Proxy(self._guard, connect_timeout=options.connect_timeout, max_bytes=traffic)
            self._proxy: Proxy = opening.enter_context(proxy)
            chromium = opening.enter_context(
                Chromium(self._proxy.port, deadline - time.monotonic())
            )
            self._chromium = chromium
            try:
                playwright = opening.enter_context(sync_playwright())
            except Exception as error:  # its driver's failure to start has no type of its own
                raise MissingLibrary(
                    "what drives the browser cannot start",
                    hint="On Debian or Ubuntu: apt install libatomic1",
                ) from error
            left = max(deadline - time.monotonic(), 0.001) * 1000
            driven = playwright.chromium.connect_over_cdp(chromium.endpoint, timeout=left)
            self._open = opening.pop_all()
        version = driven.new_browser_cdp_session().send("Browser.getVersion")
        own = self._identity.user_agent.partition(" ")[0]
        self._user_agent = options.user_agent or f"{version['userAgent']} {own}"
        self._driven = driven
        return driven, chromium

    def _captured(self, driven: Driven, url: str, view: View) -> Capture:
        from playwright.sync_api import Error as PlaywrightError

        context = driven.new_context(
            accept_downloads=False,
            reduced_motion="reduce",
            service_workers="block",
            user_agent=self._user_agent,
            viewport={"width": 1280, "height": 1024},
        )
        try:
            self._give_cookies(context)
            capture = view.capture(context, url)
        finally:
            with suppress(PlaywrightError):
                context.close()
        if self._proxy.overspent:
            raise self._proxy.overspent
        return capture

    def _give_cookies(self, context: BrowserContext) -> None:
        from playwright.sync_api import Error as PlaywrightError

        try:
            context.add_cookies([cookie_params(cookie) for cookie in self._identity.cookies])
        except PlaywrightError as error:
            raise UsageError(
                f"the browser does not take a cookie of {self.options.cookies}"
            ) from error

    def _explained(self, error: Exception, url: str, view: View) -> WebprintError:
        """Turn what Playwright raised into one line of ours."""
        from playwright.sync_api import TimeoutError as PlaywrightTimeout

        if isinstance(error, PlaywrightTimeout) or time.monotonic() >= view.deadline:
            return self._late(url)
        if self._proxy.overspent:
            return _about(self._proxy.overspent, url)
        failed = view.target or url
        if failed.startswith(("http:", "https:")):
            where = origin(failed)
            kept = self._proxy.failures.get((where.host, where.port))
            if kept:
                return _about(kept, failed)
        if isinstance(error, WebprintError):
            return error
        said = str(error).splitlines()[0]
        name = said.partition("net::")[2].split(" ")[0]
        if name.startswith(_BAD_TARGETS):
            return BadURL("the page leads to what is no web address", url=url)
        for start, message in _NET_ERRORS.items():
            if name.startswith(start):
                return FetchError(f"{message} ({name})", url=failed)
        return FetchError(f"the browser could not show the page: {name or said[:200]}", url=url)

    def _late(self, url: str) -> FetchTimeout:
        return FetchTimeout(
            f"the browser did not finish the page within {self.options.timeout:g} seconds",
            url=url,
            hint="Allow more with --timeout",
        )


def _about(error: FetchError, url: str) -> FetchError:
    error.url = error.url or url
    return error
