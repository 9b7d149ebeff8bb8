"""The requests of a page in the browser, and the cache shared by the pages of a run."""

from __future__ import annotations

import asyncio
import base64
import time
from collections import OrderedDict
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from email.utils import formatdate, parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from playwright.async_api import CDPSession, Page, Request, Response
from playwright.async_api import Error as PlaywrightError

from ...urls import is_http, origin_of
from ..credentials import Credentials

if TYPE_CHECKING:
    from hishel import Entry

#: The most bytes of all responses in the cache.
MAX_CACHE_BYTES = 64_000_000
#: The most bytes of one response in it.
MAX_ENTRY_BYTES = 2_000_000
#: The most URLs that are intercepted for one page.
MAX_CACHED_URLS = 300

#: The types of requests whose responses are shared.
SHARED_TYPES = frozenset({"stylesheet", "script", "font", "image"})

_CACHE_OPTIONS: Any = {"shared": True, "supported_methods": ["GET"]}
#: Request headers that are the same for every page.
_CONSTANT_HEADERS = frozenset({"accept", "accept-encoding", "user-agent"})
#: Response headers that describe the transfer, or belong to one user.
_DROPPED_HEADERS = frozenset({
    "connection", "content-encoding", "content-length", "keep-alive", "set-cookie", "set-cookie2",
    "transfer-encoding",
})  # fmt: skip

_MAX_CALM_SECONDS = 3.0
_QUIET_SECONDS = 0.3
_POLL_SECONDS = 0.02
#: The most bytes, and responses, that one page adds to the cache.
_MAX_ADDED_BYTES, _MAX_ADDED_RESPONSES = 8_000_000, 300
#: The types of requests that may stay open as long as the page.
_ENDLESS_TYPES = frozenset({"eventsource", "media", "ping", "websocket"})


class ResourceCache:
    """A shared in-memory cache (RFC 9111) for the resources of a site's pages.

    Responses are keyed by the site whose page requested them, as in a browser, so that no page
    learns what others loaded.  Responses are not stored if they are private, set cookies, were
    requested with credentials or vary with more than the browser.
    """

    def __init__(self) -> None:
        self._entries: OrderedDict[tuple[str, str], tuple[Entry, bytes]] = OrderedDict()
        self._size = 0

    def urls(self, site: str) -> list[str]:
        """Return the URLs stored for a site, the latest first."""
        return [url for key, url in reversed(self._entries) if key == site][:MAX_CACHED_URLS]

    def fulfill(self, site: str, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the cached response to a paused request as CDP parameters, or None."""
        from hishel import FromCache, Headers, IdleClient, Request

        url = str(request["url"])
        if (site, url) not in self._entries:
            return None
        entry, body = self._entries[site, url]
        cached = IdleClient(options=_CACHE_OPTIONS).next(
            Request(str(request["method"]), url, Headers(dict(request["headers"]))), [entry]
        )
        if not isinstance(cached, FromCache):
            self._remove((site, url))
            return None
        self._entries.move_to_end((site, url))
        headers = cached.entry.response.headers
        return {
            "responseCode": 200,
            "responseHeaders": [{"name": name, "value": headers[name]} for name in headers],
            "body": base64.b64encode(body).decode(),
        }

    def entry_for(self, url: str, headers: Mapping[str, str]) -> Entry | None:
        """Return the entry for a 200 response, None if it must not be stored."""
        from hishel import CacheMiss, Entry, Headers, Request, Response, StoreAndUse

        headers = {name.lower(): value for name, value in headers.items()}
        vary = {name.strip().lower() for name in headers.get("vary", "").split(",")}
        length = headers.get("content-length", "0")
        too_long = not length.isdecimal() or len(length) > 9 or int(length) > MAX_ENTRY_BYTES
        if "set-cookie" in headers or vary - _CONSTANT_HEADERS - {""} or too_long:
            return None
        date = _date(headers)
        if not date:
            return None
        stored = {n: v for n, v in headers.items() if n not in _DROPPED_HEADERS | {"vary"}}
        request = Request("GET", url)
        decision = CacheMiss(options=_CACHE_OPTIONS, request=request).next(
            Response(200, Headers({**stored, "date": date}))
        )
        if not isinstance(decision, StoreAndUse):
            return None
        return Entry(id=uuid4(), request=request, response=decision.response)

    def store(self, site: str, entry: Entry, body: bytes) -> None:
        """Store a response, evicting the least recently used ones."""
        if len(body) > MAX_ENTRY_BYTES:
            return
        key = site, entry.request.url
        self._remove(key)
        self._entries[key] = entry, body
        self._size += len(body)
        while self._size > MAX_CACHE_BYTES:
            self._remove(next(iter(self._entries)))

    def _remove(self, key: tuple[str, str]) -> None:
        if key in self._entries:
            self._size -= len(self._entries.pop(key)[1])


def _date(headers: Mapping[str, str]) -> str:
    """Return a Date header that alone gives the response's age, '' if impossible."""
    age = headers.get("age", "0")
    if not age.isdecimal() or len(age) > 9:
        return ""
    if int(age) and "max-age" not in headers.get("cache-control", ""):
        return ""
    now = time.time()
    date = now
    with suppress(ValueError, TypeError, OverflowError):
        date = parsedate_to_datetime(headers.get("date", "")).timestamp()
    return formatdate(min(date, now - int(age)), usegmt=True)


def url_pattern(url: str) -> str:
    """Return the CDP pattern that matches only this URL."""
    return url.replace("\\", "\\\\").replace("*", "\\*").replace("?", "\\?")


class PageRequests:
    """Watch a page's requests, add the user's headers, refuse video and audio.

    ``target`` is the URL of the page's last navigation, ``response`` the last response to it.
    """

    def __init__(
        self,
        page: Page,
        session: CDPSession,
        credentials: Credentials,
        cache: ResourceCache | None = None,
    ) -> None:
        self.target = ""
        self.response: Response | None = None
        self._page = page
        self._session = session
        self._credentials = credentials
        self._loading: set[Request] = set()
        self._last_activity = time.monotonic()
        self._tasks: set[asyncio.Task[None]] = set()
        self._cache = cache
        self._site = ""
        self._patterns: list[dict[str, str]] = [{"resourceType": "Media"}]
        if credentials.has_headers:
            self._patterns += [{"urlPattern": f"{origin}/*"} for origin in credentials.origins]
        self._from_cache: set[str] = set()
        self._cacheable: list[tuple[Entry, Response]] = []

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
        await self._session.send("Fetch.enable", {"patterns": self._patterns})

    async def begin(self, url: str) -> None:
        """Serve resources loaded by other pages of the site at ``url`` from the cache."""
        self._site = str(origin_of(url))
        cached = self._cache.urls(self._site) if self._cache else []
        if cached:
            patterns = [*self._patterns, *({"urlPattern": url_pattern(url)} for url in cached)]
            await self._session.send("Fetch.enable", {"patterns": patterns})

    async def store(self) -> None:
        """Store the page's resources in the cache."""
        if self._cache is None or not self._is_at_site():
            return
        room = _MAX_ADDED_BYTES
        for entry, response in self._cacheable:
            with suppress(PlaywrightError):  # The browser may have dropped it.
                body = await response.body()
                room -= len(body)
                self._cache.store(self._site, entry, body)
            if room < 0:
                return

    async def wait_until_calm(self, seconds: float) -> None:
        """Wait, for at most ``seconds``, until nothing has been loading for a moment."""
        deadline = time.monotonic() + min(seconds, _MAX_CALM_SECONDS)
        self._last_activity = time.monotonic()
        while (now := time.monotonic()) < deadline:
            if not self._loading and now - self._last_activity > _QUIET_SECONDS:
                return
            await asyncio.sleep(_POLL_SECONDS)

    def _is_navigation(self, request: Request) -> bool:
        with suppress(PlaywrightError):
            return request.is_navigation_request() and request.frame == self._page.main_frame
        return False

    def _is_at_site(self) -> bool:
        """Return whether the page is still at its first site."""
        return is_http(self._page.url) and str(origin_of(self._page.url)) == self._site

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
        if (
            self._cache is None
            or response.status != 200
            or request.method != "GET"
            or request.resource_type not in SHARED_TYPES
            or len(self._cacheable) >= _MAX_ADDED_RESPONSES
            or not is_http(request.url)
            or request.url in self._from_cache
            or self._credentials.headers_for(request.url)
        ):
            return
        entry = self._cache.entry_for(request.url, response.headers)
        if entry is not None:
            self._cacheable.append((entry, response))

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background; the page may close before it is done."""

        async def run() -> None:
            with suppress(PlaywrightError):
                await work

        task = asyncio.ensure_future(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _on_paused(self, event: dict[str, Any]) -> None:
        """Refuse media, answer from the cache, or continue with the headers for the origin.

        Each redirect pauses the request again.
        """
        request, paused = event["request"], {"requestId": event["requestId"]}
        resource_type = event.get("resourceType", "").lower()
        if resource_type == "media":
            refusal = {**paused, "errorReason": "BlockedByClient"}
            await self._session.send("Fetch.failRequest", refusal)
            return
        if self._cache and self._is_at_site() and resource_type in SHARED_TYPES:
            response = self._cache.fulfill(self._site, request)
            if response is not None:
                self._from_cache.add(request["url"])
                await self._session.send("Fetch.fulfillRequest", {**paused, **response})
                return
        ours = self._credentials.headers_for(request["url"])
        headers = {name.lower(): (name, value) for name, value in request["headers"].items()}
        headers |= {name.lower(): (name, value) for name, value in ours}
        pairs = [{"name": name, "value": value} for name, value in headers.values()]
        await self._session.send("Fetch.continueRequest", {**paused, "headers": pairs})
