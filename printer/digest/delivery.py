"""Delivery of files: to a folder or any URL of fsspec, by e-mail, to a printer, to a webhook.

Used by digests, and by the server for single prints.
"""

from __future__ import annotations

import hashlib
import re
import smtplib
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.errors import MessageError
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from html import escape
from itertools import islice
from pathlib import Path
from threading import Timer
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from lxml import etree

from ..backoff import Backoff
from ..errors import MissingLibrary, OutputError, UsageError, WebprintError
from ..files import atomic_write, reason_of, remote_reason_of
from ..html.parse import xml_parser
from ..options import EXTENSIONS, MEDIA_TYPES, Format
from ..render.markup import printable
from ..settings import Settings
from ..text import numbered
from ..urls import origin_of
from .config import Destination, redact_url

_PORTS = {"smtp": 587, "smtps": 465}
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_MAX_ATTEMPTS = 3
_SMTP_TIMEOUT = 60.0
_BACKOFF = Backoff(5.0)


class DeliveryUncertain(OutputError):
    """It is unknown whether the delivery succeeded, so it is not tried again."""


@dataclass(frozen=True, slots=True)
class SMTPServer:
    """A mail server; ``implicit_tls`` means TLS from the first byte, else STARTTLS."""

    host: str
    port: int
    implicit_tls: bool
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def from_url(cls, url: str) -> SMTPServer:
        """Parse the setting; raise :class:`UsageError`, which never quotes it."""
        hint = "It is smtps://USER:PASSWORD@HOST, or smtp://... for STARTTLS"
        if not url:
            raise UsageError("no mail server is set (--smtp)", hint=hint)
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise UsageError("--smtp is not valid", hint=hint) from error
        if parts.scheme not in _PORTS or not parts.hostname:
            raise UsageError("--smtp is not valid", hint=hint)
        return cls(
            parts.hostname,
            port or _PORTS[parts.scheme],
            parts.scheme == "smtps",
            unquote(parts.username or ""),
            unquote(parts.password or ""),
        )


def compose_mail(delivery: Delivery, sender: str, to: str) -> EmailMessage:
    """Return an e-mail with a file; raise :class:`UsageError` for invalid addresses."""
    if "@" not in sender:
        raise UsageError("no sender is set (--mail-from)")
    message = EmailMessage()
    try:
        message["From"] = sender
        message["To"] = to
        # Anything like an encoded word would be decoded, including line breaks.
        subject = " ".join(f"{delivery.title}, {delivery.date:%Y-%m-%d}".split())[:200]
        message["Subject"] = subject.replace("=?", "= ?").encode("utf-8", "replace").decode()
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    except (ValueError, IndexError, MessageError) as error:
        raise UsageError("an address of the mail is not valid") from error
    text = "\n".join(article["title"] for article in delivery.report["articles"])
    message.set_content(text.encode("utf-8", "replace").decode())
    main, _, sub = MEDIA_TYPES[delivery.format].partition("/")
    message.add_attachment(delivery.data, maintype=main, subtype=sub, filename=delivery.file_name)
    return message


def send(
    message: EmailMessage,
    server: SMTPServer,
    *,
    max_megabytes: float,
    context: ssl.SSLContext | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Send a mail; retry after temporary errors.  Raise :class:`DeliveryUncertain` if in doubt."""
    size = len(message.as_bytes()) / 1_000_000
    if size > max_megabytes:
        raise OutputError(
            f"the mail to {message['To']} is {size:.1f} MB; the limit is {max_megabytes:g} MB",
            hint="Print fewer articles (limit) or smaller pictures (dpi), or raise max-megabytes",
        )
    for attempt in range(1, _MAX_ATTEMPTS + 1):
        cause: Exception | None
        try:
            _send_once(message, server, context or ssl.create_default_context())
            return
        except DeliveryUncertain:
            raise
        except smtplib.SMTPAuthenticationError as error:
            # The text, which may repeat the password, is not shown, not even as the cause.
            status = _ENHANCED_STATUS.match(_reply_text(error))
            codes = f"{error.smtp_code} {status[0] if status else ''}".strip()
            reason = f"refused the user name or the password of --smtp: {codes}"
            temporary, cause = 400 <= error.smtp_code < 500, None
        except smtplib.SMTPResponseException as error:
            reason = f"refused the mail: {error.smtp_code} {_reply_text(error)}"
            temporary, cause = 400 <= error.smtp_code < 500, error
        except smtplib.SMTPRecipientsRefused as error:
            refusals = [code for code, _ in error.recipients.values()]
            reason = f"does not accept mail to {message['To']}: {refusals[0]}"
            temporary, cause = all(400 <= code < 500 for code in refusals), error
        except (_ConnectionFailed, OSError, smtplib.SMTPException) as error:
            reason = f"cannot send the mail: {reason_of(error)[:200]}"
            temporary, cause = isinstance(error, _ConnectionFailed), error
        if not temporary or attempt == _MAX_ATTEMPTS:
            raise OutputError(f"{server.host} {reason}") from cause
        sleep(_BACKOFF.delay(attempt))


#: The code at the beginning of a reply (RFC 3463).
_ENHANCED_STATUS = re.compile(r"[45]\.\d{1,3}\.\d{1,3}(?= |$)")


def _reply_text(error: smtplib.SMTPResponseException) -> str:
    reply = error.smtp_error
    text = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else str(reply)
    return " ".join(text.split())[:200]


class _ConnectionFailed(Exception):
    """The connection failed before the mail was transmitted."""


class _SMTP(smtplib.SMTP):
    """A client that knows whether transmission began: before that, nothing can have arrived."""

    transmitting = False

    def data(self, msg: Any) -> tuple[int, bytes]:
        self.transmitting = True
        return super().data(msg)


class _SMTPS(_SMTP, smtplib.SMTP_SSL):
    """The same with TLS from the first byte."""


def _send_once(message: EmailMessage, server: SMTPServer, context: ssl.SSLContext) -> None:
    try:
        client: _SMTP
        if server.implicit_tls:
            client = _SMTPS(server.host, server.port, timeout=_SMTP_TIMEOUT, context=context)
        else:
            client = _SMTP(server.host, server.port, timeout=_SMTP_TIMEOUT)
    except ssl.SSLError:
        raise
    except OSError as error:
        raise _ConnectionFailed(reason_of(error)[:200]) from error
    try:
        if not server.implicit_tls:
            client.ehlo_or_helo_if_needed()
            if client.has_extn("starttls"):
                client.starttls(context=context)
            elif server.host not in _LOOPBACK:
                raise OutputError(f"{server.host} does not offer STARTTLS: nothing was sent")
        if server.user and server.password:
            client.login(server.user, server.password)
        client.send_message(message)
        # The mail is accepted, even if QUIT fails.
        with suppress(smtplib.SMTPException, OSError):
            client.quit()
    except (smtplib.SMTPServerDisconnected, ConnectionError, TimeoutError) as error:
        if client.transmitting:
            raise DeliveryUncertain(f"{server.host} did not confirm the mail") from error
        raise _ConnectionFailed(reason_of(error)[:200]) from error
    finally:
        client.close()


#: The seconds that a print queue or a webhook may take to answer.
_TIMEOUT = 60.0

_MAX_NAMES = 1_000

_MAX_FEED_ENTRIES = 50
_MAX_FEED_BYTES = 5_000_000

_ATOM = "{http://www.w3.org/2005/Atom}"


@dataclass(frozen=True, slots=True)
class Delivery:
    """A file to deliver; ``report`` describes it to a webhook, with its ``articles``."""

    name: str
    title: str
    date: datetime
    data: bytes = field(repr=False)
    report: dict[str, Any]
    format: Format = "pdf"

    @property
    def stem(self) -> str:
        return f"{self.name}-{self.date:%Y-%m-%d}"

    @property
    def file_name(self) -> str:
        return f"{self.stem}{EXTENSIONS[self.format][0]}"


def deliver(delivery: Delivery, destination: Destination, settings: Settings) -> str:
    """Deliver a file and return where; raise :class:`OutputError` or :class:`UsageError`."""
    match destination.kind:
        case "folder":
            return _deliver_to_folder(delivery, destination)
        case "mail":
            server = SMTPServer.from_url(settings.smtp)
            message = compose_mail(delivery, settings.mail_from or server.user, destination.mail)
            send(message, server, max_megabytes=destination.max_megabytes)
            return destination.mail
        case "printer":
            return _deliver_to_printer(delivery, destination)
        case _:
            return _deliver_to_webhook(delivery, destination)


# ---- folders ----


def target_path(delivery: Delivery, destination: Destination) -> str:
    """Return the file that a delivery will write, or '' if none."""
    if destination.kind != "folder":
        return ""
    with _filesystem(destination.folder) as (fs, root):
        return _free_path(fs, root, delivery)


def has_arrived(delivery: Delivery, destination: Destination, target: str) -> bool | None:
    """Return whether a delivery interrupted at a ``target`` arrived, or None if unknown."""
    if not target:
        return None
    with _filesystem(destination.folder) as (fs, root):
        if not fs.exists(target):
            return False
        _add_to_feed(fs, root, target, delivery, destination)
    return True


def _deliver_to_folder(delivery: Delivery, destination: Destination) -> str:
    with _filesystem(destination.folder) as (fs, root):
        fs.makedirs(root, exist_ok=True)
        path = _write_issue(fs, root, delivery)
        _add_to_feed(fs, root, path, delivery, destination)
    return path


def _write_issue(fs: Any, root: str, delivery: Delivery) -> str:
    while True:
        path = _free_path(fs, root, delivery)
        try:
            _write_file(fs, path, delivery.data, replace=False)
        except FileExistsError:  # Another digest has just taken the name.
            continue
        return path


@contextmanager
def _filesystem(folder: str) -> Iterator[tuple[Any, str]]:
    """Open a folder; translate the errors of its file system while the body uses it."""
    import fsspec

    local = "" if "://" in folder else f"file://{Path(folder).expanduser().absolute()}"
    try:
        fs, root = fsspec.core.url_to_fs(local or folder)
    except ImportError as error:
        raise MissingLibrary(f"{redact_url(folder)} needs another package: {error}") from error
    except Exception as error:
        reason = remote_reason_of(error)
        raise OutputError(f"{redact_url(folder)} cannot be reached: {reason}") from error
    # The packages for remote file systems raise errors of their own, such as botocore's.
    failures = OSError if local else Exception
    try:
        yield fs, str(root).rstrip("/")
    except (WebprintError, MemoryError):
        raise
    except failures as error:
        reason = remote_reason_of(error)
        raise OutputError(f"{redact_url(folder)} cannot be written: {reason}") from error


def _free_path(fs: Any, root: str, delivery: Delivery) -> str:
    """Return the path of a new file, so that earlier issues are kept."""
    for stem in islice(numbered(delivery.stem, "-"), _MAX_NAMES):
        path = f"{root}/{stem}{EXTENSIONS[delivery.format][0]}"
        if not fs.lexists(path):
            return path
    raise OutputError(f"there are too many files called {delivery.stem}")


def _write_file(fs: Any, path: str, data: bytes, *, replace: bool = True) -> None:
    """Write a file atomically; remote stores do so by themselves."""
    if "file" not in (fs.protocol if isinstance(fs.protocol, tuple | list) else (fs.protocol,)):
        fs.pipe_file(path, data)
    else:
        atomic_write(Path(path), data, replace=replace)


def _add_to_feed(
    fs: Any, root: str, path: str, delivery: Delivery, destination: Destination
) -> None:
    """Add a file to the Atom feed of its folder, if one is kept."""
    if not destination.feed:
        return
    url = f"{destination.feed.rstrip('/')}/{quote(path.rpartition('/')[2])}"
    feed_path = f"{root}/{delivery.name}.atom"
    feed = fs.cat_file(feed_path, end=_MAX_FEED_BYTES) if fs.exists(feed_path) else b""
    if f'href="{escape(url)}"'.encode() not in feed:  # It is there after an interruption.
        feed_id = f"{destination.feed}#{quote(delivery.name)}"
        _write_file(fs, feed_path, add_feed_entry(feed, feed_id, url, delivery))


def add_feed_entry(feed: bytes, feed_id: str, url: str, delivery: Delivery) -> bytes:
    """Add a file at the beginning of an Atom feed (b'' for a new one)."""
    updated = delivery.date.astimezone(UTC).isoformat()
    media_type, size = MEDIA_TYPES[delivery.format], str(len(delivery.data))
    root = etree.Element(f"{_ATOM}feed", nsmap={None: _ATOM[1:-1]})  # type: ignore[dict-item]
    _add_element(root, "title", delivery.title)
    _add_element(root, "id", feed_id)
    _add_element(root, "updated", updated)
    _add_element(_add_element(root, "author"), "name", "webprint")
    entry = _add_element(root, "entry")
    _add_element(entry, "title", f"{delivery.title}, {delivery.date:%Y-%m-%d}")
    _add_element(entry, "id", f"urn:sha256:{hashlib.sha256(delivery.data).hexdigest()}")
    _add_element(entry, "updated", updated)
    _add_element(entry, "link", rel="alternate", href=url)
    _add_element(entry, "link", rel="enclosure", href=url, type=media_type, length=size)
    parser = xml_parser(recover=True, remove_blank_text=True)
    try:
        previous = etree.fromstring(feed, parser) if feed else None
    except etree.XMLSyntaxError:
        previous = None
    if previous is not None:
        root.extend(previous.findall(f"{_ATOM}entry")[: _MAX_FEED_ENTRIES - 1])
    data: bytes = etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True)
    return data


def _add_element(
    parent: etree._Element, name: str, text: str = "", **attributes: str
) -> etree._Element:
    element = etree.SubElement(parent, _ATOM + name, attributes)
    element.text = printable(text) or None
    return element


# ---- printers and webhooks ----


def _deliver_to_printer(delivery: Delivery, destination: Destination) -> str:
    if delivery.format != "pdf":
        raise OutputError(f"printers do not accept {delivery.format.upper()}")
    printer = destination.printer
    command = ["lp", "-d", printer, "-n", str(destination.copies), "-t", delivery.title]
    for option in destination.options:
        command += ["-o", option]
    try:
        # No shell reads the arguments.
        process = subprocess.run(  # noqa: S603
            command, input=delivery.data, capture_output=True, timeout=_TIMEOUT, check=False
        )
    except FileNotFoundError as error:
        hint = "On Debian: apt install cups-client"
        raise MissingLibrary("the program lp is missing", hint=hint) from error
    except subprocess.TimeoutExpired as error:
        raise DeliveryUncertain(f"the printer {printer} did not answer") from error
    except OSError as error:
        raise OutputError(f"the printer {printer} cannot be reached: {error.strerror}") from error
    if process.returncode:
        reason = " ".join(process.stderr.decode("utf-8", "replace").split())[:200]
        raise OutputError(f"the printer {printer} refused: {reason}")
    return destination.label


def _deliver_to_webhook(delivery: Delivery, destination: Destination) -> str:
    import httpx2

    label = f"the webhook at {origin_of(destination.webhook_url)}"  # The rest may be a key.
    connections: list[socket.socket] = []

    def remember(event: str, info: Mapping[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            connections.append(info["return_value"].get_extra_info("socket"))

    def give_up() -> None:
        with suppress(IndexError, OSError):
            connections[-1].shutdown(socket.SHUT_RDWR)

    timer = Timer(_TIMEOUT, give_up)  # The client's timeout is for each byte.
    timer.start()
    try:
        with (
            httpx2.Client(timeout=_TIMEOUT, trust_env=False) as client,
            client.stream(
                "POST", destination.webhook_url, json=delivery.report,
                extensions={"trace": remember},
            ) as response,
        ):  # fmt: skip
            status = response.status_code  # Its body is not read: it may never end.
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise OutputError(f"{label} cannot be reached") from error
    except httpx2.HTTPError as error:
        raise DeliveryUncertain(f"{label} gave no answer") from error
    finally:
        timer.cancel()
    if status >= 300:
        raise OutputError(f"{label} answered {status}")
    return destination.label
