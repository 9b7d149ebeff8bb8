"""The wire: connections that go where the guard allows and end when the budget does."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import httpcore2
import httpx2

from ..errors import WebprintError
from .budget import current
from .errors import LIBRARY_ERRORS
from .ssrf import Guard

if TYPE_CHECKING:
    from .cache import Cache

_CONNECTIONS = 32


class _Stream(httpcore2.NetworkStream):
    """A connection on which each read and write is held to the budget of who uses it now."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        budget = current.get()
        data = self._inner.read(max_bytes, budget.sooner(timeout))
        budget.count(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, current.get().sooner(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        limit = current.get().sooner(timeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, limit))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore2.NetworkBackend):
    """Connects to the addresses that the guard has judged, and to no others."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        budget = current.get()
        addresses = self._guard.addresses(host, port, budget.left())
        for address in addresses[:-1]:
            try:
                return self._connect(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return self._connect(addresses[-1], port, timeout, local_address, socket_options)

    def _connect(
        self,
        address: str,
        port: int,
        timeout: float | None,
        local_address: str | None,
        socket_options: Iterable[Any] | None,
    ) -> httpcore2.NetworkStream:
        limit = current.get().sooner(timeout)
        return _Stream(self._inner.connect_tcp(address, port, limit, local_address, socket_options))


class GuardedTransport(httpx2.BaseTransport):
    """Sends requests over guarded connections.

    httpx2's own transport takes no network backend, so this joins its requests to an httpcore2
    pool.  Pools are made when first used, because loading certificates takes a while.
    """

    def __init__(self, guard: Guard) -> None:
        self._backend = _Backend(guard)
        self._lock = threading.Lock()
        self._pools: dict[str, httpcore2.ConnectionPool] = {}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request; httpcore2's exceptions and our own come through as they are."""
        url = request.url
        answer = self._pool(url.scheme).handle_request(
            httpcore2.Request(
                method=request.method,
                url=httpcore2.URL(
                    scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                ),
                headers=request.headers.raw,
                content=b"",
                extensions=request.extensions,
            )
        )
        return httpx2.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            pools, self._pools = self._pools, {}
        for pool in pools.values():
            pool.close()

    def _pool(self, scheme: str) -> httpcore2.ConnectionPool:
        with self._lock:
            if scheme not in self._pools:
                self._pools[scheme] = httpcore2.ConnectionPool(
                    ssl_context=httpx2.create_ssl_context() if scheme == "https" else None,
                    max_connections=_CONNECTIONS,
                    max_keepalive_connections=_CONNECTIONS // 2,
                    keepalive_expiry=15.0,
                    network_backend=self._backend,
                )
            return self._pools[scheme]


class CacheFault(Exception):
    """A kept answer could not be read to its end."""


class CachedTransport(httpx2.BaseTransport):
    """Answers from the cache where it may, and goes without it at its first fault."""

    def __init__(self, plain: GuardedTransport, open_cache: Callable[[], Cache | None]) -> None:
        self._plain = plain
        self._open_cache = open_cache
        self._lock = threading.Lock()
        self._opened = False
        self._cache: Cache | None = None
        self._cached: httpx2.BaseTransport = plain

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request through the cache."""
        cache = self._ready()
        if cache is None or cache.off:
            return self._plain.handle_request(request)
        try:
            response = self._cached.handle_request(request)
        except (*LIBRARY_ERRORS, WebprintError):
            raise
        except Exception as error:  # noqa: BLE001 - a fault of the cache must not cost the fetch
            cache.fault(error)
            return self._plain.handle_request(request)
        if (response.extensions.get("caching") or {}).get("from_cache"):
            response.stream = _Kept(response.stream, cache)
        return response

    def close(self) -> None:
        """Close the connections and the cache."""
        self._plain.close()
        if self._cache is not None:
            self._cache.close()

    def _ready(self) -> Cache | None:
        with self._lock:
            if not self._opened:
                self._opened = True
                self._cache = self._open_cache()
                if self._cache is not None:
                    from hishel.httpx2 import CacheTransport

                    self._cached = CacheTransport(
                        self._plain, storage=self._cache, rfc={"shared": False}
                    )
            return self._cache


class _Kept(httpx2.SyncByteStream):
    """The body of a kept answer."""

    def __init__(self, inner: Any, cache: Cache) -> None:
        self._inner = inner
        self._cache = cache

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._inner
        except Exception as error:
            self._cache.fault(error)
            raise CacheFault from error

    def close(self) -> None:
        self._inner.close()


class _Body(httpx2.SyncByteStream):
    """The body of an answer as it comes."""

    def __init__(self, answer: httpcore2.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        return self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()
