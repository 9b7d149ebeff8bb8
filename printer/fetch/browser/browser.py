"""The browser: load pages, run their scripts, and capture them."""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
import time
from collections.abc import Coroutine, Iterable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from http.cookiejar import Cookie
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from playwright.async_api import BrowserContext, CDPSession, Page, Request, Response
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from ...capture import (
    Capture,
    ElementBox,
    Font,
    Layout,
    PageSource,
    PictureBox,
    Rect,
    TextBox,
    Visibility,
)
from ...errors import FetchError, TooLarge, UsageError, WebprintError
from ...files import Closing
from ...options import FetchOptions
from ...urls import is_http, normalize_url
from ..credentials import Credentials, load_credentials
from ..errors import status_error
from ..proxy import EventLoop, Proxy
from ..response import HTML_TYPES, check_html, format_bytes, media_type_of, not_html
from ..ssrf import Guard
from .process import (
    NO_SANDBOX,
    BrowserDied,
    BrowserProcess,
    PageGone,
    PagesTooLarge,
    TabCrashed,
    page_timeout,
    runs_unsandboxed,
    translate,
    wait_for_late_drivers,
)

if TYPE_CHECKING:
    from playwright._impl._api_structures import SetCookieParam


#: The size of the window, in CSS pixels.
WINDOW = (1280, 1024)

_SERIALIZE = Path(__file__).with_name("serialize.js").read_text("utf-8")
_PREPARE = Path(__file__).with_name("prepare.js").read_text("utf-8")

#: The shares of the time limit by which a page should be loaded, calm and ready.
_LOADED_SHARE = 0.6
_CALM_SHARE = 0.75
_READY_SHARE = 0.85
_SCROLL_SECONDS = 1.5
_TRAFFIC_FACTOR = 10  # the traffic limit of a page, in size limits of one response
_PAGE_CLOSE_SECONDS = 2.0
_SCRIPT_ATTEMPTS = 6
_MAX_CALM_SECONDS = 3.0
_QUIET_SECONDS = 0.3
_POLL_SECONDS = 0.02
#: The types of requests that may stay open as long as the page.
_ENDLESS_TYPES = frozenset({"eventsource", "media", "ping", "websocket"})


class PageRequests:
    """Watch a page's requests, add the user's headers, refuse video and audio.

    ``target`` is the URL of the page's last navigation, ``response`` the last response to it.
    """

    def __init__(self, page: Page, session: CDPSession, credentials: Credentials) -> None:
        self.target = ""
        self.response: Response | None = None
        self._page = page
        self._session = session
        self._credentials = credentials
        self._loading: set[Request] = set()
        self._last_activity = time.monotonic()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def loading(self) -> bool:
        return bool(self._loading)

    async def watch(self) -> None:
        """Follow the page's events, close its popups, pause requests that may be changed."""
        page = self._page
        page.on("request", self._on_request)
        page.on("response", self._on_response)
        page.on("requestfinished", self._on_end)
        page.on("requestfailed", self._on_end)
        page.context.on("page", self._on_popup)
        self._session.on("Fetch.requestPaused", lambda e: self._in_background(self._on_paused(e)))
        patterns = [{"resourceType": "Media"}]
        if self._credentials.has_headers:
            patterns += [{"urlPattern": f"{origin}/*"} for origin in self._credentials.origins]
        await self._session.send("Fetch.enable", {"patterns": patterns})

    async def wait_until_calm(self, seconds: float) -> None:
        """Wait, for at most ``seconds``, until nothing has been loading for a moment."""
        deadline = time.monotonic() + min(seconds, _MAX_CALM_SECONDS)
        self._last_activity = time.monotonic()
        while (now := time.monotonic()) < deadline:
            if not self._loading and now - self._last_activity > _QUIET_SECONDS:
                return
            await asyncio.sleep(_POLL_SECONDS)

    def _is_navigation(self, request: Request) -> bool:
        with suppress(PlaywrightError):  # A service worker's request has no frame.
            return request.is_navigation_request() and request.frame == self._page.main_frame
        return False

    def _on_request(self, request: Request) -> None:
        if self._is_navigation(request):
            self.target = request.url
        if request.resource_type not in _ENDLESS_TYPES:
            self._loading.add(request)
            self._last_activity = time.monotonic()

    def _on_end(self, request: Request) -> None:
        self._loading.discard(request)
        self._last_activity = time.monotonic()

    def _on_popup(self, page: Page) -> None:
        if page is not self._page:
            self._in_background(page.close())

    def _on_response(self, response: Response) -> None:
        request = response.request
        if self._is_navigation(request) and not 300 <= response.status < 400:
            self.response = response

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background; the page may close before it is done."""

        async def run() -> None:
            with suppress(PlaywrightError):
                await work

        task = asyncio.ensure_future(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _on_paused(self, event: dict[str, Any]) -> None:
        """Refuse media; continue other requests and redirects with the headers for their origin."""
        request, paused = event["request"], {"requestId": event["requestId"]}
        if event.get("resourceType") == "Media":
            refusal = {**paused, "errorReason": "BlockedByClient"}
            await self._session.send("Fetch.failRequest", refusal)
            return
        user_headers = self._credentials.headers_for(request["url"])
        headers = {name.lower(): (name, value) for name, value in request["headers"].items()}
        headers |= {name.lower(): (name, value) for name, value in user_headers}
        pairs = [{"name": name, "value": value} for name, value in headers.values()]
        await self._session.send("Fetch.continueRequest", {**paused, "headers": pairs})


@dataclass(slots=True)
class IsolatedWorld:
    """A JavaScript world out of the page's reach, recreated after navigation."""

    session: CDPSession
    frame: str
    _context: int = 0

    async def run(self, script: str) -> Any:
        """Run a script and return its value, None if it threw an exception."""
        attempts_left = _SCRIPT_ATTEMPTS
        while True:
            try:
                return await self._run(script)
            except PlaywrightError as error:
                self._context = 0
                attempts_left -= 1
                navigated = "context" in str(error) or "navigated" in str(error)
                if not attempts_left or not navigated:
                    raise

    async def _run(self, script: str) -> Any:
        if not self._context:
            world = await self.session.send("Page.createIsolatedWorld", {"frameId": self.frame})
            self._context = world["executionContextId"]
        answer = await self.session.send(
            "Runtime.evaluate",
            {
                "expression": script,
                "contextId": self._context,
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        return None if "exceptionDetails" in answer else answer["result"].get("value", True)


@dataclass(slots=True, eq=False)
class Tab:
    """An empty page with its own context and proxy, for one capture."""

    proxy: Proxy
    context: BrowserContext
    page: Page
    requests: PageRequests
    world: IsolatedWorld
    crashed: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    async def open(
        cls, process: BrowserProcess, guard: Guard, credentials: Credentials, options: FetchOptions
    ) -> Tab:
        """Open a tab; Playwright's errors pass through."""
        max_bytes = _TRAFFIC_FACTOR * options.max_bytes
        async with AsyncExitStack() as opened:
            proxy = Proxy(guard, connect_timeout=options.connect_timeout, max_bytes=max_bytes)
            opened.enter_context(proxy)
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
            opened.push_async_callback(context.close)
            await _add_cookies(context, credentials, options)
            page = await context.new_page()
            session = await context.new_cdp_session(page)
            requests = PageRequests(page, session, credentials)
            await requests.watch()
            # The main frame stays the same wherever the page goes.
            frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
            opened.pop_all()
            tab = cls(proxy, context, page, requests, IsolatedWorld(session, frame))
            page.once("crash", lambda _: tab.crashed.set())
            return tab

    async def close(self) -> bool:
        try:
            closing = asyncio.ensure_future(self.context.close())
            # Retrieve its exception, in case no caller is waiting any more.
            closing.add_done_callback(lambda done: done.cancelled() or done.exception())
            with suppress(PlaywrightError):
                await asyncio.wait_for(asyncio.shield(closing), _PAGE_CLOSE_SECONDS)
        except TimeoutError:
            return False
        finally:
            self.proxy.close()
        return True


async def _add_cookies(
    context: BrowserContext, credentials: Credentials, options: FetchOptions
) -> None:
    cookies = [cookie_params(cookie) for cookie in credentials.cookies]
    try:
        if cookies:
            await context.add_cookies(cookies)
    except PlaywrightError as error:
        raise UsageError(
            f"the browser does not accept a cookie from {options.cookies or options.storage_state}"
        ) from error


def cookie_params(cookie: Cookie) -> SetCookieParam:
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
    """The capture of one page in a tab, which must end by ``deadline``."""

    def __init__(self, tab: Tab, options: FetchOptions, deadline: float) -> None:
        self._tab = tab
        self._requests = tab.requests
        self._options = options
        self._start = deadline - options.timeout

    async def run(self, url: str) -> Capture:
        """Load, expand and read the page; Playwright's errors pass through."""
        capturing = asyncio.create_task(self._capture(url))
        crashing = asyncio.create_task(self._tab.crashed.wait())
        tasks: set[asyncio.Task[Any]] = {capturing, crashing}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if self._tab.crashed.is_set():
                raise TabCrashed("the page crashes the browser", url=url)
            return await capturing
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _capture(self, url: str) -> Capture:
        page = self._tab.page
        try:
            await page.goto(url, wait_until="commit", timeout=self._time_left(1.0))
        except PlaywrightError as error:
            self._check_response()  # e.g. of a download: its headers say more than the error
            if self._requests.response is None and "net::ERR_ABORTED" in str(error):
                raise TabCrashed("the browser stopped while loading the page", url=url) from error
            raise
        self._check_response()
        with suppress(PlaywrightTimeout):  # Go on without what does not load.
            await page.wait_for_load_state("load", timeout=self._time_left(_LOADED_SHARE))
        id_attribute = f"data-{secrets.token_hex(6)}"
        return self._make_capture(await self._read(id_attribute), id_attribute, url)

    async def _read(self, id_attribute: str) -> dict[str, Any]:
        """Wait until the page is calm, expand its article, and return the script's report."""
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
            await wait_until_calm(self._time_left(_CALM_SHARE) / 1000)
            woken = await run(f"({_PREPARE}).ready({self._scroll_time()})")
        if not _is_report(report):
            if woken or self._requests.loading:
                await wait_until_calm(self._time_left(_READY_SHARE) / 1000)
            report = await run(read)
        self._check_response()
        data: dict[str, Any] = json.loads(report) if _is_report(report) else {}
        return data

    def _scroll_time(self) -> int:
        return int(min(self._time_left(_READY_SHARE), _SCROLL_SECONDS * 1000))

    def _check_response(self) -> None:
        """Raise if the response has an error status or is not a web page."""
        response = self._requests.response
        if response is None:
            return
        if response.status >= 400:
            raise status_error(response.status, response.url)
        media_type = media_type_of(response.headers.get("content-type", ""))
        check_html(media_type, None, response.url)

    def _make_capture(
        self, report: dict[str, Any], id_attribute: str, requested_url: str
    ) -> Capture:
        response = self._requests.response
        limit = self._options.max_bytes
        url = str(report.get("url", ""))
        if not is_http(url):
            target = self._requests.target or requested_url
            raise PageGone("the page navigated away while it was being read", url=target)
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


#: The maximum number of elements, text leaves and pictures; larger pages are read without a layout.
MAX_BOXES = 60_000

_visibility = cache(Visibility)


def parse_layout(data: Any, id_attribute: str) -> Layout | None:
    """Return the layout in the script's report, None if it has none."""
    if not isinstance(data, dict):
        return None
    parts = (text.split("|") for text in data["fonts"])
    fonts = [Font(float(size), color, int(float(weight))) for size, color, weight in parts]
    displays: list[str] = data["displays"]
    boxes = {
        number: ElementBox(Rect(*rect), displays[display], _visibility(visibility))
        for number, display, *rect, visibility in _chunks(data["boxes"], 7)
    }
    texts: dict[tuple[int, bool], TextBox] = {}
    for number, tail, font, *rect, visibility in _chunks(data["texts"], 8):
        text = TextBox(Rect(*rect), fonts[font], _visibility(visibility))
        earlier = texts.get((number, bool(tail)))
        texts[number, bool(tail)] = text if earlier is None else _join_text_boxes(earlier, text)
    rows = zip(_chunks(data["graphics"], 9), data["sources"], strict=True)
    pictures = {
        number: PictureBox(
            Rect(*rect), source, width, height, bool(background), _visibility(visibility)
        )
        for (number, background, width, height, *rect, visibility), source in rows
    }
    return Layout(id_attribute, boxes, texts, pictures)


def _chunks(numbers: list[int], width: int) -> Iterable[tuple[int, ...]]:
    iterator = iter(numbers)
    return zip(*[iterator] * width, strict=True)


def _join_text_boxes(first: TextBox, second: TextBox) -> TextBox:
    """Join two parts of a text leaf that were separated by omitted content."""
    if second.visibility & ~first.visibility:  # The visible part counts.
        return first
    if first.visibility & ~second.visibility:
        return second
    return first._replace(rect=first.rect.union(second.rect))


_CLOSE_SECONDS = 15.0  # a busy machine takes several to end a driver
_OPENING_SECONDS = 2.0  # for closing a tab that is still being opened
_PREOPEN_AFTER = 2  # pages, after which tabs are opened in advance
#: The pages, and the bytes of memory, after which a browser is replaced.
MAX_PAGES_LOADED = 200
MAX_BYTES = 1_500_000_000
_MEMORY_CHECK_INTERVAL = 5  # pages


class Browser(Closing):
    """Capture pages with Chromium, from any thread; Chromium is started on first use.

    Up to ``pages`` are loaded at a time.  All traffic passes ``guard`` (see :mod:`..proxy`).  A
    page that hangs or crashes does not affect others; if the browser dies, it is restarted and
    loads the affected pages once more.  If they needed too much memory together, each is loaded in
    a browser of its own, one after another.  ``warnings`` are messages for the user.
    """

    def __init__(self, options: FetchOptions, guard: Guard, *, pages: int = 1) -> None:
        self.options = options
        self.warnings: list[str] = []
        self._guard = guard
        self._credentials = load_credentials(options, guard.user_origins, guard.credentials)
        self._loop: EventLoop | None = None
        self._loop_lock = threading.Lock()
        self._closed = False
        self._slots = asyncio.Semaphore(pages)
        self._starting = asyncio.Lock()
        self._alone = asyncio.Lock()
        self._process: BrowserProcess | None = None
        self._processes: set[BrowserProcess] = set()
        self._spare_tabs: dict[BrowserProcess, asyncio.Task[Tab]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        with self._loop_lock:
            self._closed = True
            loop, self._loop = self._loop, None
        if loop is not None:
            with suppress(TimeoutError):
                loop.run(self._close(), _CLOSE_SECONDS)
            loop.stop()

    def capture(self, url: str) -> Capture:
        """Load a page, run its scripts, and return it as HTML in UTF-8 with its layout.

        Raise :class:`FetchError`, or :class:`MissingLibrary` if no Chromium can be started.
        """
        url = normalize_url(url)
        with self._loop_lock:
            if self._closed:  # A thread that reads ahead may not know yet.
                raise FetchError("the browser was closed", url=url)
            if self._loop is None:
                self._loop = EventLoop("webprint-browser")
            loop = self._loop
        return loop.run(self._capture(url))

    @property
    def memory(self) -> int:
        """The private memory that the browser uses now, in bytes."""
        return self._process.memory() if self._process else 0

    async def _capture(self, url: str) -> Capture:
        """Capture a page, once more if the browser or its tab died."""
        async with self._slots:
            deadline = time.monotonic() + self.options.timeout
            for last_attempt in (False, True):
                try:
                    process = await self._acquire(deadline)
                    try:
                        return await self._load(process, url, deadline)
                    finally:
                        await self._release(process)
                except PagesTooLarge:
                    break
                except FetchError as error:
                    if last_attempt or not error.process_died or time.monotonic() >= deadline:
                        raise
            return await self._load_alone(url)

    async def _load_alone(self, url: str) -> Capture:
        """Load a page in a separate browser, one page after another."""
        async with self._alone:
            deadline = time.monotonic() + self.options.timeout
            process = await BrowserProcess.start(deadline)
            self._processes.add(process)
            process.users += 1
            try:
                return await self._load(process, url, deadline)
            finally:
                process.retired = True
                process.users -= 1
                await self._end_idle(process)

    async def _load(self, process: BrowserProcess, url: str, deadline: float) -> Capture:
        opening = self._take_tab(process)

        async def load() -> Capture:
            return await PageCapture(await asyncio.shield(opening), self.options, deadline).run(url)

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
            opened = _opened_tab(opening)
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
            if not spare.done() or ((tab := _opened_tab(spare)) and not tab.crashed.is_set()):
                return spare
            process.users += 1
            self._in_background(self._close_tab(process, spare))
        return self._open_tab(process)

    def _open_tab(self, process: BrowserProcess) -> asyncio.Task[Tab]:
        opening = Tab.open(process, self._guard, self._credentials, self.options)
        task = asyncio.create_task(opening)
        task.add_done_callback(_opened_tab)  # retrieves an exception that may have no other reader
        return task

    async def _close_tab(self, process: BrowserProcess, opening: asyncio.Task[Tab]) -> None:
        """Close a tab; retire a browser that cannot do so."""
        try:
            tab = await asyncio.wait_for(asyncio.shield(opening), _OPENING_SECONDS)
            if not await tab.close():
                process.retired = True
        except TimeoutError:
            process.retired = True
        except (PlaywrightError, WebprintError):  # already raised to the opener
            return
        finally:
            if opened := _opened_tab(opening):
                opened.proxy.close()
            process.users -= 1
            await self._end_idle(process)

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _acquire(self, deadline: float) -> BrowserProcess:
        """Return a browser that can load a page; start one if necessary."""
        async with self._starting:
            if self._closed:
                raise FetchError("the browser was closed")
            process = self._process
            if process is None or not process.is_usable or process.pages_loaded >= MAX_PAGES_LOADED:
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
            process.retired |= memory > MAX_BYTES
        may_preopen = (
            process is self._process and _PREOPEN_AFTER <= process.pages_loaded < MAX_PAGES_LOADED
        )
        if may_preopen and process.is_usable and process not in self._spare_tabs:
            self._spare_tabs[process] = self._open_tab(process)
        await self._end_idle(process)

    async def _end_idle(self, process: BrowserProcess) -> None:
        if not process.is_usable and not process.users:
            await self._end(process)
            self._processes.discard(process)

    async def _end(self, process: BrowserProcess) -> None:
        await process.close()
        spare = self._spare_tabs.pop(process, None)
        if spare is not None:
            await asyncio.gather(spare, return_exceptions=True)
            if tab := _opened_tab(spare):
                await tab.close()

    async def _close(self) -> None:
        async with self._starting:  # The driver of a start that is cancelled would run on.
            self._process = None
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        ending = [self._end(process) for process in self._processes]
        await asyncio.gather(*ending, *tasks, wait_for_late_drivers(), return_exceptions=True)
        self._processes.clear()


def _opened_tab(opening: asyncio.Task[Tab]) -> Tab | None:
    """Return the tab, None if it was not opened."""
    is_open = opening.done() and not opening.cancelled() and not opening.exception()
    return opening.result() if is_open else None
