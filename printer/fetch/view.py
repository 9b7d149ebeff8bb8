"""One page in the browser: loaded, left to calm down, read."""

from __future__ import annotations

import json
import secrets
import time
from contextlib import suppress
from datetime import UTC, datetime
from http.cookiejar import Cookie
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FetchError, TooLarge
from ..model import Capture
from ..options import FetchOptions
from .budget import size
from .identity import Identity
from .kinds import HTML, check_html, refusal
from .layout import MOST, read_layout
from .status import status_error

if TYPE_CHECKING:
    from playwright._impl._api_structures import SetCookieParam
    from playwright.sync_api import BrowserContext, CDPSession, Page, Request, Response

_SERIALISE = Path(__file__).with_name("serialise.js").read_text("utf-8")
#: Scrolls through the page once, so that what loads late loads, and back to its top.
_SCROLL = """(async (budget) => {
  const end = performance.now() + budget;
  const page = document.scrollingElement || document.documentElement;
  for (let y = 0; y < page.scrollHeight && performance.now() < end; y += innerHeight) {
    scrollTo(0, y);
    await new Promise((done) => setTimeout(done, 40));
  }
  scrollTo(0, 0);
})"""

#: Shares of the time limit: by when a page should have loaded, be calm, be scrolled.
_LOADED, _CALM, _SCROLLED = 0.6, 0.75, 0.85
_CALM_SECONDS = 3.0
_QUIET_SECONDS = 0.3
#: Kinds of request that a page keeps open for as long as it is shown.
_ENDLESS = frozenset({"eventsource", "media", "ping", "websocket"})
_SCROLL_SECONDS = 1.5
_READ_ATTEMPTS = 3


class PageGone(FetchError):
    """The page went where it cannot be read; the proxy may know why."""


class View:
    """A page on its way to a capture, and what is known of it when it fails.

    ``deadline`` is the moment it must be done, ``target`` the address it was last on its way to.
    """

    def __init__(self, options: FetchOptions, identity: Identity, deadline: float) -> None:
        self.deadline = deadline
        self.target = ""
        self._options = options
        self._identity = identity
        self._begun = deadline - options.timeout
        self._answers: list[Response] = []
        self._loading: set[Request] = set()
        self._busy = self._begun

    def capture(self, context: BrowserContext, url: str) -> Capture:
        """Load the page, wait until it is calm, and read it; Playwright's errors come through."""
        from playwright.sync_api import Error as PlaywrightError
        from playwright.sync_api import TimeoutError as PlaywrightTimeout

        page = context.new_page()
        session = context.new_cdp_session(page)
        self._watch(context, page, session)
        try:
            page.goto(url, wait_until="commit", timeout=self._left(1.0))
        except PlaywrightError:
            self._check_answer()  # A download, say: its headers tell more than the error.
            raise
        self._check_answer()
        with suppress(PlaywrightTimeout):  # What does not load is done without.
            page.wait_for_load_state("load", timeout=self._left(_LOADED))
        self._calm_down(page, _CALM)
        budget = min(self._left(_SCROLLED), _SCROLL_SECONDS * 1000)
        self._evaluate(session, f"{_SCROLL}({budget:.0f})")
        self._calm_down(page, _SCROLLED)
        self._check_answer()
        return self._read(session, url)

    def _watch(self, context: BrowserContext, page: Page, session: CDPSession) -> None:
        """Note how the page fares, shut what it opens, and give named origins their headers."""
        from playwright.sync_api import Error as PlaywrightError

        def leads(request: Request) -> bool:
            with suppress(PlaywrightError):
                return request.is_navigation_request() and request.frame == page.main_frame
            return False

        def answered(response: Response) -> None:
            if leads(response.request) and not 300 <= response.status < 400:
                self._answers.append(response)

        def began(request: Request) -> None:
            if leads(request):
                self.target = request.url
            if request.resource_type not in _ENDLESS:
                self._loading.add(request)
                self._busy = time.monotonic()

        def ended(request: Request) -> None:
            self._loading.discard(request)
            self._busy = time.monotonic()

        def opened(other: Page) -> None:
            if other is not page:
                with suppress(PlaywrightError):
                    other.close()

        page.on("request", began)
        page.on("response", answered)
        page.on("requestfinished", ended)
        page.on("requestfailed", ended)
        context.on("page", opened)
        if self._identity.headers:
            self._give_headers(session)

    def _give_headers(self, session: CDPSession) -> None:
        """Add the headers to each request to a named origin; redirects ask anew, one by one."""
        from playwright.sync_api import Error as PlaywrightError

        def paused(event: dict[str, Any]) -> None:
            request = event["request"]
            given = self._identity.headers_for(request["url"])
            headers = {name.lower(): (name, value) for name, value in request["headers"].items()}
            headers |= {name.lower(): (name, value) for name, value in given}
            with suppress(PlaywrightError):  # The page may have gone meanwhile.
                session.send(
                    "Fetch.continueRequest",
                    {
                        "requestId": event["requestId"],
                        "headers": [{"name": n, "value": v} for n, v in headers.values()],
                    },
                )

        session.on("Fetch.requestPaused", paused)
        patterns = [{"urlPattern": f"{where}/*"} for where in self._identity.named]
        session.send("Fetch.enable", {"patterns": patterns})

    def _check_answer(self) -> None:
        """Raise for an error status, or when the answer is no page."""
        if not self._answers:
            return
        answer = self._answers[-1]
        if answer.status >= 400:
            raise status_error(answer.status, answer.url)
        check_html(_media_type(answer), None, answer.url)

    def _calm_down(self, page: Page, share: float) -> None:
        """Wait until nothing has been loading for a moment, but not for long."""
        until = time.monotonic() + min(self._left(share) / 1000, _CALM_SECONDS)
        self._busy = time.monotonic()
        while (now := time.monotonic()) < until:
            if not self._loading and now - self._busy > _QUIET_SECONDS:
                return
            page.wait_for_timeout(25)

    def _read(self, session: CDPSession, url: str) -> Capture:
        limit = self._options.max_bytes
        mark = f"data-{secrets.token_hex(6)}"
        result = self._evaluate(session, f"{_SERIALISE}({limit}, '{mark}', {MOST})")
        read = json.loads(result) if isinstance(result, str) else {}
        where = str(read.get("url", ""))
        if not where.startswith(("http:", "https:")):
            raise PageGone("the page went away while it was read", url=self.target or url)
        if read["type"] not in HTML:
            raise refusal(str(read["type"]), where)
        body = (read["html"] or "").encode("utf-8", "replace")
        if read["html"] is None or len(body) > limit:
            raise TooLarge(f"the page is larger than {size(limit)}", url=where)
        answer = self._answers[-1] if self._answers else None
        return Capture(
            body=body,
            url=where,
            requested_url=url,
            media_type="text/html",
            charset="utf-8",
            headers=answer.headers if answer else {},
            fetched=datetime.now(UTC),
            how="browser",
            layout=read_layout(read["layout"], mark),
        )

    def _evaluate(self, session: CDPSession, script: str) -> Any:
        """Run a script of ours where the page's own cannot touch it; None if the page went away."""
        from playwright.sync_api import Error as PlaywrightError

        for attempt in range(1, _READ_ATTEMPTS + 1):
            try:
                frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
                world = session.send("Page.createIsolatedWorld", {"frameId": frame})
                answer = session.send(
                    "Runtime.evaluate",
                    {
                        "expression": script,
                        "contextId": world["executionContextId"],
                        "awaitPromise": True,
                        "returnByValue": True,
                    },
                )
            except PlaywrightError as error:
                gone = "context" in str(error) or "navigated" in str(error)
                if attempt == _READ_ATTEMPTS or not gone:
                    raise
                continue
            if "exceptionDetails" in answer:
                return None
            return answer["result"].get("value", True)
        return None

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
