"""--dry-run: what a command would fetch, write and store; it changes nothing."""

import json
import re
from pathlib import Path

import pytest

from tests.support.story_page import story_page

DIGEST = """[[digest]]
name = "morning"

[[digest.source]]
feed = "https://ann:secret@example.org/news.xml"

[[digest.source]]
mail = "letters"

[[digest.deliver]]
webhook = "https://example.net/key-1234"
"""


@pytest.fixture(autouse=True)
def nothing_is_done(web, tmp_path, monkeypatch):
    """Check that no page is requested and nothing is written."""
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "a.pdf").write_bytes(b"old")
    (tmp_path / "webprint.toml").write_text(DIGEST)
    (tmp_path / "list.txt").write_text(f"{web.url}/a\n{web.url}/b\nftp://example.org/\n")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    yield
    assert not web.hits()
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_a_print(webprint, web):
    url = web.add("/story", story_page())
    code, out, _ = webprint(url, "a.pdf", "--dry-run", "--library")
    assert code == 0
    lines = out.splitlines()
    assert lines[:2] == [f"fetch  {url}", "write  a.pdf (overwrites the file)"]
    assert [line.split()[0] for line in lines[2:]] == ["keep", "keep"]
    assert "TITLE.epub" in webprint(url, "new/", "--format", "epub", "--dry-run")[1]


def test_a_list(webprint, web):
    code, out, err = webprint("batch", "list.txt", "out", "--dry-run", "--no-cache")
    assert code == 0
    assert out.splitlines() == [
        f"fetch  {web.url}/a",
        f"fetch  {web.url}/b",
        "write  out/TITLE.pdf",
        "write  out/report.txt",
        "write  out/report.json",
        "keep   the state of the list in out/.webprint",
    ]
    assert re.fullmatch("warning: line 3: .*ftp.*\n", err)
    assert webprint("batch", "list.txt", "out", "--dry-run", "--json")[1].splitlines() == [
        json.dumps({"url": f"{web.url}/{name}", "out": "out/TITLE.pdf", "format": "pdf"})
        for name in "ab"
    ]


@pytest.mark.parametrize("database", ["new/jobs.sqlite", "sqlite:///new/jobs.sqlite"])
def test_a_list_with_a_database_that_does_not_exist(webprint, database):
    code, out, _ = webprint("batch", "list.txt", "out", "--dry-run", "--database", database)
    assert code == 0
    assert sum(line.startswith("fetch") for line in out.splitlines()) == 2


@pytest.mark.parametrize(("database", "code"), [("list.txt", 14), ("nonsense://x", 2), ("1://", 2)])
def test_a_list_with_what_is_no_database(webprint, database, code):
    line = ("batch", "list.txt", "out", "--dry-run", "--database", database)
    ended, _, err = webprint(*line)
    assert ended == code, err
    assert "database" in err


def test_a_crawl(webprint, web):
    call = ("crawl", web.url, "--dry-run", "--max", "1", "--max-pages", "30")
    code, out, err = webprint(*call, "--out", "found", "--no-cache")
    assert code == 0
    assert out.splitlines()[:3] == [
        f"fetch  {web.url}",
        "write  found/TITLE.pdf",
        "write  found/articles.jsonl",
    ]
    assert re.fullmatch("keep   the pages of the crawl in .*/crawl.sqlite", out.splitlines()[3])
    assert err == (
        "then pages that these link to: at most 30 pages, 10 links from the first, "
        "to find 1 article\n"
    )
    state = ("--state", "postgresql://ann:secret@localhost/crawl")
    out = webprint(*call, *state)[1]
    assert "write  standard output" in out
    assert "keep   the pages of the crawl in postgresql://localhost/crawl" in out


def test_a_digest(webprint):
    code, out, err = webprint("digest", "run", "morning", "--dry-run", "--library", "--no-cache")
    assert code == 0
    *lines, history, library = out.splitlines()
    assert lines == [
        "fetch  https://example.org/news.xml",
        "read   letters",
        "write  webhook at https://example.net",
    ]
    assert re.fullmatch("keep   what was printed in .*/digests.sqlite", history)
    assert re.fullmatch("keep   the text in .*/library.sqlite", library)
    assert err == "webprint digest check morning shows which articles it would contain\n"
    out = webprint("digest", "run", "morning", "x.epub", "--dry-run", "--json")[1]
    assert json.loads(out.splitlines()[0])["format"] == "epub"
    run = ("digest", "run", "morning", "--dry-run", "--database")
    assert "keep   what was printed in my.sqlite\n" in webprint(*run, "my.sqlite")[1]
    out = webprint(*run, "postgresql://ann:secret@localhost/stories")[1]
    assert "keep   what was printed in the database\n" in out
    assert not Path("x.epub").exists()
