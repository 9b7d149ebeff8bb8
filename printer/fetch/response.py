"""The limits of one fetch: a deadline, the bytes of one response, and the type of its content."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..errors import FetchTimeout, NotHTML, TooLarge
from ..files import load_json
from ..text import quantity

#: An honest response takes less than twice its decoded size on the wire, chunk headers included.
_ENCODING_OVERHEAD = 2
_MAX_HEADER_BYTES = 500_000

#: What to do about an answer over the limit.
LARGER_HINT = "Allow more with --max-size, as in --max-size 50MB"


class Budget:
    """The seconds until ``deadline`` and the bytes of one response that a fetch may still use."""

    def __init__(self, timeout: float, max_bytes: int) -> None:
        self.timeout = timeout
        self.max_bytes = max_bytes
        self.deadline = time.monotonic() + timeout
        self._received = 0

    def time_left(self) -> float:
        """Return the seconds left; raise :class:`FetchTimeout` at 0."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise self.timeout_error()
        return left

    def cap(self, timeout: float | None) -> float:
        left = self.time_left()
        return left if timeout is None else min(timeout, left)

    def next_response(self) -> None:
        self._received = 0

    def count(self, received: int) -> None:
        """Count bytes from the wire, headers included; raise :class:`TooLarge`."""
        self._received += received
        if self._received > self.max_bytes * _ENCODING_OVERHEAD + _MAX_HEADER_BYTES:
            raise self.too_large()

    def timeout_error(self) -> FetchTimeout:
        return FetchTimeout(
            f"no complete response within {quantity(self.timeout, 'second')}",
            hint="Try again later, or allow more with --timeout",
        )

    def too_large(self, size: int = 0) -> TooLarge:
        """Return the error for a response of more bytes than allowed; ``size`` if it is known."""
        message = f"the response is larger than {format_bytes(self.max_bytes)}"
        message += f": {format_bytes(size)}" if size else ""
        return TooLarge(message, hint=LARGER_HINT)


#: The budget that limits connections used in this context.
current_budget: ContextVar[Budget] = ContextVar("budget")


@contextmanager
def use_budget(budget: Budget) -> Iterator[None]:
    """Limit every connection used inside by the budget."""
    token = current_budget.set(budget)
    try:
        yield
    finally:
        current_budget.reset(token)


def format_bytes(size: int) -> str:
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return quantity(size, "byte")


HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})

_TABLES: dict[str, Any] = load_json(__file__, "media_types.json")
_NAMES: dict[str, str] = _TABLES["names"]
_FAMILIES: dict[str, str] = _TABLES["families"]
_OFFICE = tuple(_TABLES["office"])
#: Unspecific types, for which the bytes decide.
_VAGUE = frozenset(_TABLES["vague"])
#: The bytes that a file of a type begins with.
_SIGNATURES: list[tuple[bytes, str]] = [
    (bytes.fromhex(magic), media_type) for magic, media_type in _TABLES["signatures"]
]

_MARKUP = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|base|h[1-6]|p|div|span|main"
    rb"|article|section|header|nav|table|ul|ol|a|b|i|em|strong|img|br|hr|center|font)[\s/>]",
    re.IGNORECASE,
)
_FEED = re.compile(rb"<(?:rss|feed|rdf:RDF)[\s>]")


def sniff_media_type(head: bytes) -> str:
    for magic, media_type in _SIGNATURES:
        if head.startswith(magic) and (magic != b"BM" or head[6:10] == b"\0\0\0\0"):
            return media_type
    if head[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(head[8:12], "video/x-msvideo")
    if head[4:8] == b"ftyp":
        return "image/avif" if head[8:12] in {b"avif", b"avis"} else "video/mp4"
    return ""


def describe_media_type(media_type: str) -> str:
    """Return a media type's readable name: ``a PDF``, ``a JPEG picture``."""
    if media_type in _NAMES:
        return _NAMES[media_type]
    if media_type.startswith(_OFFICE):
        return "an office document"
    return _FAMILIES.get(media_type.partition("/")[0], f"of type {media_type}")


def media_type_of(content_type: str) -> str:
    """Return the media type that a header Content-Type names, '' for none."""
    return content_type.partition(";")[0].strip().lower()[:100]


def check_html(media_type: str, head: bytes | None, url: str) -> None:
    """Raise :class:`NotHTML` unless a response may be a web page.

    ``head`` is the beginning of the body, about a thousand bytes, or None before it has arrived;
    then only an unambiguous media type is refused.
    """
    if head is None:
        if media_type not in HTML_TYPES and media_type not in _VAGUE:
            raise not_html(media_type, url)
        return
    if sniffed := sniff_media_type(head):
        raise not_html(sniffed, url)
    is_utf16 = head[:2] in {b"\xff\xfe", b"\xfe\xff"}  # text full of zero bytes
    text = head.replace(b"\0", b"") if is_utf16 else head
    if b"\0" in text and not _MARKUP.search(text):
        raise not_html("application/octet-stream", url)
    if media_type in HTML_TYPES or not text.strip() or _MARKUP.search(text):
        return
    if _FEED.search(text):
        raise not_html("application/rss+xml", url)
    if text.lstrip()[:5] == b"<?xml":
        raise not_html("application/xml", url)
    raise not_html("application/json" if text.lstrip()[:1] in b"{[" else "text/plain", url)


def not_html(media_type: str, url: str) -> NotHTML:
    name = describe_media_type(media_type)
    if media_type == "application/octet-stream":
        name = "a binary file"
    hint = (
        "If it is a list of addresses: -i LIST"
        if media_type == "text/plain" and "://" not in url
        else ""
    )
    return NotHTML(f"not a web page but {name}", media_type=media_type, url=url, hint=hint)
