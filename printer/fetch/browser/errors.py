"""Why a browser did not show a page, in one line of ours."""

from __future__ import annotations

from ...errors import BadURL, FetchError, FetchTimeout, WebprintError
from ...urls import origin_of
from ..proxy import Proxy

#: Chromium's own words for what went wrong, and ours.
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
_BAD_TARGETS = ("ERR_UNSAFE_REDIRECT", "ERR_UNKNOWN_URL_SCHEME", "ERR_INVALID_URL", "ERR_FILE_")


class PageGone(FetchError):
    """The page went where it cannot be read; the proxy may know why."""


class TabCrashed(FetchError):
    """A process ended that a page needs: that of its tab, or the one that loads for all of them.

    Before there is an answer, Chromium says of either only that the loading was aborted.
    """

    process_died = True


def explained(error: Exception, url: str, target: str, proxy: Proxy | None) -> WebprintError:
    """Turn what Playwright raised into one line.

    ``target`` is the address that the page was last on its way to; the proxy may know why it was
    not reached.
    """
    if proxy and proxy.overspent:
        return about(proxy.overspent, url)
    failed = target or url
    if proxy and failed.startswith(("http:", "https:")):
        where = origin_of(failed)
        kept = proxy.failures.get((where.host, where.port))
        if kept:
            return about(kept, failed)
    if isinstance(error, WebprintError):
        return about(error, url)
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    name = said.partition("net::")[2].split(" ")[0]
    if name.startswith(_BAD_TARGETS):
        return BadURL("the page leads to what is no web address", url=url)
    if "Cannot find context" in said or "navigated" in said:
        return FetchError("the page goes from one to the next without end", url=url)
    for start, message in _NET_ERRORS.items():
        if name.startswith(start):
            return FetchError(f"{message} ({name})", url=failed)
    return FetchError(f"the browser could not show the page: {name or said[:200]}", url=url)


def late(url: str, seconds: float) -> FetchTimeout:
    """Return the error of a page that used up its time."""
    return FetchTimeout(
        f"the browser did not finish the page within {seconds:g} seconds",
        url=url,
        hint="Allow more with --timeout",
    )


def about(error: WebprintError, url: str) -> WebprintError:
    """Name the address that an error is about, unless it names one."""
    error.url = error.url or url
    return error
