"""The HTTP client for pages and pictures: guarded, bounded, retried, cached."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin

import httpx2

from ..backoff import Backoff
from ..capture import Capture, PageSource
from ..errors import TRANSIENT_STATUSES, BadURL, FetchError, TooLarge, WebprintError
from ..options import FetchOptions
from ..urls import encode_url, normalize_url, origin_of
from .budget import LARGER_HINT, Budget, format_bytes, use_budget
from .content_type import check_html
from .credentials import load_credentials
from .errors import LIBRARY_ERRORS, TransientError, status_error, translate, with_url
from .ssrf import Guard, Resolver, resolve_host, upstream_proxy
from .transport import CachedTransport, CacheError, GuardedTransport

if TYPE_CHECKING:
    from .cache import Cache

_ACCEPT_PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5"
_ACCEPT_RESOURCE = "image/avif,image/webp,image/*,*/*;q=0.5"
_BACKOFF = Backoff(0.5, jitter=0.5)
_SNIFFED_BYTES = 1024
#: The compressions that httpx2 undoes; it passes others on as they are.
_CODINGS = frozenset({"", "identity", "gzip", "deflate", "br", "zstd"})


@dataclass(frozen=True, slots=True)
class _Request:
    """A request with the limits that its redirects and retries share."""

    url: str
    headers: dict[str, str]
    budget: Budget
    html: bool = False
    on_redirect: Callable[[str], None] | None = None


class HttpClient:
    """Fetch over HTTP; safe to share between threads.

    ``warnings`` collects problems of the cache, for the user.

    Args:
        options: how to fetch.
        user_urls: the URLs that the user gave; only their origins receive ``options.headers``, and
            they may be at private addresses.
        resolve: resolves host names.
        sleep: waits between attempts.
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
        self.credentials = load_credentials(
            options, self.guard.user_origins, self.guard.credentials
        )
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
        """Close the connections and the cache."""
        self._client.close()

    def get_page(self, url: str, on_redirect: Callable[[str], None] | None = None) -> Capture:
        """Fetch a web page.

        Args:
            url: the address as a user writes it.
            on_redirect: called with the target of each redirect before it is followed; any
                exception that it raises ends the fetch.

        Raises:
            NotHTML: the response is not a web page.
            FetchError: the page cannot be fetched.
        """
        return self._get(
            normalize_url(url), {"Accept": _ACCEPT_PAGE}, html=True, on_redirect=on_redirect
        )

    def get_fresh(self, url: str, accept: str) -> Capture:
        """Fetch something that changes, such as a feed; the cache is revalidated."""
        return self._get(normalize_url(url), {"Accept": accept, "Cache-Control": "no-cache"})

    def get_resource(self, url: str, referer: str = "") -> Capture:
        """Fetch a resource of a page, such as a picture."""
        headers = {"Accept": _ACCEPT_RESOURCE}
        if referer.startswith("https:" if url.startswith("https:") else "http:"):
            headers["Referer"] = _referer(referer, url)
        return self._get(url, headers)

    def _get(
        self,
        url: str,
        headers: dict[str, str],
        *,
        html: bool = False,
        on_redirect: Callable[[str], None] | None = None,
    ) -> Capture:
        url = encode_url(url)
        budget = Budget(self.options.timeout, self.options.max_bytes)
        try:
            with use_budget(budget):
                return self._with_retries(_Request(url, headers, budget, html, on_redirect))
        except WebprintError as error:
            with_url(error, url)
            raise

    def _with_retries(self, request: _Request) -> Capture:
        failures = 0
        while True:
            try:
                return self._follow_redirects(request)
            except TransientError as failure:
                failures += 1
                delay = _BACKOFF.delay(failures, at_least=failure.retry_after)
                too_late = time.monotonic() + delay > request.budget.deadline
                if failures > self.options.retries or too_late:
                    raise failure.error from failure.__cause__
            self._sleep(delay)

    def _follow_redirects(self, request: _Request) -> Capture:
        url = request.url
        visited: set[tuple[str, str]] = set()
        for _ in range(self.options.max_redirects + 1):
            try:
                built = self._build(url, request)
                # A page may redirect to itself once it has set a cookie.
                visit = (url.partition("#")[0], built.headers.get("Cookie", ""))
                if visit in visited:
                    raise FetchError("the page redirects to itself without end", url=request.url)
                visited.add(visit)
                response, body = self._send(built, url, request)
            except LIBRARY_ERRORS as error:
                raise translate(error, url, request.budget) from error
            if body is not None:
                return _capture(response, body, url, request.url)
            url = _redirect_target(url, response)
            if request.on_redirect is not None:
                request.on_redirect(url)
        raise FetchError(
            f"the page redirects more than {self.options.max_redirects} times", url=request.url
        )

    def _build(self, url: str, request: _Request) -> httpx2.Request:
        origin, budget = origin_of(url), request.budget
        # Check cached responses too: the cache must not answer for a forbidden address.
        if upstream_proxy(origin.scheme, origin.host):
            self.guard.check_proxied(origin.host, origin.port, budget.time_left())
        else:
            self.guard.addresses(origin.host, origin.port, budget.time_left())
        connect = min(self.options.connect_timeout, budget.time_left())
        address = url.partition("#")[0]
        key = f"{self.credentials.key}\n{address}"
        return self._client.build_request(
            "GET",
            address,
            headers={**request.headers, **dict(self.credentials.headers_for(url))},
            timeout=httpx2.Timeout(self.options.timeout, connect=connect),
            extensions={"caching": {"key": hashlib.sha256(key.encode()).hexdigest()}},
        )

    def _send(
        self, built: httpx2.Request, url: str, request: _Request
    ) -> tuple[httpx2.Response, bytes | None]:
        """Return the response to one request and its body, None for a redirect."""
        request.budget.next_response()
        response = self._client.send(built, stream=True, follow_redirects=False)
        try:
            if response.has_redirect_location:
                return response, None
            if response.status_code >= 400:
                retry_after = _retry_after(response)
                challenge = str(response.headers.get("WWW-Authenticate", ""))
                error = status_error(response.status_code, url, retry_after, challenge)
                transient = response.status_code in TRANSIENT_STATUSES
                raise TransientError(error, retry_after) if transient else error
            return response, _read_body(response, url, request)
        except CacheError:  # The cache is off from now on: ask the server.
            return self._send(built, url, request)
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


def _read_body(response: httpx2.Response, url: str, request: _Request) -> bytes:
    """Read a body within the budget; check as early as possible that it is HTML, if required."""
    budget, media_type = request.budget, _media_type(response)
    _check_encoding(response, url)
    if request.html:
        check_html(media_type, None, url)
    declared = response.headers.get("Content-Length", "")
    if declared.isdecimal() and len(declared) < 20 and int(declared) > budget.max_bytes:
        sizes = format_bytes(int(declared)), format_bytes(budget.max_bytes)
        raise TooLarge(f"the answer is {sizes[0]}, over the limit of {sizes[1]}", hint=LARGER_HINT)
    body = bytearray()
    unchecked = request.html
    for chunk in response.iter_bytes():
        body += chunk
        budget.time_left()
        if len(body) > budget.max_bytes:
            raise budget.too_large()
        if unchecked and len(body) >= _SNIFFED_BYTES:
            check_html(media_type, bytes(body[:_SNIFFED_BYTES]), url)
            unchecked = False
    if unchecked:
        check_html(media_type, bytes(body), url)
    return bytes(body)


def _check_encoding(response: httpx2.Response, url: str) -> None:
    """Raise :class:`FetchError` for a body in a compression that would be taken for text."""
    codings = str(response.headers.get("Content-Encoding", "")).lower().split(",")
    unknown = {coding.strip() for coding in codings} - _CODINGS
    if unknown:
        names = ", ".join(sorted(unknown))[:60]
        raise FetchError(
            f"the server compressed its answer in an unknown way ({names})",
            url=url,
            hint="A browser may understand it: --render always",
        )


def _capture(response: httpx2.Response, body: bytes, url: str, requested_url: str) -> Capture:
    caching = response.extensions.get("caching") or {}
    source = PageSource(
        url=url,
        requested_url=requested_url,
        media_type=_media_type(response),
        charset=(response.charset_encoding or "")[:40],
        headers={name.lower(): value for name, value in response.headers.items()},
        fetched=datetime.now(UTC),
        from_cache=bool(caching.get("from_cache")),
    )
    return Capture(body, source)


def _media_type(response: httpx2.Response) -> str:
    return str(response.headers.get("Content-Type", "")).partition(";")[0].strip().lower()[:100]


def _redirect_target(url: str, response: httpx2.Response) -> str:
    """Return the target of a redirect, with the inherited fragment."""
    location = str(response.headers["Location"])
    try:
        target = urljoin(url, location)
    except ValueError as error:
        message = f"the page redirects to {location[:200]!r}, no web address"
        raise BadURL(message, url=url) from error
    if "#" not in target and "#" in url:
        target += "#" + url.partition("#")[2]
    try:
        return encode_url(target)
    except BadURL as error:
        raise BadURL(f"the page redirects to no web address: {error.message}", url=url) from error


def _referer(referer: str, url: str) -> str:
    """Return the Referer of a request by the policy ``strict-origin-when-cross-origin``."""
    if origin_of(referer) == origin_of(url):
        return encode_url(referer).partition("#")[0]
    return f"{origin_of(referer)}/"


def _retry_after(response: httpx2.Response) -> float:
    """Return the seconds given by Retry-After, a number or a date; 0 if absent."""
    value = str(response.headers.get("Retry-After", "")).strip()[:60]
    if value.isdecimal():
        return float(value) if len(value) < 9 else 1e9
    try:
        date = parsedate_to_datetime(value)
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max((date - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return 0.0
