"""Credentials are sent only to their site: redirects, other origins, messages."""

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from printer import FetchOptions, Options, Printer, Session, print_pages
from printer.capture import Capture
from printer.errors import BadURL, HTTPStatusError
from printer.fetch.browser.browser import Browser
from printer.fetch.client import HttpClient
from printer.fetch.ssrf import Guard
from printer.urls import Origin, credentials_by_origin, normalize_url, split_credentials
from tests.support.story_page import story_page
from tests.support.web_server import Hit, Reply, WebServer

SECRET = "hunter2"
TOKEN = "Basic " + base64.b64encode(b"ann:hunter2").decode()

Get = Callable[[FetchOptions, str], Capture]


def by_http(options: FetchOptions, url: str) -> Capture:
    with HttpClient(options, user_urls=[url]) as web:
        return web.get_page(split_credentials(url)[0])


def by_browser(options: FetchOptions, url: str) -> Capture:
    guard = Guard([url], allow_private=options.allow_private)
    with Browser(options, guard) as browser:
        return browser.capture(split_credentials(url)[0])


@pytest.fixture(params=[by_http, pytest.param(by_browser, marks=pytest.mark.browser)])
def get(request: pytest.FixtureRequest) -> Get:
    return request.param


def locked(hit: Hit) -> Reply:
    right = hit.headers.get("authorization") == TOKEN
    return Reply(story_page() if right else "<p>no</p>", 200 if right else 401)


def with_login(url: str, login: str = "ann:hunter2") -> str:
    return url.replace("://", f"://{login}@")


def test_a_name_and_password_in_the_address_open_the_page(web: WebServer, get: Get) -> None:
    url = web.add("/locked", locked)
    options = FetchOptions(timeout=60, cache=False)
    capture = get(options, with_login(url))
    assert b"Harbour lights" in capture.body
    assert SECRET not in repr(capture)
    with pytest.raises(HTTPStatusError):
        get(options, url)


@pytest.mark.parametrize("credentials", ["address", "user", "header", "cookies", "state"])
def test_nothing_goes_along_to_another_host(
    web: WebServer, other_web: WebServer, tmp_path: Path, get: Get, credentials: str
) -> None:
    """The page redirects to another host, whose page names pictures here and there."""
    picture = other_web.add("/p.png", b"1", media_type="image/png")
    other_page = other_web.add(
        "/end", story_page(extra=f'<img src="{picture}"><img src="{web.url}/q.png">')
    )
    url = web.redirect("/start", web.redirect("/middle", other_page))
    arguments: dict[str, object] = {}
    if credentials == "user":
        arguments["user"] = "ann:hunter2"
    elif credentials == "header":
        arguments["headers"] = (("X-Key", SECRET),)
    elif credentials == "cookies":
        jar = tmp_path / "cookies.txt"
        line = f"127.0.0.1\tFALSE\t/\tFALSE\t0\tkey\t{SECRET}\n"
        jar.write_text("# Netscape HTTP Cookie File\n" + line)
        arguments["cookies"] = str(jar)
    elif credentials == "state":
        cookie = {"name": "key", "value": SECRET, "domain": "127.0.0.1", "path": "/"}
        stored = {"origin": web.url, "localStorage": [{"name": "key", "value": SECRET}]}
        state = tmp_path / "state.json"
        state.write_text(json.dumps({"cookies": [cookie], "origins": [stored]}))
        arguments["storage_state"] = str(state)
    options = FetchOptions(timeout=60, cache=False, allow_private=True, **arguments)  # type: ignore[arg-type]
    capture = get(options, with_login(url) if credentials == "address" else url)
    assert b"Harbour lights" in capture.body
    secrets = (SECRET, TOKEN)
    for path in ("/start", "/middle"):
        assert any(secret in str(web.hits(path)[-1]) for secret in secrets)
    assert other_web.hits("/end")
    for hit in other_web.hits():
        assert not any(secret in str(hit) for secret in secrets)


def test_each_host_gets_its_own(web: WebServer, other_web: WebServer) -> None:
    urls = [web.add("/a", locked), other_web.add("/b", story_page("Another harbour"))]
    named = (with_login(urls[0]), with_login(urls[1], "bob:swordfish"))
    print_pages(named, fetch=FetchOptions(cache=False))
    assert web.hits("/a")[0].headers["authorization"] == TOKEN
    other = "Basic " + base64.b64encode(b"bob:swordfish").decode()
    assert other_web.hits("/b")[0].headers["authorization"] == other


def test_a_password_is_never_printed(web: WebServer) -> None:
    url = web.add("/locked", locked)
    missing = with_login(web.url + "/missing")
    events: list[str] = []
    named = (with_login(url), missing)
    options = Options(fetch=FetchOptions(cache=False))
    session = Session(options.fetch, user_urls=named)
    with Printer(options, session, notify=lambda *event: events.append(str(event))) as printer:
        assert SECRET not in repr(printer)
        result = printer.print_pages(named)
    failed = [page for page in result.outcomes if page.error]
    assert [page.url for page in failed] == [web.url + "/missing"]
    output = f"{events} {failed} {[str(error) for error in result.errors]}"
    assert SECRET not in output
    assert SECRET.encode() not in result.pdf


def test_errors_of_a_bad_address_have_no_password() -> None:
    for url in ("ann:hunter2@example.org", "https://ann:hunter2@example.org", "//a:hunter2@x.org"):
        with pytest.raises(BadURL) as caught:
            normalize_url(url)
        assert SECRET not in str(caught.value)


def test_names_and_passwords_are_decoded() -> None:
    logins = credentials_by_origin(
        ["https://a%40b:p%3Aq%2F@example.org/x@y", "http://plain.test/u@v"]
    )
    assert logins == {Origin("https", "example.org", 443): "a@b:p:q/"}
