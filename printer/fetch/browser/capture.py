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
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from ...capture import Capture, PageSource
from ...errors import TooLarge, UsageError
from ...options import FetchOptions
from ..budget import format_bytes
from ..content_type import HTML, check_html, not_html
from ..credentials import Credentials
from ..errors import status_error
from ..proxy import Proxy
from ..ssrf import Guard
from .errors import PageGone, TabCrashed
from .layout import MOST, read_layout
from .network import Requests, Shared
from .process import Running

if TYPE_CHECKING:
    from playwright._impl._api_structures import SetCookieParam
    from playwright.async_api import BrowserContext, CDPSession, Page, Response


_ATTEMPTS = 3


class World:
    """An isolated world of a page's main frame, made anew when the page went elsewhere."""

    def __init__(self, session: CDPSession, frame: str) -> None:
        self._session = session
        self._frame = frame
        self._context = 0

    async def ask(self, script: str) -> Any:
        """Run a script and return its value; None if it failed or the page went away."""
        from playwright.async_api import Error as PlaywrightError

        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return await self._asked(script)
            except PlaywrightError as error:
                self._context = 0
                gone = "context" in str(error) or "navigated" in str(error)
                if attempt == _ATTEMPTS or not gone:
                    raise
        return None

    async def _asked(self, script: str) -> Any:
        send = self._session.send
        if not self._context:
            world = await send("Page.createIsolatedWorld", {"frameId": self._frame})
            self._context = world["executionContextId"]
        answer = await send(
            "Runtime.evaluate",
            {
                "expression": script,
                "contextId": self._context,
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        return None if "exceptionDetails" in answer else answer["result"].get("value", True)


#: The size of the window pages are shown in.
WINDOW = (1280, 1024)
_TRAFFIC = 10  # A page may load so many times the size limit of one answer.
_CLOSE_SECONDS = 2.0


class Tab:
    """A page in which nothing was shown yet; what it shows and keeps is no other's business."""

    def __init__(
        self, proxy: Proxy, context: BrowserContext, page: Page, requests: Requests, world: World
    ) -> None:
        self.proxy = proxy
        self.page = page
        self.requests = requests
        self.world = world
        self.crashed = asyncio.Event()
        self._context = context
        page.once("crash", lambda _: self.crashed.set())

    @classmethod
    async def open(
        cls,
        running: Running,
        guard: Guard,
        identity: Credentials,
        options: FetchOptions,
        shared: Shared | None = None,
    ) -> Tab:
        """Open a tab; Playwright's errors come through."""
        most = _TRAFFIC * options.max_bytes
        proxy = Proxy(guard, connect_timeout=options.connect_timeout, max_bytes=most).start()
        try:
            own = identity.user_agent.partition(" ")[0]
            stored: Any = {"cookies": [], "origins": list(identity.storage)}
            context = await running.driven.new_context(
                accept_downloads=False,
                proxy={"server": f"socks5://127.0.0.1:{proxy.port}", "bypass": "<-loopback>"},
                reduced_motion="reduce",
                service_workers="block",
                storage_state=stored if identity.storage else None,
                user_agent=options.user_agent or f"{running.user_agent} {own}",
                viewport={"width": WINDOW[0], "height": WINDOW[1]},
            )
            try:
                await _give_cookies(context, identity, options)
                page = await context.new_page()
                session = await context.new_cdp_session(page)
                requests = Requests(page, session, identity, shared)
                await requests.watch()
                return cls(proxy, context, page, requests, await _world(session))
            except BaseException:
                await context.close()
                raise
        except BaseException:
            proxy.close()
            raise

    async def close(self) -> bool:
        """Close the page and all it keeps; tell whether the browser could."""
        from playwright.async_api import Error as PlaywrightError

        try:
            with suppress(PlaywrightError, TimeoutError):
                await asyncio.wait_for(self.requests.share(), _CLOSE_SECONDS)
            closing = asyncio.ensure_future(self._context.close())
            # Whoever waits for it may go first; that it failed then is no news.
            closing.add_done_callback(lambda done: done.cancelled() or done.exception())
            with suppress(PlaywrightError):
                await asyncio.wait_for(asyncio.shield(closing), _CLOSE_SECONDS)
        except TimeoutError:
            return False
        finally:
            self.proxy.close()
        return True


async def _world(session: CDPSession) -> World:
    """Return our own place in the tab's page; its main frame is the same wherever it goes."""
    frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    return World(session, frame)


async def _give_cookies(
    context: BrowserContext, identity: Credentials, options: FetchOptions
) -> None:
    from playwright.async_api import Error as PlaywrightError

    cookies = [cookie_params(cookie) for cookie in identity.cookies]
    try:
        if cookies:
            await context.add_cookies(cookies)
    except PlaywrightError as error:
        raise UsageError(
            f"the browser does not take a cookie of {options.cookies or options.storage_state}"
        ) from error


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
            raise not_html(str(told["type"]), where)
        body = (told["html"] or "").encode("utf-8", "replace")
        if told["html"] is None or len(body) > limit:
            raise TooLarge(f"the page is larger than {format_bytes(limit)}", url=where)
        return Capture(
            body,
            PageSource(
                url=where,
                requested_url=url,
                media_type="text/html",
                charset="utf-8",
                headers=answer.headers if answer else {},
                fetched=datetime.now(UTC),
                method="browser",
            ),
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
