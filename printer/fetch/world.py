"""Our own place in a page: scripts of ours run where the page's own cannot touch them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

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
