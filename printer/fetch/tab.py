"""A tab of the browser: a page in a context of its own, behind a proxy of its own."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from http.cookiejar import Cookie
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..options import FetchOptions
from .credentials import Identity
from .proxy import Proxy
from .requests import Requests
from .running import Running
from .shared import Shared
from .ssrf import Guard
from .world import World

if TYPE_CHECKING:
    from playwright._impl._api_structures import SetCookieParam
    from playwright.async_api import BrowserContext, CDPSession, Page

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
        identity: Identity,
        options: FetchOptions,
        shared: Shared | None = None,
    ) -> Tab:
        """Open a tab; Playwright's errors come through."""
        most = _TRAFFIC * options.max_bytes
        proxy = Proxy(guard, connect_timeout=options.connect_timeout, max_bytes=most).start()
        try:
            own = identity.user_agent.partition(" ")[0]
            stored: Any = {"cookies": [], "origins": list(identity.stored)}
            context = await running.driven.new_context(
                accept_downloads=False,
                proxy={"server": f"socks5://127.0.0.1:{proxy.port}", "bypass": "<-loopback>"},
                reduced_motion="reduce",
                service_workers="block",
                storage_state=stored if identity.stored else None,
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


async def _give_cookies(context: BrowserContext, identity: Identity, options: FetchOptions) -> None:
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
