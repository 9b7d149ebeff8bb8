"""The client against a real server: responses, redirects, private addresses, faults."""

import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from printer import __version__
from printer.errors import BadURL, BlockedAddress, FetchError, HTTPStatusError, NotHTML
from printer.fetch.client import HttpClient
from printer.options import FetchOptions
from tests.support.web_server import Reply, WebServer

PAGE = "<!DOCTYPE html><title>Tide tables</title><p>High water at noon.</p>"
ONCE = FetchOptions(retries=0, cache=False, timeout=5)


def test_a_page_has_the_fields_of_its_response(web: WebServer) -> None:
    url = web.add("/page", PAGE, media_type="Text/HTML; charset=Windows-1252")
    with HttpClient(ONCE, user_urls=[url]) as fetcher:
        capture = fetcher.get_page(url)
    assert capture.body == PAGE.encode()
    assert capture.url == capture.source.requested_url == url
    assert capture.source.media_type == "text/html"
    assert capture.source.charset.lower() == "windows-1252"
    assert capture.source.headers["content-type"] == "Text/HTML; charset=Windows-1252"
    assert capture.source.method == "http"
    assert not capture.source.from_cache
    assert capture.source.fetched is not None


def test_the_client_says_who_it_is(web: WebServer) -> None:
    url = web.add("/page", PAGE)
    with HttpClient(ONCE, user_urls=[url]) as fetcher:
        fetcher.get_page(url)
    with HttpClient(FetchOptions(user_agent="reader/2", cache=False), user_urls=[url]) as fetcher:
        fetcher.get_page(url)
    first, second = web.hits("/page")
    assert first.headers["user-agent"] == f"webprint/{__version__} (+print-friendly PDF)"
    assert first.headers["user-agent"].startswith("webprint/")
    assert "html" in first.headers["accept"]
    assert second.headers["user-agent"] == "reader/2"


def test_the_first_answer_of_many_threads_is_right_for_each(web: WebServer) -> None:
    urls = [web.add(f"/{n}.png", bytes([n]) * 5000, media_type="image/png") for n in range(40)]
    with (
        HttpClient(FetchOptions(timeout=10), user_urls=urls) as fetcher,
        ThreadPoolExecutor(8) as pool,
    ):
        bodies = [capture.body for capture in pool.map(fetcher.get_resource, urls)]
    assert bodies == [bytes([n]) * 5000 for n in range(40)]
    assert not fetcher.warnings


def test_redirects_are_followed_to_the_end(web: WebServer) -> None:
    web.add("/new page", PAGE)
    web.add("/new%20page", PAGE)
    web.redirect("/b", "new page", status=308)
    url = web.redirect("/a", "/b", status=301)
    with HttpClient(ONCE, user_urls=[url]) as fetcher:
        capture = fetcher.get_page(url + "#part")
    assert capture.url == web.url + "/new%20page#part"
    assert capture.source.requested_url == url + "#part"


def test_a_redirect_that_needs_its_cookie_is_no_loop(web: WebServer) -> None:
    def door(hit):  # type: ignore[no-untyped-def]
        if "seen=1" in hit.headers.get("cookie", ""):
            return Reply(PAGE)
        return Reply("", 302, headers=(("Location", "/door"), ("Set-Cookie", "seen=1; Path=/")))

    url = web.add("/door", door)
    with HttpClient(ONCE, user_urls=[url]) as fetcher:
        assert fetcher.get_page(url).body == PAGE.encode()


def test_loops_and_long_chains_end(web: WebServer) -> None:
    web.redirect("/a", "/b")
    web.redirect("/b", "/a")
    web.add("/n", lambda hit: Reply("", 302, headers=(("Location", f"/n?{hit.query}x"),)))
    with HttpClient(ONCE, user_urls=[web.url]) as fetcher:
        with pytest.raises(FetchError, match="redirects to itself"):
            fetcher.get_page(web.url + "/a")
        with pytest.raises(FetchError, match="more than 10 times"):
            fetcher.get_page(web.url + "/n")
    assert len(web.hits("/n")) == 11


@pytest.mark.parametrize("target", ["file:///etc/passwd", "javascript:1", "http://[", "ftp://h/x"])
def test_a_redirect_out_of_the_web_is_refused(web: WebServer, target: str) -> None:
    url = web.redirect("/a", target)
    with HttpClient(ONCE, user_urls=[url]) as fetcher, pytest.raises(BadURL, match="redirects to"):
        fetcher.get_page(url)


@pytest.mark.parametrize("slashes", ["\\\\", "/\\", "///", "http:\\\\"])
def test_a_redirect_leads_to_the_host_that_browsers_choose(
    web: WebServer, other_web: WebServer, slashes: str
) -> None:
    other = other_web.add("/b", PAGE)
    url = web.redirect("/a", slashes + other.removeprefix("http://").replace("/", "\\"))
    with HttpClient(ONCE, user_urls=[url, other]) as fetcher:
        assert fetcher.get_page(url).url == other


def test_private_addresses_are_for_named_origins_alone(
    web: WebServer, other_web: WebServer
) -> None:
    other_web.add("/secret", PAGE)
    page = web.add("/page", PAGE)
    picture = web.add("/a.png", b"\x89PNG", media_type="image/png")
    away = web.redirect("/away", other_web.url + "/secret")
    with HttpClient(ONCE, user_urls=[page]) as fetcher:
        assert fetcher.get_page(page).body == PAGE.encode()
        assert fetcher.get_resource(picture, page).body == b"\x89PNG"
        for blocked in (away, other_web.url + "/secret", "http://localhost:9/x"):
            with pytest.raises(BlockedAddress, match="--allow-private") as caught:
                fetcher.get_resource(blocked, page)
            assert caught.value.url
    assert not other_web.hits()
    with HttpClient(FetchOptions(allow_private=True, cache=False)) as fetcher:
        assert fetcher.get_page(away).body == PAGE.encode()


def test_the_address_judged_is_the_address_connected_to(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that answers a public address when judged and loopback later gains nothing."""
    tried = []

    def connect(address: tuple[str, int], *args: object, **kwargs: object) -> socket.socket:
        tried.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(socket, "create_connection", connect)
    answers = iter([["8.8.8.8"], ["127.0.0.1"], ["127.0.0.1"]])
    options = FetchOptions(retries=1, cache=False, timeout=5)
    with HttpClient(options, resolve=lambda host: next(answers), sleep=lambda _: None) as fetcher:
        for _ in range(2):
            with pytest.raises(FetchError, match="refused the connection"):
                fetcher.get_page(f"http://rebind.test:{web.port}/x")
    assert tried == [("8.8.8.8", web.port)] * 4


def test_a_named_name_is_connected_to_at_its_checked_address(web: WebServer) -> None:
    path = web.add("/x", PAGE, headers={"Connection": "close"})
    url = path.replace("127.0.0.1", "name.test")
    answers = iter([["127.0.0.1"], ["127.0.0.9"], ["127.0.0.9"]])
    with HttpClient(ONCE, user_urls=[url], resolve=lambda host: next(answers)) as fetcher:
        for _ in range(3):
            assert fetcher.get_page(url).body == PAGE.encode()
    assert web.hits("/x")[0].headers["host"] == f"name.test:{web.port}"


def test_the_next_address_is_tried_when_one_does_not_answer(web: WebServer) -> None:
    url = web.add("/x", PAGE).replace("127.0.0.1", "two.test")
    with HttpClient(
        ONCE, user_urls=[url], resolve=lambda host: ["127.0.0.9", "127.0.0.1"]
    ) as fetcher:
        assert fetcher.get_page(url).body == PAGE.encode()


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (401, "--cookies"),
        (403, "--render always"),
        (404, "may have moved"),
        (410, "may have moved"),
        (429, "try again later"),
        (500, "the server's"),
        (599, "the server's"),
    ],
)
def test_an_error_status_says_what_to_do(web: WebServer, status: int, hint: str) -> None:
    url = web.add("/x", "<p>no</p>", status=status)
    with HttpClient(ONCE, user_urls=[url]) as fetcher, pytest.raises(HTTPStatusError) as caught:
        fetcher.get_page(url)
    assert caught.value.status == status
    assert f"the server answered {status}" in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.url == url


def test_other_media_types_are_named_before_they_are_read(web: WebServer) -> None:
    def endless():  # type: ignore[no-untyped-def]
        while True:
            yield b"%PDF-1.7 " * 1000

    by_header = web.add("/a", endless, media_type="application/pdf")
    by_bytes = web.add("/b", endless, media_type="text/html")
    with HttpClient(ONCE, user_urls=[web.url]) as fetcher:
        for url in (by_header, by_bytes):
            with pytest.raises(NotHTML, match="a PDF") as caught:
                fetcher.get_page(url)
            assert caught.value.media_type == "application/pdf"
        assert fetcher.get_resource(web.add("/c", b"%PDF-1.7", media_type="image/png")).body


def test_an_address_as_people_write_it_is_fetched_over_https() -> None:
    with (
        HttpClient(ONCE) as fetcher,
        pytest.raises(BlockedAddress, match=r"https://127\.0\.0\.1/x"),
    ):
        fetcher.get_page("127.0.0.1:443/x")


def test_a_refused_connection_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    with HttpClient(ONCE, user_urls=[url]) as fetcher, pytest.raises(FetchError) as caught:
        fetcher.get_page(url)
    assert "the server refused the connection" in str(caught.value)
    assert url in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_that_does_not_exist_is_one_line() -> None:
    def resolve(host: str) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with HttpClient(ONCE, resolve=resolve) as fetcher, pytest.raises(FetchError) as caught:
        fetcher.get_page("https://nowhere.test/x")
    assert "there is no server named nowhere.test" in str(caught.value)
    assert "typing mistake" in str(caught.value)


@pytest.mark.parametrize(
    "wire",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 300_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain",
        b"HTTP/1.1 302 Found\r\nLocation: \xff\xfe\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 999 \xff\r\nContent-Length: 0\r\n\r\n",
    ],
)
def test_a_server_that_talks_nonsense_is_a_fetch_error(web: WebServer, wire: bytes) -> None:
    url = web.raw("/x", lambda sock: sock.sendall(wire))
    with (
        HttpClient(ONCE, user_urls=[url]) as fetcher,
        pytest.raises((FetchError, BadURL)) as caught,
    ):
        fetcher.get_page(url)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_server_that_hangs_up_on_an_idle_connection_costs_nothing(web: WebServer) -> None:
    def close_after(sock: socket.socket) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 7\r\n\r\n"
        sock.sendall(head + b"<p>x</p>"[:7])

    url = web.raw("/x", close_after)
    with HttpClient(FetchOptions(cache=False, timeout=5), user_urls=[url]) as fetcher:
        for _ in range(3):
            assert fetcher.get_page(url).body == b"<p>x</p"


def test_the_referer_for_other_origins_has_no_path(web: WebServer, other_web: WebServer) -> None:
    page = web.url + "/story?id=7"
    page_picture = web.add("/a.png", b"1", media_type="image/png")
    other_picture = other_web.add("/b.png", b"2", media_type="image/png")
    with HttpClient(FetchOptions(allow_private=True, cache=False)) as fetcher:
        fetcher.get_resource(page_picture, page)
        fetcher.get_resource(other_picture, page)
        fetcher.get_resource(page_picture, "https://example.org/secret")
        fetcher.get_resource(page_picture, "file:///home/x.html")
    first, third, fourth = web.hits("/a.png")
    assert first.headers["referer"] == page
    assert other_web.hits()[0].headers["referer"] == web.url + "/"
    assert "referer" not in third.headers
    assert "referer" not in fourth.headers


def test_loopback_needs_no_proxy(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    url = web.add("/x", PAGE)
    with HttpClient(ONCE, user_urls=[url]) as fetcher:
        assert fetcher.get_page(url).body == PAGE.encode()
