import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from printer.errors import FetchError, HTTPStatusError, NotHTML
from printer.fetch.client import HttpClient
from printer.options import FetchOptions
from tests.support.web_server import Hit, Reply, WebServer

PAGE = "<p>At last</p>"


def failing(times: int, status: int = 503, **headers: str) -> Callable[[Hit], Reply]:
    """Answer an error so many times, then the page."""
    left = [times]

    def answer(hit: Hit) -> Reply:
        left[0] -= 1
        pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
        return Reply(PAGE) if left[0] < 0 else Reply("", status, headers=pairs)

    return answer


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_temporary_errors_are_retried_with_growing_delays(web: WebServer, status: int) -> None:
    url = web.add("/x", failing(2, status))
    pauses: list[float] = []
    with HttpClient(FetchOptions(cache=False), user_urls=[url], sleep=pauses.append) as fetcher:
        assert fetcher.get_page(url).body == PAGE.encode()
    assert len(web.hits("/x")) == 3
    assert 0.25 <= pauses[0] <= 0.5
    assert 0.5 <= pauses[1] <= 1.0


def test_attempts_are_bounded(web: WebServer) -> None:
    url = web.add("/x", failing(99))
    with (
        HttpClient(
            FetchOptions(retries=3, cache=False), user_urls=[url], sleep=lambda _: None
        ) as fetcher,
        pytest.raises(HTTPStatusError, match="503"),
    ):
        fetcher.get_page(url)
    assert len(web.hits("/x")) == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 501])
def test_permanent_errors_are_not_retried(web: WebServer, status: int) -> None:
    url = web.add("/x", failing(1, status))
    with (
        HttpClient(FetchOptions(cache=False), user_urls=[url]) as fetcher,
        pytest.raises(HTTPStatusError),
    ):
        fetcher.get_page(url)
    assert len(web.hits("/x")) == 1


def test_a_picture_instead_of_a_page_is_not_retried(web: WebServer) -> None:
    url = web.add("/x", b"\x89PNG", media_type="image/png")
    with HttpClient(FetchOptions(cache=False), user_urls=[url]) as fetcher, pytest.raises(NotHTML):
        fetcher.get_page(url)
    assert len(web.hits("/x")) == 1


def test_retry_after_in_seconds_is_kept_to(web: WebServer) -> None:
    url = web.add("/x", failing(1, 429, Retry_After="7"))
    pauses: list[float] = []
    with HttpClient(FetchOptions(cache=False), user_urls=[url], sleep=pauses.append) as fetcher:
        fetcher.get_page(url)
    assert pauses == [7.0]


def test_retry_after_as_a_date_is_kept_to(web: WebServer) -> None:
    when = datetime.now(UTC) + timedelta(seconds=9)
    url = web.add("/x", failing(1, 503, Retry_After=format_datetime(when, usegmt=True)))
    pauses: list[float] = []
    with HttpClient(FetchOptions(cache=False), user_urls=[url], sleep=pauses.append) as fetcher:
        fetcher.get_page(url)
    assert 6 < pauses[0] <= 9


def test_retry_after_beyond_the_time_limit_ends_at_once(web: WebServer) -> None:
    url = web.add("/x", failing(1, 429, Retry_After="3600"))
    start = time.monotonic()
    with (
        HttpClient(FetchOptions(timeout=60, cache=False), user_urls=[url]) as fetcher,
        pytest.raises(HTTPStatusError, match="wait 3600 seconds"),
    ):
        fetcher.get_page(url)
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("value", ["soon", "-5", "9" * 50, "Wed, 99 Foo 2000", "\u00e9"])
def test_a_retry_after_that_makes_no_sense_does_no_harm(web: WebServer, value: str) -> None:
    url = web.add("/x", failing(1, 503, Retry_After=value))
    with HttpClient(FetchOptions(cache=False), user_urls=[url], sleep=lambda _: None) as fetcher:
        try:
            body = fetcher.get_page(url).body
        except HTTPStatusError:
            assert value == "9" * 50
        else:
            assert body == PAGE.encode()


def test_a_connection_that_breaks_is_made_again(web: WebServer) -> None:
    broken = [Reply(raw=lambda sock: None), Reply(raw=lambda sock: sock.sendall(b"HTTP/1.1 2"))]
    url = web.add("/x", lambda hit: broken.pop() if broken else Reply(PAGE))
    with HttpClient(FetchOptions(cache=False), user_urls=[url], sleep=lambda _: None) as fetcher:
        assert fetcher.get_page(url).body == PAGE.encode()


def test_a_truncated_body_is_requested_again(web: WebServer) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<p>half"
    broken = [Reply(raw=lambda sock: sock.sendall(head))]
    url = web.add("/x", lambda hit: broken.pop() if broken else Reply(PAGE))
    with HttpClient(FetchOptions(), user_urls=[url], sleep=lambda _: None) as fetcher:
        assert fetcher.get_page(url).body == PAGE.encode()


def test_a_name_not_found_is_not_tried_again() -> None:
    calls = []

    def resolve(host: str) -> list[str]:
        calls.append(host)
        import socket

        raise socket.gaierror(socket.EAI_NONAME, "no")

    with (
        HttpClient(FetchOptions(cache=False), resolve=resolve) as fetcher,
        pytest.raises(FetchError),
    ):
        fetcher.get_page("https://nowhere.test/")
    assert calls == ["nowhere.test"]
