"""Newsletters: a folder of .eml files, as mail programs save them."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser, BytesParser
from email.policy import Compat32
from email.utils import parseaddr, parsedate_to_datetime
from html import escape
from pathlib import Path
from typing import Any

from ..capture import Capture, PageSource
from ..errors import FetchError
from ..files import os_errors, read_bounded, reason_of
from ..html.parse import codec_for_label
from ..text import clean_line
from .feeds import Entry

MAX_FILES = 500
MAX_BYTES = 25_000_000
MAX_PARTS = 200
MAX_PICTURE_BYTES = 15_000_000

_MAX_HEADER = 2_000
_MAX_COMPARISONS = 20_000_000
_MAX_REPORT_LINES = 20_000
_CID = re.compile(rb"cid:([^\"'\s<>)]{1,200})", re.IGNORECASE)


def read_mail_folder(folder: Path) -> list[Entry]:
    """Return the mails of a folder, newest first, with the errors of those that cannot be read.

    Raise :class:`FetchError`.
    """
    with os_errors(FetchError, f"the folder {folder} cannot be read"):
        paths = [path for path in folder.iterdir() if path.suffix.lower() == ".eml"]
    files = []
    for path in paths:
        with suppress(OSError):  # It is a broken link, or was deleted in the meantime.
            if path.is_file():
                files.append((path.stat().st_mtime, path))
    mails = []
    for saved, path in sorted(files, reverse=True)[:MAX_FILES]:
        try:
            mails.append(parse_mail(read_bounded(path, MAX_BYTES)))
        except FileNotFoundError:
            pass  # It was deleted in the meantime.
        except OSError as error:
            reason = FetchError(f"the mail cannot be read: {reason_of(error)}", url=path.name)
            # Dated, so that it is reported only as long as the digest takes mails of its age.
            mails.append(
                Entry(path.name, published=datetime.fromtimestamp(saved, UTC), error=reason)
            )
    oldest = datetime.min.replace(tzinfo=UTC)
    return sorted(mails, key=lambda mail: mail.date or oldest, reverse=True)


def parse_mail(data: bytes) -> Entry:
    """Return a mail as an entry whose page is its text with embedded pictures."""
    # The parser compares each line with the boundaries of all parts that it is in.
    lower, lines = data.lower(), data.count(b"\n") + data.count(b"\r")
    is_slow = lower.count(b"boundary") * lines > _MAX_COMPARISONS
    # It makes a part of each paragraph of a report.
    is_slow |= b"delivery-status" in lower and lines > _MAX_REPORT_LINES
    parser = BytesHeaderParser if is_slow else BytesParser
    try:
        message = parser(policy=_POLICY).parsebytes(data)
    except (RecursionError, TypeError):  # A thousand nested parts, or parameters it cannot sort.
        message = BytesHeaderParser(policy=_POLICY).parsebytes(data)
    subject = clean_line(_decode_header(message, "Subject"), 300) or "Without a subject"
    name, address = "", ""
    with suppress(RecursionError):  # nested comments
        name, address = parseaddr(clean_line(_decode_header(message, "From"), _MAX_HEADER))
    identifier = clean_line(_decode_header(message, "Message-ID"), _MAX_HEADER).strip("<>")
    url = f"mid:{identifier[:300] or hashlib.sha256(data).hexdigest()}"
    date = _parse_date(_decode_header(message, "Date"))
    source = PageSource(url, url, "text/html", "utf-8", fetched=date, method="file")
    return Entry(
        url=url,
        title=subject,
        published=date,
        author=(name or address)[:200],
        capture=Capture(_mail_page(message, subject), source),
        source_name=name or address,
    )


class _BoundedHeaders(Compat32):
    """A policy that bounds headers, as newer ones parse them recursively in quadratic time."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        return super().header_fetch_parse(name, value[:_MAX_HEADER])


_POLICY: Any = _BoundedHeaders()


def _decode_header(message: Message, name: str) -> str:
    encoded = str(message.get(name, ""))
    try:
        return str(make_header(decode_header(encoded)))
    except (ValueError, LookupError, MessageError):  # invalid encoded words
        return encoded


def _parse_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text[:100])
        return date if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _iter_parts(message: Message) -> Iterator[Message]:
    pending = [message]
    while pending:
        part = pending.pop()
        yield part
        if part.is_multipart():
            pending += reversed(part.get_payload())  # type: ignore[arg-type]


def _mail_page(message: Message, subject: str) -> bytes:
    """Return the HTML of a mail with its pictures embedded, or its plain text as a page."""
    html, plain, pictures = b"", "", {}
    for number, part in enumerate(_iter_parts(message)):
        if number >= MAX_PARTS:
            break
        media_type = part.get_content_type()
        if media_type == "text/html" and not html:
            html = _decode_text(part).encode("utf-8", "replace")
        elif media_type == "text/plain" and not plain:
            plain = _decode_text(part)
        elif media_type.startswith("image/") and part.get("Content-ID"):
            pictures[_decode_header(part, "Content-ID").strip(" <>")] = part
    if html:
        return _embed_pictures(html, pictures)
    paragraphs = (escape(text.strip()) for text in re.split(r"\n[ \t]*\n", plain))
    body = "".join(f"<p>{text}</p>" for text in paragraphs if text)
    return f"<title>{escape(subject)}</title><article>{body}</article>".encode()


def _decode_text(part: Message) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    try:
        return data.decode(codec_for_label(part.get_content_charset("")) or "utf-8", "replace")
    except (LookupError, TypeError):  # TypeError: the parser cannot sort the parameters.
        return data.decode("utf-8", "replace")


def _embed_pictures(html: bytes, pictures: dict[str, Message]) -> bytes:
    """Replace the first reference to each picture by a data URL, within a limit of bytes."""
    remaining = MAX_PICTURE_BYTES
    urls: dict[str, bytes] = {}
    for name, part in pictures.items():
        data = part.get_payload(decode=True)
        if isinstance(data, bytes) and len(data) <= remaining:
            remaining -= len(data)
            media_type = part.get_content_type().encode("ascii", "replace")
            urls[name] = b"data:%s;base64,%s" % (media_type, base64.b64encode(data))

    def embed(match: re.Match[bytes]) -> bytes:
        return urls.pop(match[1].decode("utf-8", "replace"), match[0])

    return _CID.sub(embed, html)
