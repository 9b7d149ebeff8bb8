"""One page in the browser: loaded, left to calm down, made ready, read."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from ..capture import Capture
from ..errors import TooLarge
from ..options import FetchOptions
from .content_type import HTML, check_html, refusal
from .deadline import size
from .layout import MOST, read_layout
from .status import status_error
from .tab import WINDOW, Tab
from .unshown import PageGone, TabCrashed

if TYPE_CHECKING:
    from playwright.async_api import Page, Response

_SERIALISE = Path(__file__).with_name("serialise.js").read_text("utf-8")
_PREPARE = Path(__file__).with_name("prepare.js").read_text("utf-8")

#: Shares of the time limit: by when a page should have loaded, be calm, be ready.
_LOADED, _CALM, _READY = 0.6, 0.75, 0.85
_SCROLL_SECONDS = 1.5
#: Pictures of pages end at so many pixels from the top.
_TALLEST = 12_000


class Read(NamedTuple):
    """What the page's script told, and the attribute that its marks are in."""

    mark: str
    told: dict[str, Any]


class View:
    """A page on its way to a capture, in a tab.  ``deadline`` is the moment it must be done."""

    def __init__(
        self, tab: Tab, options: FetchOptions, deadline: float, *, picture: bool = False
    ) -> None:
        self._tab = tab
        self._requests = tab.requests
        self._options = options
        self._begun = deadline - options.timeout
        self._picture = picture

    async def capture(self, url: str) -> Capture:
        """Load the page, make it ready and read it; Playwright's errors come through."""
        reading = asyncio.create_task(self._captured(url))
        watching = asyncio.create_task(self._tab.crashed.wait())
        both: set[asyncio.Task[Any]] = {reading, watching}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if self._tab.crashed.is_set():
                raise TabCrashed("the page makes the browser crash", url=url)
            return await reading
        finally:
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)

    async def _captured(self, url: str) -> Capture:
        from playwright.async_api import Error as PlaywrightError
        from playwright.async_api import TimeoutError as PlaywrightTimeout

        page = self._tab.page
        try:
            await page.goto(url, wait_until="commit", timeout=self._left(1.0))
        except PlaywrightError as error:
            self._check_answer()  # A download, say: its headers tell more than the error.
            if self._requests.answer is None and "net::ERR_ABORTED" in str(error):
                raise TabCrashed("the browser broke off as it loaded the page", url=url) from error
            raise
        self._check_answer()
        with suppress(PlaywrightTimeout):  # What does not load is done without.
            await page.wait_for_load_state("load", timeout=self._left(_LOADED))
        capture = self._made(await self._read(), url)
        if self._picture:
            return replace(capture, screenshot=await self._taken(page, capture))
        return capture

    async def _taken(self, page: Page, capture: Capture) -> bytes:
        """Return a picture of the page from its top, without the layers over it."""
        await self._tab.world.ask(f"({_PREPARE}).bare()")
        width, height = WINDOW
        height = int(capture.layout.height) if capture.layout else height
        return await page.screenshot(
            full_page=True,
            clip={"x": 0, "y": 0, "width": width, "height": min(height, _TALLEST)},
            animations="disabled",
            timeout=self._left(1.0),
        )

    async def _read(self) -> Read:
        """Let the page come to rest, with all of its article laid open, and read it.

        A page that nothing stirs in is read at once: each word with it costs time.
        """
        ask, calm = self._tab.world.ask, self._requests.calm
        mark = f"data-{secrets.token_hex(6)}"
        read = f"{_SERIALISE}({self._options.max_bytes}, '{mark}', {MOST})"
        told = None
        if not self._requests.loading:
            told = await ask(
                f"""(async (page, budget) => page.stirs() ? "stirs"
                : await page.ready(budget) ? "woken" : {read})({_PREPARE}, {self._scrolling()})"""
            )
        woken = told == "woken"
        if not woken and not _is_read(told):  # It stirs, or went elsewhere meanwhile.
            await calm(self._left(_CALM) / 1000)
            woken = await ask(f"({_PREPARE}).ready({self._scrolling()})")
        if not _is_read(told):
            if woken or self._requests.loading:
                await calm(self._left(_READY) / 1000)
            told = await ask(read)
        self._check_answer()
        return Read(mark, json.loads(told) if _is_read(told) else {})

    def _scrolling(self) -> int:
        """Return the milliseconds that scrolling through the page may take."""
        return int(min(self._left(_READY), _SCROLL_SECONDS * 1000))

    def _check_answer(self) -> None:
        """Raise for an error status, or when the answer is no page."""
        answer = self._requests.answer
        if answer is None:
            return
        if answer.status >= 400:
            raise status_error(answer.status, answer.url)
        check_html(_media_type(answer), None, answer.url)

    def _made(self, read: Read, url: str) -> Capture:
        """Return the capture of what was read."""
        mark, told = read
        answer = self._requests.answer
        limit = self._options.max_bytes
        where = str(told.get("url", ""))
        if not where.startswith(("http:", "https:")):
            raise PageGone("the page went away while it was read", url=self._requests.target or url)
        if told["type"] not in HTML:
            raise refusal(str(told["type"]), where)
        body = (told["html"] or "").encode("utf-8", "replace")
        if told["html"] is None or len(body) > limit:
            raise TooLarge(f"the page is larger than {size(limit)}", url=where)
        return Capture(
            body=body,
            url=where,
            requested_url=url,
            media_type="text/html",
            charset="utf-8",
            headers=answer.headers if answer else {},
            fetched=datetime.now(UTC),
            how="browser",
            layout=read_layout(told["layout"], mark),
        )

    def _left(self, share: float) -> float:
        """Return the milliseconds until a share of the time limit is used up, at least one."""
        until = self._begun + self._options.timeout * share
        return max(until - time.monotonic(), 0.001) * 1000


def _is_read(told: object) -> TypeGuard[str]:
    return isinstance(told, str) and told.startswith("{")


def _media_type(answer: Response) -> str:
    return answer.headers.get("content-type", "").partition(";")[0].strip().lower()[:100]
