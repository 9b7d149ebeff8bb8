"""A person's headers, cookies and passwords, and the origins they may be sent to."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy, LoadError, MozillaCookieJar
from itertools import accumulate
from pathlib import Path
from typing import Any
from urllib.request import Request

from .. import __version__
from ..errors import BadURL, OutputError, UsageError
from ..files import atomic_write, os_errors, read_bounded, reason_of
from ..options import FetchOptions
from ..urls import Origin, host_of, normalize_url, origin_of

_MAX_FILE_BYTES = 20_000_000
#: The characters of what all origins have stored, in a state file.
_MAX_STORED = 10_000_000
_USER_AGENT = f"webprint/{__version__} (+print-friendly PDF)"

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")


#: The host of the page whose resource is fetched, '' for a page itself.
_page_host: ContextVar[str] = ContextVar("page_host", default="")


@contextmanager
def fetch_for_page(url: str) -> Iterator[None]:
    """Send only cookies of the page's site to other hosts, as the page could name any host."""
    token = _page_host.set(host_of(url))
    try:
        yield
    finally:
        _page_host.reset(token)


class _CookiePolicy(DefaultCookiePolicy):
    def return_ok(self, cookie: Cookie, request: Request) -> bool:
        host = _page_host.get()
        is_of_site = f".{host}".endswith("." + cookie.domain.removeprefix("."))
        if host not in ("", host_of(request.full_url)) and not is_of_site:
            return False
        return super().return_ok(cookie, request)


@dataclass(frozen=True, slots=True)
class Credentials:
    """What identifies a person, and the origins that the person named.

    ``key`` distinguishes persons in the cache; '' without credentials, when everybody gets the same
    response.  ``storage`` is what pages stored in a browser, by origin, in Playwright's format;
    ``logins`` are NAME:PASSWORD by origin.
    """

    user_agent: str
    origins: frozenset[Origin]
    headers: tuple[tuple[str, str], ...]
    cookies: CookieJar
    key: str
    storage: tuple[dict[str, Any], ...] = ()
    logins: Mapping[Origin, str] = field(default_factory=dict, repr=False)

    @property
    def has_headers(self) -> bool:
        return bool(self.headers or self.logins)

    def headers_for(self, url: str) -> tuple[tuple[str, str], ...]:
        """Return the headers that a request for ``url`` carries: none for a foreign origin."""
        if not self.has_headers or (origin := origin_of(url)) not in self.origins:
            return ()
        login = self.logins.get(origin)
        if login is None:
            return self.headers
        remaining = (header for header in self.headers if header[0].lower() != "authorization")
        return (*remaining, ("Authorization", basic_auth(login)))


def load_credentials(
    options: FetchOptions, origins: frozenset[Origin], logins: Mapping[Origin, str] | None = None
) -> Credentials:
    """Read the credentials named in the options; raise :class:`UsageError`.

    ``logins`` are NAME:PASSWORD by origin, sent only to that origin.
    """
    headers = request_headers(options)
    for name, value in (*headers, ("User-Agent", options.user_agent)):
        if not _TOKEN.fullmatch(name):
            raise UsageError(f"{name[:80]!r} is not the name of a header")
        if not value.isascii() or not value.replace("\t", " ").isprintable():
            raise UsageError(f"the value of the header {name} contains invalid characters")
    cookies, state = CookieJar(), StorageState()
    secret = repr(headers).encode() if headers else b""
    if options.cookies:
        cookies = read_cookies(options.cookies)
        secret += b"\n" + _read_file(options.cookies, "the cookie file")
    if options.storage_state:
        state = read_storage_state(options.storage_state)
        secret += b"\n" + state.content
    if logins:
        pairs = sorted((str(origin), login) for origin, login in logins.items())
        secret += b"\n" + repr(pairs).encode()
    for cookie in state.cookies:
        cookies.set_cookie(cookie)
    cookies.set_policy(_CookiePolicy())
    return Credentials(
        options.user_agent or _USER_AGENT,
        origins,
        headers,
        cookies,
        hashlib.sha256(secret).hexdigest() if secret else "",
        state.origins,
        logins or {},
    )


def request_headers(options: FetchOptions) -> tuple[tuple[str, str], ...]:
    """Return the person's headers, including Authorization for --user (RFC 7617)."""
    if not options.user:
        return options.headers
    name, colon, _ = options.user.partition(":")
    if not colon or not name:
        raise UsageError("--user takes NAME:PASSWORD", hint="As in --user ann:secret")
    if any(name.lower() == "authorization" for name, _ in options.headers):
        raise UsageError(
            "--user and --header 'Authorization: ...' contradict each other", hint="Leave one out"
        )
    return (*options.headers, ("Authorization", basic_auth(options.user)))


def basic_auth(login: str) -> str:
    token = base64.b64encode(login.encode("utf-8", "surrogateescape")).decode()
    return f"Basic {token}"


def read_cookies(path: str) -> CookieJar:
    """Return the cookies of a Netscape ``cookies.txt``; raise :class:`UsageError`."""
    _check_cookie_file(path, _read_file(path, "the cookie file"))
    jar = MozillaCookieJar(path)
    try:
        jar.load(ignore_discard=True, ignore_expires=True)
    except (LoadError, OSError) as error:
        raise UsageError(
            f"{path} is not a cookies.txt in Netscape format",
            hint="It begins with the line '# Netscape HTTP Cookie File'",
        ) from error
    for cookie in jar:
        if cookie.expires == 0:  # as curl and browser exports write session cookies
            cookie.expires = None
            cookie.discard = True
    jar.clear_expired_cookies()
    return jar


def _check_cookie_file(path: str, content: bytes) -> None:
    """Raise :class:`UsageError` for an invalid line, for which the parser would only warn."""
    try:
        lines = content.decode().split("\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"the cookie file {path} is not text in UTF-8") from error
    for number, line in enumerate(lines, start=1):
        line = line.removeprefix("#HttpOnly_").strip("\r")
        if not line.strip() or line.lstrip().startswith(("#", "$")):
            continue
        fields = line.split("\t")
        if len(fields) != 7 or not re.fullmatch(r"\d{0,15}(\.\d{0,9})?", fields[4], re.ASCII):
            raise UsageError(
                f"line {number} of {path} is not a cookie in Netscape format",
                hint="It has seven fields with tabs between them, the fifth a time in seconds",
            )


def _read_file(path: str, kind: str) -> bytes:
    try:
        return read_bounded(Path(path), _MAX_FILE_BYTES)
    except (OSError, ValueError) as error:
        hint = "Check the name of the file"
        raise UsageError(f"{kind} {path} cannot be read: {reason_of(error)}", hint=hint) from error


@dataclass(frozen=True, slots=True)
class StorageState:
    """A browser's state after a person has signed in: cookies, and stored data by origin."""

    cookies: tuple[Cookie, ...] = ()
    origins: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    content: bytes = field(default=b"", repr=False)


def read_storage_state(path: str) -> StorageState:
    """Read a state file in Playwright's format; raise :class:`UsageError`."""
    content = _read_file(path, "the state file")
    try:
        state = json.loads(content)
        cookies = tuple(map(_parse_cookie, state.get("cookies", ())))
        origins = tuple(map(_parse_origin, state.get("origins", ())))
    except (
        BadURL, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError,
    ) as error:  # fmt: skip
        raise UsageError(
            f"{path} is not the saved state of a browser",
            hint="Make one with: webprint login URL --storage-state FILE",
        ) from error
    now = time.time()
    unexpired = tuple(c for c in cookies if c.expires is None or c.expires > now)
    return StorageState(unexpired, origins, content)


def write_storage_state(path: str, state: Any) -> None:
    """Write a state file that only its owner may read; raise :class:`OutputError`.

    Pages decide what they store: leave out what :func:`read_storage_state` refuses.
    """
    entries = map(_readable_items, state["origins"])
    smallest = sorted((len(json.dumps(entry)), n, entry) for n, entry in enumerate(entries))
    sizes = accumulate(size for size, _, _ in smallest)
    fitting = bisect_right(list(sizes), _MAX_STORED)
    state = {**state, "origins": [entry for _, _, entry in smallest[:fitting]]}
    with os_errors(OutputError, f"{path} cannot be written"):
        atomic_write(Path(path), json.dumps(state, indent=1), 0o600, keep_mode=False)


def _readable_items(entry: dict[str, Any]) -> dict[str, Any]:
    """Return what an origin has stored without what is not text or contains NUL."""
    items = entry["localStorage"] if isinstance(entry["localStorage"], list) else []
    stored = []
    for item in items:
        with suppress(ValueError, TypeError, KeyError):
            name, value = _check_text(item["name"]), _check_text(item["value"])
            stored.append({"name": name, "value": value})
    return {**entry, "localStorage": stored}


def _parse_cookie(data: dict[str, Any]) -> Cookie:
    domain, expires = _check_text(data["domain"]), float(data.get("expires", -1))
    return Cookie(
        version=0, name=_check_text(data["name"], in_header=True),
        value=_check_text(data["value"], in_header=True), port=None,
        port_specified=False, domain=domain, domain_specified=domain.startswith("."),
        domain_initial_dot=domain.startswith("."), path=_check_text(data.get("path", "/")),
        path_specified=True, secure=bool(data.get("secure")),
        expires=None if expires < 0 else int(expires), discard=expires < 0, comment=None,
        comment_url=None, rest={"HTTPOnly": ""} if data.get("httpOnly") else {},
    )  # fmt: skip


def _parse_origin(data: dict[str, Any]) -> dict[str, Any]:
    stored = [
        {"name": _check_text(item["name"]), "value": _check_text(item["value"])}
        for item in data.get("localStorage", ())
    ]
    return {
        "origin": normalize_url(_check_text(data["origin"])).rstrip("/"),
        "localStorage": stored,
    }


def _check_text(value: object, *, in_header: bool = False) -> str:
    """Return a text without NUL, and without control characters that end a header."""
    if not isinstance(value, str) or "\0" in value:
        raise ValueError("not text")
    if in_header and any(character < " " and character != "\t" for character in value):
        raise ValueError("not a line")
    return value
