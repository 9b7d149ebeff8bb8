"""Checks and limits that every request passes before the application sees it."""

from __future__ import annotations

import base64
import ipaddress
import math
import re
import socket
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import anyio
from fastapi import HTTPException
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .auth import COOKIE, Access, is_loopback
from .errors import error_response, problem_response, wants_html
from .templating import PREFIX

#: How a request authenticated itself; ``button`` is the key of a bookmarklet or of the extension,
#: ``reader`` the password of e-readers, which may do no more than read the catalogue.
AuthMethod: TypeAlias = Literal["token", "cookie", "button", "reader", "none"]

#: Paths without authentication; they reveal nothing about prints.
_PUBLIC = ("/health", "/static/", "/send", "/enter")

#: Paths of POST requests that start a print, or end like paths that do.
_PRINT_PATHS = ("/api/prints", "/prints", "/send", "/api/later", "/later")
_PRINT_SUFFIXES = ("/edit", "/deliver")

#: The policy of our pages, which load nothing from other hosts and have no inline scripts.
_CSP = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; manifest-src 'self'; frame-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": _CSP,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}

_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

#: The requests that a client may make in each way of authentication.  They are counted apart, so
#: that neither a stranger nor a page that read the button's key can lock the owner out.
_PRINTS: dict[AuthMethod, RateLimitItem] = {
    "token": RateLimitItemPerMinute(600),
    "cookie": RateLimitItemPerMinute(600),
    "button": RateLimitItemPerMinute(120),
}
_STRANGERS = RateLimitItemPerMinute(100)

#: A host name or an address, and a port.
_HOST = re.compile(
    r"(?P<name>[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?", re.IGNORECASE
)

#: Seconds for a whole request body, between two pieces of it, and for its first field.
_BODY_SECONDS, _PIECE_SECONDS, _KEY_SECONDS = 180.0, 30.0, 10.0
_MAX_STRANGER_BYTES = 64_000
#: The field ``key`` of a form, as multipart/form-data or URL-encoded; it comes first.
_KEY = re.compile(
    rb'(?:(?:^|&)key=|Content-Disposition: form-data; name="key"\r\n\r\n)([0-9a-f]{64})(?:[\r&]|$)',
    re.IGNORECASE,
)
_MAX_KEY_OFFSET = 8_000

_CATALOG = "/opds"
_MAX_CREDENTIALS = 1_000


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
        match = _HOST.fullmatch(header)
        name = match["name"].strip("[]").lower() if match else ""
        try:
            return name in self.names or (self.any_ip and bool(ipaddress.ip_address(name)))
        except ValueError:
            return False


@dataclass(slots=True)
class SecurityMiddleware:
    """Checks host, authentication, origin and rate of requests, and sets security headers.

    Browsers send the cookie with requests that others cause, so requests that change state must
    also come from a page of this server.  ``sign_in`` answers browsers without a cookie.
    """

    app: ASGIApp
    access: Access
    hosts: AllowedHosts
    sign_in: ASGIApp
    limiter: SlidingWindowCounterRateLimiter = field(
        default_factory=lambda: SlidingWindowCounterRateLimiter(MemoryStorage())
    )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("location", "").startswith("/"):
                    headers["Location"] = PREFIX.get() + headers["Location"]
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if refusal is not None and scope["method"] not in _SAFE_METHODS:
                    headers["Connection"] = "close"  # Its body is not read.
            await send(message)

        scope.setdefault("state", {})
        refusal = self._refuse(scope)
        if refusal is None and scope["path"] == "/send" and scope["method"] == "POST":
            receive, refusal = await self._check_button(scope, receive)
        await (refusal or self.app)(scope, receive, send_with_headers)

    def _refuse(self, scope: Scope) -> ASGIApp | None:
        headers, path, method = Headers(scope=scope), scope["path"], scope["method"]
        host = headers.get("host", "")
        if not self.hosts.allows(host):
            name = re.sub(r":\d*$", "", host)[:100]
            detail = f'this server does not answer to the name "{name}"'
            return error_response(headers, 421, detail, f"Start it with --hostnames {name}")
        if "prefetch" in headers.get("sec-purpose", headers.get("purpose", "")).lower():
            return Response(status_code=503)  # Nobody has asked for it yet.
        auth = scope["state"]["auth_method"] = self._authenticate(headers)
        if path == _CATALOG or path.startswith(f"{_CATALOG}/"):
            return self._refuse_reader(scope)
        if any(path == p or (p.endswith("/") and path.startswith(p)) for p in _PUBLIC):
            return None
        if auth == "none":
            return self._refuse_stranger(scope)
        unsafe = method not in _SAFE_METHODS
        if auth == "cookie" and unsafe and not _is_same_origin(headers):
            return error_response(headers, 403, "only a page of this server may request this")
        starts_print = unsafe and path.endswith(_PRINT_SUFFIXES)
        if starts_print or (method == "POST" and path in _PRINT_PATHS):
            return self._limit(_PRINTS[auth], scope, "too many prints at once")
        return None

    def _authenticate(self, headers: Headers) -> AuthMethod:
        scheme, _, credentials = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.access.keys.is_token(credentials.strip()):
            return "token"
        cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        return "cookie" if self.access.is_session(cookie) else "none"

    def _refuse_reader(self, scope: Scope) -> ASGIApp | None:
        """Check a request for the catalogue; e-readers send a password (RFC 7617)."""
        headers = Headers(scope=scope)
        if scope["method"] not in ("GET", "HEAD"):
            return error_response(headers, 405, "the catalogue is only read", "", {"Allow": "GET"})
        if scope["state"]["auth_method"] != "none":
            return None
        scheme, _, credentials = headers.get("authorization", "").partition(" ")
        with suppress(ValueError):
            text = base64.b64decode(credentials[:_MAX_CREDENTIALS], validate=True).decode()
            password = text.partition(":")[2]
            if scheme.lower() == "basic" and self.access.keys.is_reading_password(password):
                scope["state"]["auth_method"] = "reader"
                return None
        return self._limit(_STRANGERS, scope, "too many requests without the password") or (
            problem_response(
                401,
                "the password is missing or wrong",
                "It is on the settings page; any user name will do",
                headers={"WWW-Authenticate": 'Basic realm="webprint", charset="UTF-8"'},
            )
        )

    async def _check_button(self, scope: Scope, receive: Receive) -> tuple[Receive, ASGIApp | None]:
        """Look at the key of a page that is sent before the rest of its body arrives."""
        headers = Headers(scope=scope)
        start, more = b"", True
        with anyio.move_on_after(_KEY_SECONDS):
            while more and len(start) < _MAX_KEY_OFFSET and not _KEY.search(start):
                message = await receive()
                start += message.get("body", b"")
                more = message.get("more_body", False)
        match = _KEY.search(start)
        if match is None or not self.access.keys.is_button_key(match[1].decode(), "any"):
            detail = "this button is not from this server"
            return receive, error_response(headers, 403, detail, "Drag it to your bookmarks again")
        scope["state"]["auth_method"] = "button"
        unread: Message | None = {"type": "http.request", "body": start, "more_body": more}

        async def receive_all() -> Message:
            nonlocal unread
            message, unread = unread, None
            return await receive() if message is None else message

        return receive_all, self._limit(_PRINTS["button"], scope, "too many prints at once")

    def _refuse_stranger(self, scope: Scope) -> ASGIApp | None:
        headers, safe = Headers(scope=scope), scope["method"] in _SAFE_METHODS
        if not safe and wants_html(headers) and _is_same_origin(headers):
            return self.sign_in  # Their session ended while they filled in a form of ours.
        if safe and wants_html(headers):
            # On a first visit the start page reads the token; other pages ask to sign in.  Neither
            # is rate-limited: wrong tokens from others must not lock the owner out.
            return None if scope["path"] == "/" and scope["query_string"] else self.sign_in
        return self._limit(_STRANGERS, scope, "too many requests without the token") or (
            problem_response(
                401,
                "the token is missing or wrong",
                "Send the header 'Authorization: Bearer TOKEN'; the token is in the address that"
                " webprint serve printed, and in the file 'token' beside the settings",
                headers={"WWW-Authenticate": "Bearer"},
            )
        )

    def _limit(self, rate: RateLimitItem, scope: Scope, detail: str) -> Response | None:
        """Count a request; return the answer if there are too many."""
        who = scope["state"]["auth_method"], _client(scope)
        if self.limiter.hit(rate, *who):
            return None
        wait = self.limiter.get_window_stats(rate, *who).reset_time - time.time()
        seconds = max(1, math.ceil(wait))
        hint, more = f"Try again in {seconds} seconds", {"Retry-After": str(seconds)}
        return error_response(Headers(scope=scope), 429, detail, hint, more)


def _client(scope: Scope) -> str:
    return str((scope.get("client") or ("",))[0])


def _is_same_origin(headers: Headers) -> bool:
    """Return whether a browser sent a request from one of our pages."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = headers.get("origin")
    return bool(origin) and urlsplit(str(origin)).netloc == headers.get("host")


class BodyLimitMiddleware:
    """Limits request bodies in time, to ``max_bytes`` each and ``max_total`` at a time.

    A client may hold half of ``max_total`` in each way of authentication; a stranger, only what
    the form of the sign-in page needs.
    """

    def __init__(self, app: ASGIApp, max_bytes: int, max_total: int) -> None:
        self._app, self._max_bytes, self._max_total = app, max_bytes, max_total
        self._sizes: Counter[tuple[str, str]] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on while counting the bytes of its body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        auth = scope["state"].get("auth_method", "none")
        max_bytes = _MAX_STRANGER_BYTES if auth == "none" else self._max_bytes
        too_large = f"a request may have {max_bytes} bytes"
        if _content_length(scope) > max_bytes:
            answer = problem_response(413, too_large, headers={"Connection": "close"})
            await answer(scope, receive, send)
            return
        who = auth, _client(scope)
        size, complete, deadline = 0, False, anyio.current_time() + _BODY_SECONDS

        async def receive_counted() -> Message:
            nonlocal size, complete
            if complete:  # The next message will be a disconnect, which may never come.
                return await receive()
            try:
                with anyio.fail_after(min(_PIECE_SECONDS, deadline - anyio.current_time())):
                    message = await receive()
            except TimeoutError:
                late = {"Connection": "close"}
                raise HTTPException(408, "the request took too long to arrive", late) from None
            complete = not message.get("more_body", False)
            length = len(message.get("body", b""))
            size += length
            self._sizes[who] += length
            if size > max_bytes:
                raise HTTPException(413, too_large, {"Connection": "close"})
            if self._sizes[who] > self._max_total // 2 or self._sizes.total() > self._max_total:
                busy = {"Retry-After": "5", "Connection": "close"}
                raise HTTPException(503, "too many large requests at a time", busy)
            return message

        try:
            await self._app(scope, receive_counted, send)
        finally:
            self._sizes[who] -= size
            if not self._sizes[who]:
                del self._sizes[who]


def _content_length(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
