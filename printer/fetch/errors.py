"""Errors of HTTP libraries and servers, translated into our own error tree."""

from __future__ import annotations

import socket
import ssl
from http import HTTPStatus
from typing import TypeVar

import httpx2

from ..errors import BadURL, FetchError, FetchTimeout, HTTPStatusError, WebprintError
from ..files import reason_of
from .response import Budget

E = TypeVar("E", bound=WebprintError)

#: The libraries' exceptions caused by the network, the server or the URL.
LIBRARY_ERRORS = (httpx2.HTTPError, httpx2.InvalidURL, OSError, OverflowError, UnicodeError)


class TransientError(Exception):
    """A failure worth a retry; ``error`` is raised in the end, ``retry_after`` is in seconds."""

    def __init__(self, error: FetchError, retry_after: float = 0.0) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry_after = retry_after


def translate(error: Exception, url: str, budget: Budget) -> WebprintError | TransientError:
    """Translate a library's exception; return a :class:`TransientError` if retrying may help."""
    root = _root_cause(error)
    reason = reason_of(root).splitlines()[0][:200].rstrip(".")
    if isinstance(error, httpx2.InvalidURL):
        return BadURL(f"not a web address: {error}", url=url)
    if isinstance(root, ssl.SSLCertVerificationError):
        return FetchError(
            f"the server's certificate is not trusted: {root.verify_message}",
            url=url,
            hint="Check the address and this machine's clock",
        )
    if isinstance(error, httpx2.ConnectTimeout):
        message = "the server did not accept the connection in time"
        hint = "Check the address, or try again later"
        return TransientError(FetchTimeout(message, url=url, hint=hint))
    if isinstance(error, (httpx2.TimeoutException, TimeoutError)):
        return TransientError(with_url(budget.timeout_error(), url))
    if isinstance(root, ssl.SSLError):
        ssl_reason = (root.reason or str(root)).replace("_", " ").lower()
        message = f"no secure connection to the server: {ssl_reason}"
        is_plain = ssl_reason in {"wrong version number", "record layer failure"}
        hint = "The server may know only http: try the address with http://" if is_plain else ""
        return FetchError(message, url=url, hint=hint)
    if isinstance(root, ConnectionRefusedError):
        hint = "Check the address and the port, or try again later"
        return TransientError(FetchError("the server refused the connection", url=url, hint=hint))
    if isinstance(error, httpx2.DecodingError):
        return FetchError(f"the response cannot be decompressed: {error}", url=url)
    if isinstance(error, (httpx2.NetworkError, OSError, httpx2.RemoteProtocolError)):
        message = f"the connection to the server failed: {reason}"
        return TransientError(FetchError(message, url=url))
    return FetchError(f"the page could not be fetched: {reason}", url=url)


def with_url(error: E, url: str) -> E:
    error.url = error.url or url
    return error


def status_error(
    status: int, url: str, retry_after: float = 0.0, challenge: str = ""
) -> HTTPStatusError:
    """Return the error for a status; ``challenge`` is the header WWW-Authenticate."""
    try:
        phrase = " " + HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    return HTTPStatusError(
        f"the server answered {status}{phrase}",
        status=status,
        url=url,
        hint=_status_hint(status, retry_after, challenge),
        retry_after=retry_after,
    )


def _status_hint(status: int, retry_after: float, challenge: str) -> str:
    if status == HTTPStatus.UNAUTHORIZED and challenge.lower().lstrip().startswith("basic"):
        return "It asks for a name and a password: --user NAME:PASSWORD"
    if status in {401, 403, 407, 451}:
        return (
            "If you can read it in a browser, pass its cookies with --cookies cookies.txt"
            " or try --render always"
        )
    if status in {404, 410}:
        return "Check the address; the page may have moved"
    if status == HTTPStatus.TOO_MANY_REQUESTS or (status == 503 and retry_after):
        wait = f"it asks to wait {retry_after:.0f} seconds" if retry_after else "try again later"
        return f"The server limits how often it is asked: {wait}"
    return "The fault is the server's; try again later" if status >= 500 else ""


def _root_cause(error: BaseException) -> BaseException:
    """Return the system's exception wrapped by a library, or the innermost one."""
    for _ in range(10):
        if isinstance(error, (ssl.SSLError, ConnectionRefusedError, socket.gaierror)):
            break
        cause = error.__cause__ or error.__context__
        if cause is None:
            break
        error = cause
    return error
