"""From addresses to a file: what the stages together say about the pages."""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from printer import pipeline, print_pages
from printer.errors import BadURL, RenderError, UsageError
from printer.options import ExtractOptions, FetchOptions, Options, PrintOptions
from printer.output import ContentCounts, Loss, Result
from printer.pipeline import Printer
from printer.session import Session
from printer.settings import Settings
from tests.support.story_page import SENTENCE, story_page
from tests.support.web_server import WebServer

NO_BROWSER = FetchOptions(render="never", cache=False)
MARKDOWN = Options(fetch=NO_BROWSER, page=PrintOptions(format="markdown"))


def printer(web: WebServer, options: Options = MARKDOWN) -> Printer:
    return Printer(options, Session(options.fetch, options.images, user_urls=[web.url]))


def pages_of_an_article(web: WebServer, number: int) -> str:
    """Serve an article of several pages, and return the address of its first."""
    for page in range(1, number + 1):
        link = f'<a rel="next" href="/long/{page + 1}">Next</a>' if page < number else ""
        words = "".join(f"<p>{SENTENCE}It was day {page} of {n}.</p>" for n in range(6))
        text = f"<article><h1>A long story</h1>{words}</article>{link}"
        address = f"/long/{page}" if page > 1 else "/long"
        web.add(address, f"<!doctype html><title>A long story</title>{text}")
    return f"{web.url}/long"


def test_an_article_that_is_cut_off_at_the_limit_of_pages_is_not_complete(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "MAX_PARTS", 3)
    with printer(web) as long:
        result = long.print_pages([pages_of_an_article(web, 5)])
    assert "the article continues: only its first 3 web pages are printed" in result.warnings
    assert result.report.shortfall() == {"parts": (3, 4)}
    assert not result.complete


def test_an_article_of_several_pages_is_complete(web: WebServer) -> None:
    with printer(web) as long:
        result = long.print_pages([pages_of_an_article(web, 3)])
    assert result.report.printed.parts == 3
    assert "day 3 of 5" in result.data.decode()
    assert result.complete


def test_a_loss_makes_only_its_own_page_incomplete(web: WebServer) -> None:
    lost = Loss(ContentCounts(words=9), ("What is lost",))
    with printer(web) as two:
        complete, short = (
            two.read(web.add(f"/story-{name}", story_page(f"A story of {name}"))) for name in "xy"
        )
        result = two.render([complete, replace(short, losses=(lost,))])
    assert [page.complete for page in result.outcomes] == [True, False]
    assert result.report.missing_text == ("What is lost",)


def test_the_largest_size_holds_for_pages_and_pictures() -> None:
    options = Settings(max_size="50MB").options()
    assert options.fetch.max_bytes == options.images.max_bytes == 50_000_000


def test_a_page_read_in_a_worker_keeps_the_warnings_of_its_session(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(NO_BROWSER)
    session._warnings.append("the cache cannot be used")
    monkeypatch.setattr(pipeline, "worker_session", lambda *_: session)
    with printer(web) as fetcher:
        capture = fetcher.fetch(web.add("/story", story_page()))
    options = Options(fetch=NO_BROWSER, extract=ExtractOptions(images="none"))
    assert (
        "the cache cannot be used"
        in pipeline.extract_in_worker((), capture, options).article.warnings
    )
    assert not session.take_warnings()


def test_a_worker_closes_the_session_before_its_next() -> None:
    closed: list[str] = []
    first = pipeline.worker_session(NO_BROWSER, Options().images, ("https://a.example.org/",))
    first._resources.callback(closed.append, "first")
    assert (
        pipeline.worker_session(NO_BROWSER, Options().images, ("https://a.example.org/",)) is first
    )
    assert not closed
    pipeline.worker_session(NO_BROWSER, Options().images, ())
    assert closed == ["first"]


def test_nothing_to_print_is_a_wrong_call(web: WebServer) -> None:
    print_here = partial(print_pages, limit=None)
    with printer(web) as idle:
        for call in (print_here, idle.print_pages, idle.render, idle.render_outcomes):
            with pytest.raises(UsageError, match="there is no page to print"):
                call([])


def test_a_path_is_a_local_file_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "example.org"
    with pytest.raises(BadURL):
        print_pages(path, fetch=NO_BROWSER, limit=None)
    path.write_text(story_page())
    for sources in (path, [path]):
        result = print_pages(
            sources, fetch=NO_BROWSER, page=PrintOptions(format="html"), limit=None
        )
        assert result.title == "Harbour lights go dark"
        assert result.outcomes[0].url == path.as_uri()


def test_an_address_that_is_too_long_for_a_file_is_an_address(web: WebServer) -> None:
    long, story = "a" * 300, web.add("/story", story_page())
    with printer(web) as two:
        outcomes = dict(two.read_all([long, story]))
    assert isinstance(outcomes[long], BadURL)
    assert outcomes[story].article.title == "Harbour lights go dark"


@pytest.fixture
def page(tmp_path: Path) -> str:
    path = tmp_path / "page.html"
    path.write_text(story_page())
    return str(path)


def children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def test_a_print_that_takes_too_long_is_ended(page: str) -> None:
    before = children()
    with pytest.raises(RenderError, match="longer than 0 s"):
        print_pages(page, limit=0.0)
    assert children() == before


@pytest.mark.parametrize("limit", [None, 300.0])
def test_a_print_in_time_leaves_no_process_behind(page: str, limit: float | None) -> None:
    before = children()
    result = print_pages(page, limit=limit)
    assert result.pages == 1
    assert result.report.printed.words == result.report.article.words
    assert children() == before


def test_pdf_is_refused_for_other_formats() -> None:
    assert Result(b"%PDF", 1, "A").pdf == b"%PDF"
    with pytest.raises(ValueError, match="epub, not pdf"):
        _ = Result(b"PK", 0, "A", format="epub").pdf
