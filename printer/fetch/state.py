"""The state a browser keeps of a person who signed in: cookies, and what sites store."""

from __future__ import annotations

import json
import os
import secrets
import time
from dataclasses import dataclass, field
from http.cookiejar import Cookie
from pathlib import Path
from typing import Any

from ..errors import BadURL, OutputError, UsageError
from ..urls import normalise

_MOST_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class State:
    """What a state file holds: cookies, and by origin what its pages stored."""

    cookies: tuple[Cookie, ...] = ()
    origins: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    content: bytes = field(default=b"", repr=False)


def read_state(path: str) -> State:
    """Read a state file as Playwright writes it; raises :class:`UsageError`."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"the state file {path} cannot be read: {reason}") from error
    try:
        if len(content) > _MOST_BYTES:
            raise ValueError("too large")
        told = json.loads(content)
        now = time.time()
        cookies = tuple(_cookie(each) for each in told.get("cookies", ()))
        origins = tuple(_origin(each) for each in told.get("origins", ()))
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
    return State(fresh, origins, content)


def write_state(path: str, told: Any) -> None:
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


def _cookie(told: dict[str, Any]) -> Cookie:
    domain, expires = _text(told["domain"]), float(told.get("expires", -1))
    return Cookie(
        version=0, name=_line(told["name"]), value=_line(told["value"]), port=None,
        port_specified=False, domain=domain, domain_specified=domain.startswith("."),
        domain_initial_dot=domain.startswith("."), path=_text(told.get("path", "/")),
        path_specified=True, secure=bool(told.get("secure")),
        expires=None if expires < 0 else int(expires), discard=expires < 0, comment=None,
        comment_url=None, rest={"HTTPOnly": ""} if told.get("httpOnly") else {},
    )  # fmt: skip


def _origin(told: dict[str, Any]) -> dict[str, Any]:
    stored = [
        {"name": _text(each["name"]), "value": _text(each["value"])}
        for each in told.get("localStorage", ())
    ]
    return {"origin": normalise(_text(told["origin"])).rstrip("/"), "localStorage": stored}


def _line(value: object) -> str:
    """Return a part of a header: a sign that no header may hold could begin another."""
    text = _text(value)
    if any(sign < " " and sign != "\t" for sign in text):
        raise ValueError("not a line")
    return text


def _text(value: object) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError("not text")
    return value
