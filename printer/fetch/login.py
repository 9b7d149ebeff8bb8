"""Signing in: a browser a person can see, and the state it leaves."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import FetchError
from ..options import FetchOptions
from .guard import Guard
from .identity import identify
from .loop import Loop
from .proxy import Proxy
from .running import Running
from .tab import cookie_params
from .unshown import explained
from .urls import normalise

if TYPE_CHECKING:
    from playwright.async_api import Page, Request

#: Signs in on the page that is shown, and returns when that is done.
Person: TypeAlias = Callable[["Page"], Awaitable[None]]

_START_SECONDS = 60.0
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
        return loop.run(_signed_in(normalise(url), options, guard, person, visible))
    finally:
        loop.stop()


async def _signed_in(
    url: str, options: FetchOptions, guard: Guard, person: Person, visible: bool
) -> Any:
    from playwright.async_api import Error as PlaywrightError

    identity = identify(options, guard.named)
    running = await Running.start(time.monotonic() + _START_SECONDS, visible=visible)
    try:
        with Proxy(guard, connect_timeout=options.connect_timeout, max_bytes=_TRAFFIC) as proxy:
            stored: Any = {"cookies": [], "origins": list(identity.stored)}
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
                await running.while_alive(person(page))
                return await context.storage_state()
            except (PlaywrightError, FetchError) as error:
                raise explained(error, url, ways[-1], proxy) from error
    finally:
        await running.close()
