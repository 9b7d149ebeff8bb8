"""Answers that the pages of one run share, though each is shown in a context of its own.

Style sheets, scripts, fonts and pictures that several pages of a site load are fetched once.  It is
a shared cache by RFC 9111: what is private, sets cookies, was sent to a person who spoke up or
varies with more than the browser is not kept.  Each site has its own part, as in a browser, so that
no page learns what others were shown.  All is in memory, and gone with the run.
"""

from __future__ import annotations

import base64
import time
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from hishel import Entry

#: Bytes kept altogether, and of one answer; addresses asked for from here on one page.
MOST_KEPT, MOST_OF_ONE, MOST_ASKED = 64_000_000, 2_000_000, 300

#: Kinds of requests whose answers are shared.
KINDS = frozenset({"stylesheet", "script", "font", "image"})

_OPTIONS: Any = {"shared": True, "supported_methods": ["GET"]}
_HARMLESS = frozenset({"accept", "accept-encoding", "user-agent"})
#: What told of the bytes on the wire, or is one person's.
_GONE = frozenset({
    "connection", "content-encoding", "content-length", "keep-alive", "set-cookie", "set-cookie2",
    "transfer-encoding",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Kept:
    entry: Entry
    body: bytes


class Shared:
    """Keeps answers by the site whose page asked for them and by address."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], _Kept] = OrderedDict()
        self._size = 0

    def addresses(self, site: str) -> list[str]:
        """Return what is kept for a site, the latest at most."""
        return [url for where, url in reversed(self._kept) if where == site][:MOST_ASKED]

    def fulfil(self, site: str, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a paused request as the browser takes it, None if there is none."""
        from hishel import FromCache, Headers, IdleClient, Request

        url = str(request["url"])
        kept = self._kept.get((site, url))
        if kept is None:
            return None
        asked = Request(str(request["method"]), url, Headers(dict(request["headers"])))
        found = IdleClient(options=_OPTIONS).next(asked, [kept.entry])
        if not isinstance(found, FromCache):
            self._forget((site, url))
            return None
        self._kept.move_to_end((site, url))
        headers = found.entry.response.headers
        return {
            "responseCode": 200,
            "responseHeaders": [{"name": name, "value": headers[name]} for name in headers],
            "body": base64.b64encode(kept.body).decode(),
        }

    def takes(self, url: str, headers: Mapping[str, str]) -> Entry | None:
        """Return an answer of status 200 as it is to be kept, None if it may not be."""
        from hishel import CacheMiss, Entry, Headers, Request, Response, StoreAndUse

        told = {name.lower(): value for name, value in headers.items()}
        varies = {name.strip().lower() for name in told.get("vary", "").split(",")}
        length = told.get("content-length", "0")
        too_long = not length.isdecimal() or len(length) > 9 or int(length) > MOST_OF_ONE
        if "set-cookie" in told or varies - _HARMLESS - {""} or too_long:
            return None
        if not _dated(told):
            return None
        kept = {name: value for name, value in told.items() if name not in _GONE | {"vary"}}
        request = Request("GET", url)
        decided = CacheMiss(options=_OPTIONS, request=request).next(Response(200, Headers(kept)))
        if not isinstance(decided, StoreAndUse):
            return None
        return Entry(id=uuid4(), request=request, response=decided.response)

    def keep(self, site: str, entry: Entry, body: bytes) -> None:
        """Keep an answer; what was not asked for longest gives way."""
        if len(body) > MOST_OF_ONE:
            return
        key = site, entry.request.url
        self._forget(key)
        self._kept[key] = _Kept(entry, body)
        self._size += len(body)
        while self._size > MOST_KEPT:
            self._forget(next(iter(self._kept)))

    def _forget(self, key: tuple[str, str]) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._size -= len(kept.body)


def _dated(told: dict[str, str]) -> bool:
    """Date an answer so that its age is told from that alone; tell whether that can be done."""
    age = told.get("age", "0")
    if (
        not age.isdecimal()
        or len(age) > 9
        or (int(age) and "max-age" not in told.get("cache-control", ""))
    ):
        return False
    now = time.time()
    made = now
    with suppress(ValueError, TypeError, OverflowError):
        made = parsedate_to_datetime(told.get("date", "")).timestamp()
    told["date"] = formatdate(min(made, now - int(age)), usegmt=True)
    return True


def pattern(url: str) -> str:
    """Write an address as the browser's patterns have it."""
    return url.replace("\\", "\\\\").replace("*", "\\*").replace("?", "\\?")
