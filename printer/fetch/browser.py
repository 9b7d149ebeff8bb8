"""Pages as a browser shows them: after their scripts have run."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from ..errors import FetchError, UsageError
from ..model import Capture
from ..options import FetchOptions
from .guard import Guard
from .identity import identify
from .loop import Loop
from .proxy import Proxy
from .running import Died, Running
from .unshown import explained, late
from .urls import normalise
from .view import WINDOW, View, cookie_params

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext

_GRACE_SECONDS = 3.0  # To end a browser that hangs.
_LEAVE_SECONDS = 2.0  # To close a page; a browser that cannot is replaced.
_TRAFFIC = 10  # A page may load so many times the size limit of one answer.
#: A browser is replaced when it has shown so many pages, or holds so many bytes.
MOST_SHOWN, MOST_BYTES = 200, 1_500_000_000
_WEIGHED = 5  # Its memory is looked at after so many pages.


class Browser:
    """Captures pages with Chromium, from any thread, ``pages`` at once; started when first needed.

    Everything Chromium sends goes through ``guard`` (see :mod:`.proxy`).  A page that hangs or
    crashes costs itself alone; a browser that dies is started anew and what it was showing shown
    again.  After ``most_shown`` pages, or above ``most_bytes`` of memory, it is replaced.  Raises
    :class:`MissingLibrary` when no Chromium can be started.
    """

    def __init__(
        self,
        options: FetchOptions,
        guard: Guard,
        *,
        pages: int = 1,
        most_shown: int = MOST_SHOWN,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.options = options
        self._guard = guard
        self._identity = identify(options, guard.named)
        self._stored: list[Any] = list(self._identity.stored)
        self._most_shown, self._most_bytes = most_shown, most_bytes
        self._loop: Loop | None = None
        self._opening = threading.Lock()
        self._turns = asyncio.Semaphore(pages)
        self._starting = asyncio.Lock()
        self._running: Running | None = None
        self._open: set[Running] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser."""
        loop, self._loop = self._loop, None
        if loop is not None:
            with suppress(TimeoutError):
                loop.run(self._close(), _GRACE_SECONDS)
            loop.stop()

    def capture(self, url: str, *, picture: bool = False) -> Capture:
        """Return the page at ``url`` after its scripts have run, as HTML in UTF-8, with its layout.

        With ``picture`` it has a screenshot as well, layers over the page left out.  Ends within
        ``options.timeout`` from when its turn has come.
        """
        url = normalise(url)
        with self._opening:
            if self._loop is None:
                self._loop = Loop("webprint-browser")
            loop = self._loop
        return loop.run(self._in_turn(url, picture))

    @property
    def memory(self) -> int:
        """The bytes of memory that the browser holds for itself now."""
        return self._running.chromium.memory() if self._running else 0

    async def _in_turn(self, url: str, picture: bool) -> Capture:
        async with self._turns:
            return await self._captured(url, time.monotonic() + self.options.timeout, picture)

    async def _captured(self, url: str, deadline: float, picture: bool) -> Capture:
        """Capture a page, once more if the browser died under it."""
        for again in (True, False):
            running = await self._lease(deadline)
            try:
                return await self._shown(running, url, deadline, picture)
            except Died:
                if not again or time.monotonic() >= deadline:
                    raise
            finally:
                await self._give_back(running)
        raise AssertionError("the second attempt returns or raises")

    async def _shown(self, running: Running, url: str, deadline: float, picture: bool) -> Capture:
        from playwright.async_api import Error as PlaywrightError
        from playwright.async_api import TimeoutError as PlaywrightTimeout

        options = self.options
        view = View(options, self._identity, deadline, picture=picture)
        most = _TRAFFIC * options.max_bytes
        with Proxy(self._guard, connect_timeout=options.connect_timeout, max_bytes=most) as proxy:
            try:
                left = max(deadline - time.monotonic(), 0.001)
                viewing = running.while_alive(self._viewed(running, proxy, view, url))
                capture = await asyncio.wait_for(viewing, left)
            except Died as error:
                error.url = url
                raise
            except (TimeoutError, PlaywrightTimeout):
                raise late(url, options.timeout) from None
            except (PlaywrightError, FetchError) as error:
                if time.monotonic() >= deadline:
                    raise late(url, options.timeout) from error
                raise explained(error, url, view.target, proxy) from error
            if proxy.overspent:
                raise explained(proxy.overspent, url, url, proxy)
            return capture

    async def _viewed(self, running: Running, proxy: Proxy, view: View, url: str) -> Capture:
        own = self._identity.user_agent.partition(" ")[0]
        context = await running.driven.new_context(
            accept_downloads=False,
            proxy={"server": f"socks5://127.0.0.1:{proxy.port}", "bypass": "<-loopback>"},
            reduced_motion="reduce",
            service_workers="block",
            storage_state={"cookies": [], "origins": self._stored} if self._stored else None,
            user_agent=self.options.user_agent or f"{running.user_agent} {own}",
            viewport={"width": WINDOW[0], "height": WINDOW[1]},
        )
        try:
            await self._give_cookies(context)
            return await view.capture(context, url)
        finally:
            await _leave(running, context)

    async def _give_cookies(self, context: BrowserContext) -> None:
        from playwright.async_api import Error as PlaywrightError

        cookies = [cookie_params(cookie) for cookie in self._identity.cookies]
        try:
            if cookies:
                await context.add_cookies(cookies)
        except PlaywrightError as error:
            raise UsageError(
                "the browser does not take a cookie of"
                f" {self.options.cookies or self.options.storage_state}"
            ) from error

    async def _lease(self, deadline: float) -> Running:
        """Return a browser that a page may be shown in, started if need be."""
        async with self._starting:
            running = self._running
            if running is None or not running.fit or running.shown >= self._most_shown:
                self._running = None
                if running is not None:
                    running.retired = True
                    await self._end_idle(running)
                running = self._running = await Running.start(deadline)
                self._open.add(running)
            running.busy += 1
            running.shown += 1
            return running

    async def _give_back(self, running: Running) -> None:
        running.busy -= 1
        if running.shown % _WEIGHED == 0:
            held = await asyncio.to_thread(running.chromium.memory)
            running.retired |= held > self._most_bytes
        await self._end_idle(running)

    async def _end_idle(self, running: Running) -> None:
        """End a browser that gets no more pages and shows none."""
        if not running.fit and not running.busy:
            self._open.discard(running)
            await running.close()

    async def _close(self) -> None:
        self._running = None
        await asyncio.gather(*(running.close() for running in self._open))
        self._open.clear()


async def _leave(running: Running, context: BrowserContext) -> None:
    """Close a page and all it keeps; a browser that cannot is given no more of them."""
    from playwright.async_api import Error as PlaywrightError

    try:
        with suppress(PlaywrightError):
            await asyncio.wait_for(asyncio.shield(context.close()), _LEAVE_SECONDS)
    except TimeoutError:
        running.retired = True
