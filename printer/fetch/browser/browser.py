"""The browser: capture pages after their scripts have run."""

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
from .capture import PageCapture, Tab
from .errors import BrowserDied, page_timeout, translate
from .network import ResourceCache
from .process import NO_SANDBOX, BrowserProcess, EventLoop, runs_unsandboxed

_CLOSE_SECONDS = 3.0
_OPENING_SECONDS = 2.0  # for closing a tab that is still being opened
_PREOPEN_AFTER = 2  # pages, after which tabs are opened in advance
#: The pages, and the bytes of memory, after which a browser is replaced.
MAX_PAGES, MAX_BYTES = 200, 1_500_000_000
_MEMORY_CHECK_INTERVAL = 5  # pages


class Browser:
    """Capture pages with Chromium, from any thread; Chromium is started on first use.

    Up to ``pages`` are loaded at a time.  All traffic passes ``guard`` (see :mod:`..proxy`).  A
    page that hangs or crashes does not affect others; if the browser dies, it is restarted and
    loads the affected pages once more.  It is replaced after ``max_pages``, or above ``max_bytes``
    of memory.  ``warnings`` are what the user should know.
    """

    def __init__(
        self,
        options: FetchOptions,
        guard: Guard,
        *,
        pages: int = 1,
        max_pages: int = MAX_PAGES,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.options = options
        self.warnings: list[str] = []
        self._guard = guard
        self._credentials = load_credentials(options, guard.user_origins, guard.credentials)
        self._max_pages, self._max_bytes = max_pages, max_bytes
        self._cache = ResourceCache() if options.cache else None
        self._loop: EventLoop | None = None
        self._loop_lock = threading.Lock()
        self._closed = False
        self._slots = asyncio.Semaphore(pages)
        self._starting = asyncio.Lock()
        self._process: BrowserProcess | None = None
        self._processes: set[BrowserProcess] = set()
        self._spare_tabs: dict[BrowserProcess, asyncio.Task[Tab]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the browser."""
        with self._loop_lock:
            self._closed = True
            loop, self._loop = self._loop, None
        if loop is not None:
            with suppress(TimeoutError):
                loop.run(self._close(), _CLOSE_SECONDS)
            loop.stop()

    def capture(self, url: str, *, screenshot: bool = False) -> Capture:
        """Load a page, run its scripts, and return it as HTML in UTF-8 with its layout.

        Args:
            url: the address as a user writes it.
            screenshot: whether to take a picture of the page, without the layers over it.

        Raises:
            FetchError: the page cannot be loaded within ``options.timeout`` seconds.
            MissingLibrary: no Chromium can be started.
        """
        url = normalize_url(url)
        with self._loop_lock:
            if self._closed:  # A thread that reads ahead may not know yet.
                raise FetchError("the browser was closed", url=url)
            if self._loop is None:
                self._loop = EventLoop("webprint-browser")
            loop = self._loop
        return loop.run(self._capture(url, screenshot))

    @property
    def memory(self) -> int:
        """The private memory that the browser uses now, in bytes."""
        return self._process.memory() if self._process else 0

    async def _capture(self, url: str, screenshot: bool) -> Capture:
        """Capture a page, once more if the browser or its tab died."""
        async with self._slots:
            deadline = time.monotonic() + self.options.timeout
            for last_attempt in (False, True):
                try:
                    process = await self._acquire(deadline)
                    try:
                        return await self._load(process, url, deadline, screenshot)
                    finally:
                        await self._release(process)
                except FetchError as error:
                    if last_attempt or not error.process_died or time.monotonic() >= deadline:
                        raise
        raise AssertionError("the second attempt returns or raises")

    async def _load(
        self, process: BrowserProcess, url: str, deadline: float, screenshot: bool
    ) -> Capture:
        from playwright.async_api import Error as PlaywrightError
        from playwright.async_api import TimeoutError as PlaywrightTimeout

        opening = self._take_tab(process)

        async def load() -> Capture:
            tab = await asyncio.shield(opening)
            await tab.requests.begin(url)
            return await PageCapture(tab, self.options, deadline, screenshot=screenshot).run(url)

        try:
            left = max(deadline - time.monotonic(), 0.001)
            capture = await asyncio.wait_for(process.while_alive(load()), left)
            tab = opening.result()
        except BrowserDied as error:
            error.url = url
            raise
        except (TimeoutError, PlaywrightTimeout):
            raise page_timeout(url, self.options.timeout) from None
        except (PlaywrightError, FetchError) as error:
            if time.monotonic() >= deadline:
                raise page_timeout(url, self.options.timeout) from error
            opened = _result(opening)
            target, proxy = (opened.requests.target, opened.proxy) if opened else ("", None)
            raise translate(error, url, target, proxy) from error
        finally:
            process.users += 1
            self._in_background(self._close_tab(process, opening))
        if tab.proxy.overspent:
            raise translate(tab.proxy.overspent, url, url, tab.proxy)
        return capture

    def _take_tab(self, process: BrowserProcess) -> asyncio.Task[Tab]:
        spare = self._spare_tabs.pop(process, None)
        if spare is not None:
            if not spare.done() or ((tab := _result(spare)) and not tab.crashed.is_set()):
                return spare
            process.users += 1
            self._in_background(self._close_tab(process, spare))
        return self._open_tab(process)

    def _open_tab(self, process: BrowserProcess) -> asyncio.Task[Tab]:
        opening = Tab.open(process, self._guard, self._credentials, self.options, self._cache)
        task = asyncio.create_task(opening)
        task.add_done_callback(_result)  # retrieves an exception that may have no other reader
        return task

    async def _close_tab(self, process: BrowserProcess, opening: asyncio.Task[Tab]) -> None:
        """Close a tab; retire a browser that cannot do so."""
        from playwright.async_api import Error as PlaywrightError

        try:
            tab = await asyncio.wait_for(asyncio.shield(opening), _OPENING_SECONDS)
            if not await tab.close():
                process.retired = True
        except TimeoutError:
            process.retired = True
        except (PlaywrightError, WebprintError):  # already raised to the opener
            return
        finally:
            if opened := _result(opening):
                opened.proxy.close()
            process.users -= 1
            await self._end_idle(process)

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _acquire(self, deadline: float) -> BrowserProcess:
        """Return a browser to load a page in, started if need be."""
        async with self._starting:
            if self._closed:
                raise FetchError("the browser was closed")
            process = self._process
            if process is None or not process.usable or process.pages_loaded >= self._max_pages:
                self._process = None
                if process is not None:
                    process.retired = True
                    await self._end_idle(process)
                process = self._process = await BrowserProcess.start(deadline)
                self._processes.add(process)
                if runs_unsandboxed() and NO_SANDBOX not in self.warnings:
                    self.warnings.append(NO_SANDBOX)
            process.users += 1
            process.pages_loaded += 1
            return process

    async def _release(self, process: BrowserProcess) -> None:
        process.users -= 1
        if process.pages_loaded % _MEMORY_CHECK_INTERVAL == 0:
            memory = await asyncio.to_thread(process.memory)
            process.retired |= memory > self._max_bytes
        more = process is self._process and _PREOPEN_AFTER <= process.pages_loaded < self._max_pages
        if more and process.usable and process not in self._spare_tabs:
            self._spare_tabs[process] = self._open_tab(process)
        await self._end_idle(process)

    async def _end_idle(self, process: BrowserProcess) -> None:
        if not process.usable and not process.users:
            self._processes.discard(process)
            await self._end(process)

    async def _end(self, process: BrowserProcess) -> None:
        await process.close()
        spare = self._spare_tabs.pop(process, None)
        if spare is not None:
            await asyncio.gather(spare, return_exceptions=True)
            if tab := _result(spare):
                await tab.close()

    async def _close(self) -> None:
        async with self._starting:  # The driver of a start that is cancelled would run on.
            self._process = None
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        ending = [self._end(process) for process in self._processes]
        await asyncio.gather(*ending, *tasks, return_exceptions=True)
        self._processes.clear()


def _result(opening: asyncio.Task[Tab]) -> Tab | None:
    """Return the tab, None if it was not opened."""
    done = opening.done() and not opening.cancelled() and not opening.exception()
    return opening.result() if done else None
