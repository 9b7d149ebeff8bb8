"""Show a page to a person who signs in, and record the browser's state afterwards."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any, TypeAlias

from playwright.async_api import BrowserContext, Page, Request
from playwright.async_api import Error as PlaywrightError

from ...errors import BadURL, FetchError
from ...options import FetchOptions
from ...urls import is_http, normalize_url, origin_of
from ..credentials import load_credentials
from ..proxy import EventLoop, Proxy
from ..ssrf import Guard
from .browser import cookie_params
from .process import BrowserProcess, translate

#: Signs in on the page, and returns when done.
Person: TypeAlias = Callable[["Page"], Awaitable[None]]

_START_SECONDS = 60.0
_SNAPSHOT_SECONDS = 0.3
_PLAYWRIGHT_SECONDS = 5.0
#: A script that returns the local storage of the page's origin; a page may make it return anything.
_LOCAL_STORAGE = """() => JSON.stringify(
    Object.entries(localStorage).map(([name, value]) => ({name, value})))"""
_UNREADABLE = (ValueError, TypeError, RecursionError, BadURL)
_MAX_TRAFFIC = 2_000_000_000


def at_the_keyboard(wait: Callable[[], object]) -> Person:
    """Return the person at this machine, who is done when ``wait`` returns or the page closes."""

    async def person(page: Page) -> None:
        loop = asyncio.get_running_loop()
        finished = asyncio.Event()
        page.once("close", lambda _: finished.set())

        def wait_in_thread() -> None:
            with suppress(EOFError, RuntimeError):
                wait()
                loop.call_soon_threadsafe(finished.set)

        threading.Thread(target=wait_in_thread, daemon=True).start()
        await finished.wait()

    return person


def sign_in(
    url: str, options: FetchOptions, guard: Guard, person: Person, *, visible: bool = True
) -> Any:
    """Show a page to a person, and return the browser's state when they are done.

    All traffic passes ``guard``.  Raise :class:`FetchError` if the page cannot be loaded,
    :class:`MissingLibrary` if no browser can show a window.
    """
    loop = EventLoop("webprint-login")
    try:
        return loop.run(_sign_in(normalize_url(url), options, guard, person, visible))
    finally:
        loop.stop()


async def _sign_in(
    url: str, options: FetchOptions, guard: Guard, person: Person, visible: bool
) -> Any:
    credentials = load_credentials(options, guard.user_origins)
    deadline = time.monotonic() + _START_SECONDS
    process = await BrowserProcess.start(deadline, visible=visible)
    try:
        timeout = options.connect_timeout
        with Proxy(guard, connect_timeout=timeout, max_bytes=_MAX_TRAFFIC) as proxy:
            storage: Any = {"cookies": [], "origins": list(credentials.storage)}
            context = await process.browser.new_context(
                no_viewport=visible,
                proxy={"server": f"socks5://127.0.0.1:{proxy.port}", "bypass": "<-loopback>"},
                user_agent=options.user_agent or process.user_agent,
                storage_state=storage,
            )
            await context.add_cookies([cookie_params(cookie) for cookie in credentials.cookies])
            page = await context.new_page()
            target = url

            def on_request(request: Request) -> None:
                nonlocal target
                if request.is_navigation_request():
                    target = request.url

            page.on("request", on_request)
            try:
                await page.goto(url, timeout=options.timeout * 1000)
                recorder = _StateRecorder(context, credentials.storage)
                return await recorder.record(process, person(page))
            except (PlaywrightError, FetchError) as error:
                raise translate(error, url, target, proxy) from error
    finally:
        await process.close()


class _StateRecorder:
    """Records a context's state repeatedly, as the browser may be closed at any moment."""

    def __init__(self, context: BrowserContext, storage: Iterable[dict[str, Any]]) -> None:
        self._context = context
        self._cookies: list[Any] = []
        self._storage = {entry["origin"]: entry["localStorage"] for entry in storage}

    async def record(self, process: BrowserProcess, work: Awaitable[None]) -> Any:
        """Return the state once ``work`` is done or the browser is closed."""
        working = asyncio.ensure_future(work)
        disconnecting = asyncio.ensure_future(process.disconnected.wait())
        # Two tasks, so that a slow page does not delay the cookies.
        recording = [
            asyncio.ensure_future(_repeat(record))
            for record in (self._record_cookies, self._record_storage)
        ]
        try:
            await asyncio.wait((working, disconnecting), return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                await working
            return await self._state()
        finally:
            for task in (working, disconnecting, *recording):
                task.cancel()
            await asyncio.gather(working, disconnecting, *recording, return_exceptions=True)

    async def _state(self) -> Any:
        """Return the browser's state, or the last recorded one if it is closed."""
        # Cookies first: storage is read in another page, which may be closed, too.
        await self._record_cookies()
        try:
            return await asyncio.wait_for(self._context.storage_state(), _PLAYWRIGHT_SECONDS)
        except (PlaywrightError, TimeoutError):
            origins = [{"origin": o, "localStorage": items} for o, items in self._storage.items()]
            return {"cookies": self._cookies, "origins": origins}

    async def _record_cookies(self) -> None:
        with suppress(PlaywrightError, TimeoutError):  # The browser may be closed.
            self._cookies = await asyncio.wait_for(self._context.cookies(), _PLAYWRIGHT_SECONDS)

    async def _record_storage(self) -> None:
        for page in self._context.pages:
            # A page that is navigating is recorded next time.
            with suppress(PlaywrightError, TimeoutError, *_UNREADABLE):
                url, reading = page.url, page.evaluate(_LOCAL_STORAGE)
                items = json.loads(await asyncio.wait_for(reading, _PLAYWRIGHT_SECONDS))
                if items and is_http(url) and page.url == url:
                    self._storage[str(origin_of(url))] = items


async def _repeat(record: Callable[[], Awaitable[None]]) -> None:
    while True:
        await record()
        await asyncio.sleep(_SNAPSHOT_SECONDS)
