"""Checks and limits that every request passes before the application sees it."""

from __future__ import annotations

import ipaddress
import math
import re
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
from .errors import error_response, problem_response, wants_html

#: How a request authenticated itself.
AuthMethod: TypeAlias = Literal["token", "cookie", "none"]

#: Paths without authentication; they reveal nothing about prints.
_PUBLIC = ("/health", "/static/", "/send", "/enter")

#: Paths of POST requests that start a print, or end like paths that do.
_PRINT_PATHS = ("/api/prints", "/prints", "/print", "/send", "/api/later", "/later")
_PRINT_SUFFIXES = ("/edit", "/deliver")

#: The policy of our pages, which load nothing from other hosts and have no inline scripts.
_CSP = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": _CSP,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}

_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

_MAX_CLIENTS = 10_000
_BODY_TIMEOUT = 30.0  # seconds between two pieces of a request body


def is_loopback(host: str) -> bool:
    """Return whether an address to listen on can be reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """The host names that the server answers to.

    DNS rebinding makes another name resolve to this server.  IP addresses cannot be rebound, so all
    are accepted if others may connect.
    """

    names: frozenset[str]
    any_ip: bool

    @classmethod
    def of(cls, host: str, names: Iterable[str] = ()) -> AllowedHosts:
        """Return the names of a server that listens on ``host``."""
        allowed = {"localhost", "127.0.0.1", "::1", host, *names}
        if not is_loopback(host):
            allowed |= {socket.gethostname(), socket.getfqdn()}
        return cls(frozenset(name.lower() for name in allowed), any_ip=not is_loopback(host))

    def allows(self, header: str) -> bool:
        """Return whether a Host header names this server."""
        try:
            name = urlsplit(f"//{header}").hostname or ""
            return name in self.names or (self.any_ip and bool(ipaddress.ip_address(name)))
        except ValueError:
            return False


@dataclass(slots=True)
class RateLimiter:
    """A token bucket per client: ``burst`` requests, then one every ``interval`` seconds."""

    burst: float
    interval: float
    clock: Callable[[], float] = time.monotonic
    _buckets: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def acquire(self, client: str) -> float:
        """Count a request; return 0, or the seconds to wait if there are too many."""
        now = self.clock()
        tokens, updated = self._buckets.pop(client, (self.burst, now))
        tokens = min(self.burst, tokens + (now - updated) / self.interval)
        allowed = tokens >= 1
        self._buckets[client] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > _MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - tokens) * self.interval


@dataclass(slots=True)
class SecurityMiddleware:
    """Checks host, authentication, origin and rate of requests, and sets security headers.

    Browsers send the cookie with requests that others cause, so requests that change state must
    also come from a page of this server.  ``sign_in`` answers browsers without a cookie.
    """

    app: ASGIApp
    keys: AccessKeys
    hosts: AllowedHosts
    sign_in: ASGIApp
    prints: RateLimiter = field(default_factory=lambda: RateLimiter(burst=600, interval=0.2))
    failures: RateLimiter = field(default_factory=lambda: RateLimiter(burst=100, interval=1.0))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        scope.setdefault("state", {})
        await (self._refuse(scope) or self.app)(scope, receive, send_with_headers)

    def _refuse(self, scope: Scope) -> ASGIApp | None:
        headers, path, method = Headers(scope=scope), scope["path"], scope["method"]
        host = headers.get("host", "")
        if not self.hosts.allows(host):
            name = re.sub(r":\d*$", "", host)[:100]
            detail = f'this server does not answer to the name "{name}"'
            return error_response(headers, 421, detail, f"Start it with --hostnames {name}")
        auth = scope["state"]["auth_method"] = self._authenticate(headers)
        unsafe = method not in _SAFE_METHODS
        starts_print = unsafe and path.endswith(_PRINT_SUFFIXES)
        starts_print = starts_print or (method == "POST" and path in _PRINT_PATHS)
        if starts_print and (limited := self._limit(self.prints, scope, "too many prints at once")):
            return limited
        if any(path == p or (p.endswith("/") and path.startswith(p)) for p in _PUBLIC):
            return None
        if auth == "none":
            return self._refuse_stranger(scope)
        if auth == "cookie" and unsafe and not _is_same_origin(headers):
            return error_response(headers, 403, "only a page of this server may request this")
        return None

    def _authenticate(self, headers: Headers) -> AuthMethod:
        scheme, _, credentials = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.keys.is_token(credentials.strip()):
            return "token"
        cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        return "cookie" if self.keys.is_key(cookie, "session") else "none"

    def _refuse_stranger(self, scope: Scope) -> ASGIApp | None:
        if scope["method"] in _SAFE_METHODS and wants_html(Headers(scope=scope)):
            # On a first visit the start page reads the token; other pages ask to sign in.  Neither
            # is rate-limited: wrong tokens from others must not lock the owner out.
            return None if scope["path"] == "/" and scope["query_string"] else self.sign_in
        return self._limit(self.failures, scope, "too many requests without the token") or (
            problem_response(
                401,
                "the token is missing or wrong",
                "Send the header 'Authorization: Bearer TOKEN'; the token is in the address that"
                " webprint serve printed, and in the file 'token' beside the settings",
                headers={"WWW-Authenticate": "Bearer"},
            )
        )

    def _limit(self, limiter: RateLimiter, scope: Scope, detail: str) -> Response | None:
        wait = math.ceil(limiter.acquire((scope.get("client") or ("",))[0]))
        if not wait:
            return None
        hint, more = f"Try again in {wait} seconds", {"Retry-After": str(wait)}
        return error_response(Headers(scope=scope), 429, detail, hint, more)


def _is_same_origin(headers: Headers) -> bool:
    """Return whether a browser sent a request from one of our pages."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = headers.get("origin")
    return bool(origin) and urlsplit(str(origin)).netloc == headers.get("host")


class BodyLimitMiddleware:
    """Limits request bodies to ``max_bytes`` each and ``max_total`` at a time."""

    def __init__(self, app: ASGIApp, max_bytes: int, max_total: int) -> None:
        self._app, self._max_bytes, self._max_total = app, max_bytes, max_total
        self._total = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on while counting the bytes of its body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        too_large = f"a request may have {self._max_bytes} bytes"
        if _content_length(scope) > self._max_bytes:
            answer = problem_response(413, too_large, headers={"Connection": "close"})
            await answer(scope, receive, send)
            return
        size = 0
        complete = False

        async def receive_counted() -> Message:
            nonlocal size, complete
            if complete:  # The next message will be a disconnect, which may never come.
                return await receive()
            try:
                with anyio.fail_after(_BODY_TIMEOUT):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, "the request took too long to arrive") from None
            complete = not message.get("more_body", False)
            size += len(message.get("body", b""))
            self._total += len(message.get("body", b""))
            if size > self._max_bytes:
                raise HTTPException(413, too_large)
            if self._total > self._max_total:
                raise HTTPException(503, "too many large requests at a time", {"Retry-After": "5"})
            return message

        try:
            await self._app(scope, receive_counted, send)
        finally:
            self._total -= size


def _content_length(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
