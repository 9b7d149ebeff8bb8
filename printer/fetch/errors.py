"""Whatever a library raises, said in one line of our own error tree."""

from __future__ import annotations

import socket
import ssl
from http import HTTPStatus

import httpcore2
import httpx2

from ..errors import BadURL, FetchError, FetchTimeout, HTTPStatusError, WebprintError
from .budget import Budget

#: What the libraries raise for reasons of the network, the server or the address.
LIBRARY_ERRORS = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.TimeoutException,
    httpcore2.UnsupportedProtocol,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    OSError,
    OverflowError,
    UnicodeError,
)


class TransientError(Exception):
    """A failure that may pass: ``error`` is what to raise in the end, ``after`` when to retry."""

    def __init__(self, error: FetchError, after: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.after = after


def translate(error: Exception, url: str, budget: Budget) -> WebprintError | TransientError:
    """Turn a library's exception into ours, a :class:`TransientError` where retrying may help."""
    root = _root(error)
    if isinstance(error, httpx2.InvalidURL):
        return BadURL(f"not a web address: {error}", url=url)
    if isinstance(root, ssl.SSLCertVerificationError):
        return FetchError(
            f"the server's certificate is not trusted: {root.verify_message}",
            url=url,
            hint="Check the address and this machine's clock",
        )
    if isinstance(error, httpcore2.ConnectTimeout):
        return TransientError(
            FetchTimeout(
                "the server did not accept the connection in time",
                url=url,
                hint="Check the address, or try again later",
            )
        )
    if isinstance(error, (httpcore2.TimeoutException, TimeoutError)):
        return TransientError(_about(budget.spent(), url))
    if isinstance(root, ssl.SSLError):
        reason = (root.reason or str(root)).replace("_", " ").lower()
        return FetchError(f"no secure connection to the server: {reason}", url=url)
    if isinstance(root, ConnectionRefusedError):
        return TransientError(
            FetchError(
                "the server refused the connection",
                url=url,
                hint="Check the address and the port, or try again later",
            )
        )
    if isinstance(error, httpx2.DecodingError):
        return FetchError(f"the answer cannot be decompressed: {error}", url=url)
    if isinstance(error, (httpcore2.NetworkError, OSError, httpcore2.RemoteProtocolError)):
        return TransientError(
            FetchError(f"the connection to the server failed: {_reason(root)}", url=url)
        )
    return FetchError(f"the page could not be fetched: {_reason(root)}", url=url)


def _about(error: FetchError, url: str) -> FetchError:
    error.url = error.url or url
    return error


def _root(error: BaseException) -> BaseException:
    """Return the exception that began it all; libraries wrap those of the system."""
    seen = 0
    while seen < 10:
        if isinstance(error, (ssl.SSLError, ConnectionRefusedError, socket.gaierror)):
            return error
        cause = error.__cause__ or error.__context__
        if cause is None:
            return error
        error, seen = cause, seen + 1
    return error


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0][:200].rstrip(".").lower()


def status_error(status: int, url: str, after: float | None = None) -> HTTPStatusError:
    """Make the error of an answer with an error status; ``after`` is how long it asks to wait."""
    try:
        phrase = " " + HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    return HTTPStatusError(
        f"the server answered {status}{phrase}",
        status=status,
        url=url,
        hint=_hint(status, after),
        retry_after=after or 0.0,
    )


def _hint(status: int, after: float | None) -> str:
    if status in {401, 403, 407, 451}:
        return (
            "If you can read it in a browser, pass its cookies with --cookies cookies.txt"
            " or try --render always"
        )
    if status in {404, 410}:
        return "Check the address; the page may have moved"
    if status == HTTPStatus.TOO_MANY_REQUESTS or (status == 503 and after):
        wait = f"it asks to wait {after:.0f} seconds" if after else "try again later"
        return f"The server limits how often it is asked: {wait}"
    if status >= 500:
        return "The fault is the server's; try again later"
    return ""
