"""Who asks: what a person handed over, and to whom it may be told."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookiejar import Cookie, CookieJar, LoadError, MozillaCookieJar
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..errors import BadURL, OutputError, UsageError
from ..options import FetchOptions
from ..urls import Origin, normalize_url, origin_of

#: No file of cookies is larger.
_MOST_BYTES = 20_000_000

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")


@dataclass(frozen=True, slots=True)
class Credentials:
    """The headers and cookies of a person, and the origins that person named.

    ``key`` tells one person's answers from another's in the cache; '' when nothing was handed
    over, so that anybody would get the same.  ``stored`` is what pages stored in a browser, by
    origin, as Playwright takes it.
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
        """Whether any request carries headers of the person."""
        return bool(self.headers or self.logins)

    def headers_for(self, url: str) -> tuple[tuple[str, str], ...]:
        """Return the headers that a request for ``url`` carries: none for a stranger."""
        if not self.has_headers or (where := origin_of(url)) not in self.origins:
            return ()
        login = self.logins.get(where)
        if login is None:
            return self.headers
        others = (each for each in self.headers if each[0].lower() != "authorization")
        return (*others, ("Authorization", _basic(login)))


def load_credentials(
    options: FetchOptions, named: frozenset[Origin], logins: Mapping[Origin, str] | None = None
) -> Credentials:
    """Read what a person handed over; raises :class:`UsageError`.

    ``logins`` are names and passwords by origin, which go there alone.
    """
    headers = _headers(options)
    for name, value in (*headers, ("User-Agent", options.user_agent)):
        if not _TOKEN.fullmatch(name):
            raise UsageError(f"{name[:80]!r} is not the name of a header")
        if not value.isascii() or not (
            value.isprintable() or value.replace("\t", " ").isprintable()
        ):
            raise UsageError(f"the value of the header {name} holds characters it may not hold")
    secret = repr(headers).encode() if headers else b""
    if options.cookies:
        secret += b"\n" + _read(options.cookies)
    state = read_storage_state(options.storage_state) if options.storage_state else StorageState()
    if options.storage_state:
        secret += b"\n" + state.content
    if logins:
        secret += (
            b"\n" + repr(sorted((str(where), login) for where, login in logins.items())).encode()
        )
    cookies = read_cookies(options.cookies) if options.cookies else CookieJar()
    for cookie in state.cookies:
        cookies.set_cookie(cookie)
    return Credentials(
        options.user_agent or default_user_agent(),
        named,
        headers,
        cookies,
        hashlib.sha256(secret).hexdigest() if secret else "",
        state.origins,
        logins or {},
    )


def _headers(options: FetchOptions) -> tuple[tuple[str, str], ...]:
    """Return the headers handed over; a name and password go into one of them (RFC 7617)."""
    if not options.user:
        return options.headers
    name, colon, _ = options.user.partition(":")
    if not colon or not name:
        raise UsageError("--user takes NAME:PASSWORD")
    if any(given.lower() == "authorization" for given, _ in options.headers):
        raise UsageError("--user and --header 'Authorization: ...' say the same thing twice")
    return (*options.headers, ("Authorization", _basic(options.user)))


def _basic(login: str) -> str:
    token = base64.b64encode(login.encode("utf-8", "surrogateescape")).decode()
    return f"Basic {token}"


def default_user_agent() -> str:
    """Return the name we give ourselves, with the version."""
    try:
        number = version("webprint")
    except PackageNotFoundError:  # run from a tree that was never installed
        number = "0"
    return f"webprint/{number} (+print-friendly PDF)"


def read_cookies(path: str) -> CookieJar:
    """Return the cookies of a Netscape ``cookies.txt``; raises :class:`UsageError`."""
    _check(path, _read(path))
    jar = MozillaCookieJar(path)
    try:
        jar.load(ignore_discard=True, ignore_expires=True)
    except (LoadError, OSError) as error:
        raise UsageError(
            f"{path} is not a cookies.txt in Netscape format",
            hint="It begins with the line '# Netscape HTTP Cookie File'",
        ) from error
    for cookie in jar:
        if cookie.expires == 0:  # How curl and browsers' exports write a session cookie.
            cookie.expires = None
            cookie.discard = True
    jar.clear_expired_cookies()
    return jar


def _check(path: str, content: bytes) -> None:
    """Raise :class:`UsageError` for a line that is no cookie; the parser would only warn."""
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


def _read(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"the cookie file {path} cannot be read: {reason}") from error
    if len(content) > _MOST_BYTES:
        raise UsageError(f"the cookie file {path} is too large")
    return content


_MAX_STATE_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class StorageState:
    """What a state file holds: cookies, and by origin what its pages stored."""

    cookies: tuple[Cookie, ...] = ()
    origins: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    content: bytes = field(default=b"", repr=False)


def read_storage_state(path: str) -> StorageState:
    """Read a state file as Playwright writes it; raises :class:`UsageError`."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MAX_STATE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"the state file {path} cannot be read: {reason}") from error
    try:
        if len(content) > _MAX_STATE_BYTES:
            raise ValueError("too large")
        told = json.loads(content)
        now = time.time()
        cookies = tuple(_state_cookie(each) for each in told.get("cookies", ()))
        origins = tuple(_stored_origin(each) for each in told.get("origins", ()))
    except (
        BadURL,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise UsageError(
            f"{path} is not the saved state of a browser",
            hint="Make one with: webprint login URL --storage-state FILE",
        ) from error
    fresh = tuple(each for each in cookies if each.expires is None or each.expires > now)
    return StorageState(fresh, origins, content)


def write_storage_state(path: str, told: Any) -> None:
    """Write a state file that its owner alone may read, whole or not at all."""
    target = Path(path)
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                json.dump(told, file, indent=1)
            beside.replace(target)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error


def _state_cookie(told: dict[str, Any]) -> Cookie:
    domain, expires = _checked_text(told["domain"]), float(told.get("expires", -1))
    return Cookie(
        version=0, name=_header_text(told["name"]), value=_header_text(told["value"]), port=None,
        port_specified=False, domain=domain, domain_specified=domain.startswith("."),
        domain_initial_dot=domain.startswith("."), path=_checked_text(told.get("path", "/")),
        path_specified=True, secure=bool(told.get("secure")),
        expires=None if expires < 0 else int(expires), discard=expires < 0, comment=None,
        comment_url=None, rest={"HTTPOnly": ""} if told.get("httpOnly") else {},
    )  # fmt: skip


def _stored_origin(told: dict[str, Any]) -> dict[str, Any]:
    stored = [
        {"name": _checked_text(each["name"]), "value": _checked_text(each["value"])}
        for each in told.get("localStorage", ())
    ]
    return {
        "origin": normalize_url(_checked_text(told["origin"])).rstrip("/"),
        "localStorage": stored,
    }


def _header_text(value: object) -> str:
    """Return a part of a header: a sign that no header may hold could begin another."""
    text = _checked_text(value)
    if any(sign < " " and sign != "\t" for sign in text):
        raise ValueError("not a line")
    return text


def _checked_text(value: object) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError("not text")
    return value
