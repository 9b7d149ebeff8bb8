"""A browser that runs: Chromium, what drives it, and how it fares."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Awaitable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import FetchTimeout, MissingLibrary
from .chromium import Chromium, Died

if TYPE_CHECKING:
    from playwright.async_api import Browser as Driven
    from playwright.async_api import Playwright

_CLOSE_SECONDS = 2.0
_NEWS_SECONDS = 0.5

T = TypeVar("T")


class Running:
    """A Chromium that was started, and how many pages it shows and has shown.

    ``retired`` says that it is to get no more pages; whoever gives back the last one closes it.
    """

    def __init__(self, chromium: Chromium, playwright: Playwright, driven: Driven) -> None:
        self.chromium = chromium
        self.driven = driven
        self.user_agent = ""
        self.retired = False
        self.busy = 0
        self.shown = 0
        self.gone = asyncio.Event()
        self._closed = False
        self._playwright = playwright
        driven.on("disconnected", lambda _: self.gone.set())

    @classmethod
    async def start(cls, deadline: float, *, visible: bool = False) -> Running:
        """Start a browser.

        Raises :class:`MissingLibrary`, :class:`FetchTimeout`, or :class:`Died` when it could start
        and was ended by somebody.
        """
        from playwright.async_api import Error as PlaywrightError
        from playwright.async_api import TimeoutError as PlaywrightTimeout
        from playwright.async_api import async_playwright

        launching = asyncio.to_thread(Chromium, deadline - time.monotonic(), visible=visible)
        driving = asyncio.create_task(async_playwright().start())
        try:
            chromium = await launching
        except BaseException:
            await _end_driver(driving)
            raise
        try:
            playwright = await _started(driving, deadline)
            try:
                left = max(deadline - time.monotonic(), 0.001) * 1000
                driven = await playwright.chromium.connect_over_cdp(
                    chromium.endpoint, timeout=left, is_local=True
                )
                running = cls(chromium, playwright, driven)
                session = await driven.new_browser_cdp_session()
                running.user_agent = (await session.send("Browser.getVersion"))["userAgent"]
            except BaseException as error:
                with suppress(Exception):  # What drives it may be what ended.
                    await playwright.stop()
                if isinstance(error, PlaywrightError) and not isinstance(error, PlaywrightTimeout):
                    raise Died("the browser ended as it started") from error
                raise
        except BaseException:
            await asyncio.to_thread(chromium.close)
            raise
        return running

    @property
    def fit(self) -> bool:
        """Whether another page may be shown in it."""
        return not self.retired and self.alive

    @property
    def alive(self) -> bool:
        """Whether it still answers."""
        return not (self._closed or self.gone.is_set()) and self.driven.is_connected()

    async def while_alive(self, work: Awaitable[T]) -> T:
        """Return what some work with the browser returns; raises :class:`Died` if it dies before.

        What the work raises is looked at again after a moment, as it may be of that.
        """
        working, ending = asyncio.ensure_future(work), asyncio.ensure_future(self.gone.wait())
        both: tuple[asyncio.Future[Any], ...] = (working, ending)
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if working.done() and working.exception() and "closed" in str(working.exception()):
                await asyncio.wait((ending,), timeout=_NEWS_SECONDS)
            if ending.done() and not (working.done() and not working.exception()):
                raise Died("the browser ended of itself")
            return await working
        finally:
            working.cancel()
            ending.cancel()
            await asyncio.gather(working, ending, return_exceptions=True)

    async def close(self) -> None:
        """End the browser and what drives it."""
        if self._closed:
            return
        self.retired = self._closed = True
        self.chromium.kill()
        with suppress(Exception):  # What drives it may have died with it.
            await asyncio.wait_for(self._playwright.stop(), _CLOSE_SECONDS)
        await asyncio.to_thread(self.chromium.close)


async def _started(driving: asyncio.Task[Playwright], deadline: float) -> Playwright:
    try:
        return await asyncio.wait_for(driving, max(deadline - time.monotonic(), 0.001))
    except TimeoutError:
        raise FetchTimeout(
            "the browser did not start in time", hint="Allow more with --timeout"
        ) from None
    except Exception as error:  # Its driver's failure to start has no type of its own.
        if await asyncio.to_thread(_drives):
            raise Died("what drives the browser ended as it started") from error
        raise MissingLibrary(
            "what drives the browser cannot start",
            hint="On Debian or Ubuntu: apt install libatomic1",
        ) from error


def _drives() -> bool:
    """Tell whether what drives browsers runs here: if it did not, somebody ended it."""
    from playwright._impl._driver import compute_driver_executable

    with suppress(Exception):
        program, _ = compute_driver_executable()
        command = [program, "--version"]
        return subprocess.run(command, capture_output=True, timeout=10).returncode == 0  # noqa: S603
    return False


async def _end_driver(driving: asyncio.Task[Playwright]) -> None:
    with suppress(Exception):
        await (await asyncio.wait_for(driving, _CLOSE_SECONDS)).stop()
