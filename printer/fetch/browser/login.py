"""Signing in: a browser a person can see, and the state it leaves."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from ...errors import FetchError
from ...options import FetchOptions
from ...urls import normalize_url
from ..credentials import load_credentials
from ..proxy import Proxy
from ..ssrf import Guard
from .capture import cookie_params
from .errors import explained
from .process import Loop, Running

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page, Request

#: Signs in on the page that is shown, and returns when that is done.
Person: TypeAlias = Callable[["Page"], Awaitable[None]]

_START_SECONDS = 60.0
_NOTED_SECONDS = 0.3
_LAST_SECONDS = 5.0
#: What the page's site stored, as Playwright writes it.
_STORED = """() => JSON.stringify({origin: location.origin,
    localStorage: Object.entries(localStorage).map(([name, value]) => ({name, value}))})"""
_TRAFFIC = 2_000_000_000


def at_the_keyboard(wait: Callable[[], object]) -> Person:
    """Return the person in front of this machine: done when ``wait`` returns or the page closes."""

    async def person(page: Page) -> None:
        loop = asyncio.get_running_loop()
        done = asyncio.Event()
        page.once("close", lambda _: done.set())

        def waited() -> None:
            with suppress(EOFError, RuntimeError):
                wait()
                loop.call_soon_threadsafe(done.set)

        threading.Thread(target=waited, daemon=True).start()
        await done.wait()

    return person


def sign_in(
    url: str, options: FetchOptions, guard: Guard, person: Person, *, visible: bool = True
) -> Any:
    """Show the page at ``url`` to a person, and return the browser's state when that is done.

    What the browser sends goes through ``guard``.  Raises :class:`FetchError` when the page cannot
    be shown, :class:`MissingLibrary` without a browser that can show itself.
    """
    loop = Loop("webprint-login")
    try:
        return loop.run(_signed_in(normalize_url(url), options, guard, person, visible))
    finally:
        loop.stop()


class _Noted:
    """The state of a context, noted again and again: the browser may be ended at any moment."""

    def __init__(self, context: BrowserContext, stored: Iterable[dict[str, Any]]) -> None:
        self._context = context
        self._cookies: list[Any] = []
        self._stored = {each["origin"]: each["localStorage"] for each in stored}

    async def until(self, running: Running, work: Awaitable[None]) -> Any:
        """Return the state as it is when some work is done or the browser is ended."""
        done = asyncio.ensure_future(work)
        gone = asyncio.ensure_future(running.gone.wait())
        # Apart, since a page that is slow to answer would hold up the cookies.
        noting = [asyncio.ensure_future(_again(n)) for n in (self._note_cookies, self._note_stored)]
        try:
            await asyncio.wait((done, gone), return_when=asyncio.FIRST_COMPLETED)
            if done.done():
                await done
            return await self._state()
        finally:
            for task in (done, gone, *noting):
                task.cancel()
            await asyncio.gather(done, gone, *noting, return_exceptions=True)

    async def _state(self) -> Any:
        """Return what the browser says, else what was noted."""
        from playwright.async_api import Error as PlaywrightError

        # Asked for first: what was stored is read in one more page, which may be closed too.
        await self._note_cookies()
        try:
            return await asyncio.wait_for(self._context.storage_state(), _LAST_SECONDS)
        except (PlaywrightError, TimeoutError):
            stored = [{"origin": o, "localStorage": kept} for o, kept in self._stored.items()]
            return {"cookies": self._cookies, "origins": stored}

    async def _note_cookies(self) -> None:
        from playwright.async_api import Error as PlaywrightError

        with suppress(PlaywrightError, TimeoutError):  # It may have ended.
            self._cookies = await asyncio.wait_for(self._context.cookies(), _LAST_SECONDS)

    async def _note_stored(self) -> None:
        from playwright.async_api import Error as PlaywrightError

        for page in self._context.pages:
            # A page that is just going elsewhere is noted the next time.
            with suppress(PlaywrightError, TimeoutError, ValueError):
                told = json.loads(await asyncio.wait_for(page.evaluate(_STORED), _LAST_SECONDS))
                if told["origin"].startswith("http") and told["localStorage"]:
                    self._stored[told["origin"]] = told["localStorage"]


async def _again(note: Callable[[], Awaitable[None]]) -> None:
    while True:
        await note()
        await asyncio.sleep(_NOTED_SECONDS)


async def _signed_in(
    url: str, options: FetchOptions, guard: Guard, person: Person, visible: bool
) -> Any:
    from playwright.async_api import Error as PlaywrightError

    identity = load_credentials(options, guard.user_origins)
    running = await Running.start(time.monotonic() + _START_SECONDS, visible=visible)
    try:
        with Proxy(guard, connect_timeout=options.connect_timeout, max_bytes=_TRAFFIC) as proxy:
            stored: Any = {"cookies": [], "origins": list(identity.storage)}
            context = await running.driven.new_context(
                no_viewport=visible,
                proxy={"server": f"socks5://127.0.0.1:{proxy.port}", "bypass": "<-loopback>"},
                user_agent=options.user_agent or running.user_agent,
                storage_state=stored,
            )
            await context.add_cookies([cookie_params(cookie) for cookie in identity.cookies])
            page = await context.new_page()
            ways = [url]

            def asked(request: Request) -> None:
                if request.is_navigation_request():
                    ways.append(request.url)

            page.on("request", asked)
            try:
                await page.goto(url, timeout=options.timeout * 1000)
                noted = _Noted(context, identity.storage)
                return await noted.until(running, person(page))
            except (PlaywrightError, FetchError) as error:
                raise explained(error, url, ways[-1], proxy) from error
    finally:
        await running.close()
