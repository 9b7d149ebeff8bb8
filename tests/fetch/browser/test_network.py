"""Resources that the pages of one run share, and those they do not."""

import base64
import time
from collections.abc import Mapping

import pytest

from printer.fetch.browser import network
from printer.fetch.browser.browser import Browser
from printer.fetch.browser.network import ResourceCache, url_pattern
from printer.fetch.ssrf import Guard
from printer.options import FetchOptions
from tests.support.web_server import Reply, WebServer

URL = "https://example.org/style.css"
LONG = {"Cache-Control": "max-age=600"}


def request(url: str = URL, headers: Mapping[str, str] | None = None) -> dict[str, object]:
    return {"url": url, "method": "GET", "headers": dict(headers or {})}


def keep(
    cache: ResourceCache, headers: Mapping[str, str], url: str = URL, body: bytes = b"p {}"
) -> bool:
    entry = cache.entry_for(url, headers)
    if entry is not None:
        cache.store("https://example.org", entry, body)
    return entry is not None


def test_an_answer_is_given_again_to_its_own_site() -> None:
    cache = ResourceCache()
    assert keep(cache, {**LONG, "Content-Type": "text/css", "Content-Encoding": "br"})
    response = cache.fulfill("https://example.org", request())
    assert response is not None
    assert base64.b64decode(response["body"]) == b"p {}"
    headers = {header["name"]: header["value"] for header in response["responseHeaders"]}
    assert headers["content-type"] == "text/css"
    assert "content-encoding" not in headers
    assert "age" in headers
    assert cache.fulfill("https://other.example", request()) is None
    assert cache.fulfill("https://example.org", request(URL + "?x")) is None
    assert cache.urls("https://example.org") == [URL]
    assert not cache.urls("https://other.example")


@pytest.mark.parametrize(
    "headers",
    [
        {"Cache-Control": "no-store"},
        {"Cache-Control": "private, max-age=600"},
        {**LONG, "Set-Cookie": "a=1"},
        {**LONG, "Vary": "Cookie"},
        {**LONG, "Vary": "Accept-Encoding, *"},
        {**LONG, "Content-Length": "9999999999"},
        {**LONG, "Content-Length": "many"},
    ],
)
def test_private_responses_are_not_cached(headers: Mapping[str, str]) -> None:
    assert not keep(ResourceCache(), headers)


@pytest.mark.parametrize(
    ("response_headers", "request_headers"),
    [
        ({"Cache-Control": "max-age=0"}, {}),
        ({"Cache-Control": "no-cache, max-age=600"}, {}),
        ({**LONG, "Date": "Mon, 02 Jan 2012 00:00:00 GMT"}, {}),
        ({**LONG, "Age": "700"}, {}),
        (LONG, {"Cache-Control": "no-cache"}),
        (LONG, {"Range": "bytes=0-1"}),
    ],
)
def test_a_stale_or_refused_response_is_requested_again(
    response_headers: Mapping[str, str], request_headers: Mapping[str, str]
) -> None:
    cache = ResourceCache()
    keep(cache, response_headers)
    assert cache.fulfill("https://example.org", request(headers=request_headers)) is None


def test_it_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "MAX_CACHE_BYTES", 100)
    monkeypatch.setattr(network, "MAX_ENTRY_BYTES", 60)
    cache = ResourceCache()
    for number in range(5):
        keep(cache, LONG, f"{URL}?{number}", b"x" * 40)
    keep(cache, LONG, f"{URL}?large", b"x" * 61)
    assert cache.urls("https://example.org") == [f"{URL}?4", f"{URL}?3"]


def test_patterns_are_taken_word_for_word() -> None:
    assert url_pattern("https://example.org/a*b?c\\d") == "https://example.org/a\\*b\\?c\\\\d"


def settle(browser: Browser) -> None:
    """Wait until what was shown is put away."""
    deadline = time.monotonic() + 30
    while browser._tasks and time.monotonic() < deadline:
        time.sleep(0.02)


@pytest.mark.browser
def test_pages_of_a_site_fetch_its_files_once_and_keep_their_cookies(web: WebServer) -> None:
    """Each page still has its own cookies; pages of another site fetch their own."""
    css, svg = "main { width: 321px }", "<svg xmlns='http://www.w3.org/2000/svg' width='9'/>"
    web.add("/s.css?v=1", css)
    web.add("/s.css", css, media_type="text/css", headers=LONG)
    web.add("/s.js", "window.ready = 'yes'", media_type="text/javascript", headers=LONG)
    web.add("/p.svg", svg, media_type="image/svg+xml", headers=LONG)
    web.add("/own.css", "p {}", media_type="text/css", headers={"Cache-Control": "private"})
    web.add("/data", lambda hit: Reply(hit.headers.get("cookie", "none"), media_type="text/plain"))
    page = """<title>T</title><link rel=stylesheet href="/s.css?v=1">
        <link rel=stylesheet href="/own.css"><script src="/s.js"></script><main><img src="/p.svg">
        <p id=a></p><p id=b></p></main><script>a.textContent = document.cookie || "nobody";
        document.cookie = "who=me"; b.textContent = ready;</script>"""
    urls = [web.add(f"/page{number}", page) for number in range(3)]
    other = f"http://page.test:{web.port}/page0"
    guard = Guard([web.url, other], resolve=lambda host: ["127.0.0.1"])
    with Browser(FetchOptions(timeout=30), guard) as browser:
        for url in (*urls, other):
            capture = browser.capture(url)
            assert capture.body.count(b">nobody<") == 1
            assert capture.body.count(b">yes<") == 1
            assert capture.layout is not None
            assert 321 in {box.rect.width for box in capture.layout.boxes.values()}
            settle(browser)
    for path in ("/s.css", "/s.js", "/p.svg"):
        assert [hit.headers["host"].split(":")[0] for hit in web.hits(path)] == [
            "127.0.0.1", "page.test",
        ]  # fmt: skip
    assert len(web.hits("/own.css")) == 4


@pytest.mark.browser
def test_nothing_is_shared_when_there_is_to_be_no_cache(web: WebServer) -> None:
    web.add("/s.css", "p {}", media_type="text/css", headers=LONG)
    url = web.add("/page", "<link rel=stylesheet href=/s.css><p>Words</p>")
    with Browser(FetchOptions(timeout=30, cache=False), Guard([web.url])) as browser:
        for _ in range(2):
            browser.capture(url)
            settle(browser)
    assert len(web.hits("/s.css")) == 2
