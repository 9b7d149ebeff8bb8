"""A SOCKS5 proxy on loopback that takes a browser only where the guard allows.

Everything Chromium sends, whatever asked for it (redirects, frames, WebSockets, preloads), comes
through here by name (RFC 1928).  The name is resolved and judged by the guard and the connection
is made to the address that was judged.
"""

from __future__ import annotations

import asyncio
import ipaddress
import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from ..errors import FetchError, FetchTimeout, TooLarge
from .budget import format_bytes
from .ssrf import Guard

_CONNECTIONS = 128
_BLOCK = 65_536
_HANDSHAKE_SECONDS = 10.0

_OK, _FORBIDDEN, _UNREACHABLE, _REFUSED = 0, 2, 4, 5
_NO_COMMAND, _NO_ADDRESS_TYPE = 7, 8


class Proxy:
    """Runs the proxy in a thread of its own while the context lasts.

    ``failures`` tells for (host, port) why a connection was not made; ``begin`` forgets them and
    allows another ``max_bytes`` of traffic.
    """

    def __init__(self, guard: Guard, *, connect_timeout: float, max_bytes: int) -> None:
        self.failures: dict[tuple[str, int], FetchError] = {}
        self.port = 0
        self._guard = guard
        self._connect_timeout = connect_timeout
        self._max_bytes = max_bytes
        self._left = max_bytes
        self._open: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._resolvers = ThreadPoolExecutor(8, thread_name_prefix="webprint-resolve")
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> Self:
        """Begin to serve."""
        self._thread.start()
        starting = asyncio.start_server(self._accept, "127.0.0.1", 0)
        server = asyncio.run_coroutine_threadsafe(starting, self._loop).result()
        self._server = server
        self.port = server.sockets[0].getsockname()[1]
        return self

    def close(self) -> None:
        """Hang up on everyone and stop; once is enough."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._resolvers.shutdown(wait=False, cancel_futures=True)

    @property
    def overspent(self) -> TooLarge | None:
        """The error of traffic over the limit, if there was too much."""
        if self._left > 0:
            return None
        return TooLarge(f"the page loads more than {format_bytes(self._max_bytes)}")

    def begin(self) -> None:
        """Begin another page."""
        self.failures = {}
        self._left = self._max_bytes

    async def _stop(self) -> None:
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or len(self._open) >= _CONNECTIONS:
            writer.close()
            return
        self._open.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError, TimeoutError, asyncio.CancelledError):
            return  # Either side hung up, or the browser was closed.
        finally:
            self._open.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await asyncio.wait_for(_request(reader, writer), _HANDSHAKE_SECONDS)
        if isinstance(asked, int):
            await _answer(writer, asked)
            return
        host, port = asked
        try:
            inward, outward = await self._connect(host, port)
        except FetchError as error:
            self.failures[host, port] = error
            await _answer(writer, _FORBIDDEN if error.exit_code == 7 else _UNREACHABLE)
            return
        except OSError as error:
            self.failures[host, port] = _unreached(error)
            await _answer(writer, _REFUSED)
            return
        try:
            await _answer(writer, _OK)
            await asyncio.gather(self._pump(reader, outward), self._pump(inward, writer))
        finally:
            outward.close()

    async def _connect(
        self, host: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the first address the guard allows that answers."""
        limit = self._connect_timeout
        addresses = await self._loop.run_in_executor(
            self._resolvers, self._guard.addresses, host, port, limit
        )
        for address in addresses[:-1]:
            try:
                return await asyncio.wait_for(asyncio.open_connection(address, port), limit)
            except (OSError, TimeoutError):
                continue
        return await asyncio.wait_for(asyncio.open_connection(addresses[-1], port), limit)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Carry bytes one way until the end, or until the page has used up its share."""
        while block := await source.read(_BLOCK):
            self._left -= len(block)
            if self._left <= 0:
                raise ConnectionAbortedError
            sink.write(block)
            await sink.drain()
        if sink.can_write_eof():
            sink.write_eof()


async def _request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> tuple[str, int] | int:
    """Read a greeting and a request: where to connect, or the reply that refuses it."""
    version, methods = await reader.readexactly(2)
    await reader.readexactly(methods)
    if version != 5:
        raise ConnectionAbortedError
    writer.write(b"\x05\x00")
    _, command, _, kind = await reader.readexactly(4)
    if kind == 1:
        host = str(ipaddress.IPv4Address(await reader.readexactly(4)))
    elif kind == 4:
        host = str(ipaddress.IPv6Address(await reader.readexactly(16)))
    elif kind == 3:
        (length,) = await reader.readexactly(1)
        host = (await reader.readexactly(length)).decode("ascii", "replace").lower().strip("[]")
    else:
        return _NO_ADDRESS_TYPE
    (port,) = struct.unpack("!H", await reader.readexactly(2))
    return (host, port) if command == 1 else _NO_COMMAND


async def _answer(writer: asyncio.StreamWriter, code: int) -> None:
    writer.write(bytes((5, code, 0, 1)) + bytes(6))
    await writer.drain()


def _unreached(error: OSError) -> FetchError:
    if isinstance(error, TimeoutError):
        return FetchTimeout("the server did not accept the connection in time")
    if isinstance(error, ConnectionRefusedError):
        return FetchError(
            "the server refused the connection", hint="Check the address and the port"
        )
    reason = error.strerror or str(error) or type(error).__name__
    return FetchError(f"the connection to the server failed: {reason.lower()}")
