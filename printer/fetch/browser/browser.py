"""Pages as a browser shows them: after their scripts have run."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Self

from ...capture import Capture
from ...errors import FetchError, WebprintError
from ...options import FetchOptions
from ...urls import normalize_url
from ..credentials import load_credentials
from ..ssrf import Guard
from .capture import Tab, View
from .errors import explained, late
from .network import Shared
from .process import Died, Loop, Running

_GRACE_SECONDS = 3.0  # To end a browser that hangs.
_LEAVE_SECONDS = 2.0  # To leave a page that is still being opened.
_BATCH = 2  # Who has shown so many pages shows more: tabs are opened in advance.
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
        self._identity = load_credentials(options, guard.user_origins, guard.logins)
        self._most_shown, self._most_bytes = most_shown, most_bytes
        self._shared = Shared() if options.cache else None
        self._loop: Loop | None = None
        self._opening = threading.Lock()
        self._closed = False
        self._turns = asyncio.Semaphore(pages)
        self._starting = asyncio.Lock()
        self._running: Running | None = None
        self._open: set[Running] = set()
        self._ahead: dict[Running, asyncio.Task[Tab]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser."""
        with self._opening:
            self._closed = True
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
        url = normalize_url(url)
        with self._opening:
            if self._closed:  # A thread that reads ahead may not have heard of it.
                raise FetchError("the browser was closed", url=url)
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
        """Capture a page, once more if the browser or its tab died under it."""
        for again in (True, False):
            try:
                running = await self._lease(deadline)
                try:
                    return await self._shown(running, url, deadline, picture)
                finally:
                    await self._give_back(running)
            except FetchError as error:
                if not (error.process_died and again) or time.monotonic() >= deadline:
                    raise
        raise AssertionError("the second attempt returns or raises")

    async def _shown(self, running: Running, url: str, deadline: float, picture: bool) -> Capture:
        from playwright.async_api import Error as PlaywrightError
        from playwright.async_api import TimeoutError as PlaywrightTimeout

        opening = self._next_tab(running)
        try:
            left = max(deadline - time.monotonic(), 0.001)
            viewing = running.while_alive(self._viewed(opening, url, deadline, picture))
            capture = await asyncio.wait_for(viewing, left)
            tab = opening.result()
        except Died as error:
            error.url = url
            raise
        except (TimeoutError, PlaywrightTimeout):
            raise late(url, self.options.timeout) from None
        except (PlaywrightError, FetchError) as error:
            if time.monotonic() >= deadline:
                raise late(url, self.options.timeout) from error
            opened = _opened(opening)
            target, proxy = (opened.requests.target, opened.proxy) if opened else ("", None)
            raise explained(error, url, target, proxy) from error
        finally:
            running.busy += 1
            self._meanwhile(self._put_away(running, opening))
        if tab.proxy.overspent:
            raise explained(tab.proxy.overspent, url, url, tab.proxy)
        return capture

    async def _viewed(
        self, opening: asyncio.Task[Tab], url: str, deadline: float, picture: bool
    ) -> Capture:
        tab = await asyncio.shield(opening)
        await tab.requests.begin(url)
        return await View(tab, self.options, deadline, picture=picture).capture(url)

    def _next_tab(self, running: Running) -> asyncio.Task[Tab]:
        """Return the tab that was opened in advance, or one that is being opened."""
        ahead = self._ahead.pop(running, None)
        if ahead is not None:
            if not ahead.done() or ((tab := _opened(ahead)) and not tab.crashed.is_set()):
                return ahead
            running.busy += 1
            self._meanwhile(self._put_away(running, ahead))
        return self._open_tab(running)

    def _open_tab(self, running: Running) -> asyncio.Task[Tab]:
        opening = Tab.open(running, self._guard, self._identity, self.options, self._shared)
        task = asyncio.create_task(opening)
        task.add_done_callback(_opened)  # Whoever waits for it may have gone: not a word of that.
        return task

    async def _put_away(self, running: Running, opening: asyncio.Task[Tab]) -> None:
        """Close a tab and all it keeps; a browser that cannot is given no more of them."""
        from playwright.async_api import Error as PlaywrightError

        try:
            tab = await asyncio.wait_for(asyncio.shield(opening), _LEAVE_SECONDS)
            if not await tab.close():
                running.retired = True
        except TimeoutError:
            running.retired = True
        except (PlaywrightError, WebprintError):  # Told to whom it was opened for.
            return
        finally:
            if left := _opened(opening):
                left.proxy.close()
            running.busy -= 1
            await self._end_idle(running)

    def _meanwhile(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something be done while other pages are shown."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

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
        more = running is self._running and _BATCH <= running.shown < self._most_shown
        if more and running.fit and running not in self._ahead:
            self._ahead[running] = self._open_tab(running)
        await self._end_idle(running)

    async def _end_idle(self, running: Running) -> None:
        """End a browser that gets no more pages and shows none."""
        if not running.fit and not running.busy:
            self._open.discard(running)
            await self._end(running)

    async def _end(self, running: Running) -> None:
        await running.close()
        ahead = self._ahead.pop(running, None)
        if ahead is not None:
            await asyncio.gather(ahead, return_exceptions=True)
            if tab := _opened(ahead):
                await tab.close()

    async def _close(self) -> None:
        self._running = None
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*(self._end(running) for running in self._open), *tasks,
                             return_exceptions=True)  # fmt: skip
        self._open.clear()


def _opened(opening: asyncio.Task[Tab]) -> Tab | None:
    """Return a tab if it was opened."""
    done = opening.done() and not opening.cancelled() and not opening.exception()
    return opening.result() if done else None
