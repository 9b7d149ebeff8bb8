"""HTTP transports: guarded connections within the budget, and the cache."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import httpcore2
import httpx2

from ..errors import WebprintError
from .budget import current_budget
from .errors import LIBRARY_ERRORS
from .ssrf import Guard, UpstreamProxy, upstream_proxy

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
    """Connect only to addresses that the guard has checked."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
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
        *rest, last = self._guard.addresses(host, port, budget.time_left())

        def connect(address: str) -> httpcore2.NetworkStream:
            limit = budget.cap(timeout)
            stream = self._backend.connect_tcp(address, port, limit, local_address, socket_options)
            return _BudgetStream(stream)

        for address in rest:
            try:
                return connect(address)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return connect(last)


class _ProxyBackend(httpcore2.NetworkBackend):
    """Connect to a proxy, which the user's environment names."""

    def __init__(self, proxy: UpstreamProxy) -> None:
        self._proxy = proxy
        self._backend = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        limit = current_budget.get().cap(timeout)
        try:
            stream = self._backend.connect_tcp(host, port, limit, local_address, socket_options)
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
            raise self._proxy.unreachable() from error
        return _BudgetStream(stream)


class GuardedTransport(httpx2.BaseTransport):
    """Send requests over guarded connections.

    httpx2's transport takes no network backend, so this one passes requests to an httpcore2 pool,
    created on first use because loading certificates takes a while.  A proxy of the environment is
    asked for the host by name, which the client has checked.
    """

    def __init__(self, guard: Guard) -> None:
        self._backend = _GuardedBackend(guard)
        self._lock = threading.Lock()
        self._pools: dict[tuple[str, UpstreamProxy | None], httpcore2.ConnectionPool] = {}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request; exceptions of httpcore2 and our own pass through."""
        url = request.url
        target = httpcore2.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
        )
        proxy = upstream_proxy(url.scheme, url.host)
        try:
            response = self._pool(url.scheme, proxy).handle_request(
                httpcore2.Request(
                    method=request.method,
                    url=target,
                    headers=request.headers.raw,
                    content=b"",
                    extensions=request.extensions,
                )
            )
        except httpcore2.ProxyError as error:
            raise (proxy.refused(str(error)) if proxy else error) from error
        if proxy and response.status == 407:
            raise proxy.refused("407 Proxy Authentication Required")
        return httpx2.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_BodyStream(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            pools, self._pools = self._pools, {}
        for pool in pools.values():
            pool.close()

    def _pool(self, scheme: str, proxy: UpstreamProxy | None) -> httpcore2.ConnectionPool:
        with self._lock:
            if (scheme, proxy) not in self._pools:
                limits: dict[str, Any] = {
                    "ssl_context": httpx2.create_ssl_context() if scheme == "https" else None,
                    "max_connections": _MAX_CONNECTIONS,
                    "max_keepalive_connections": _MAX_CONNECTIONS // 2,
                    "keepalive_expiry": 15.0,
                }
                if proxy is None:
                    pool = httpcore2.ConnectionPool(network_backend=self._backend, **limits)
                else:
                    name, _, password = proxy.login.partition(":")
                    pool = httpcore2.HTTPProxy(
                        str(proxy.origin),
                        proxy_auth=(name, password) if proxy.login else None,
                        network_backend=_ProxyBackend(proxy),
                        **limits,
                    )
                self._pools[scheme, proxy] = pool
            return self._pools[scheme, proxy]


class CacheError(Exception):
    """A cached response could not be read completely."""


class CachedTransport(httpx2.BaseTransport):
    """Answer from the cache as RFC 9111 allows; stop using it after its first failure."""

    def __init__(self, transport: GuardedTransport, open_cache: Callable[[], Cache | None]) -> None:
        self._transport = transport
        self._open_cache = open_cache
        self._lock = threading.Lock()
        self._opened = False
        self._cache: Cache | None = None
        self._cached: httpx2.BaseTransport = transport

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request through the cache."""
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
        """Close the connections and the cache."""
        self._transport.close()
        if self._cache is not None:
            self._cache.close()

    def _opened_cache(self) -> Cache | None:
        with self._lock:
            if not self._opened:
                self._opened = True
                self._cache = self._open_cache()
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


class _BodyStream(httpx2.SyncByteStream):
    """The body of a response from the network."""

    def __init__(self, response: httpcore2.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        return self._response.iter_stream()

    def close(self) -> None:
        self._response.close()
