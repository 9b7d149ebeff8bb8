"""A proxy named by the environment gets the requests that the guard allows."""

import base64
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from printer.errors import BlockedAddress, FetchError, UsageError
from printer.fetch.client import HttpClient
from printer.fetch.proxy import Proxy
from printer.fetch.ssrf import Guard, upstream_proxy
from printer.options import FetchOptions

PAGE = b"<title>Page</title><p>Through the proxy."
PUBLIC = "93.184.216.34"
NAMES = {"public.test": [PUBLIC], "private.test": ["10.0.0.7"], "10.0.0.7": ["10.0.0.7"]}


def resolve(host):
    if host not in NAMES:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")
    return NAMES[host]


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append((self.command, self.path, dict(self.headers)))
        if self.server.login and self.server.login not in self.headers.get(
            "Proxy-Authorization", ""
        ):
            self.send_error(407)
            return
        if target := self.server.redirects.get(self.path):
            self.send_response(302)
            self.send_header("Location", target)
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def do_CONNECT(self):
        self.server.requests.append((self.command, self.path, dict(self.headers)))
        if "closed" in self.path:
            self.send_error(403)
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"tunnel")

    def log_message(self, *_):
        pass


@pytest.fixture
def proxy(monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.requests, server.redirects, server.login = [], {}, ""
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    server.url = f"http://127.0.0.1:{server.server_port}"
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("HTTP_PROXY", server.url)
    monkeypatch.setenv("https_proxy", server.url)
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def client(*urls, **options):
    options = FetchOptions(cache=False, retries=0, timeout=10, **options)
    return HttpClient(options, user_urls=urls, resolve=resolve)


def test_the_proxy_gets_requests_by_host_name(proxy):
    with client() as http:
        assert http.get_page("http://public.test/a").body == PAGE
    assert [(method, path) for method, path, _ in proxy.requests] == [
        ("GET", "http://public.test/a")
    ]
    with client("https://closed.test/") as http, pytest.raises(FetchError, match="refused: 403"):
        http.get_page("https://closed.test/")
    assert proxy.requests[-1][:2] == ("CONNECT", "closed.test:443")


def test_the_guard_checks_requests_to_the_proxy(proxy):
    proxy.redirects["http://public.test/r"] = "http://private.test/secret"
    with client() as http:
        for url in ("http://public.test/r", "http://private.test/", "http://10.0.0.7/"):
            with pytest.raises(BlockedAddress):
                http.get_page(url)
    assert all("private" not in path and "10.0" not in path for _, path, _ in proxy.requests)


def test_a_host_that_only_the_proxy_knows_must_be_named_by_the_user(proxy):
    url = "http://only-there.test/a"
    with client(url) as http:
        assert http.get_page(url).body == PAGE
    with client(allow_private=True) as http:
        assert http.get_page(url).body == PAGE
    with client() as http, pytest.raises(BlockedAddress, match="only-there") as caught:
        http.get_page(url)
    assert "--allow-private" in caught.value.hint
    assert len(proxy.requests) == 2


def test_a_password_goes_to_the_proxy_alone(proxy, monkeypatch):
    proxy.login = base64.b64encode(b"ann:secret").decode()
    with client() as http, pytest.raises(FetchError, match="refused: 407"):
        http.get_page("http://public.test/a")
    monkeypatch.setenv("HTTP_PROXY", proxy.url.replace("//", "//ann:secret@"))
    with client() as http:
        assert http.get_page("http://public.test/a").body == PAGE
    assert "Authorization" not in proxy.requests[-1][2]


def test_hosts_without_a_proxy(proxy, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "public.test,.other.test")
    assert upstream_proxy("http", "public.test") is None
    assert upstream_proxy("http", "a.other.test") is None
    assert upstream_proxy("http", "localhost") is None
    assert upstream_proxy("http", "127.0.0.1") is None
    assert upstream_proxy("http", "third.test").origin.port == proxy.server_port
    monkeypatch.setenv("NO_PROXY", "*")
    assert upstream_proxy("https", "third.test") is None


def test_a_proxy_that_cannot_be_used_is_named(proxy, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "socks5://ann:secret@127.0.0.1:9")
    with client() as http, pytest.raises(UsageError, match=r"socks5://127\.0\.0\.1:9") as caught:
        http.get_page("http://public.test/")
    assert "secret" not in str(caught.value)
    assert "HTTP_PROXY" in caught.value.hint
    monkeypatch.setenv("HTTP_PROXY", "127.0.0.1:9")
    with (
        client() as http,
        pytest.raises(FetchError, match=r"proxy http://127\.0\.0\.1:9 does not answer"),
    ):
        http.get_page("http://public.test/")


def test_a_browser_goes_through_it_too(proxy):
    guard = Guard(resolve=resolve)
    with Proxy(guard, connect_timeout=5, max_bytes=1_000_000) as socks:
        assert ask_socks(socks.port, "public.test") == (0, b"tunnel")
        assert ask_socks(socks.port, "private.test")[0] == 2
        assert "--allow-private" in str(socks.failures["private.test", 443])
        assert ask_socks(socks.port, "unknown.test")[0] == 2
    assert [(method, path) for method, path, _ in proxy.requests] == [
        ("CONNECT", "public.test:443")
    ]


def ask_socks(port, host):
    with socket.create_connection(("127.0.0.1", port), 10) as link:
        link.sendall(b"\x05\x01\x00" + b"\x05\x01\x00\x03" + bytes([len(host)]) + host.encode())
        link.sendall((443).to_bytes(2))
        data = b""
        while len(data) < 12:
            block = link.recv(100)
            if not block:
                break
            data += block
        if data[3] == 0:
            while not data.endswith(b"tunnel") and (block := link.recv(100)):
                data += block
        return data[3], data[12:]
