"""The browser's proxy, tested byte by byte."""

import gc
import socket
import struct
import threading
import time
from collections.abc import Iterator

import pytest

from printer.errors import BlockedAddress, FetchError
from printer.fetch.proxy import Proxy
from printer.fetch.ssrf import Guard
from tests.support.web_server import WebServer

NAMES = {"page.test": ["127.0.0.1"], "inside.test": ["10.0.0.7"], "two.test": ["127.0.0.9"] * 2}


@pytest.fixture
def proxy(web: WebServer) -> Iterator[Proxy]:
    web.add("/x", "<p>through</p>", headers={"Connection": "close"})
    named = [f"http://page.test:{web.port}/", f"http://two.test:{web.port}/"]
    guard = Guard(named, resolve=lambda host: NAMES.get(host) or [host])
    with Proxy(guard, connect_timeout=2, max_bytes=100_000) as running:
        yield running


def ask(proxy: Proxy, host: str, port: int, command: int = 1) -> tuple[socket.socket, int]:
    """Greet the proxy and ask for a connection; return the socket and the reply's code."""
    sock = socket.create_connection(("127.0.0.1", proxy.port), timeout=60)
    sock.sendall(b"\x05\x01\x00")
    assert sock.recv(2) == b"\x05\x00"
    name = host.encode()
    sock.sendall(bytes((5, command, 0, 3, len(name))) + name + struct.pack("!H", port))
    answer = sock.recv(10)
    return sock, answer[1] if answer else -1


def fetch(sock: socket.socket, path: str = "/x") -> bytes:
    sock.sendall(f"GET {path} HTTP/1.1\r\nHost: page.test\r\n\r\n".encode())
    with sock, sock.makefile("rb") as stream:
        return stream.read()


def test_a_named_host_is_reached_by_name(proxy: Proxy, web: WebServer) -> None:
    sock, code = ask(proxy, "page.test", web.port)
    assert code == 0
    assert fetch(sock).endswith(b"<p>through</p>")


@pytest.mark.parametrize("host", ["inside.test", "127.0.0.1", "[::1]", "169.254.169.254"])
def test_private_hosts_are_refused_with_the_reason(proxy: Proxy, web: WebServer, host: str) -> None:
    sock, code = ask(proxy, host, web.port)
    sock.close()
    assert code == 2
    failure = proxy.failures[host.strip("[]"), web.port]
    assert isinstance(failure, BlockedAddress)
    assert not web.hits()


def test_addresses_in_bytes_are_judged_as_well(proxy: Proxy, web: WebServer) -> None:
    for kind, packed in ((1, socket.inet_aton("127.0.0.1")), (4, bytes(15) + b"\x01")):
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as sock:
            sock.sendall(b"\x05\x01\x00")
            sock.recv(2)
            sock.sendall(bytes((5, 1, 0, kind)) + packed + struct.pack("!H", web.port))
            assert sock.recv(10)[1] == 2


def test_only_connections_are_made(proxy: Proxy, web: WebServer) -> None:
    for command in (2, 3, 9):  # BIND and UDP ASSOCIATE would get past the guard.
        sock, code = ask(proxy, "page.test", web.port, command)
        sock.close()
        assert code == 7


def test_a_refused_connection_is_kept_as_the_reason(proxy: Proxy, web: WebServer) -> None:
    sock, code = ask(proxy, "two.test", web.port)
    sock.close()
    assert code == 5
    assert "refused" in proxy.failures["two.test", web.port].message


@pytest.mark.parametrize(
    "noise", [b"", b"GET / HTTP/1.1\r\n\r\n", b"\x04\x01", b"\x05\xff", b"\x05"]
)
def test_noise_ends_its_own_connection_alone(proxy: Proxy, web: WebServer, noise: bytes) -> None:
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as sock:
        sock.sendall(noise)
    sock, code = ask(proxy, "page.test", web.port)
    assert code == 0
    assert b"through" in fetch(sock)


def test_traffic_is_bounded(proxy: Proxy, web: WebServer) -> None:
    web.add("/big", bytes(5_000_000), media_type="image/png", headers={"Connection": "close"})
    sock, _ = ask(proxy, "page.test", web.port)
    try:
        got = fetch(sock, "/big")
    except ConnectionError:
        got = b""
    assert len(got) < 1_000_000
    assert proxy.overspent is not None


def test_connections_are_bounded(proxy: Proxy) -> None:
    idle = [socket.create_connection(("127.0.0.1", proxy.port), timeout=60) for _ in range(200)]
    time.sleep(0.2)
    refused = 0
    for sock in idle:
        sock.settimeout(0.001)
        try:
            refused += sock.recv(1) == b""
        except TimeoutError:
            continue
        except ConnectionError:
            refused += 1
        finally:
            sock.close()
    assert refused == 200 - 128


def test_closing_ends_every_connection(web: WebServer) -> None:
    release = threading.Event()
    web.raw("/hang", lambda sock: bool(release.wait(60)))
    guard = Guard([web.url])
    start = time.monotonic()
    with Proxy(guard, connect_timeout=2, max_bytes=100_000) as running:
        sock, code = ask(running, "127.0.0.1", web.port)
        assert code == 0
        sock.sendall(b"GET /hang HTTP/1.1\r\nHost: x\r\n\r\n")
    assert sock.recv(1) == b""
    sock.close()
    release.set()
    assert time.monotonic() - start < 30
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", running.port), timeout=1)


def test_closing_ends_connections_at_every_stage_of_their_beginning(web: WebServer) -> None:
    greeting, request = b"\x05\x01\x00", b"\x05\x01\x00\x01\x7f\x00\x00\x01"
    request += web.port.to_bytes(2, "big")
    start = time.monotonic()
    for attempt in range(90):
        sent = (b"", greeting, greeting + request)[attempt % 3]
        with Proxy(Guard([web.url]), connect_timeout=2, max_bytes=1000) as running:
            socks = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(6)]
            for sock in socks:
                sock.sendall(sent)
            time.sleep(attempt % 5 / 1000)
        for sock in socks:
            sock.close()
    gc.collect()  # Connections left open are reported as warnings, which are errors.
    assert time.monotonic() - start < 60


def test_a_name_that_is_not_found_is_kept_as_the_reason() -> None:
    def resolve(host: str) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "no")

    with Proxy(Guard(resolve=resolve), connect_timeout=2, max_bytes=1000) as running:
        sock, code = ask(running, "nowhere.test", 80)
        sock.close()
        assert code == 4
        assert isinstance(running.failures["nowhere.test", 80], FetchError)
