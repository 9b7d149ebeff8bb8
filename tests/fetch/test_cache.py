"""The cache on disk: what it saves, whom it serves, and that its faults never fail a fetch."""

import os
import sqlite3
import stat
import time
from email.utils import formatdate
from pathlib import Path

import pytest

from printer.capture import Capture
from printer.errors import BlockedAddress, TooLarge
from printer.fetch.cache import cache_folder
from printer.fetch.client import HttpClient
from printer.options import FetchOptions
from tests.support.web_server import Hit, Reply, WebServer

PAGE = "<p>Kept</p>"
FRESH = {"Cache-Control": "max-age=3600"}


def fetch(url: str, options: FetchOptions | None = None) -> tuple[Capture, list[str]]:
    with HttpClient(options or FetchOptions(timeout=5, retries=0), user_urls=[url]) as fetcher:
        return fetcher.get_page(url), fetcher.warnings


def database() -> Path:
    return cache_folder() / "responses.db"


def test_a_fresh_response_is_not_requested_again(web: WebServer) -> None:
    url = web.add("/x", PAGE, headers=FRESH)
    first, _ = fetch(url)
    second, _ = fetch(url + "#part")
    assert not first.source.from_cache
    assert second.source.from_cache
    assert second.body == first.body == PAGE.encode()
    assert second.source.headers["cache-control"] == "max-age=3600"
    assert len(web.hits("/x")) == 1


def test_a_stale_response_is_revalidated_and_kept(web: WebServer) -> None:
    def answer(hit: Hit) -> Reply:
        headers = (("ETag", '"1"'), ("Cache-Control", "no-cache"))
        known = hit.headers.get("if-none-match") == '"1"'
        return Reply("" if known else PAGE, 304 if known else 200, headers=headers)

    url = web.add("/x", answer)
    assert not fetch(url)[0].source.from_cache
    for _ in range(2):
        capture, warnings = fetch(url)
        assert capture.source.from_cache
        assert capture.body == PAGE.encode()
        assert not warnings
    assert len(web.hits("/x")) == 3


def test_a_changed_page_replaces_the_kept_one(web: WebServer) -> None:
    dated = {"Cache-Control": "max-age=0", "Last-Modified": formatdate(0, usegmt=True)}
    url = web.add("/x", PAGE, headers=dated)
    fetch(url)
    web.add("/x", "<p>New</p>", headers=dated)
    capture, _ = fetch(url)
    assert capture.body == b"<p>New</p>"
    assert "if-modified-since" in web.hits("/x")[1].headers


def test_compressed_answers_are_kept_and_read(web: WebServer) -> None:
    from tests.support.web_server import gzipped

    url = web.add("/x", gzipped(PAGE), headers=FRESH, encoding="gzip")
    assert fetch(url)[0].body == fetch(url)[0].body == PAGE.encode()
    assert len(web.hits("/x")) == 1


def test_uncacheable_responses_are_not_stored(web: WebServer) -> None:
    url = web.add("/x", PAGE, headers={"Cache-Control": "no-store"})
    fetch(url)
    fetch(url)
    assert len(web.hits("/x")) == 2


def test_the_cache_can_be_left_alone(web: WebServer) -> None:
    url = web.add("/x", PAGE, headers=FRESH)
    for _ in range(2):
        fetch(url, FetchOptions(cache=False))
    assert len(web.hits("/x")) == 2
    assert not cache_folder().exists()


def test_people_with_other_cookies_or_headers_get_their_own(web: WebServer, tmp_path: Path) -> None:
    def answer(hit: Hit) -> Reply:
        client = hit.headers.get("cookie", "") + hit.headers.get("x-key", "")
        return Reply(f"<p>for {client or 'all'}</p>", headers=tuple(FRESH.items()))

    url = web.add("/x", answer)
    jars = []
    for user in ("ann", "ben"):
        path = tmp_path / f"{user}.txt"
        path.write_text(f"# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tid\t{user}\n")
        jars.append(FetchOptions(cookies=str(path)))
    key = FetchOptions(headers=(("X-Key", "k1"),))
    for _ in range(2):
        assert fetch(url, jars[0])[0].body == b"<p>for id=ann</p>"
        assert fetch(url, jars[1])[0].body == b"<p>for id=ben</p>"
        assert fetch(url, key)[0].body == b"<p>for k1</p>"
        assert fetch(url)[0].body == b"<p>for all</p>"
    assert len(web.hits("/x")) == 4


def test_secrets_are_not_written_to_disk(web: WebServer) -> None:
    url = web.add("/x", PAGE, headers={**FRESH, "Set-Cookie": "id=swordfish"})
    fetch(url, FetchOptions(headers=(("X-Key", "hunter2"), ("Authorization", "hunter2"))))
    stored = b"".join(path.read_bytes() for path in cache_folder().iterdir())
    assert PAGE.encode() in stored
    assert b"hunter2" not in stored
    assert b"swordfish" not in stored
    assert stat.S_IMODE(cache_folder().stat().st_mode) == 0o700
    assert stat.S_IMODE(database().stat().st_mode) == 0o600


def test_a_kept_answer_does_not_get_past_the_guard(web: WebServer) -> None:
    url = web.add("/secret", PAGE, headers=FRESH)
    fetch(url)
    with HttpClient(FetchOptions()) as stranger, pytest.raises(BlockedAddress):
        stranger.get_resource(url, "https://example.org/")


def test_the_size_limit_holds_for_kept_answers(web: WebServer) -> None:
    url = web.add("/x", "<p>" + "x" * 500_000, headers=FRESH)
    fetch(url)
    with (
        HttpClient(FetchOptions(max_bytes=1000), user_urls=[url]) as fetcher,
        pytest.raises(TooLarge),
    ):
        fetcher.get_page(url)


def test_a_locked_cache_costs_a_warning(web: WebServer) -> None:
    url = web.add("/x", PAGE, headers=FRESH)
    fetch(url)
    holder = sqlite3.connect(database(), isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    start = time.monotonic()
    try:
        capture, warnings = fetch(url)
    finally:
        holder.close()
    assert capture.body == PAGE.encode()
    assert not capture.source.from_cache
    assert len(warnings) == 1
    assert "locked" in warnings[0]
    assert time.monotonic() - start < 20


def test_a_cache_locked_while_in_use_costs_a_warning(web: WebServer) -> None:
    urls = [web.add(f"/{n}", PAGE, headers=FRESH) for n in range(4)]
    with HttpClient(FetchOptions(timeout=30), user_urls=[web.url]) as fetcher:
        fetcher.get_page(urls[0])
        holder = sqlite3.connect(database(), isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        try:
            for url in urls:
                assert fetcher.get_page(url).body == PAGE.encode()
        finally:
            holder.close()
        assert time.monotonic() - start < 20
        assert len(fetcher.warnings) == 1


@pytest.mark.parametrize("content", [b"not a database, to be sure" * 100, b"SQLite format 3\0junk"])
def test_a_damaged_cache_is_begun_anew(web: WebServer, content: bytes) -> None:
    url = web.add("/x", PAGE, headers=FRESH)
    cache_folder().mkdir(parents=True)
    database().write_bytes(content)
    assert fetch(url)[0].body == PAGE.encode()
    capture, warnings = fetch(url)
    assert capture.source.from_cache
    assert not warnings


def test_damage_inside_the_cache_costs_a_warning_and_is_mended(web: WebServer) -> None:
    body = "<p>" + os.urandom(400_000).hex() + "</p>"
    url = web.add("/x", body, headers=FRESH)
    fetch(url)
    with sqlite3.connect(database()) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    data = bytearray(database().read_bytes())
    for start in range(8 * size, len(data), size):  # Past the first pages: the schema stays.
        data[start : start + 40] = os.urandom(40)
    database().write_bytes(data)
    capture, warnings = fetch(url)
    assert capture.body == body.encode()
    assert not capture.source.from_cache
    assert len(warnings) == 1
    fetch(url)
    capture, warnings = fetch(url)
    assert capture.source.from_cache
    assert not warnings


def test_a_body_lost_from_the_cache_is_fetched(web: WebServer) -> None:
    url = web.add("/x", PAGE, headers=FRESH)
    fetch(url)
    with sqlite3.connect(database()) as connection:
        connection.execute("DELETE FROM streams")
    connection.close()
    capture, warnings = fetch(url)
    assert capture.body == PAGE.encode()
    assert len(warnings) == 1
    assert len(web.hits("/x")) == 2


def test_a_cache_folder_that_cannot_be_made_costs_a_warning(
    web: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    capture, warnings = fetch(web.add("/x", PAGE, headers=FRESH))
    assert capture.body == PAGE.encode()
    assert len(warnings) == 1
    assert "cannot be used" in warnings[0]


@pytest.mark.parametrize("name", [".", "responses.db"])
def test_a_cache_that_all_can_change_is_not_used(web: WebServer, name: str) -> None:
    url = web.add("/x", PAGE, headers=FRESH)
    fetch(url)
    place = database().parent / name
    place.chmod(place.stat().st_mode | 0o002)
    capture, warnings = fetch(url)
    assert capture.body == PAGE.encode()
    assert len(web.hits("/x")) == 2
    assert "another user" in warnings[0]


def test_a_cache_that_may_not_be_written_costs_a_warning(web: WebServer) -> None:
    url = web.add("/x", PAGE, headers=FRESH)
    fetch(url)
    database().unlink()
    database().mkdir()
    capture, warnings = fetch(url)
    assert capture.body == PAGE.encode()
    assert len(warnings) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Cache-Control": "max-age=x, =, ,;"},
        {"Cache-Control": "max-age=" + "9" * 400},
        {"Expires": "never", "Date": "99999"},
        {"Vary": "*, \x7f"},
        {"ETag": '"\u00e9"', "Age": "-1"},
    ],
)
def test_headers_that_make_no_sense_cost_nothing(web: WebServer, headers: dict[str, str]) -> None:
    url = web.add("/x", PAGE, headers=headers)
    for _ in range(2):
        assert fetch(url)[0].body == PAGE.encode()


def test_many_clients_share_one_cache(web: WebServer) -> None:
    from concurrent.futures import ThreadPoolExecutor

    urls = [web.add(f"/{n}", f"<p>{n}</p>", headers=FRESH) for n in range(30)]
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(fetch, urls))
    assert [capture.body for capture, _ in results] == [f"<p>{n}</p>".encode() for n in range(30)]
    assert [capture.source.from_cache for capture, _ in map(fetch, urls)] == [True] * 30
