"""The door: what every request passes before anything looks at it."""

from __future__ import annotations

import ipaddress
import math
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import anyio
from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .auth import COOKIE, AccessKeys
from .errors import problem, told

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


#: How a request showed that it may come in.
AuthMethod: TypeAlias = Literal["token", "cookie", "none"]

#: What anybody may ask for: it says nothing about prints.
PUBLIC = ("/health", "/static/", "/send", "/enter")

#: Where prints are asked for.
ORDERS = ("/api/prints", "/prints", "/print", "/send", "/api/later", "/later")

#: How the addresses end that have something made of a print there is.
MORE = ("/edit", "/deliver")

#: What pages of ours may load and do: nothing from elsewhere, no inline script.
CSP = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": CSP,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}

_SAFE = ("GET", "HEAD", "OPTIONS")


def is_loopback(host: str) -> bool:
    """Say whether an address to listen on is reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """The names by which the server may be called.

    A page elsewhere whose name is made to lead here (DNS rebinding) calls it by another name.
    Numbers cannot be made to lead elsewhere, so any number will do where others may come in.
    """

    names: frozenset[str]
    numbers: bool

    @classmethod
    def of(cls, host: str, more: Iterable[str] = ()) -> AllowedHosts:
        """Return the names of a server that listens on ``host``."""
        own = {"localhost", "127.0.0.1", "::1", host, *more}
        if not is_loopback(host):
            own |= {socket.gethostname(), socket.getfqdn()}
        return cls(frozenset(name.lower() for name in own), numbers=not is_loopback(host))

    def allows(self, header: str) -> bool:
        """Say whether a Host header names this server."""
        try:
            name = urlsplit(f"//{header}").hostname or ""
        except ValueError:
            return False
        if name in self.names:
            return True
        try:
            return self.numbers and bool(ipaddress.ip_address(name))
        except ValueError:
            return False


@dataclass(slots=True)
class SecurityMiddleware:
    """Lets in whoever has the token or the cookie made from it, and says what browsers may do.

    A cookie is sent by the browser whoever asks for it, so what changes something must also come
    from one of our own pages.
    """

    app: ASGIApp
    access: AccessKeys
    hosts: AllowedHosts
    stranger: ASGIApp
    orders: RateLimiter = field(default_factory=lambda: RateLimiter(burst=600, every=0.2))
    failures: RateLimiter = field(default_factory=lambda: RateLimiter(burst=100, every=1.0))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request or pass it on; every answer gets the headers."""
        if scope["type"] != "http":
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        scope.setdefault("state", {})
        refusal = self._refusal(scope)
        await (refusal or self.app)(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        if not self.hosts.allows(headers.get("host", "")):
            return told(headers, 421, "this server is not called so", "See --hostnames")
        how = self._passed(headers)
        scope["state"]["passed"] = how
        more = scope["path"].endswith(MORE) and scope["method"] not in _SAFE
        if more or (scope["method"] == "POST" and scope["path"] in ORDERS):
            refusal = self._too_many(self.orders, scope)
            if refusal:
                return refusal
        if how == "none":
            return None if _is_public(scope["path"]) else self._unknown(scope)
        if _is_public(scope["path"]):
            return None  # These look at no cookie.
        if how == "cookie" and scope["method"] not in _SAFE and not _is_own(headers):
            return told(headers, 403, "this may only be asked by a page of this server")
        return None

    def _passed(self, headers: Headers) -> AuthMethod:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.access.is_token(given.strip()):
            return "token"
        cookies = cookie_parser(headers.get("cookie", ""))
        return "cookie" if self.access.is_session(cookies.get(COOKIE, "")) else "none"

    def _unknown(self, scope: Scope) -> ASGIApp | None:
        if scope["method"] in _SAFE and "text/html" in Headers(scope=scope).get("accept", ""):
            # The start page takes the token of a first visit; any other says how to come in.
            # Who has it must never be kept out by others' wrong ones; it is too long to be guessed.
            return None if scope["path"] == "/" and scope["query_string"] else self.stranger
        return self._too_many(self.failures, scope) or problem(
            401,
            "the token is missing or wrong",
            "Send the header 'Authorization: Bearer TOKEN'; the token is in the address that"
            " webprint serve showed, and in the file 'token' beside the settings",
            headers={"WWW-Authenticate": "Bearer"},
        )

    def _too_many(self, rate: RateLimiter, scope: Scope) -> Response | None:
        wait = rate.take((scope.get("client") or ("",))[0])
        if not wait:
            return None
        more = {"Retry-After": str(math.ceil(wait))}
        return told(Headers(scope=scope), 429, "too many requests", "Wait a moment", more)


def _is_public(path: str) -> bool:
    return any(path == each or (each.endswith("/") and path.startswith(each)) for each in PUBLIC)


def _is_own(headers: Headers) -> bool:
    """Say whether a browser sent this from one of our pages."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = headers.get("origin")
    return bool(origin) and urlsplit(str(origin)).netloc == headers.get("host")
