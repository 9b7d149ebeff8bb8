"""Capture one page in the browser: open a tab, load, expand and read the page."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from http.cookiejar import Cookie
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from ...capture import Capture, PageSource
from ...errors import TooLarge, UsageError
from ...layout import ElementBox, Font, Layout, PictureBox, Rect, TextBox, Visibility
from ...options import FetchOptions
from ...urls import is_http
from ..budget import format_bytes
from ..content_type import HTML_TYPES, check_html, not_html
from ..credentials import Credentials
from ..errors import status_error
from ..proxy import Proxy
from ..ssrf import Guard
from .errors import PageGone, TabCrashed
from .network import PageRequests, ResourceCache
from .process import BrowserProcess

if TYPE_CHECKING:
    from playwright._impl._api_structures import SetCookieParam
    from playwright.async_api import BrowserContext, CDPSession, Page, Response

#: The size of the window, in CSS pixels.
WINDOW = (1280, 1024)

_SERIALIZE = Path(__file__).with_name("serialize.js").read_text("utf-8")
_PREPARE = Path(__file__).with_name("prepare.js").read_text("utf-8")

#: The shares of the time limit by which a page should be loaded, calm and ready.
_LOADED, _CALM, _READY = 0.6, 0.75, 0.85
_SCROLL_SECONDS = 1.5
_MAX_SCREENSHOT_HEIGHT = 12_000
_TRAFFIC_FACTOR = 10  # the traffic limit of a page, in size limits of one response
_CLOSE_SECONDS = 2.0
_SCRIPT_ATTEMPTS = 3


class IsolatedWorld:
    """A JavaScript world of the main frame for our scripts, out of reach of the page's own.

    It is recreated after the page has navigated.
    """

    def __init__(self, session: CDPSession, frame: str) -> None:
        self._session = session
        self._frame = frame
        self._context = 0

    async def run(self, script: str) -> Any:
        """Run a script and return its value, None if it failed."""
        from playwright.async_api import Error as PlaywrightError

        for attempts_left in reversed(range(_SCRIPT_ATTEMPTS)):
            try:
                return await self._run(script)
            except PlaywrightError as error:
                self._context = 0
                navigated = "context" in str(error) or "navigated" in str(error)
                if not attempts_left or not navigated:
                    raise
        return None

    async def _run(self, script: str) -> Any:
        if not self._context:
            world = await self._session.send("Page.createIsolatedWorld", {"frameId": self._frame})
            self._context = world["executionContextId"]
        answer = await self._session.send(
            "Runtime.evaluate",
            {
                "expression": script,
                "contextId": self._context,
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        return None if "exceptionDetails" in answer else answer["result"].get("value", True)


class Tab:
    """An empty page with its own context and proxy, for one capture."""

    def __init__(
        self,
        proxy: Proxy,
        context: BrowserContext,
        page: Page,
        requests: PageRequests,
        world: IsolatedWorld,
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
        process: BrowserProcess,
        guard: Guard,
        credentials: Credentials,
        options: FetchOptions,
        cache: ResourceCache | None = None,
    ) -> Tab:
        """Open a tab; Playwright's errors pass through."""
        max_bytes = _TRAFFIC_FACTOR * options.max_bytes
        proxy = Proxy(guard, connect_timeout=options.connect_timeout, max_bytes=max_bytes).start()
        try:
            our_name = credentials.user_agent.partition(" ")[0]
            storage: Any = {"cookies": [], "origins": list(credentials.storage)}
            context = await process.browser.new_context(
                accept_downloads=False,
                proxy={"server": f"socks5://127.0.0.1:{proxy.port}", "bypass": "<-loopback>"},
                reduced_motion="reduce",
                service_workers="block",
                storage_state=storage if credentials.storage else None,
                user_agent=options.user_agent or f"{process.user_agent} {our_name}",
                viewport={"width": WINDOW[0], "height": WINDOW[1]},
            )
            try:
                await _add_cookies(context, credentials, options)
                page = await context.new_page()
                session = await context.new_cdp_session(page)
                requests = PageRequests(page, session, credentials, cache)
                await requests.watch()
                # The main frame stays the same wherever the page goes.
                frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
                return cls(proxy, context, page, requests, IsolatedWorld(session, frame))
            except BaseException:
                await context.close()
                raise
        except BaseException:
            proxy.close()
            raise

    async def close(self) -> bool:
        """Close the tab with its context; return whether that succeeded."""
        from playwright.async_api import Error as PlaywrightError

        try:
            with suppress(PlaywrightError, TimeoutError):
                await asyncio.wait_for(self.requests.store(), _CLOSE_SECONDS)
            closing = asyncio.ensure_future(self._context.close())
            # Retrieve its exception, as nobody may be waiting any more.
            closing.add_done_callback(lambda done: done.cancelled() or done.exception())
            with suppress(PlaywrightError):
                await asyncio.wait_for(asyncio.shield(closing), _CLOSE_SECONDS)
        except TimeoutError:
            return False
        finally:
            self.proxy.close()
        return True


async def _add_cookies(
    context: BrowserContext, credentials: Credentials, options: FetchOptions
) -> None:
    from playwright.async_api import Error as PlaywrightError

    cookies = [cookie_params(cookie) for cookie in credentials.cookies]
    try:
        if cookies:
            await context.add_cookies(cookies)
    except PlaywrightError as error:
        raise UsageError(
            f"the browser does not take a cookie of {options.cookies or options.storage_state}"
        ) from error


def cookie_params(cookie: Cookie) -> SetCookieParam:
    """Return a cookie in Playwright's form."""
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


class PageCapture:
    """The capture of one page in a tab, to be finished by ``deadline``."""

    def __init__(
        self, tab: Tab, options: FetchOptions, deadline: float, *, screenshot: bool = False
    ) -> None:
        self._tab = tab
        self._requests = tab.requests
        self._options = options
        self._start = deadline - options.timeout
        self._screenshot = screenshot

    async def run(self, url: str) -> Capture:
        """Load, expand and read the page; Playwright's errors pass through."""
        capturing = asyncio.create_task(self._capture(url))
        crashing = asyncio.create_task(self._tab.crashed.wait())
        both: set[asyncio.Task[Any]] = {capturing, crashing}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if self._tab.crashed.is_set():
                raise TabCrashed("the page makes the browser crash", url=url)
            return await capturing
        finally:
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)

    async def _capture(self, url: str) -> Capture:
        from playwright.async_api import Error as PlaywrightError
        from playwright.async_api import TimeoutError as PlaywrightTimeout

        page = self._tab.page
        try:
            await page.goto(url, wait_until="commit", timeout=self._time_left(1.0))
        except PlaywrightError as error:
            self._check_response()  # e.g. of a download: its headers say more than the error
            if self._requests.response is None and "net::ERR_ABORTED" in str(error):
                raise TabCrashed("the browser broke off as it loaded the page", url=url) from error
            raise
        self._check_response()
        with suppress(PlaywrightTimeout):  # Go on without what does not load.
            await page.wait_for_load_state("load", timeout=self._time_left(_LOADED))
        id_attribute = f"data-{secrets.token_hex(6)}"
        capture = self._result(await self._read(id_attribute), id_attribute, url)
        if self._screenshot:
            return replace(capture, screenshot=await self._take_screenshot(page, capture))
        return capture

    async def _take_screenshot(self, page: Page, capture: Capture) -> bytes:
        """Return a screenshot of the page from its top, without the layers over it."""
        await self._tab.world.run(f"({_PREPARE}).bare()")
        width, height = WINDOW
        height = int(capture.layout.height) if capture.layout else height
        return await page.screenshot(
            full_page=True,
            clip={"x": 0, "y": 0, "width": width, "height": min(height, _MAX_SCREENSHOT_HEIGHT)},
            animations="disabled",
            timeout=self._time_left(1.0),
        )

    async def _read(self, id_attribute: str) -> dict[str, Any]:
        """Wait until the page is calm, expand its article, and return the script's report.

        A page that does not change by itself is read in a single call, as each call costs time.
        """
        run, wait_until_calm = self._tab.world.run, self._requests.wait_until_calm
        read = f"{_SERIALIZE}({self._options.max_bytes}, '{id_attribute}', {MAX_BOXES})"
        report = None
        if not self._requests.loading:
            report = await run(
                f"""(async (page, budget) => page.stirs() ? "stirs"
                : await page.ready(budget) ? "woken" : {read})({_PREPARE}, {self._scroll_time()})"""
            )
        woken = report == "woken"
        if not woken and not _is_report(report):  # It changes by itself, or has navigated.
            await wait_until_calm(self._time_left(_CALM) / 1000)
            woken = await run(f"({_PREPARE}).ready({self._scroll_time()})")
        if not _is_report(report):
            if woken or self._requests.loading:
                await wait_until_calm(self._time_left(_READY) / 1000)
            report = await run(read)
        self._check_response()
        data: dict[str, Any] = json.loads(report) if _is_report(report) else {}
        return data

    def _scroll_time(self) -> int:
        return int(min(self._time_left(_READY), _SCROLL_SECONDS * 1000))

    def _check_response(self) -> None:
        """Raise if the response has an error status or is not a web page."""
        response = self._requests.response
        if response is None:
            return
        if response.status >= 400:
            raise status_error(response.status, response.url)
        check_html(_media_type(response), None, response.url)

    def _result(self, report: dict[str, Any], id_attribute: str, requested_url: str) -> Capture:
        response = self._requests.response
        limit = self._options.max_bytes
        url = str(report.get("url", ""))
        if not is_http(url):
            target = self._requests.target or requested_url
            raise PageGone("the page went away while it was read", url=target)
        if report["type"] not in HTML_TYPES:
            raise not_html(str(report["type"]), url)
        body = (report["html"] or "").encode("utf-8", "replace")
        if report["html"] is None or len(body) > limit:
            raise TooLarge(f"the page is larger than {format_bytes(limit)}", url=url)
        source = PageSource(
            url=url,
            requested_url=requested_url,
            media_type="text/html",
            charset="utf-8",
            headers=response.headers if response else {},
            fetched=datetime.now(UTC),
            method="browser",
        )
        return Capture(body, source, parse_layout(report["layout"], id_attribute))

    def _time_left(self, share: float) -> float:
        """Return the milliseconds until a share of the time limit is used up, at least one."""
        end = self._start + self._options.timeout * share
        return max(end - time.monotonic(), 0.001) * 1000


def _is_report(report: object) -> TypeGuard[str]:
    return isinstance(report, str) and report.startswith("{")


def _media_type(response: Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()[:100]


#: The maximum number of elements, text leaves and pictures; larger pages are read without a layout.
MAX_BOXES = 60_000

_visibility = cache(Visibility)


def parse_layout(data: Any, id_attribute: str) -> Layout | None:
    """Return the layout in the script's report, None if it has none."""
    if not isinstance(data, dict):
        return None
    fonts = list(map(_parse_font, data["fonts"]))
    displays: list[str] = data["displays"]
    boxes = {
        number: ElementBox(Rect(*rect), displays[display], _visibility(visibility))
        for number, display, *rect, visibility in _rows(data["boxes"], 7)
    }
    texts: dict[tuple[int, bool], TextBox] = {}
    for number, tail, font, *rect, visibility in _rows(data["texts"], 8):
        text = TextBox(Rect(*rect), fonts[font], _visibility(visibility))
        earlier = texts.get((number, bool(tail)))
        texts[number, bool(tail)] = text if earlier is None else _join(earlier, text)
    rows = zip(_rows(data["graphics"], 9), data["sources"], strict=True)
    pictures = {
        number: PictureBox(
            Rect(*rect), source, width, height, bool(background), _visibility(visibility)
        )
        for (number, background, width, height, *rect, visibility), source in rows
    }
    return Layout(
        id_attribute, data["width"], data["height"], data["view"],
        boxes=boxes, texts=texts, pictures=pictures,
    )  # fmt: skip


def _rows(numbers: list[int], width: int) -> Iterable[tuple[int, ...]]:
    iterator = iter(numbers)
    return zip(*[iterator] * width, strict=True)


def _parse_font(text: str) -> Font:
    size, color, weight = text.split("|")
    return Font(float(size), color, int(float(weight)))


def _join(one: TextBox, other: TextBox) -> TextBox:
    """Join two parts of a text leaf that were separated by omitted content."""
    if other.visibility & ~one.visibility:  # The visible part counts.
        return one
    if one.visibility & ~other.visibility:
        return other
    a, b = one.rect, other.rect
    rect = Rect(min(a.left, b.left), min(a.top, b.top),
                max(a.right, b.right), max(a.bottom, b.bottom))  # fmt: skip
    return one._replace(rect=rect)
