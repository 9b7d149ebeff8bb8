"""A SOCKS5 proxy on loopback that lets a browser connect only where the guard allows.

All of Chromium's traffic (redirects, frames, WebSockets, preloads included) passes through here and
is addressed by host name (RFC 1928).  The guard resolves and checks the name, and the connection is
made to the address that was checked.
"""

from __future__ import annotations

import asyncio
import ipaddress
import struct
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Self, TypeVar

from ..errors import BlockedAddress, FetchError, FetchTimeout, TooLarge
from ..files import Closing, reason_of
from .credentials import basic_auth
from .response import LARGER_HINT, format_bytes
from .ssrf import Guard, UpstreamProxy, upstream_proxy

T = TypeVar("T")

_MAX_CONNECTIONS = 128
_BLOCK_BYTES = 65_536
_HANDSHAKE_SECONDS = 10.0

# Replies of RFC 1928, section 6
_OK = 0
_FORBIDDEN = 2
_UNREACHABLE = 4
_REFUSED = 5
_UNKNOWN_COMMAND = 7
_UNKNOWN_ADDRESS_TYPE = 8


class EventLoop:
    """An event loop in a thread that runs coroutines for any other thread."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Return the coroutine's result; raises its exception, or ``TimeoutError``."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout)
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """Cancel all tasks and end the thread."""
        with suppress(TimeoutError):
            self.run(_cancel_all(), 1.0)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(1)
        if not self._thread.is_alive():
            self._loop.close()


async def _cancel_all() -> None:
    # Tasks may start others as they are cancelled.
    while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.sleep(0)  # Lets a task that has just begun reach its own clean-up.
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Proxy(Closing):
    """Run the proxy in a thread while the context lasts.

    ``failures`` maps (host, port) to the error that prevented a connection.
    """

    def __init__(self, guard: Guard, *, connect_timeout: float, max_bytes: int) -> None:
        self.failures: dict[tuple[str, int], FetchError] = {}
        self.port = 0
        self._guard = guard
        self._connect_timeout = connect_timeout
        self._max_bytes = max_bytes
        self._bytes_left = max_bytes
        self._connections: set[asyncio.Task[None]] = set()
        self._loop: EventLoop | None = None
        self._resolvers = ThreadPoolExecutor(8, thread_name_prefix="webprint-resolve")

    def __enter__(self) -> Self:
        self._loop = EventLoop("webprint-proxy")
        self._server = self._loop.run(asyncio.start_server(self._accept, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def close(self) -> None:
        if self._loop is None:
            return
        self._loop.run(self._stop_listening())
        self._loop.stop()
        self._loop = None
        self._resolvers.shutdown(wait=False, cancel_futures=True)

    @property
    def overspent(self) -> TooLarge | None:
        """The error for traffic over the limit, None if within it."""
        if self._bytes_left > 0:
            return None
        message = f"the page loads more than {format_bytes(self._max_bytes)}"
        return TooLarge(message, hint=LARGER_HINT)

    async def _stop_listening(self) -> None:
        # A server that is closed leaks the connections it has accepted but not begun.
        for listener in self._server.sockets:
            asyncio.get_running_loop().remove_reader(listener.fileno())
        await asyncio.sleep(0)
        self._server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or len(self._connections) >= _MAX_CONNECTIONS:
            writer.close()
            return
        self._connections.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError, TimeoutError, asyncio.CancelledError):
            return  # Either side disconnected, or the browser was closed.
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_HANDSHAKE_SECONDS):
            target = await _handshake(reader, writer)
        if isinstance(target, int):
            await _reply(writer, target)
            return
        try:
            inward, outward = await self._connect(*target)
        except FetchError as error:
            self.failures[target] = error
            await _reply(writer, _FORBIDDEN if isinstance(error, BlockedAddress) else _UNREACHABLE)
            return
        except OSError as error:
            self.failures[target] = _connection_error(error)
            await _reply(writer, _REFUSED)
            return
        try:
            await _reply(writer, _OK)
            await asyncio.gather(self._pump(reader, outward), self._pump(inward, writer))
        finally:
            outward.close()

    async def _connect(
        self, host: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the first allowed address that answers."""
        loop, limit = asyncio.get_running_loop(), self._connect_timeout
        if upstream := upstream_proxy("https" if port == 443 else "http", host):
            check = self._guard.check_proxied
            await loop.run_in_executor(self._resolvers, check, host, port, limit)
            async with asyncio.timeout(limit):
                return await _connect_through(upstream, host, port)
        *earlier, last = await loop.run_in_executor(
            self._resolvers, self._guard.addresses, host, port, limit
        )
        for address in earlier:
            try:
                async with asyncio.timeout(limit):
                    return await asyncio.open_connection(address, port)
            except (OSError, TimeoutError):
                continue
        async with asyncio.timeout(limit):
            return await asyncio.open_connection(last, port)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Copy bytes one way until the end, or until the traffic is over the limit."""
        while block := await source.read(_BLOCK_BYTES):
            self._bytes_left -= len(block)
            if self._bytes_left <= 0:
                raise ConnectionAbortedError
            sink.write(block)
            await sink.drain()
        if sink.can_write_eof():
            sink.write_eof()


async def _handshake(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> tuple[str, int] | int:
    """Read a greeting and a request; return the host and port, or the code of a refusal."""
    version, methods = await reader.readexactly(2)
    await reader.readexactly(methods)
    if version != 5:
        raise ConnectionAbortedError
    writer.write(b"\x05\x00")
    _, command, _, address_type = await reader.readexactly(4)
    if address_type == 1:
        host = str(ipaddress.IPv4Address(await reader.readexactly(4)))
    elif address_type == 4:
        host = str(ipaddress.IPv6Address(await reader.readexactly(16)))
    elif address_type == 3:
        (length,) = await reader.readexactly(1)
        host = (await reader.readexactly(length)).decode("ascii", "replace").lower().strip("[]")
    else:
        return _UNKNOWN_ADDRESS_TYPE
    (port,) = struct.unpack("!H", await reader.readexactly(2))
    return (host, port) if command == 1 else _UNKNOWN_COMMAND


async def _connect_through(
    proxy: UpstreamProxy, host: str, port: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to a host by the method CONNECT of an upstream proxy (RFC 9110)."""
    origin = proxy.origin
    try:
        reader, writer = await asyncio.open_connection(
            origin.host, origin.port, ssl=origin.scheme == "https" or None
        )
    except OSError as error:
        raise proxy.unreachable() from error
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
    if proxy.login:
        lines.append(f"Proxy-Authorization: {basic_auth(proxy.login)}")
    try:
        writer.write("\r\n".join([*lines, "", ""]).encode())
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        writer.close()
        raise proxy.unreachable() from error
    status = head.split(b"\r\n", 1)[0].decode("latin-1").partition(" ")[2]
    if not status.startswith("2"):
        writer.close()
        raise proxy.refused(status)
    return reader, writer


async def _reply(writer: asyncio.StreamWriter, code: int) -> None:
    writer.write(bytes((5, code, 0, 1)) + bytes(6))
    await writer.drain()


def _connection_error(error: OSError) -> FetchError:
    if isinstance(error, TimeoutError):
        return FetchTimeout("the server did not accept the connection in time")
    if isinstance(error, ConnectionRefusedError):
        return FetchError(
            "the server refused the connection", hint="Check the address and the port"
        )
    return FetchError(f"the connection to the server failed: {reason_of(error)}")
