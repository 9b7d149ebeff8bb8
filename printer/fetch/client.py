"""The HTTP client for pages and pictures: guarded, bounded, retried, cached."""

from __future__ import annotations

import hashlib
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import httpcore2
import httpx2
from httpx2 import _decoders  # Private, but only its decoders know whether the data ended.

from ..backoff import Backoff
from ..capture import Capture, PageSource
from ..errors import TRANSIENT_STATUSES, BadURL, FetchError, WebprintError
from ..files import Closing
from ..options import FetchOptions
from ..urls import encode_url, join, normalize_url, origin_of
from .credentials import fetch_for_page, load_credentials
from .errors import LIBRARY_ERRORS, TransientError, status_error, translate, with_url
from .response import (
    Budget,
    check_html,
    current_budget,
    media_type_of,
    use_budget,
)
from .ssrf import Guard, Resolver, UpstreamProxy, resolve_host, upstream_proxy

if TYPE_CHECKING:
    from .cache import Cache


_MAX_CONNECTIONS = 32


class _BudgetStream(httpcore2.NetworkStream):
    """A connection whose reads and writes are limited by the current fetch's budget."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        budget = current_budget.get()
        data = self._stream.read(max_bytes, budget.cap(timeout))
        budget.count(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, current_budget.get().cap(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        limit = current_budget.get().cap(timeout)
        return _BudgetStream(self._stream.start_tls(ssl_context, server_hostname, limit))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _GuardedBackend(httpcore2.NetworkBackend):
    """Connect only to addresses that the guard has checked, or to a proxy of the environment."""

    def __init__(self, guard: Guard, proxy: UpstreamProxy | None = None) -> None:
        self._guard, self._proxy = guard, proxy
        self._backend = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        budget = current_budget.get()
        addresses: tuple[str, ...] = (host,)
        if self._proxy is None:
            addresses = self._guard.addresses(host, port, budget.time_left())
        failure: Exception = httpcore2.ConnectError()
        for address in addresses:
            try:
                stream = self._backend.connect_tcp(
                    address, port, budget.cap(timeout), local_address, socket_options
                )
                return _BudgetStream(stream)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        if self._proxy:
            raise self._proxy.unreachable() from failure
        raise failure


class _PoolTransport(httpx2.HTTPTransport):
    """Send requests over a pool of connections: httpx2's own pools take no network backend."""

    def __init__(self, pool: httpcore2.ConnectionPool) -> None:
        self._pool = pool


class GuardedTransport(httpx2.BaseTransport):
    """Send requests over guarded connections.

    Pools are created on first use because loading certificates takes a while.  A proxy from the
    environment resolves the host's name itself, after the client has checked it.
    """

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._lock = threading.Lock()
        self._transports: dict[tuple[str, UpstreamProxy | None], _PoolTransport] = {}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        proxy = upstream_proxy(request.url.scheme, request.url.host)
        try:
            response = self._transport(request.url.scheme, proxy).handle_request(request)
        except httpx2.ProxyError as error:
            raise (proxy.refused(str(error)) if proxy else error) from error
        if proxy and response.status_code == 407:
            raise proxy.refused("407 Proxy Authentication Required")
        return response

    def close(self) -> None:
        with self._lock:
            transports, self._transports = self._transports, {}
        for transport in transports.values():
            transport.close()

    def _transport(self, scheme: str, proxy: UpstreamProxy | None) -> _PoolTransport:
        with self._lock:
            if (scheme, proxy) not in self._transports:
                settings: dict[str, Any] = {
                    "network_backend": _GuardedBackend(self._guard, proxy),
                    "ssl_context": httpx2.create_ssl_context() if scheme == "https" else None,
                    "max_connections": _MAX_CONNECTIONS,
                    "max_keepalive_connections": _MAX_CONNECTIONS // 2,
                    "keepalive_expiry": 15.0,
                }
                if proxy is None:
                    pool = httpcore2.ConnectionPool(**settings)
                else:
                    name, _, password = proxy.login.partition(":")
                    login = (name, password) if proxy.login else None
                    pool = httpcore2.HTTPProxy(str(proxy.origin), proxy_auth=login, **settings)
                self._transports[scheme, proxy] = _PoolTransport(pool)
            return self._transports[scheme, proxy]


class CacheError(Exception):
    """A cached response could not be read completely."""


class CachedTransport(httpx2.BaseTransport):
    """Answer from the cache as RFC 9111 allows; stop using it after its first failure."""

    def __init__(self, transport: GuardedTransport, open_cache: Callable[[], Cache | None]) -> None:
        self._transport = transport
        self._cached: httpx2.BaseTransport = transport
        self._cache: Cache | None = None
        self._open_cache: Callable[[], Cache | None] | None = open_cache
        self._lock = threading.Lock()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        cache = self._opened_cache()
        if cache is None or cache.disabled:
            return self._transport.handle_request(request)
        try:
            response = self._cached.handle_request(request)
        except (*LIBRARY_ERRORS, WebprintError):
            raise
        except Exception as error:  # noqa: BLE001 - the cache must not fail the fetch
            cache.disable(error)
            return self._transport.handle_request(request)
        if (response.extensions.get("caching") or {}).get("from_cache"):
            response.stream = _CachedStream(response.stream, cache)
        return response

    def close(self) -> None:
        self._transport.close()
        if self._cache is not None:
            self._cache.close()

    def _opened_cache(self) -> Cache | None:
        with self._lock:
            if self._open_cache is not None:
                self._cache, self._open_cache = self._open_cache(), None
                if self._cache is not None:
                    from hishel.httpx2 import CacheTransport

                    self._cached = CacheTransport(
                        self._transport, storage=self._cache, rfc={"shared": False}
                    )
            return self._cache


class _CachedStream(httpx2.SyncByteStream):
    """The body of a cached response."""

    def __init__(self, stream: Any, cache: Cache) -> None:
        self._stream = stream
        self._cache = cache

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._stream
        except Exception as error:
            self._cache.disable(error)
            raise CacheError from error

    def close(self) -> None:
        self._stream.close()


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


class HttpClient(Closing):
    """Fetch over HTTP; safe to share between threads.

    ``warnings`` collects problems of the cache, for the user.  ``user_urls`` are the URLs that the
    user gave; only their origins receive ``options.headers``, and they may be at private addresses.
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

    def close(self) -> None:
        self._client.close()

    def get_page(self, url: str, on_redirect: Callable[[str], None] | None = None) -> Capture:
        """Fetch a web page; raise :class:`FetchError`, such as :class:`NotHTML`.

        ``on_redirect`` is called with the target of each redirect before it is followed; any
        exception that it raises ends the fetch.
        """
        return self._fetch(
            normalize_url(url), {"Accept": _ACCEPT_PAGE}, html=True, on_redirect=on_redirect
        )

    def get_fresh(self, url: str, accept: str) -> Capture:
        """Fetch something that changes, such as a feed; the cache is revalidated."""
        return self._fetch(normalize_url(url), {"Accept": accept, "Cache-Control": "no-cache"})

    def get_resource(self, url: str, referer: str = "") -> Capture:
        headers = {"Accept": _ACCEPT_RESOURCE}
        if referer.startswith("https:" if url.startswith("https:") else "http:"):
            # By the policy strict-origin-when-cross-origin.
            same = origin_of(referer) == origin_of(url)
            page = encode_url(referer).partition("#")[0]
            headers["Referer"] = page if same else f"{origin_of(referer)}/"
        with fetch_for_page(referer):
            return self._fetch(url, headers)

    def _fetch(
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
                    raise FetchError("the page redirects to itself endlessly", url=request.url)
                visited.add(visit)
                response, body = self._send(built, url, request)
            except LIBRARY_ERRORS as error:
                raise translate(error, url, request.budget) from error
            if body is not None:
                return _make_capture(response, body, url, request.url)
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
    budget, media_type = request.budget, media_type_of(response.headers.get("Content-Type", ""))
    _check_encoding(response, url)
    if request.html:
        check_html(media_type, None, url)
    declared = response.headers.get("Content-Length", "")
    if declared.isdecimal() and len(declared) < 20 and int(declared) > budget.max_bytes:
        raise budget.too_large(int(declared))
    body = bytearray()
    unchecked = request.html
    _read_all_members(response._get_content_decoder())
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
    if body and _ends_early(response._get_content_decoder()):
        error = FetchError(
            "the response is incomplete: its compressed data ends early",
            url=url,
            hint="Try --no-cache, or load the page in a browser with --render always",
        )
        raise TransientError(error)
    return bytes(body)


class _GzipMembers:
    """Decompresses all members of gzip data (RFC 1952, section 2.2); zlib stops after the first."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._beginning = b""  # of the next member
        self.unconsumed_tail = b""

    @property
    def eof(self) -> bool:
        return self._member.eof

    def decompress(self, data: bytes, max_length: int) -> bytes:
        text = b""
        while data and not text:
            if self._member.eof:
                data = self._beginning + data
                self._beginning = data if data == b"\x1f" else b""
                if not data.startswith(b"\x1f\x8b"):  # not whole yet, or padding
                    data = b""
                    break
                self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
            text = self._member.decompress(data, max_length)
            data = self._member.unused_data
        self.unconsumed_tail = data or self._member.unconsumed_tail
        return text

    def flush(self) -> bytes:
        return self._member.flush()


def _read_all_members(decoder: _decoders.ContentDecoder) -> None:
    for child in getattr(decoder, "children", [decoder]):
        if isinstance(child, _decoders.GZipDecoder):
            child.decompressor = _decoders.ZlibDecompressor(_GzipMembers())


def _ends_early(decoder: _decoders.ContentDecoder) -> bool:
    """Return whether compressed data was cut off; httpx2 itself notices that in Zstandard only."""
    if isinstance(decoder, _decoders.MultiDecoder):
        return any(_ends_early(child) for child in decoder.children)
    if isinstance(decoder, (_decoders.GZipDecoder, _decoders.DeflateDecoder)):
        return not getattr(decoder.decompressor.decompressor, "eof", True)
    if isinstance(decoder, _decoders.BrotliDecoder):
        return not decoder.decompressor.is_finished()
    return False


def _check_encoding(response: httpx2.Response, url: str) -> None:
    """Raise :class:`FetchError` for a body in a compression that would be taken for text."""
    codings = str(response.headers.get("Content-Encoding", "")).lower().split(",")
    unknown = {coding.strip() for coding in codings} - _CODINGS
    if unknown:
        names = ", ".join(sorted(unknown))[:60]
        raise FetchError(
            f"the response has an unsupported Content-Encoding ({names})",
            url=url,
            hint="A browser may understand it: --render always",
        )


def _make_capture(response: httpx2.Response, body: bytes, url: str, requested_url: str) -> Capture:
    caching = response.extensions.get("caching") or {}
    source = PageSource(
        url=url,
        requested_url=requested_url,
        media_type=media_type_of(response.headers.get("Content-Type", "")),
        charset=(response.charset_encoding or "")[:40],
        headers={name.lower(): value for name, value in response.headers.items()},
        fetched=datetime.now(UTC),
        from_cache=bool(caching.get("from_cache")),
    )
    return Capture(body, source)


def _redirect_target(url: str, response: httpx2.Response) -> str:
    """Return the target of a redirect, with the inherited fragment."""
    try:
        target = join(url, str(response.headers["Location"]))
        if "#" not in target and "#" in url:
            target += "#" + url.partition("#")[2]
        return encode_url(target)
    except (ValueError, BadURL) as error:
        reason = getattr(error, "message", error)
        message = f"the page redirects to something that is not a web address: {reason}"
        raise BadURL(message, url=url) from error


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
