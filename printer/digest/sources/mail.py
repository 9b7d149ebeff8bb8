"""Newsletters: a folder of .eml files, as mail programs save them."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
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

from ...capture import Capture, PageSource
from ...errors import FetchError
from ...html.decode import codec_for_label
from ...text import clean_line
from ..candidates import Candidate
from ..config import Source

#: Of a folder the newest so many are looked at, each of at most so many bytes and parts.
MAX_FILES, MAX_BYTES, MAX_PARTS = 500, 25_000_000, 200
#: Pictures of a mail that are printed, in bytes of all.
MAX_PICTURE_BYTES = 15_000_000

#: Of a header so many characters are looked at.
_MAX_HEADER = 2_000

_CID = re.compile(rb"cid:([^\"'\s<>)]{1,200})", re.IGNORECASE)


def read_mail_folder(source: Source, place: int) -> list[Candidate]:
    """Return what a folder of mails offers, the newest first; raises :class:`FetchError`."""
    folder = Path(source.mail).expanduser()
    try:
        files = [path for path in folder.iterdir() if path.suffix.lower() == ".eml"]
        files = sorted(files, key=lambda path: path.stat().st_mtime, reverse=True)[:MAX_FILES]
    except OSError as error:
        raise FetchError(f"the folder {folder} cannot be read: {error.strerror}") from error
    found = [find for path in files for find in _read(path, source, place)]
    old = datetime.min.replace(tzinfo=UTC)
    return sorted(found, key=lambda find: find.when or old, reverse=True)


def _read(path: Path, source: Source, place: int) -> Iterator[Candidate]:
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            return
        data = path.read_bytes()
    except OSError:
        return
    yield parse_mail(data, source, place)


def parse_mail(data: bytes, source: Source, place: int) -> Candidate:
    """Return what a mail offers: its text as a page, with the pictures that came with it."""
    try:
        message = BytesParser(policy=_POLICY).parsebytes(data)
    except RecursionError:  # Parts within parts, a thousand deep: no mail that a person wrote.
        message = BytesHeaderParser(policy=_POLICY).parsebytes(data)
    subject = clean_line(_header(message, "Subject"), 2_000) or "Without a subject"
    sender, address = _sender(clean_line(_header(message, "From"), 2_000))
    identity = clean_line(_header(message, "Message-ID"), 2_000).strip("<>")
    url = f"mid:{identity[:300] or base64.b16encode(data[:60]).decode()}"
    when = _parse_date(_header(message, "Date"))
    body = _page(message, subject)
    return Candidate(
        url=url,
        source=source,
        source_index=place,
        source_name=source.name or sender or address,
        title=subject[:300],
        author=(sender or address)[:200],
        when=when,
        capture=Capture(
            body, PageSource(url, url, "text/html", "utf-8", fetched=when, method="file")
        ),
    )


class _BoundedHeaders(Compat32):
    """The policy that takes headers as they stand, and no more of them than is needed.

    The newer policies parse each header by its grammar: recursively, and in time that grows with
    the square of its length.
    """

    def header_fetch_parse(self, name: str, value: str) -> Any:
        return super().header_fetch_parse(name, value[:_MAX_HEADER])


_POLICY: Any = _BoundedHeaders()


def _header(message: Message, name: str) -> str:
    written = str(message.get(name, ""))
    try:
        return str(make_header(decode_header(written)))
    except (ValueError, LookupError, MessageError):  # encoded words that are none
        return written


def _parts(message: Message) -> Iterator[Message]:
    """Yield a message and all its parts, in their order."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        yield part
        if part.is_multipart():
            waiting += reversed(part.get_payload())  # type: ignore[arg-type]


def _sender(text: str) -> tuple[str, str]:
    try:
        return parseaddr(text)
    except RecursionError:  # remarks in brackets, within each other
        return "", ""


def _parse_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text[:100])
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _page(message: Message, subject: str) -> bytes:
    """Return a mail's HTML, its own pictures put in their places; of plain text a page."""
    html, plain, pictures = b"", "", {}
    for number, part in enumerate(_parts(message)):
        if number >= MAX_PARTS:
            break
        kind = part.get_content_type()
        if kind == "text/html" and not html:
            html = _text(part).encode("utf-8", "replace")
        elif kind == "text/plain" and not plain:
            plain = _text(part)
        elif kind.startswith("image/") and part.get("Content-ID"):
            pictures[_header(part, "Content-ID").strip(" <>")] = part
    if html:
        return _embed_pictures(html, pictures)
    paragraphs = (escape(each.strip()) for each in re.split(r"\n[ \t]*\n", plain))
    text = "".join(f"<p>{each}</p>" for each in paragraphs if each)
    return f"<title>{escape(subject)}</title><article>{text}</article>".encode()


def _text(part: Message) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    try:
        return data.decode(codec_for_label(part.get_content_charset("")) or "utf-8", "replace")
    except LookupError:
        return data.decode("utf-8", "replace")


def _embed_pictures(html: bytes, pictures: dict[str, Message]) -> bytes:
    left = MAX_PICTURE_BYTES
    made: dict[str, bytes] = {}
    for name, part in pictures.items():
        data = part.get_payload(decode=True)
        if isinstance(data, bytes) and len(data) <= left:
            left -= len(data)
            made[name] = b"data:%s;base64,%s" % (
                part.get_content_type().encode("ascii", "replace"), base64.b64encode(data)
            )  # fmt: skip
    uses: dict[str, int] = {}

    def put(match: re.Match[bytes]) -> bytes:
        name = match[1].decode("utf-8", "replace")
        uses[name] = uses.get(name, 0) + 1
        return made.get(name, match[0]) if uses[name] == 1 else match[0]

    return _CID.sub(put, html)
