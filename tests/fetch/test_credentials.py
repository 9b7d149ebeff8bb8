"""Headers and cookies of the user are sent where the user said, and nowhere else."""

import time
from pathlib import Path

import pytest

from printer.errors import UsageError
from printer.fetch.client import HttpClient
from printer.fetch.credentials import read_cookies
from printer.options import FetchOptions
from tests.support.web_server import WebServer

SECRET = (("X-Key", "hunter2"), ("Authorization", "Bearer hunter2"))
OPEN = FetchOptions(headers=SECRET, allow_private=True, cache=False, timeout=5)


def cookie_file(folder: Path, *lines: str) -> str:
    path = folder / "cookies.txt"
    path.write_text("# Netscape HTTP Cookie File\n\n" + "\n".join(lines) + "\n")
    return str(path)


def line(domain: str, name: str, value: str, expires: int, path: str = "/") -> str:
    return "\t".join([domain, "FALSE", path, "FALSE", str(expires), name, value])


def test_headers_go_to_named_origins_alone(web: WebServer, other_web: WebServer) -> None:
    page = web.add("/page", "<p>x</p>")
    other_picture = other_web.add("/a.png", b"1", media_type="image/png")
    away = web.redirect("/away", other_picture)
    with HttpClient(OPEN, user_urls=[page]) as fetcher:
        fetcher.get_page(page)
        fetcher.get_resource(other_picture, page)
        fetcher.get_resource(away, page)
    assert web.hits("/page")[0].headers["x-key"] == "hunter2"
    assert web.hits("/away")[0].headers["authorization"] == "Bearer hunter2"
    assert len(other_web.hits()) == 2
    for hit in other_web.hits():
        assert "hunter2" not in str(hit)


def test_a_header_may_replace_our_own(web: WebServer) -> None:
    page = web.add("/page", "<p>x</p>")
    options = FetchOptions(headers=(("accept", "text/x"), ("Accept-Language", "cs")), cache=False)
    with HttpClient(options, user_urls=[page]) as fetcher:
        fetcher.get_page(page)
    hit = web.hits("/page")[0]
    assert hit.headers["accept"] == "text/x"
    assert hit.headers["accept-language"] == "cs"


@pytest.mark.parametrize(
    "header", [("Bad Name", "x"), ("", "x"), ("X", "a\r\nY: b"), ("X", "é"), ("X:", "b")]
)
def test_a_header_that_cannot_be_sent_is_a_usage_error(header: tuple[str, str]) -> None:
    with pytest.raises(UsageError):
        HttpClient(FetchOptions(headers=(header,)))


def test_the_user_agent_cannot_smuggle_a_header() -> None:
    with pytest.raises(UsageError):
        HttpClient(FetchOptions(user_agent="x\r\nCookie: y"))


def test_cookies_go_where_the_file_says(
    web: WebServer, other_web: WebServer, tmp_path: Path
) -> None:
    later = int(time.time()) + 3600
    cookies = cookie_file(
        tmp_path,
        line("127.0.0.1", "session", "abc", 0),
        "#HttpOnly_" + line("127.0.0.1", "quiet", "def", later),
        line("127.0.0.1", "old", "gone", 1_000_000),
        line("127.0.0.1", "deep", "ghi", later, "/deep"),
        "# a remark",
    )
    page = web.add("/page", "<p>x</p>")
    deep = web.add("/deep/page", "<p>x</p>")
    other_picture = other_web.add("/a.png", b"1", media_type="image/png")
    options = FetchOptions(cookies=cookies, allow_private=True, cache=False)
    with HttpClient(options, user_urls=[page]) as fetcher:
        fetcher.get_page(page)
        fetcher.get_page(deep)
        fetcher.get_resource(other_picture, page)
    assert pairs(web.hits("/page")[0].headers["cookie"]) == {"session=abc", "quiet=def"}
    assert "deep=ghi" in pairs(web.hits("/deep/page")[0].headers["cookie"])
    assert "cookie" not in other_web.hits()[0].headers


def pairs(header: str) -> set[str]:
    return set(header.split("; "))


def test_a_picture_of_another_host_gets_only_the_cookies_that_the_page_gets_too(
    web: WebServer, tmp_path: Path
) -> None:
    port = web.url.rpartition(":")[2].strip("/")
    web.add("/story", "<p>x</p>")
    web.add("/a.png", b"1", media_type="image/png")
    site = "\t".join([".paper.example", "TRUE", "/", "FALSE", "0", "reader", "hunter2"])
    cookies = cookie_file(tmp_path, line("bank.example", "login", "hunter3", 0), site)
    options = FetchOptions(cookies=cookies, allow_private=True, cache=False, timeout=5)
    page = f"http://www.paper.example:{port}/story"
    with HttpClient(options, user_urls=[page], resolve=lambda _: ["127.0.0.1"]) as client:
        client.get_page(page)
        client.get_resource(f"http://img.paper.example:{port}/a.png", page)
        client.get_resource(f"http://bank.example:{port}/a.png", page)
        client.get_page(f"http://bank.example:{port}/story")
    sent = [hit.headers.get("cookie", "") for hit in web.hits()]
    assert sent == ["reader=hunter2", "reader=hunter2", "", "login=hunter3"]


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff\xfe\x00", b"PK\x03\x04"])
def test_a_file_that_holds_no_cookies_is_a_usage_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "cookies.txt"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"cookies\.txt") as caught:
        HttpClient(FetchOptions(cookies=str(path)))
    assert "\n" not in str(caught.value)


def test_a_cookie_file_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read_cookies(str(tmp_path / "none.txt"))
    with pytest.raises(UsageError, match="cannot be read"):
        HttpClient(FetchOptions(cookies=str(tmp_path)))


@pytest.mark.parametrize(
    "broken",
    ["only three\tfields\there", line("h", "n", "v", 0).replace("\t0\t", "\tsoon\t"), "words"],
)
def test_a_broken_line_is_named(tmp_path: Path, broken: str) -> None:
    with pytest.raises(UsageError, match="line 3 of"):
        read_cookies(cookie_file(tmp_path, broken))
