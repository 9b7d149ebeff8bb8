"""Errors of Playwright and Chromium, translated into our own error tree."""

from __future__ import annotations

from ...errors import BadURL, FetchError, FetchTimeout, WebprintError
from ...urls import is_http, origin_of
from ..errors import with_url
from ..proxy import Proxy

#: Messages by the beginning of Chromium's network errors.
_NET_ERRORS = {
    "ERR_CERT_": "the server's certificate is not trusted",
    "ERR_SSL_": "no secure connection to the server",
    "ERR_CONNECTION_": "the connection to the server failed",
    "ERR_SOCKS_CONNECTION_": "the connection to the server failed",
    "ERR_EMPTY_RESPONSE": "the server hung up without an answer",
    "ERR_TOO_MANY_REDIRECTS": "the page redirects without end",
    "ERR_INVALID_RESPONSE": "the server's answer makes no sense",
    "ERR_INVALID_HTTP_RESPONSE": "the server's answer makes no sense",
    "ERR_RESPONSE_HEADERS_": "the server's answer makes no sense",
    "ERR_CONTENT_DECODING_": "the answer cannot be decompressed",
    "ERR_INVALID_AUTH_CREDENTIALS": "the server does not take this name and password",
}
#: What Playwright says when a process of the browser or its own driver ended; the last, when one
#: that does not know our proxy yet took the place of the network process.
_PROCESS_ENDED = (
    "crashed", "has been closed", "Target closed", "Connection closed",
    "ERR_PROXY_CONNECTION_FAILED",
)  # fmt: skip
_BAD_TARGETS = ("ERR_UNSAFE_REDIRECT", "ERR_UNKNOWN_URL_SCHEME", "ERR_INVALID_URL", "ERR_FILE_")


class BrowserDied(FetchError):
    """The browser ended while it started or loaded a page."""

    process_died = True


class TabCrashed(FetchError):
    """The renderer or network process crashed.

    Before the response arrives, Chromium reports either only as an aborted load.
    """

    process_died = True


class PageGone(FetchError):
    """The page navigated to where it cannot be read; the proxy may know why."""


def translate(error: Exception, url: str, target: str, proxy: Proxy | None) -> WebprintError:
    """Translate an exception of Playwright.

    ``target`` is the URL of the page's last navigation; ``proxy`` may know why it was not reached.
    """
    if proxy and proxy.overspent:
        return with_url(proxy.overspent, url)
    failed = target or url
    if proxy and is_http(failed):
        origin = origin_of(failed)
        if failure := proxy.failures.get((origin.host, origin.port)):
            return with_url(failure, failed)
    if isinstance(error, WebprintError):
        return with_url(error, url)
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    name = text.partition("net::")[2].split(" ")[0]
    if name.startswith(_BAD_TARGETS):
        return BadURL("the page leads to what is no web address", url=url)
    if any(words in text for words in _PROCESS_ENDED):
        return TabCrashed("the browser broke off as it loaded the page", url=url)
    if "Cannot find context" in text or "navigated" in text:
        return FetchError("the page keeps navigating to another page", url=url)
    for prefix, message in _NET_ERRORS.items():
        if name.startswith(prefix):
            return FetchError(f"{message} ({name})", url=failed)
    return FetchError(f"the browser could not show the page: {name or text[:200]}", url=url)


def page_timeout(url: str, seconds: float) -> FetchTimeout:
    """Return the error for a page that exceeded its time limit."""
    return FetchTimeout(
        f"the browser did not finish the page within {seconds:g} seconds",
        url=url,
        hint="Allow more with --timeout",
    )
