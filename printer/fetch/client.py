"""Pages and pictures over HTTP: guarded, bounded, retried, cached."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin

import httpx2

from ..capture import Capture, PageSource
from ..errors import (
    TRANSIENT_STATUSES,
    BadURL,
    FetchError,
    HTTPStatusError,
    TooLarge,
    WebprintError,
)
from ..options import FetchOptions
from ..urls import encode_url, normalize_url, origin_of
from .budget import Budget, format_bytes, spending
from .content_type import check_html
from .credentials import load_credentials
from .errors import LIBRARY_ERRORS, TransientError, status_error, translate
from .ssrf import Guard, Resolver, resolve_host
from .transport import CachedTransport, CacheFault, GuardedTransport

if TYPE_CHECKING:
    from .cache import Cache

_ACCEPT_PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5"
_ACCEPT_RESOURCE = "image/avif,image/webp,image/*,*/*;q=0.5"
_BACKOFF = 0.5
_SNIFFED = 1024


class HttpClient:
    """Fetches over HTTP for one run; safe to share between threads.

    ``named`` are the URLs a person gave: their origins alone receive ``options.headers`` and may
    be at private addresses.  ``warnings`` collects what a person should know (of the cache).
    ``resolve`` and ``sleep`` are the system's unless a test gives its own.
    """

    def __init__(
        self,
        options: FetchOptions,
        *,
        user_urls: Iterable[str] = (),
        resolve: Resolver = resolve_host,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.options = options
        self.warnings: list[str] = []
        self.guard = Guard(user_urls, allow_private=options.allow_private, resolve=resolve)
        self.credentials = load_credentials(options, self.guard.user_origins, self.guard.logins)
        self._sleep = sleep
        self._client = httpx2.Client(
            transport=CachedTransport(GuardedTransport(self.guard), self._open_cache),
            cookies=self.credentials.cookies,
            headers={"User-Agent": self.credentials.user_agent},
            trust_env=False,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection and the cache."""
        self._client.close()

    def get_page(self, url: str, on_redirect: Callable[[str], None] | None = None) -> Capture:
        """Get a web page, its address as a person writes it; raises :class:`NotHTML`.

        ``onward`` is called with the address that a redirect leads to, before it is followed; what
        it raises ends the fetch.
        """
        return self._get(
            normalize_url(url), {"Accept": _ACCEPT_PAGE}, html=True, onward=on_redirect
        )

    def get_fresh(self, url: str, accept: str) -> Capture:
        """Get something that changes, a feed say: what is kept on disk only if it is still so."""
        headers = {"Accept": accept, "Cache-Control": "no-cache"}
        return self._get(normalize_url(url), headers, html=False)

    def get_resource(self, url: str, referer: str = "") -> Capture:
        """Get something that a page names, a picture say."""
        headers = {"Accept": _ACCEPT_RESOURCE}
        if referer.startswith("https:" if url.startswith("https:") else "http:"):
            headers["Referer"] = _referer(referer, url)
        return self._get(url, headers, html=False)

    def _get(
        self,
        url: str,
        headers: dict[str, str],
        *,
        html: bool,
        onward: Callable[[str], None] | None = None,
    ) -> Capture:
        url = encode_url(url)
        budget = Budget(self.options.timeout, self.options.max_bytes)
        try:
            with spending(budget):
                return self._retried(url, headers, budget, html, onward)
        except WebprintError as error:
            error.url = error.url or url
            raise

    def _retried(
        self,
        url: str,
        headers: dict[str, str],
        budget: Budget,
        html: bool,
        onward: Callable[[str], None] | None,
    ) -> Capture:
        """Follow the URL, again after a pause when what went wrong may pass."""
        for attempt in range(self.options.retries + 1):
            try:
                return self._followed(url, headers, budget, html, onward)
            except TransientError as failure:
                pause = _BACKOFF * 2**attempt * random.uniform(0.5, 1.0)  # noqa: S311
                pause = max(pause, failure.after or 0.0)
                if attempt == self.options.retries or time.monotonic() + pause > budget.deadline:
                    raise failure.error from failure.__cause__
            self._sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _followed(
        self,
        url: str,
        headers: dict[str, str],
        budget: Budget,
        html: bool,
        onward: Callable[[str], None] | None,
    ) -> Capture:
        """Get the URL, or what it redirects to."""
        requested = url
        seen: set[tuple[str, str]] = set()
        for _ in range(self.options.max_redirects + 1):
            try:
                request = self._request(url, headers, budget)
                mark = (url.partition("#")[0], request.headers.get("Cookie", ""))
                if mark in seen:
                    raise FetchError("the page redirects to itself without end", url=requested)
                seen.add(mark)
                response, body = self._send(request, url, budget, html)
            except LIBRARY_ERRORS as error:
                raise translate(error, url, budget) from error
            if body is not None:
                return _capture(response, body, url, requested)
            url = _target(url, response)
            if onward is not None:
                onward(url)
        raise FetchError(
            f"the page redirects more than {self.options.max_redirects} times", url=requested
        )

    def _request(self, url: str, headers: dict[str, str], budget: Budget) -> httpx2.Request:
        where = origin_of(url)
        # Asked for kept answers as well: the cache must not speak for an address out of bounds.
        self.guard.addresses(where.host, where.port, budget.left())
        connect = min(self.options.connect_timeout, budget.left())
        address = url.partition("#")[0]
        key = f"{self.credentials.key}\n{address}"
        return self._client.build_request(
            "GET",
            address,
            headers={**headers, **dict(self.credentials.headers_for(url))},
            timeout=httpx2.Timeout(self.options.timeout, connect=connect),
            extensions={"caching": {"key": hashlib.sha256(key.encode()).hexdigest()}},
        )

    def _send(
        self, request: httpx2.Request, url: str, budget: Budget, html: bool
    ) -> tuple[httpx2.Response, bytes | None]:
        """Return what one request brought: an answer and its body, None for a redirect."""
        budget.next_answer()
        response = self._client.send(request, stream=True, follow_redirects=False)
        try:
            if response.has_redirect_location:
                return response, None
            if response.status_code >= 400:
                raise _refusal(response, url)
            return response, _read(response, url, budget, html)
        except CacheFault:  # The cache is off from now on, so the server is asked.
            return self._send(request, url, budget, html)
        finally:
            response.close()

    def _open_cache(self) -> Cache | None:
        if not self.options.cache:
            return None
        from .cache import cache_folder, open_cache

        try:
            folder = cache_folder()
        except RuntimeError:
            self.warnings.append("there is no home folder to keep a cache in")
            return None
        return open_cache(
            folder,
            max_entry=self.options.max_bytes,
            secrets=[name for name, _ in self.options.headers],
            warn=self.warnings.append,
        )


def _read(response: httpx2.Response, url: str, budget: Budget, html: bool) -> bytes:
    """Read a body within the budget, looking at what it is as soon as that can be seen."""
    media_type = _media_type(response)
    if html:
        check_html(media_type, None, url)
    declared = response.headers.get("Content-Length", "")
    if declared.isdecimal() and len(declared) < 20 and int(declared) > budget.max_bytes:
        raise TooLarge(
            f"the answer is {format_bytes(int(declared))},"
            f" over the limit of {format_bytes(budget.max_bytes)}"
        )
    body = bytearray()
    unseen = html
    for chunk in response.iter_bytes():
        body += chunk
        budget.left()
        if len(body) > budget.max_bytes:
            raise budget.too_large()
        if unseen and len(body) >= _SNIFFED:
            check_html(media_type, bytes(body[:_SNIFFED]), url)
            unseen = False
    if unseen:
        check_html(media_type, bytes(body), url)
    return bytes(body)


def _capture(response: httpx2.Response, body: bytes, url: str, requested: str) -> Capture:
    caching = response.extensions.get("caching") or {}
    return Capture(
        body,
        PageSource(
            url=url,
            requested_url=requested,
            media_type=_media_type(response),
            charset=(response.charset_encoding or "")[:40],
            headers={name.lower(): value for name, value in response.headers.items()},
            fetched=datetime.now(UTC),
            from_cache=bool(caching.get("from_cache")),
        ),
    )


def _media_type(response: httpx2.Response) -> str:
    return str(response.headers.get("Content-Type", "")).partition(";")[0].strip().lower()[:100]


def _target(url: str, response: httpx2.Response) -> str:
    """Return where a redirect leads, with the fragment it inherits."""
    location = str(response.headers["Location"])
    try:
        target = urljoin(url, location)
    except ValueError as error:
        raise BadURL(
            f"the page redirects to {location[:200]!r}, no web address", url=url
        ) from error
    if "#" not in target and "#" in url:
        target += "#" + url.partition("#")[2]
    try:
        return encode_url(target)
    except BadURL as error:
        raise BadURL(f"the page redirects to no web address: {error.message}", url=url) from error


def _referer(referer: str, url: str) -> str:
    """Return what a request says of the page it comes from: strict-origin-when-cross-origin."""
    if origin_of(referer) == origin_of(url):
        return encode_url(referer).partition("#")[0]
    return f"{origin_of(referer)}/"


def _refusal(response: httpx2.Response, url: str) -> HTTPStatusError | TransientError:
    after = _retry_after(response)
    error = status_error(response.status_code, url, after)
    return TransientError(error, after) if response.status_code in TRANSIENT_STATUSES else error


def _retry_after(response: httpx2.Response) -> float | None:
    """Return the seconds a server asks to wait, given as a number or as a date."""
    value = str(response.headers.get("Retry-After", "")).strip()[:60]
    if value.isdecimal():
        return float(value) if len(value) < 9 else 1e9
    try:
        when = parsedate_to_datetime(value)
        moment = when if when.tzinfo else when.replace(tzinfo=UTC)
        return max((moment - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None
