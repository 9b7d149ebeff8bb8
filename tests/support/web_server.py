"""A real HTTP server on loopback whose responses tests define.

    web.add("/story", "<p>Text</p>")                a page
    web.add("/a.png", data, media_type="image/png")  a picture, byte ranges included
    web.add("/count", lambda hit: Reply("..."))     whatever the function returns
    web.redirect("/old", "/story")
    web.add("/slow", drip(b"x" * 100, pause=0.1))   a body sent in pieces
    web.add("/bomb", gzip_bomb(10**9), encoding="gzip")
    web.hits("/story")                             the requests for it

Each method that adds a path returns its full URL.  A path that was not added is a 404.
"""

from __future__ import annotations

import gzip
import socket
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, TypeAlias
from urllib.parse import urlsplit

#: A body: text, bytes, or pieces made anew for every request.
Body: TypeAlias = "str | bytes | Callable[[], Iterable[bytes]]"


@dataclass(frozen=True)
class Hit:
    """A request; header names are in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True)
class Reply:
    """A response; with ``raw`` the function gets the bare socket instead."""

    body: Body = b""
    status: int = 200
    media_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    raw: Callable[[socket.socket], object] | None = field(default=None, compare=False)


Answer: TypeAlias = Callable[[Hit], Reply]


class WebServer:
    """Serves the defined responses, from threads, until it is closed."""

    def __init__(self, host: str = "127.0.0.1", wrap: Callable[[Any], Any] | None = None) -> None:
        self._answers: dict[str, Answer] = {}
        self._hits: list[Hit] = []
        self._closing = threading.Event()
        self._server = _Server((host, 0), _Handler)
        self._server.web = self
        if wrap is not None:
            self._server.socket = wrap(self._server.socket)
        self.port: int = self._server.server_address[1]
        self.url = f"{'http' if wrap is None else 'https'}://{host}:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving; unfinished responses are cut off."""
        self._closing.set()
        self._server.shutdown()
        self._server.hang_up()
        self._server.server_close()
        self._thread.join()

    def add(
        self,
        path: str,
        body: Body | Answer | Reply,
        *,
        status: int = 200,
        media_type: str = "text/html; charset=utf-8",
        headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        encoding: str = "",
    ) -> str:
        """Answer ``path`` with a body, a reply, or the result of a function of the hit."""
        pairs = tuple(headers.items() if isinstance(headers, Mapping) else headers)
        if encoding:
            pairs += (("Content-Encoding", encoding),)
        if isinstance(body, Reply):
            reply = body
            self._answers[path] = lambda hit: reply
        elif callable(body) and _takes_hit(body):
            self._answers[path] = body
        else:
            reply = Reply(body, status, media_type, pairs)
            self._answers[path] = lambda hit: reply
        return self.url + path

    def redirect(self, path: str, target: str, status: int = 302, **headers: str) -> str:
        """Answer ``path`` with a redirect."""
        pairs = (("Location", target), *headers.items())
        return self.add(path, Reply("", status, headers=pairs))

    def raw(self, path: str, talk: Callable[[socket.socket], object]) -> str:
        """Answer ``path`` with whatever ``talk`` writes to the socket."""
        return self.add(path, Reply(raw=talk))

    def hits(self, path: str = "") -> list[Hit]:
        """Return the requests so far, all or those for one path."""
        return [hit for hit in list(self._hits) if not path or hit.path == path]

    def answer(self, hit: Hit) -> Reply:
        """Record a request and return its response."""
        self._hits.append(hit)
        respond = self._answers.get(hit.path)
        return respond(hit) if respond else Reply("<h1>There is no such page</h1>", 404)

    @property
    def closing(self) -> threading.Event:
        """The event that is set when the server stops, so that slow bodies end."""
        return self._closing


def drip(data: bytes, pause: float) -> Callable[[], Iterator[bytes]]:
    """Return a body that is sent byte by byte with a pause after each."""

    def pieces() -> Iterator[bytes]:
        wait = threading.Event()
        for byte in data:
            yield bytes([byte])
            wait.wait(pause)

    return pieces


def gzip_bomb(size: int) -> Callable[[], Iterator[bytes]]:
    """Return a gzip body of ``size`` zero bytes, compressed to a thousandth of that."""

    def pieces() -> Iterator[bytes]:
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        block = bytes(1_000_000)
        for _ in range(size // len(block)):
            if chunk := packer.compress(block):
                yield chunk
        yield packer.flush()

    return pieces


def gzipped(text: str) -> bytes:
    """Return text as a gzip body."""
    return gzip.compress(text.encode())


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    web: WebServer

    def __init__(self, *args: Any) -> None:
        self._open: set[Any] = set()
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        for request in list(self._open):
            try:
                request.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: many tests have clients that hang up; other errors show in the response."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        names = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(names.get("content-length", 0)))
        reply = self.server.web.answer(Hit(self.command, parts.path, parts.query, names, body))
        if reply.raw is not None:
            self.close_connection = True
            reply.raw(self.connection)
            return
        if callable(reply.body):
            self._send_pieces(reply, reply.body())
            return
        data = reply.body.encode() if isinstance(reply.body, str) else reply.body
        status, extra, data = self._ranged(reply, data)
        self._send_head(reply, status, (*extra, ("Content-Length", str(len(data)))))
        if self.command != "HEAD" and status != 304:
            self.wfile.write(data)

    do_HEAD = do_GET  # noqa: N815
    do_POST = do_GET  # noqa: N815

    def _send_head(self, reply: Reply, status: int, extra: Iterable[tuple[str, str]] = ()) -> None:
        self.send_response(status)
        set_headers = {name.lower() for name, _ in reply.headers}
        if reply.media_type and "content-type" not in set_headers:
            self.send_header("Content-Type", reply.media_type)
        for name, value in reply.headers:
            self.send_header(name, value)
        for name, value in extra:
            if name.lower() not in set_headers:
                self.send_header(name, value)
        self.end_headers()

    def _send_pieces(self, reply: Reply, pieces: Iterable[bytes]) -> None:
        self._send_head(reply, reply.status, [("Transfer-Encoding", "chunked")])
        for piece in pieces:
            if self.server.web.closing.is_set():
                self.close_connection = True
                return
            if piece:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def _ranged(self, reply: Reply, data: bytes) -> tuple[int, tuple[tuple[str, str], ...], bytes]:
        """Cut a body to the requested byte range."""
        requested = self.headers.get("Range", "")
        if reply.status != 200 or not requested.startswith("bytes=") or "," in requested:
            return reply.status, (), data
        first, _, last = requested[6:].partition("-")
        start = int(first) if first else max(len(data) - int(last), 0)
        stop = min(int(last) + 1 if first and last else len(data), len(data))
        if start >= len(data):
            return 416, (("Content-Range", f"bytes */{len(data)}"),), b""
        span = f"bytes {start}-{stop - 1}/{len(data)}"
        return 206, (("Content-Range", span), ("Accept-Ranges", "bytes")), data[start:stop]

    def log_message(self, *_: object) -> None:
        """Log nothing: tests use ``hits``."""


def _takes_hit(function: Callable[..., Any]) -> bool:
    code = getattr(function, "__code__", None)
    return code is None or code.co_argcount > 0
