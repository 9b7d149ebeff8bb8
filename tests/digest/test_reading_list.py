"""The reading list's file: pages are added, removed and moved; everything else in it stays."""

import os
import subprocess
import sys

import pytest

from printer import files
from printer.digest import reading_list
from printer.digest.reading_list import (
    ListedPage,
    add_pages,
    add_url,
    move_page,
    parse_bookmarks,
    read_pages,
    read_urls,
    remove_pages,
)
from printer.errors import OutputError


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "later.txt"
    path.write_text(
        "# boats\nhttps://a.example/ The ferry\n\nhttps://b.example/\n# more\nhttps://c.example/\n"
    )
    return path


def test_titles_are_the_words_after_an_address(path):
    assert read_pages(path)[:2] == [
        ListedPage("https://a.example/", "The ferry"),
        ListedPage("https://b.example/"),
    ]
    assert add_url(path, "https://d.example") is True
    assert add_url(path, "https://a.example") is False
    assert path.read_text().startswith("# boats\nhttps://a.example/ The ferry\n\n")
    assert path.read_text().endswith("https://c.example/\nhttps://d.example/\n")


@pytest.mark.parametrize(
    ("url", "direction", "order"),
    [
        ("c", "first", "cab"), ("c", "up", "acb"), ("a", "down", "bac"), ("a", "up", "abc"),
        ("c", "down", "abc"), ("z", "first", "abc"),
    ],
)  # fmt: skip
def test_pages_are_moved(path, url, direction, order):
    move_page(path, f"https://{url}.example/", direction)
    assert "".join(url[8] for url in read_urls(path)) == order
    assert path.read_text().count("#") == 2


def test_removed_pages_can_be_added_again(path):
    removed = remove_pages(path, {"https://a.example/", "https://z.example/"})
    assert removed == [ListedPage("https://a.example/", "The ferry")]
    assert path.read_text() == "# boats\n\nhttps://b.example/\n# more\nhttps://c.example/\n"
    add_pages(path, removed)
    assert read_pages(path)[-1] == removed[0]


def test_the_fate_of_each_page(path, monkeypatch):
    monkeypatch.setattr(reading_list, "MAX_LINES", 7)
    pages = [
        ListedPage("https://new.example/"), ListedPage("https://a.example"),
        ListedPage("https://new.example/"), ListedPage("https://read.example/", is_read=True),
        ListedPage("javascript:alert(1)"), ListedPage("https://"), ListedPage("https://full.example/"),
    ]  # fmt: skip
    assert [outcome for _, outcome in add_pages(path, pages)] == [
        "added", "listed before", "listed before", "read before", "no web address",
        "no web address", "list full",
    ]  # fmt: skip
    with pytest.raises(OutputError, match="full"):
        add_url(path, "https://full.example/")
    path.write_text("https://x.example/\n" * 8)
    with pytest.raises(OutputError, match="too large"):
        read_urls(path)


def test_processes_at_once_lose_nothing(tmp_path):
    code = (
        "import sys; from pathlib import Path\n"
        "from printer.digest.reading_list import add_url\n"
        "for n in range(20): add_url(Path(sys.argv[1]), f'https://{sys.argv[2]}.example/{n}')"
    )
    path = tmp_path / "later.txt"
    processes = [
        subprocess.Popen([sys.executable, "-c", code, str(path), name], env={**os.environ})
        for name in "ab"
    ]
    assert [process.wait(60) for process in processes] == [0, 0]
    assert len(read_urls(path)) == 40
    assert path.stat().st_mode & 0o77 == 0


def test_what_is_not_utf8_stays_in_the_file(tmp_path):
    path = tmp_path / "later.txt"
    path.write_bytes(b"\xef\xbb\xbfhttps://a.example/ caf\xe9\n# \xff\xfe\n")
    add_url(path, "https://b.example/")
    assert path.read_bytes() == b"https://a.example/ caf\xe9\n# \xff\xfe\nhttps://b.example/\n"
    assert read_pages(path)[0] == ListedPage("https://a.example/", "caf\ufffd")


def test_an_address_that_is_too_long_is_not_cut(tmp_path):
    long, too_long = ("https://a.example/" + "b" * count for count in (5_000, 50_000))
    pages = parse_bookmarks(f"{too_long}\n{long}\n".encode())
    results = [result for _, result in add_pages(tmp_path / "later.txt", pages)]
    assert results == ["no web address", "added"]
    assert read_urls(tmp_path / "later.txt") == [long]


def test_a_list_that_stays_locked_is_an_error(path, monkeypatch):
    monkeypatch.setattr(files, "_FOLDER_LOCK_SECONDS", 0.05)
    with files.changing(path, OutputError), pytest.raises(OutputError, match="locked"):
        add_url(path, "https://d.example/")
    assert add_url(path, "https://d.example/")
    assert [*path.parent.iterdir()] == [path]
