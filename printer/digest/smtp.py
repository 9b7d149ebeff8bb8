"""Mail: a digest as an attachment, sent by SMTP over TLS."""

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

#: How much larger an attachment is in the mail (base64, with its line breaks).
_BASE64_GROWTH = 1.38


class DeliveryUncertain(OutputError):
    """Nobody knows whether it arrived: it is not sent again."""


@dataclass(frozen=True, slots=True)
class SMTPServer:
    """What sends mail; ``secure`` from the first byte, or by STARTTLS."""

    host: str
    port: int
    secure: bool
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def from_url(cls, url: str) -> SMTPServer:
        """Read the setting; raises :class:`UsageError`, which never repeats it."""
        hint = "It is smtps://USER:PASSWORD@HOST, or smtp://... for STARTTLS"
        if not url:
            raise UsageError("no --smtp says what sends mail", hint=hint)
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise UsageError("--smtp cannot be read", hint=hint) from error
        if parts.scheme not in _PORTS or not parts.hostname:
            raise UsageError("--smtp cannot be read", hint=hint)
        return cls(
            parts.hostname,
            port or _PORTS[parts.scheme],
            parts.scheme == "smtps",
            unquote(parts.username or ""),
            unquote(parts.password or ""),
        )


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail with one file."""

    sender: str
    to: str
    subject: str
    text: str
    name: str
    data: bytes = field(repr=False)
    media_type: str = "application/pdf"

    def message(self) -> EmailMessage:
        """Return it as it is sent; raises :class:`UsageError` for what no header may hold."""
        message = EmailMessage()
        try:
            message["From"] = self.sender
            message["To"] = self.to
            # What looks like an encoded word would be decoded, line ends and all.
            subject = " ".join(self.subject.split())[:200].replace("=?", "= ?")
            message["Subject"] = subject.encode("utf-8", "replace").decode()
            message["Date"] = formatdate()
            message["Message-ID"] = make_msgid(domain=self.sender.rpartition("@")[2])
        except (ValueError, IndexError, MessageError) as error:
            raise UsageError("an address of the mail cannot stand in its header") from error
        message.set_content(self.text.encode("utf-8", "replace").decode())
        main, _, sub = self.media_type.partition("/")
        message.add_attachment(self.data, maintype=main, subtype=sub, filename=self.name)
        return message


def send(
    mail: Mail,
    server: SMTPServer,
    *,
    max_megabytes: float,
    context: ssl.SSLContext | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Send a mail of at most ``most`` megabytes, again when what went wrong may pass.

    Raises :class:`OutputError`, :class:`MayHaveArrived` when the connection was lost after the mail
    had been handed over: such a one is not sent again.
    """
    if "@" not in mail.sender:
        raise UsageError("no --mail-from says who sends the mail")
    size = len(mail.data) * _BASE64_GROWTH / 1_000_000
    if size > max_megabytes:
        raise OutputError(
            f"the mail to {mail.to} would have {size:.1f} MB, over the limit of {max_megabytes:g}",
            hint="Fewer articles (limit), smaller pictures (dpi), or a larger 'most'",
        )
    message = mail.message()
    for attempt in range(1, _MAX_ATTEMPTS + 1):
        try:
            _send(message, server, context or ssl.create_default_context())
            return
        except smtplib.SMTPResponseException as error:
            said = error.smtp_error
            text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
            text = " ".join(text.split())[:200]
            failure = OutputError(f"{server.host} refused the mail: {error.smtp_code} {text}")
            passing = 400 <= error.smtp_code < 500
            reason: Exception = error
        except smtplib.SMTPRecipientsRefused as error:
            codes = [code for code, _ in error.recipients.values()]
            failure = OutputError(f"{server.host} takes no mail to {mail.to}: {codes[0]}")
            passing, reason = all(400 <= code < 500 for code in codes), error
        except DeliveryUncertain:
            raise
        except (_Unreachable, OSError, smtplib.SMTPException) as error:
            failure = OutputError(f"{server.host} cannot send the mail: {_error_text(error)}")
            passing, reason = isinstance(error, _Unreachable), error
        if not passing or attempt == _MAX_ATTEMPTS:
            raise failure from reason
        sleep(_BACKOFF.delay(attempt))


class _Unreachable(Exception):
    """No connection came about, or was lost before the mail was handed over."""


class _TrackingSMTP(smtplib.SMTP):
    """Notes when the mail itself is handed over: what is lost before that did not arrive."""

    data_sent = False

    def data(self, msg: Any) -> tuple[int, bytes]:
        self.data_sent = True
        return super().data(msg)


class _TrackingSMTPS(_TrackingSMTP, smtplib.SMTP_SSL):
    """The same over TLS."""


def _send(message: EmailMessage, server: SMTPServer, context: ssl.SSLContext) -> None:
    try:
        if server.secure:
            client: _TrackingSMTP = _TrackingSMTPS(
                server.host, server.port, timeout=_TIMEOUT, context=context
            )
        else:
            client = _TrackingSMTP(server.host, server.port, timeout=_TIMEOUT)
    except ssl.SSLError:
        raise
    except OSError as error:
        raise _Unreachable(_error_text(error)) from error
    try:
        if not server.secure:
            client.ehlo_or_helo_if_needed()
            if client.has_extn("starttls"):
                client.starttls(context=context)
            elif server.host not in _LOOPBACK:
                raise OutputError(f"{server.host} offers no STARTTLS: nothing was sent")
        if server.user and server.password:
            client.login(server.user, server.password)
        client.send_message(message)
        # The mail is theirs: what they say to the farewell changes nothing.
        with suppress(smtplib.SMTPException, OSError):
            client.quit()
    except (smtplib.SMTPServerDisconnected, ConnectionError, TimeoutError) as error:
        if client.data_sent:
            raise DeliveryUncertain(
                f"{server.host} did not say whether it took the mail"
            ) from error
        raise _Unreachable(_error_text(error)) from error
    finally:
        client.close()


def _error_text(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)[:200]
