"""The requests of a page in the browser."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from playwright.async_api import CDPSession, Page, Request, Response
from playwright.async_api import Error as PlaywrightError

from ..credentials import Credentials

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
        with suppress(PlaywrightError):
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
        """Refuse media; continue any other request with the headers for its origin.

        Each redirect pauses the request again.
        """
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
