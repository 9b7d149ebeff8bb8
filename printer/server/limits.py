"""How much may be asked of the server: bytes of a request, requests of a client."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio
from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .errors import problem

_MOST_CLIENTS = 10_000
_PATIENCE = 30.0  # Seconds between two pieces of a body.


@dataclass(slots=True)
class RateLimiter:
    """Lets each client do something ``burst`` times at once and ``every`` seconds once more."""

    burst: float
    every: float
    clock: Callable[[], float] = time.monotonic
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, client: str) -> float:
        """Count one; return 0, or the seconds to wait until there is another."""
        now = self.clock()
        left, then = self._left.pop(client, (self.burst, now))
        left = min(self.burst, left + (now - then) / self.every)
        allowed = left >= 1
        self._left[client] = (left - 1 if allowed else left, now)
        if len(self._left) > _MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) * self.every


class BodyLimitMiddleware:
    """Holds what requests send to ``most`` bytes each and ``together`` at a time."""

    def __init__(self, app: ASGIApp, most: int, together: int) -> None:
        self._app, self._most, self._together = app, most, together
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, counting what it sends."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _declared(scope) > self._most:
            answer = problem(413, self._too_much, headers={"Connection": "close"})
            await answer(scope, receive, send)
            return
        held = 0
        whole = False

        async def counted() -> Message:
            nonlocal held, whole
            if whole:  # What comes now says only that the client went away.
                return await receive()
            message = await _soon(receive)
            whole = not message.get("more_body", False)
            size = len(message.get("body", b""))
            held += size
            self._held += size
            if held > self._most:
                raise HTTPException(413, self._too_much)
            if self._held > self._together:
                raise HTTPException(503, "too many large requests at a time", {"Retry-After": "5"})
            return message

        try:
            await self._app(scope, counted, send)
        finally:
            self._held -= held

    @property
    def _too_much(self) -> str:
        return f"a request may have {self._most} bytes"


async def _soon(receive: Receive) -> Message:
    try:
        with anyio.fail_after(_PATIENCE):
            return await receive()
    except TimeoutError:
        raise HTTPException(408, "the request took too long to come") from None


def _declared(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
