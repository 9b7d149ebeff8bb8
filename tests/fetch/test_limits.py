"""Hostile servers: endless bodies, compression bombs, slow drips."""

import socket
import sys
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator

import brotli
import pytest

from printer.errors import FetchError, FetchTimeout, TooLarge
from printer.fetch.client import HttpClient
from printer.options import FetchOptions
from tests.support.web_server import WebServer, drip, gzip_bomb, gzipped

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

SMALL = FetchOptions(retries=0, max_bytes=1_000_000, timeout=10)


def peak_of(fetcher: HttpClient, url: str) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge, match="1 MB"):
            fetcher.get_resource(url)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("cache", [False, True])
def test_a_gzip_bomb_is_stopped_in_bounded_memory(web: WebServer, cache: bool) -> None:
    url = web.add("/bomb", gzip_bomb(300_000_000), encoding="gzip", media_type="image/png")
    options = FetchOptions(retries=0, max_bytes=1_000_000, cache=cache)
    with HttpClient(options, user_urls=[url]) as fetcher:
        assert peak_of(fetcher, url) < 16_000_000


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("br", brotli.compress),
        ("deflate", zlib.compress),
        ("zstd", zstd.compress),
        ("gzip, gzip", lambda data: gzipped_twice(data)),
    ],
)
def test_every_encoding_is_bounded(web: WebServer, encoding: str, pack: object) -> None:
    body = pack(bytes(50_000_000))  # type: ignore[operator]
    url = web.add("/bomb", body, encoding=encoding, media_type="image/png")
    with HttpClient(SMALL, user_urls=[url]) as fetcher:
        assert peak_of(fetcher, url) < 16_000_000


def gzipped_twice(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    once = packer.compress(data) + packer.flush()
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(once) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", lambda data: gzipped(data.decode())),
        ("br", brotli.compress),
        ("ZSTD", zstd.compress),
        ("identity", bytes),
    ],
)
def test_compressed_text_is_read(web: WebServer, encoding: str, pack: object) -> None:
    packed = pack(b"<p>Hello</p>")  # type: ignore[operator]
    url = web.add("/x", packed, encoding=encoding)
    with HttpClient(SMALL, user_urls=[url]) as fetcher:
        assert fetcher.get_page(url).body == b"<p>Hello</p>"
        accepted = web.hits("/x")[-1].headers["accept-encoding"]
    assert [name.strip() for name in accepted.split(",")] == ["gzip", "deflate", "br", "zstd"]


@pytest.mark.parametrize("encoding", ["compress", "gzip, dcb", "x" * 400])
def test_an_unknown_compression_is_an_error(web: WebServer, encoding: str) -> None:
    url = web.add("/x", b"<p>Hello</p>", encoding=encoding)
    with HttpClient(SMALL, user_urls=[url]) as fetcher, pytest.raises(FetchError) as caught:
        fetcher.get_page(url)
    assert "unsupported Content-Encoding" in str(caught.value)
    assert len(caught.value.message) < 120


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", lambda data: gzipped(data.decode())),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data, wbits=-15)),
        ("br", brotli.compress),
        ("zstd", zstd.compress),
        ("gzip, gzip", lambda data: gzipped_twice(data)),
    ],
)
def test_compressed_text_that_was_cut_off_is_an_error(
    web: WebServer, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    """Otherwise half an article would be printed as if it were all of it."""
    text = b"".join(b"<p>%x</p>" % (number * number) for number in range(2000))
    complete = web.add("/complete", pack(text), encoding=encoding)
    cut = web.add("/cut", pack(text)[:-90], encoding=encoding)
    with HttpClient(SMALL, user_urls=[complete, cut]) as fetcher:
        assert fetcher.get_page(complete).body == text
        with pytest.raises(FetchError):
            fetcher.get_page(cut)


@pytest.mark.parametrize("padding", [b"", bytes(600), b"\x1f"])
def test_all_members_of_gzip_data_are_read(web: WebServer, padding: bytes) -> None:
    members = b"".join(gzipped(f"<p>{day}</p>") for day in range(40))

    def parts() -> Iterator[bytes]:
        yield from (members[at : at + 7] for at in range(0, len(members), 7))
        yield padding

    at_once, in_parts = (
        web.add("/x", members + padding, encoding="gzip"),
        web.add("/y", parts, encoding="gzip"),
    )
    cut = web.add("/cut", members[:-5], encoding="gzip")
    with HttpClient(SMALL, user_urls=[at_once, in_parts, cut]) as fetcher:
        assert fetcher.get_page(at_once).body.endswith(b"<p>38</p><p>39</p>")
        assert fetcher.get_page(in_parts).body.endswith(b"<p>38</p><p>39</p>")
        with pytest.raises(FetchError):
            fetcher.get_page(cut)


def test_nothing_at_all_is_not_cut_off(web: WebServer) -> None:
    url = web.add("/empty", b"", encoding="gzip")
    with HttpClient(SMALL, user_urls=[url]) as fetcher:
        assert fetcher.get_page(url).body == b""


def test_a_body_without_end_is_stopped(web: WebServer) -> None:
    def endless():  # type: ignore[no-untyped-def]
        while True:
            yield bytes(100_000)

    url = web.add("/x", endless, media_type="image/png")
    with HttpClient(SMALL, user_urls=[url]) as fetcher:
        assert peak_of(fetcher, url) < 8_000_000


def test_a_declared_size_over_the_limit_is_refused_unread(web: WebServer) -> None:
    url = web.raw(
        "/x",
        lambda sock: sock.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3000000000\r\n\r\n"
        ),
    )
    with HttpClient(SMALL, user_urls=[url]) as fetcher, pytest.raises(TooLarge, match="3 GB"):
        fetcher.get_page(url)


def test_empty_deflate_blocks_are_counted(web: WebServer) -> None:
    """Compressed input that decodes to nothing still ends at the limit."""
    header = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"

    def endless():  # type: ignore[no-untyped-def]
        yield header
        while True:
            yield b"\x00\x00\x00\xff\xff" * 20_000

    url = web.add("/x", endless, encoding="gzip", media_type="image/png")
    with HttpClient(SMALL, user_urls=[url]) as fetcher:
        assert peak_of(fetcher, url) < 8_000_000


def took(fetcher: HttpClient, url: str) -> float:
    start = time.monotonic()
    with pytest.raises(FetchTimeout) as caught:
        fetcher.get_page(url)
    assert "\n" not in str(caught.value)
    return time.monotonic() - start


def test_a_dripping_body_ends_at_the_total_limit(web: WebServer) -> None:
    url = web.add("/x", drip(b"<p>" + b"x" * 10_000, pause=0.05))
    with HttpClient(FetchOptions(timeout=0.5, cache=False), user_urls=[url]) as fetcher:
        assert 0.4 < took(fetcher, url) < 30


def test_dripping_headers_end_at_the_total_limit(web: WebServer) -> None:
    def talk(sock: socket.socket) -> None:
        try:
            sock.sendall(b"HTTP/1.1 200 OK\r\n")
            for n in range(2000):
                sock.sendall(b"X-%d: y\r\n" % n)
                time.sleep(0.03)
        except OSError:
            return

    url = web.raw("/x", talk)
    with HttpClient(FetchOptions(timeout=0.5, retries=0, cache=False), user_urls=[url]) as fetcher:
        assert 0.4 < took(fetcher, url) < 30


def test_a_server_that_falls_silent_ends_at_the_total_limit(web: WebServer) -> None:
    def talk(sock: socket.socket) -> None:
        time.sleep(0.4)
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
        web.closing.wait(60)

    url = web.raw("/x", talk)
    with HttpClient(FetchOptions(timeout=0.8, retries=0, cache=False), user_urls=[url]) as fetcher:
        assert took(fetcher, url) < 30


def test_redirects_share_one_time_limit(web: WebServer) -> None:
    def slow(hit):  # type: ignore[no-untyped-def]
        time.sleep(0.2)
        from tests.support.web_server import Reply

        return Reply("", 302, headers=(("Location", f"/x?{hit.query}y"),))

    url = web.add("/x", slow)
    with HttpClient(FetchOptions(timeout=0.5, cache=False), user_urls=[url]) as fetcher:
        assert took(fetcher, url) < 30


def test_a_server_that_never_accepts_ends_at_the_connect_limit() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        waiting = []
        for _ in range(4):  # Fill the backlog, so that the next connection hangs.
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex(address)
            waiting.append(client)
        url = f"http://127.0.0.1:{address[1]}/"
        options = FetchOptions(timeout=60, connect_timeout=0.3, retries=0, cache=False)
        try:
            with HttpClient(options, user_urls=[url]) as fetcher:
                assert took(fetcher, url) < 30
        finally:
            for client in waiting:
                client.close()
