"""E-mail with a file attached, sent by SMTP over TLS."""

from __future__ import annotations

import smtplib
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from email.errors import MessageError
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any
from urllib.parse import unquote, urlsplit

from ..backoff import Backoff
from ..errors import OutputError, UsageError

_PORTS = {"smtp": 587, "smtps": 465}
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_MAX_ATTEMPTS, _TIMEOUT, _BACKOFF = 3, 60.0, Backoff(5.0)

#: The ratio of the size of an attachment to that of its file (base64, with line breaks).
_BASE64_GROWTH = 1.38


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
        """Parse the setting; raises :class:`UsageError`, which never quotes it."""
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


@dataclass(frozen=True, slots=True)
class Mail:
    """An e-mail with one file."""

    sender: str
    to: str
    subject: str
    text: str
    file_name: str
    data: bytes = field(repr=False)
    media_type: str = "application/pdf"

    def message(self) -> EmailMessage:
        """Return the message; raises :class:`UsageError` for invalid addresses."""
        message = EmailMessage()
        try:
            message["From"] = self.sender
            message["To"] = self.to
            # Anything like an encoded word would be decoded, including line breaks.
            subject = " ".join(self.subject.split())[:200].replace("=?", "= ?")
            message["Subject"] = subject.encode("utf-8", "replace").decode()
            message["Date"] = formatdate()
            message["Message-ID"] = make_msgid(domain=self.sender.rpartition("@")[2])
        except (ValueError, IndexError, MessageError) as error:
            raise UsageError("an address of the mail is not valid") from error
        message.set_content(self.text.encode("utf-8", "replace").decode())
        main, _, sub = self.media_type.partition("/")
        message.add_attachment(self.data, maintype=main, subtype=sub, filename=self.file_name)
        return message


def send(
    mail: Mail,
    server: SMTPServer,
    *,
    max_megabytes: float,
    context: ssl.SSLContext | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Send a mail; retry after temporary errors.

    Raises:
        UsageError: an address is missing or not valid.
        OutputError: the mail is too large, or was not sent.
        DeliveryUncertain: the connection was lost after the mail had been transmitted.
    """
    if "@" not in mail.sender:
        raise UsageError("no sender is set (--mail-from)")
    size = len(mail.data) * _BASE64_GROWTH / 1_000_000
    if size > max_megabytes:
        raise OutputError(
            f"the mail to {mail.to} has {size:.1f} MB; the limit is {max_megabytes:g}",
            hint="Print fewer articles (limit) or smaller pictures (dpi), or raise max-megabytes",
        )
    message = mail.message()
    for attempt in range(1, _MAX_ATTEMPTS + 1):
        cause: Exception
        try:
            _send(message, server, context or ssl.create_default_context())
            return
        except DeliveryUncertain:
            raise
        except smtplib.SMTPResponseException as error:
            reply = error.smtp_error
            text = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else str(reply)
            reason = f"refused the mail: {error.smtp_code} {' '.join(text.split())[:200]}"
            temporary, cause = 400 <= error.smtp_code < 500, error
        except smtplib.SMTPRecipientsRefused as error:
            codes = [code for code, _ in error.recipients.values()]
            reason = f"takes no mail to {mail.to}: {codes[0]}"
            temporary, cause = all(400 <= code < 500 for code in codes), error
        except (_ConnectionFailed, OSError, smtplib.SMTPException) as error:
            reason = f"cannot send the mail: {_describe(error)}"
            temporary, cause = isinstance(error, _ConnectionFailed), error
        if not temporary or attempt == _MAX_ATTEMPTS:
            raise OutputError(f"{server.host} {reason}") from cause
        sleep(_BACKOFF.delay(attempt))


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


def _send(message: EmailMessage, server: SMTPServer, context: ssl.SSLContext) -> None:
    try:
        client: _SMTP
        if server.implicit_tls:
            client = _SMTPS(server.host, server.port, timeout=_TIMEOUT, context=context)
        else:
            client = _SMTP(server.host, server.port, timeout=_TIMEOUT)
    except ssl.SSLError:
        raise
    except OSError as error:
        raise _ConnectionFailed(_describe(error)) from error
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
        raise _ConnectionFailed(_describe(error)) from error
    finally:
        client.close()


def _describe(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)[:200]
