"""Secure connections: whose certificate is trusted, and for which name."""

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from printer.errors import FetchError
from printer.fetch.browser.browser import Browser
from printer.fetch.client import HttpClient
from printer.fetch.ssrf import Guard
from printer.options import FetchOptions
from tests.support.certificates import make_certificate
from tests.support.web_server import WebServer

ONCE = FetchOptions(retries=2, cache=False, timeout=10)


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[WebServer]:
    """A server with a certificate for page.test that nobody signed."""
    context = make_certificate(tmp_path, "page.test", "DNS:page.test")

    def wrap(sock: socket.socket) -> ssl.SSLSocket:
        return context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)

    with WebServer(wrap=wrap) as server:
        server.add("/x", "<p>Sealed</p>")
        yield server


def resolve(host: str) -> list[str]:
    return ["127.0.0.1"]


def test_a_certificate_nobody_signed_is_refused_once(secure: WebServer) -> None:
    url = f"https://page.test:{secure.port}/x"
    with (
        HttpClient(ONCE, user_urls=[url], resolve=resolve, sleep=pytest.fail) as fetcher,
        pytest.raises(FetchError, match="certificate is not trusted") as caught,
    ):
        fetcher.get_page(url)
    assert "\n" not in str(caught.value)
    assert not secure.hits()


def test_the_name_in_the_address_is_the_one_checked(
    secure: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    url = f"https://page.test:{secure.port}/x"
    other = f"https://other.test:{secure.port}/x"
    with HttpClient(ONCE, user_urls=[url, other], resolve=resolve) as fetcher:
        assert fetcher.get_page(url).body == b"<p>Sealed</p>"
        with pytest.raises(FetchError, match="certificate is not trusted"):
            fetcher.get_page(other)


def test_plain_http_on_a_secure_port_and_the_reverse_are_one_line(
    secure: WebServer, web: WebServer
) -> None:
    plain = secure.url.replace("https", "http") + "/x"
    sealed = web.url.replace("http", "https") + "/x"
    with HttpClient(FetchOptions(retries=0, cache=False), user_urls=[plain, sealed]) as fetcher:
        for url in (plain, sealed):
            with pytest.raises(FetchError) as caught:
                fetcher.get_page(url)
            assert "\n" not in str(caught.value)
        assert "no secure connection" in str(caught.value)
        assert "http://" in caught.value.hint


@pytest.mark.browser
def test_the_browser_refuses_such_a_certificate_as_well(secure: WebServer) -> None:
    url = f"https://page.test:{secure.port}/x"
    options = FetchOptions(timeout=20)
    with (
        Browser(options, Guard([url], resolve=resolve)) as browser,
        pytest.raises(FetchError, match="certificate is not trusted"),
    ):
        browser.capture(url)
    assert not secure.hits()
