"""Connections: deadlines that uvicorn does not have, and what trusted proxies say of clients."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import h11
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from .templating import PREFIX

#: Seconds in which the headers of a request must arrive, from its first byte or the connection's.
HEADER_SECONDS = 10.0
MAX_CONNECTIONS = 500

_PREFIX = re.compile(r"(?:/[A-Za-z0-9._~-]{1,60}){1,5}")


class DeadlineProtocol(H11Protocol):
    """Closes a connection whose next request does not arrive in time, however slowly it drips.

    When there are too many connections, the one that has waited longest for a request makes room
    for a new one.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the clock; make room if there are too many connections."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) >= MAX_CONNECTIONS:
            waiting = [c for c in self.connections if isinstance(c, DeadlineProtocol)]
            waiting = [c for c in waiting if c._deadline is not None and c is not self]
            if waiting:
                min(waiting, key=DeadlineProtocol._due).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        super().connection_lost(exc)
        self._unwatch()

    def handle_events(self) -> None:
        """Handle what has arrived."""
        super().handle_events()
        self._watch()

    def _watch(self) -> None:
        """Start or stop the clock, as the client is to send a request or has sent one."""
        if self.conn.their_state is not h11.IDLE or self.transport.is_closing():
            self._unwatch()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

    def _unwatch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _due(self) -> float:
        return self._deadline.when() if self._deadline else float("inf")


class ProxyMiddleware(ProxyHeadersMiddleware):
    """Takes the client, the scheme and the path prefix from proxies that are trusted, no others."""

    def __init__(self, app: ASGIApp, trusted: list[str]) -> None:
        super().__init__(app, trusted)  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # type: ignore[override]
        """Pass a request on with what its proxy says of it."""
        headers = dict(scope.get("headers", ()))
        client = (scope.get("client") or ("",))[0]
        prefix = headers.get(b"x-forwarded-prefix", b"").decode("latin-1").rstrip("/")
        trusted = client in self.trusted_hosts and _PREFIX.fullmatch(prefix)
        PREFIX.set(prefix if trusted else "")
        await super().__call__(scope, receive, send)  # type: ignore[arg-type]
