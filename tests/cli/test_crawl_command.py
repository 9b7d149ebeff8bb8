"""webprint crawl, from the command line."""

import json
import time
from pathlib import Path

import pikepdf
import pypdfium2

from printer.errors import JobsError
from tests.support.crawl_sites import article_page, list_page
from tests.support.story_page import story_page
from tests.support.web_server import Reply, WebServer

QUICK = ("--delay", "0", "--no-sitemaps", "--render", "never")


def fill(web, count=3):
    links = [
        (web.add(f"/story/{n}", article_page(n, "garden")), f"Garden {n}") for n in range(count)
    ]
    return web.add("/", list_page("All", links))


def test_found_articles_are_listed_best_first(web, webprint):
    code, out, err = webprint("crawl", fill(web), *QUICK, "--query", "a garden of tulips")
    assert code == 0, err
    articles = [json.loads(line) for line in out.splitlines()]
    assert {article["url"] for article in articles} == {f"{web.url}/story/{n}" for n in range(3)}
    scores = [article["score"] for article in articles]
    assert scores == sorted(scores, reverse=True)
    assert all(article["title"] and article["relevance"] > 0.1 for article in articles)
    assert "3 articles, " in err


def test_a_crawl_is_gone_on_with_or_begun_afresh(web, webprint):
    seed = fill(web)
    assert webprint("crawl", seed, *QUICK)[0] == 0
    assert len(web.hits("/story/1")) == 1
    code, out, _ = webprint("crawl", seed, *QUICK, "--resume")
    assert code == 0
    assert len(out.splitlines()) == 3
    assert len(web.hits("/story/1")) == 1
    assert webprint("crawl", seed, *QUICK)[0] == 0
    assert len(web.hits("/story/1")) == 2
    for times in (3, 3):  # A state that is named is always gone on from.
        assert webprint("crawl", seed, *QUICK, "--state", "mine.sqlite")[0] == 0
        assert len(web.hits("/story/1")) == times


def test_found_articles_are_printed(web, webprint, tmp_path):
    code, _, err = webprint("crawl", fill(web, 1), *QUICK, "--out", "found", "--no-cache")
    assert code == 0, err
    printed = list((tmp_path / "found").glob("*.pdf"))
    assert len(printed) == 1
    with pikepdf.open(printed[0]) as pdf:
        assert len(pdf.pages) >= 1
    listed = (tmp_path / "found/articles.jsonl").read_text().splitlines()
    assert len(listed) == 1
    assert len(web.hits("/story/0")) == 1, "the page was fetched again to be printed"


def test_a_new_crawl_keeps_older_files_and_prints_again(web, webprint, tmp_path):
    call = ("crawl", fill(web, 1), *QUICK, "--out", "found", "--no-cache")
    assert webprint(*call)[0] == 0
    (first,) = (tmp_path / "found").glob("*.pdf")
    _, _, err = webprint(*call, "--resume")
    assert f"found/{first.name} is already there" in err
    web.add("/story/0", article_page(0, "garden").replace("</article>", "<p>It grew.</article>"))
    before = first.read_bytes()
    assert webprint(*call)[0] == 0
    assert first.read_bytes() == before
    second = first.with_name(f"{first.stem} 2.pdf")
    with pypdfium2.PdfDocument(second) as pdf:
        assert "It grew." in "".join(page.get_textpage().get_text_range() for page in pdf)
    _, _, err = webprint(*call, "--resume")
    assert f"found/{second.name} is already there" in err


def test_a_file_of_another_page_with_the_same_title_is_no_print(web, webprint, tmp_path):
    call = ("crawl", fill(web, 1), *QUICK, "--resume")
    assert webprint(*call)[0] == 0
    title = json.loads(webprint(*call)[1])["title"]
    (tmp_path / "page.html").write_text(story_page(title))
    assert webprint("page.html", "-o", "found/")[0] == 0
    (other,) = (tmp_path / "found").iterdir()
    assert other.stem == title
    before = other.read_bytes()
    assert webprint(*call, "-o", "found")[0] == 0
    assert other.read_bytes() == before
    assert other.with_name(f"{title} 2.pdf").is_file()


def test_the_list_of_a_crawl_may_be_named_in_capitals(web, webprint, tmp_path):
    assert webprint("crawl", fill(web, 1), *QUICK, "--out", "LIST.JSONL")[0] == 0
    assert len((tmp_path / "LIST.JSONL").read_text().splitlines()) == 1


def test_a_crawl_that_finds_nothing_says_so(web, webprint):
    code, out, err = webprint("crawl", web.add("/", "<p>Nothing</p>"), *QUICK)
    assert code == 10
    assert out == ""
    assert "no article was found" in err
    assert webprint("crawl", "nowhere at all")[0] == 3


def test_the_reasons_of_failures_are_reported(web, webprint):
    links = [(web.add("/story/0", article_page(0, "garden")), "Garden")]
    links += [(f"{web.url}/gone/{n}", "Gone") for n in range(2)]
    code, _, err = webprint("crawl", web.add("/", list_page("All", links)), *QUICK)
    assert code == 0, err
    assert " failed: the server answered 404" in err


def test_every_printed_page_is_a_line_of_json(web, webprint):
    Path("webprint.toml").write_text('format = "epub"\n')  # It has no effect on a crawl.
    code, out, err = webprint("crawl", fill(web, 2), *QUICK, "--out", "found.pdf", "--json")
    assert code == 0, err
    assert Path("found.pdf").read_bytes().startswith(b"%PDF")
    lines = [json.loads(line) for line in out.splitlines()]
    assert {line["url"] for line in lines} == {f"{web.url}/story/{n}" for n in range(2)}
    assert all(line["out"] == "found.pdf" and line["error"] is None for line in lines)


def test_a_dead_host_is_reported_at_once_and_retried_by_the_next_run(web, webprint):
    seed, url = fill(web, 1), web.url
    web.close()
    for more in ((), ("--resume",)):
        began = time.monotonic()
        assert webprint("crawl", seed, *QUICK, *more) == (
            4,
            "",
            f"webprint: the server refused the connection ({url}/robots.txt). "
            "Check the address and the port, or try again later\n",
        )
        assert time.monotonic() - began < 5


def test_one_dead_host_of_several_stops_no_crawl(web, webprint):
    dead = WebServer()
    dead.close()
    code, out, err = webprint("crawl", f"{dead.url}/", fill(web, 1), *QUICK)
    assert code == 0, err
    assert len(out.splitlines()) == 1
    assert err.startswith(f"webprint: the server refused the connection ({dead.url}/robots.txt)")


def test_a_failing_server_is_reported_and_retried(web, webprint, monkeypatch):
    monkeypatch.setattr("printer.crawl.frontier.MAX_DELAY", 0.01)
    seed = web.add("/", Reply("", 503))
    code, _, err = webprint("crawl", seed, *QUICK)
    assert code == 6
    first, last = err.splitlines()
    assert first == (
        f"warning: {seed}: the server answered 503 Service Unavailable; trying again for a while"
    )
    assert last.startswith("webprint: the server answered 503")
    assert len(web.hits("/")) == 4


def test_a_damaged_state_is_named_without_an_option_that_crawls_lack(web, webprint, tmp_path):
    (tmp_path / "crawl.sqlite").write_bytes(b"no database " * 99)
    code, _, err = webprint("crawl", fill(web), *QUICK, "--state", "crawl.sqlite", "--resume")
    assert code == JobsError.exit_code
    assert "Name another database" in err
    assert "--database" not in err
