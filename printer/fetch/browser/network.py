"""What a page in the browser asks the network for."""

from __future__ import annotations

import asyncio
import base64
import time
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ...urls import origin_of
from ..credentials import Credentials

if TYPE_CHECKING:
    from hishel import Entry
    from playwright.async_api import CDPSession, Page, Request, Response


#: Bytes kept altogether, and of one answer; addresses asked for from here on one page.
MOST_KEPT, MOST_OF_ONE, MOST_ASKED = 64_000_000, 2_000_000, 300

#: Kinds of requests whose answers are shared.
KINDS = frozenset({"stylesheet", "script", "font", "image"})

_OPTIONS: Any = {"shared": True, "supported_methods": ["GET"]}
_HARMLESS = frozenset({"accept", "accept-encoding", "user-agent"})
#: What told of the bytes on the wire, or is one person's.
_GONE = frozenset({
    "connection", "content-encoding", "content-length", "keep-alive", "set-cookie", "set-cookie2",
    "transfer-encoding",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Kept:
    entry: Entry
    body: bytes


class Shared:
    """Keeps answers by the site whose page asked for them and by address."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], _Kept] = OrderedDict()
        self._size = 0

    def addresses(self, site: str) -> list[str]:
        """Return what is kept for a site, the latest at most."""
        return [url for where, url in reversed(self._kept) if where == site][:MOST_ASKED]

    def fulfil(self, site: str, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a paused request as the browser takes it, None if there is none."""
        from hishel import FromCache, Headers, IdleClient, Request

        url = str(request["url"])
        kept = self._kept.get((site, url))
        if kept is None:
            return None
        asked = Request(str(request["method"]), url, Headers(dict(request["headers"])))
        found = IdleClient(options=_OPTIONS).next(asked, [kept.entry])
        if not isinstance(found, FromCache):
            self._forget((site, url))
            return None
        self._kept.move_to_end((site, url))
        headers = found.entry.response.headers
        return {
            "responseCode": 200,
            "responseHeaders": [{"name": name, "value": headers[name]} for name in headers],
            "body": base64.b64encode(kept.body).decode(),
        }

    def takes(self, url: str, headers: Mapping[str, str]) -> Entry | None:
        """Return an answer of status 200 as it is to be kept, None if it may not be."""
        from hishel import CacheMiss, Entry, Headers, Request, Response, StoreAndUse

        told = {name.lower(): value for name, value in headers.items()}
        varies = {name.strip().lower() for name in told.get("vary", "").split(",")}
        length = told.get("content-length", "0")
        too_long = not length.isdecimal() or len(length) > 9 or int(length) > MOST_OF_ONE
        if "set-cookie" in told or varies - _HARMLESS - {""} or too_long:
            return None
        if not _dated(told):
            return None
        kept = {name: value for name, value in told.items() if name not in _GONE | {"vary"}}
        request = Request("GET", url)
        decided = CacheMiss(options=_OPTIONS, request=request).next(Response(200, Headers(kept)))
        if not isinstance(decided, StoreAndUse):
            return None
        return Entry(id=uuid4(), request=request, response=decided.response)

    def keep(self, site: str, entry: Entry, body: bytes) -> None:
        """Keep an answer; what was not asked for longest gives way."""
        if len(body) > MOST_OF_ONE:
            return
        key = site, entry.request.url
        self._forget(key)
        self._kept[key] = _Kept(entry, body)
        self._size += len(body)
        while self._size > MOST_KEPT:
            self._forget(next(iter(self._kept)))

    def _forget(self, key: tuple[str, str]) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._size -= len(kept.body)


def _dated(told: dict[str, str]) -> bool:
    """Date an answer so that its age is told from that alone; tell whether that can be done."""
    age = told.get("age", "0")
    if (
        not age.isdecimal()
        or len(age) > 9
        or (int(age) and "max-age" not in told.get("cache-control", ""))
    ):
        return False
    now = time.time()
    made = now
    with suppress(ValueError, TypeError, OverflowError):
        made = parsedate_to_datetime(told.get("date", "")).timestamp()
    told["date"] = formatdate(min(made, now - int(age)), usegmt=True)
    return True


def pattern(url: str) -> str:
    """Write an address as the browser's patterns have it."""
    return url.replace("\\", "\\\\").replace("*", "\\*").replace("?", "\\?")


_CALM_SECONDS = 3.0
_QUIET_SECONDS = 0.3
_STEP_SECONDS = 0.02
_SHARED_BYTES, _SHARED_ANSWERS = 8_000_000, 300  # Of one page.
#: Kinds of request that a page keeps open for as long as it is shown.
_ENDLESS = frozenset({"eventsource", "media", "ping", "websocket"})


class Requests:
    """Watches a page's requests, gives some headers, and lets films and sounds go unheard.

    ``target`` is the address the page was last on its way to, ``answer`` the last that was an
    answer to that.
    """

    def __init__(
        self, page: Page, session: CDPSession, identity: Credentials, shared: Shared | None = None
    ) -> None:
        self.target = ""
        self.answer: Response | None = None
        self._page = page
        self._session = session
        self._identity = identity
        self._loading: set[Request] = set()
        self._busy = time.monotonic()
        self._tasks: set[asyncio.Task[None]] = set()
        self._shared = shared
        self._site = ""
        self._patterns: list[dict[str, str]] = [{"resourceType": "Media"}]
        if identity.has_headers:
            self._patterns += [{"urlPattern": f"{where}/*"} for where in identity.origins]
        self._served: set[str] = set()
        self._came: list[tuple[Entry, Response]] = []

    @property
    def loading(self) -> bool:
        """Whether anything is on its way."""
        return bool(self._loading)

    async def watch(self) -> None:
        """Note how the page fares, shut what it opens, pause what is to be changed."""
        page = self._page
        page.on("request", self._began)
        page.on("response", self._answered)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.context.on("page", self._opened)
        self._session.on("Fetch.requestPaused", lambda event: self._do(self._paused(event)))
        await self._session.send("Fetch.enable", {"patterns": self._patterns})

    async def begin(self, url: str) -> None:
        """Have what other pages of the site loaded at hand for the page at ``url``."""
        self._site = str(origin_of(url))
        known = self._shared.addresses(self._site) if self._shared else []
        if known:
            patterns = [*self._patterns, *({"urlPattern": pattern(each)} for each in known)]
            await self._session.send("Fetch.enable", {"patterns": patterns})

    async def share(self) -> None:
        """Keep what the page loaded for others of its site."""
        from playwright.async_api import Error as PlaywrightError

        if self._shared is None or not self._at_home():
            return
        room = _SHARED_BYTES
        for entry, response in self._came:
            with suppress(PlaywrightError):  # The browser may have let go of it.
                body = await response.body()
                room -= len(body)
                self._shared.keep(self._site, entry, body)
            if room < 0:
                return

    async def calm(self, seconds: float) -> None:
        """Wait until nothing has been loading for a moment, but not for long."""
        until = time.monotonic() + min(seconds, _CALM_SECONDS)
        self._busy = time.monotonic()
        while (now := time.monotonic()) < until:
            if not self._loading and now - self._busy > _QUIET_SECONDS:
                return
            await asyncio.sleep(_STEP_SECONDS)

    def _leads(self, request: Request) -> bool:
        from playwright.async_api import Error as PlaywrightError

        with suppress(PlaywrightError):
            return request.is_navigation_request() and request.frame == self._page.main_frame
        return False

    def _answered(self, response: Response) -> None:
        if self._leads(response.request) and not 300 <= response.status < 400:
            self.answer = response
        self._note(response)

    def _note(self, response: Response) -> None:
        """Note an answer that other pages may have as well."""
        request = response.request
        if (
            self._shared is None
            or response.status != 200
            or request.method != "GET"
            or request.resource_type not in KINDS
            or len(self._came) >= _SHARED_ANSWERS
            or not request.url.startswith(("http:", "https:"))
            or request.url in self._served
            or self._identity.headers_for(request.url)
        ):
            return
        entry = self._shared.takes(request.url, response.headers)
        if entry is not None:
            self._came.append((entry, response))

    def _at_home(self) -> bool:
        """Whether the page is still one of the site it began at."""
        where = self._page.url
        return where.startswith(("http:", "https:")) and str(origin_of(where)) == self._site

    def _began(self, request: Request) -> None:
        if self._leads(request):
            self.target = request.url
        if request.resource_type not in _ENDLESS:
            self._loading.add(request)
            self._busy = time.monotonic()

    def _ended(self, request: Request) -> None:
        self._loading.discard(request)
        self._busy = time.monotonic()

    def _opened(self, other: Page) -> None:
        if other is not self._page:
            self._do(other.close())

    def _do(self, work: Any) -> None:
        """Let something be done meanwhile; the page may go before it is."""
        from playwright.async_api import Error as PlaywrightError

        async def done() -> None:
            with suppress(PlaywrightError):
                await work

        task = asyncio.ensure_future(done())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _paused(self, event: dict[str, Any]) -> None:
        """Refuse films and sounds; send on the rest, to named origins with the person's headers.

        Redirects ask anew, one by one.
        """
        given = {"requestId": event["requestId"]}
        if event.get("resourceType") == "Media":
            reason = {**given, "errorReason": "BlockedByClient"}
            await self._session.send("Fetch.failRequest", reason)
            return
        request = event["request"]
        if self._shared and self._at_home() and event.get("resourceType", "").lower() in KINDS:
            found = self._shared.fulfil(self._site, request)
            if found is not None:
                self._served.add(request["url"])
                await self._session.send("Fetch.fulfillRequest", {**given, **found})
                return
        own = self._identity.headers_for(request["url"])
        headers = {name.lower(): (name, value) for name, value in request["headers"].items()}
        headers |= {name.lower(): (name, value) for name, value in own}
        sent = [{"name": name, "value": value} for name, value in headers.values()]
        await self._session.send("Fetch.continueRequest", {**given, "headers": sent})
