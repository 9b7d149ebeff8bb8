"""One page in the browser: loaded, left to calm down, made ready, read."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from http.cookiejar import Cookie
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import TooLarge
from ..model import Capture
from ..options import FetchOptions
from .budget import size
from .identity import Identity
from .kinds import HTML, check_html, refusal
from .layout import MOST, read_layout
from .requests import Requests
from .status import status_error
from .unshown import PageGone, TabCrashed
from .world import World

if TYPE_CHECKING:
    from playwright._impl._api_structures import SetCookieParam
    from playwright.async_api import BrowserContext, Page, Response

_SERIALISE = Path(__file__).with_name("serialise.js").read_text("utf-8")
_PREPARE = Path(__file__).with_name("prepare.js").read_text("utf-8")

#: Shares of the time limit: by when a page should have loaded, be calm, be ready.
_LOADED, _CALM, _READY = 0.6, 0.75, 0.85
_SCROLL_SECONDS = 1.5
#: The size of the window pages are shown in.
WINDOW = (1280, 1024)
#: Pictures of pages end at so many pixels from the top.
_TALLEST = 12_000


class View:
    """A page on its way to a capture, and what is known of it when it fails.

    ``deadline`` is the moment it must be done, ``target`` the address it was last on its way to.
    """

    def __init__(
        self, options: FetchOptions, identity: Identity, deadline: float, *, picture: bool = False
    ) -> None:
        self.deadline = deadline
        self._options = options
        self._identity = identity
        self._begun = deadline - options.timeout
        self._requests: Requests | None = None
        self._picture = picture

    @property
    def target(self) -> str:
        """The address that the page was last on its way to."""
        return self._requests.target if self._requests else ""

    async def capture(self, context: BrowserContext, url: str) -> Capture:
        """Load the page, make it ready and read it; Playwright's errors come through."""
        page = await context.new_page()
        crashed = asyncio.Event()
        page.once("crash", lambda _: crashed.set())
        reading = asyncio.create_task(self._captured(context, page, url))
        watching = asyncio.create_task(crashed.wait())
        both: set[asyncio.Task[Any]] = {reading, watching}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if crashed.is_set():
                raise TabCrashed("the page makes the browser crash", url=url)
            return await reading
        finally:
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)

    async def _captured(self, context: BrowserContext, page: Page, url: str) -> Capture:
        from playwright.async_api import Error as PlaywrightError
        from playwright.async_api import TimeoutError as PlaywrightTimeout

        session = await context.new_cdp_session(page)
        requests = self._requests = Requests(page, session, self._identity)
        await requests.watch()
        try:
            await page.goto(url, wait_until="commit", timeout=self._left(1.0))
        except PlaywrightError:
            self._check_answer(requests)  # A download, say: its headers tell more than the error.
            raise
        self._check_answer(requests)
        with suppress(PlaywrightTimeout):  # What does not load is done without.
            await page.wait_for_load_state("load", timeout=self._left(_LOADED))
        world = World(session)
        await self._make_ready(world, requests)
        self._check_answer(requests)
        capture = await self._read(world, requests, url)
        if self._picture:
            return replace(capture, screenshot=await self._taken(world, page, capture))
        return capture

    async def _taken(self, world: World, page: Page, capture: Capture) -> bytes:
        """Return a picture of the page from its top, without the layers over it."""
        await world.ask(f"({_PREPARE}).bare()")
        width, height = WINDOW
        height = int(capture.layout.height) if capture.layout else height
        return await page.screenshot(
            full_page=True,
            clip={"x": 0, "y": 0, "width": width, "height": min(height, _TALLEST)},
            animations="disabled",
            timeout=self._left(1.0),
        )

    async def _make_ready(self, world: World, requests: Requests) -> None:
        """Let the page come to rest, with all of its article laid open."""
        if await world.ask(f"({_PREPARE}).stirs()"):
            await requests.calm(self._left(_CALM) / 1000)
        budget = min(self._left(_READY), _SCROLL_SECONDS * 1000)
        if await world.ask(f"({_PREPARE}).ready({budget:.0f})") or requests.loading:
            await requests.calm(self._left(_READY) / 1000)

    def _check_answer(self, requests: Requests) -> None:
        """Raise for an error status, or when the answer is no page."""
        answer = requests.answer
        if answer is None:
            return
        if answer.status >= 400:
            raise status_error(answer.status, answer.url)
        check_html(_media_type(answer), None, answer.url)

    async def _read(self, world: World, requests: Requests, url: str) -> Capture:
        limit = self._options.max_bytes
        mark = f"data-{secrets.token_hex(6)}"
        result = await world.ask(f"{_SERIALISE}({limit}, '{mark}', {MOST})")
        read = json.loads(result) if isinstance(result, str) else {}
        where = str(read.get("url", ""))
        if not where.startswith(("http:", "https:")):
            raise PageGone("the page went away while it was read", url=requests.target or url)
        if read["type"] not in HTML:
            raise refusal(str(read["type"]), where)
        body = (read["html"] or "").encode("utf-8", "replace")
        if read["html"] is None or len(body) > limit:
            raise TooLarge(f"the page is larger than {size(limit)}", url=where)
        return Capture(
            body=body,
            url=where,
            requested_url=url,
            media_type="text/html",
            charset="utf-8",
            headers=requests.answer.headers if requests.answer else {},
            fetched=datetime.now(UTC),
            how="browser",
            layout=read_layout(read["layout"], mark),
        )

    def _left(self, share: float) -> float:
        """Return the milliseconds until a share of the time limit is used up, at least one."""
        until = self._begun + self._options.timeout * share
        return max(until - time.monotonic(), 0.001) * 1000


def cookie_params(cookie: Cookie) -> SetCookieParam:
    """Write a cookie as Playwright wants it."""
    params: SetCookieParam = {"name": cookie.name, "value": cookie.value or ""}
    if cookie.name.startswith("__Host-"):
        params["url"] = f"https://{cookie.domain.lstrip('.')}/"
    else:
        params["domain"], params["path"] = cookie.domain, cookie.path
    if cookie.expires is not None:
        params["expires"] = float(cookie.expires)
    params["secure"] = bool(cookie.secure)
    params["httpOnly"] = cookie.has_nonstandard_attr("HTTPOnly")
    return params


def _media_type(answer: Response) -> str:
    return answer.headers.get("content-type", "").partition(";")[0].strip().lower()[:100]
