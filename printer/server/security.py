"""Authentication, and the checks and limits that every request passes before the application."""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import json
import math
import os
import re
import secrets
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

import anyio
from fastapi import Depends, HTTPException, Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import JobsError
from ..files import atomic_write, os_errors, read_bounded
from ..settings import data_folder, settings_files
from .errors import error_response, problem_response, wants_html
from .forms import PREFIX

COOKIE = "webprint"

SESSION_SECONDS = 90 * 86_400
_MAX_SESSIONS = 100
_MAX_SESSION_BYTES = 100_000
_MAX_TOKEN_BYTES = 1_000

#: The purpose of a derived key.  The bookmarklets contain ``send``, which submits a page to print,
#: and ``later``, which adds an address to the reading list; pages can read them.  ``order`` is the
#: key of the extension, which no page can read: it allows both, and printing by address.
Purpose: TypeAlias = Literal["send", "later", "order"]


@dataclass(frozen=True, slots=True)
class AccessKeys:
    """The token, and the keys derived from it."""

    token: str = field(repr=False)

    def key(self, purpose: Purpose) -> str:
        return hmac.new(self.token.encode(), purpose.encode(), hashlib.sha256).hexdigest()

    @property
    def reading_password(self) -> str:
        """The password of e-readers, which may only read; short enough to type."""
        digest = hmac.digest(self.token.encode(), b"read", "sha256")
        letters = base64.b32encode(digest[:10]).decode().lower()
        return "-".join(letters[n : n + 4] for n in range(0, len(letters), 4))

    def is_reading_password(self, text: str) -> bool:
        """Compare a text with the token and the password of e-readers, in constant time."""
        password = self.reading_password.replace("-", "")
        return self.is_token(text) or _is_equal(text.strip().lower().replace("-", ""), password)

    def is_token(self, text: str) -> bool:
        return _is_equal(text, self.token)

    def is_button_key(self, text: str, purpose: Purpose | Literal["any"]) -> bool:
        """Return whether a text is the key of a bookmarklet, or of the extension, for a purpose."""
        purposes = get_args(Purpose) if purpose == "any" else (purpose, "order")
        return any(_is_equal(text, self.key(name)) for name in purposes)


def _is_equal(text: str, secret: str) -> bool:
    return hmac.compare_digest(text.encode("utf-8", "replace"), secret.encode())


class Access:
    """The token and the sessions of a server, in files that are read anew for each request."""

    def __init__(self, path: Path, sessions: Path) -> None:
        self._path, self._sessions_path = path, sessions
        self._lock = threading.Lock()
        self._keys = load_keys(path)

    @property
    def keys(self) -> AccessKeys:
        with suppress(OSError, JobsError):  # A file that is no longer good changes nothing.
            self._keys = _read_token(self._path)
        return self._keys

    def start_session(self) -> str:
        cookie = secrets.token_urlsafe(32)
        with self._lock:
            now = time.time()
            live = {key: end for key, end in self._load_sessions().items() if end > now}
            live[_session_key(self.keys, cookie)] = now + SESSION_SECONDS
            self._save_sessions(dict(sorted(live.items(), key=lambda i: i[1])[-_MAX_SESSIONS:]))
        return cookie

    def is_session(self, cookie: str) -> bool:
        return self._load_sessions().get(_session_key(self.keys, cookie), 0.0) > time.time()

    def end_session(self, cookie: str) -> None:
        with self._lock:
            sessions = self._load_sessions()
            if sessions.pop(_session_key(self.keys, cookie), None):
                self._save_sessions(sessions)

    def end_all_sessions(self) -> None:
        with self._lock:
            self._save_sessions({})

    def _load_sessions(self) -> dict[str, float]:
        path = self._sessions_path
        with suppress(OSError, ValueError, RecursionError), path.open("rb") as file:
            stored = json.loads(file.read(_MAX_SESSION_BYTES))
            if isinstance(stored, dict):
                items = stored.items()
                return {key: float(end) for key, end in items if isinstance(end, int | float)}
        return {}

    def _save_sessions(self, sessions: dict[str, float]) -> None:
        with os_errors(JobsError, "the session cannot be saved"):
            self._sessions_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(self._sessions_path, json.dumps(sessions), 0o600, keep_mode=False)


async def _current_access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


CurrentAccess: TypeAlias = Annotated[Access, Depends(_current_access)]


def _session_key(keys: AccessKeys, cookie: str) -> str:
    """Return the stored hash of a session, which depends on the token and opens no session."""
    text = f"session:{cookie}".encode("utf-8", "replace")
    return hmac.new(keys.token.encode(), text, hashlib.sha256).hexdigest()


def open_access() -> Access:
    return Access(token_path(), data_folder() / "sessions.json")


def token_path() -> Path:
    return settings_files()[0].with_name("token")


def load_keys(path: Path) -> AccessKeys:
    """Read the token, or create one that only this user can read; raise :class:`JobsError`."""
    with os_errors(JobsError, f"the token in {path} cannot be used"):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.path.lexists(path):
            with suppress(FileExistsError):
                atomic_write(path, secrets.token_urlsafe(32) + "\n", 0o600, replace=False)
        return _read_token(path)


def replace_token(path: Path) -> AccessKeys:
    """Write a new token, which ends all sessions; raise :class:`JobsError`."""
    with os_errors(JobsError, f"no token can be written to {path}"):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic_write(path, secrets.token_urlsafe(32) + "\n", 0o600, keep_mode=False)
        return _read_token(path)


def _read_token(path: Path) -> AccessKeys:
    if path.stat().st_mode & 0o077:
        raise JobsError(f"others can read the token in {path}", hint=f"chmod 600 {path}")
    token = read_bounded(path, _MAX_TOKEN_BYTES).decode("ascii", "replace").strip()
    if len(token) < 20 or not token.isascii() or any(c.isspace() for c in token):
        raise JobsError(
            f"{path} contains no token", hint="Delete the file; the server then creates a new token"
        )
    return AccessKeys(token)


def is_loopback(host: str) -> bool:
    """Return whether an address to listen on can be reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


#: How a request authenticated itself; ``button`` is the key of a bookmarklet or of the extension,
#: ``reader`` the password of e-readers, which may do no more than read the catalog.
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

#: The requests that a client may make per minute, by way of authentication.  Each is counted
#: separately, so that nobody without the token can lock the owner out.
_PRINTS: dict[AuthMethod, int] = {"token": 600, "cookie": 600, "button": 120}
_STRANGERS = 100

_HOST = re.compile(
    r"(?P<name>[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?", re.IGNORECASE
)

#: Seconds in which a request body must arrive.
_BODY_SECONDS = 180.0
#: Seconds in which the next piece of it must arrive.
_PIECE_SECONDS = 30.0
#: Seconds in which its first field, the key of a button, must arrive.
_KEY_SECONDS = 10.0
#: Seconds in which the body of a stranger's request must arrive.
_STRANGER_BODY_SECONDS = 10.0
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
        match = _HOST.fullmatch(header)
        name = match["name"].strip("[]").lower() if match else ""
        try:
            return name in self.names or (self.any_ip and bool(ipaddress.ip_address(name)))
        except ValueError:
            return False


class RateLimiter:
    """Limits the requests of clients by the generic cell rate algorithm (ITU-T I.371).

    A client may make the requests of a minute at once; after that, one whenever the time for one
    has passed.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        #: When the time of each client's requests has passed, by the time of the last request.
        self._due: dict[Hashable, float] = {}

    def count(self, client: Hashable, per_minute: int) -> float:
        """Count a request; return 0, or the seconds until the next is accepted if it is not."""
        now, interval = self._clock(), 60 / per_minute
        due = max(self._due.get(client, now), now) + interval
        if (wait := due - now - 60) > 1e-6:  # More than rounding errors.
            return wait
        self._due.pop(client, None)
        self._due[client] = due
        while self._due[oldest := next(iter(self._due))] <= now:
            del self._due[oldest]
        return 0


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
    limiter: RateLimiter = field(default_factory=lambda: RateLimiter(time.monotonic))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
        if "content-length" in headers and "transfer-encoding" in headers:
            # A proxy may see another end of the body than this server (RFC 9112, section 6.1).
            close = {"Connection": "close"}
            return problem_response(
                400, "the request has both Content-Length and Transfer-Encoding", headers=close
            )
        host = headers.get("host", "")
        if not self.hosts.allows(host):
            name = re.sub(r":\d*$", "", host)[:100]
            detail = f'this server does not answer to the name "{name}"'
            return error_response(headers, 421, detail, f"Start it with --hostnames {name}")
        if "prefetch" in headers.get("sec-purpose", headers.get("purpose", "")).lower():
            return Response(status_code=503)  # The user has not asked for it yet.
        auth = scope["state"]["auth_method"] = self._authenticate(headers)
        if path == _CATALOG or path.startswith(f"{_CATALOG}/"):
            return self._refuse_reader(scope)
        if any(path == p or (p.endswith("/") and path.startswith(p)) for p in _PUBLIC):
            return None
        if auth == "none":
            return self._refuse_stranger(scope)
        unsafe = method not in _SAFE_METHODS
        if auth == "cookie" and unsafe and not _is_same_origin(headers):
            return error_response(headers, 403, "this request must come from a page of this server")
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
        """Check a request for the catalog; e-readers send a password (RFC 7617)."""
        headers = Headers(scope=scope)
        if scope["method"] not in ("GET", "HEAD"):
            return error_response(headers, 405, "the catalog is read-only", "", {"Allow": "GET"})
        if scope["state"]["auth_method"] != "none":
            return None
        scheme, _, credentials = headers.get("authorization", "").partition(" ")
        with suppress(ValueError):
            text = base64.b64decode(credentials[:_MAX_CREDENTIALS], validate=True).decode()
            password = text.partition(":")[2]
            if scheme.lower() == "basic" and self.access.keys.is_reading_password(password):
                scope["state"]["auth_method"] = "reader"
                return None
        return self._demand_secret(
            scope, "password", 'Basic realm="webprint", charset="UTF-8"',
            "It is on the settings page; any user name will do",
        )  # fmt: skip

    async def _check_button(self, scope: Scope, receive: Receive) -> tuple[Receive, ASGIApp | None]:
        """Check the key of a submitted page before the rest of its body arrives."""
        headers = Headers(scope=scope)
        start, more_body = b"", True
        with anyio.move_on_after(_KEY_SECONDS):
            while more_body and len(start) < _MAX_KEY_OFFSET and not _KEY.search(start):
                message = await receive()
                start += message.get("body", b"")
                more_body = message.get("more_body", False)
        match = _KEY.search(start)
        if match is None or not self.access.keys.is_button_key(match[1].decode(), "any"):
            detail = "this button is not valid for this server"
            return receive, error_response(headers, 403, detail, "Drag it to your bookmarks again")
        scope["state"]["auth_method"] = "button"
        unread: Message | None = {"type": "http.request", "body": start, "more_body": more_body}

        async def receive_all() -> Message:
            nonlocal unread
            message, unread = unread, None
            return await receive() if message is None else message

        return receive_all, self._limit(_PRINTS["button"], scope, "too many prints at once")

    def _refuse_stranger(self, scope: Scope) -> ASGIApp | None:
        headers, safe = Headers(scope=scope), scope["method"] in _SAFE_METHODS
        if not safe and wants_html(headers) and _is_same_origin(headers):
            return self.sign_in  # The session ended while its user filled in a form.
        if safe and wants_html(headers):
            # On a first visit the start page reads the token; other pages ask to sign in.  Neither
            # is rate-limited: wrong tokens from others must not lock the owner out.
            return None if scope["path"] == "/" and scope["query_string"] else self.sign_in
        return self._demand_secret(
            scope, "token", "Bearer",
            "Send the header 'Authorization: Bearer TOKEN'; the token is in the address that"
            " webprint serve printed, and in the file 'token' beside the settings",
        )  # fmt: skip

    def _demand_secret(self, scope: Scope, secret: str, challenge: str, hint: str) -> Response:
        """Return a demand for a token or a password, or a rate-limit error."""
        headers = {"WWW-Authenticate": challenge}
        return self._limit(_STRANGERS, scope, f"too many requests without the {secret}") or (
            problem_response(401, f"the {secret} is missing or wrong", hint, headers)
        )

    def _limit(self, per_minute: int, scope: Scope, detail: str) -> Response | None:
        """Count a request; return the answer if there are too many."""
        wait = self.limiter.count(
            (scope["state"]["auth_method"], client_network(scope)), per_minute
        )
        if not wait:
            return None
        seconds = math.ceil(wait)
        hint, extra_headers = f"Try again in {seconds} seconds", {"Retry-After": str(seconds)}
        return error_response(Headers(scope=scope), 429, detail, hint, extra_headers)


def client_network(scope: Scope) -> str:
    """Return the client's address, or its network in IPv6; '' if a proxy names no address."""
    try:
        address = ipaddress.ip_address(str((scope.get("client") or ("",))[0]))
    except ValueError:
        return ""
    if address.version == 4:
        return str(address)
    return str(ipaddress.IPv6Network((int(address), 64), strict=False))


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
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        auth = scope["state"].get("auth_method", "none")
        max_bytes = _MAX_STRANGER_BYTES if auth == "none" else self._max_bytes
        too_large = f"a request may have at most {max_bytes} bytes"
        length = Headers(scope=scope).get("content-length", "")
        if length.isdecimal() and int(length[:20]) > max_bytes:
            answer = problem_response(413, too_large, headers={"Connection": "close"})
            await answer(scope, receive, send)
            return
        client = auth, client_network(scope)
        seconds = _STRANGER_BODY_SECONDS if auth == "none" else _BODY_SECONDS
        size, complete, deadline = 0, False, anyio.current_time() + seconds

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
            self._sizes[client] += length
            if size > max_bytes:
                raise HTTPException(413, too_large, {"Connection": "close"})
            if self._sizes[client] > self._max_total // 2 or self._sizes.total() > self._max_total:
                busy = {"Retry-After": "5", "Connection": "close"}
                raise HTTPException(503, "too many large requests at a time", busy)
            return message

        try:
            await self._app(scope, receive_counted, send)
        finally:
            self._sizes[client] -= size
            if not self._sizes[client]:
                del self._sizes[client]
