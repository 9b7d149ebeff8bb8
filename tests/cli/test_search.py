"""Prints are stored only on request, and can be found again."""

import json
import stat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from printer.article import Article, Paragraph, Span
from printer.errors import RenderError
from printer.library import Library
from printer.output import PageResult, Result
from printer.pipeline import Printer
from printer.settings import data_folder
from tests.support.feeds import page


def article(title, text, url=""):
    return Article(title, (Paragraph((Span(text),)),), url=url)


@pytest.fixture
def library(tmp_path):
    with Library(tmp_path / "data/library.sqlite") as library:
        library.add(
            [
                article("Café lights", "The ferry leaves at dawn.", "https://example.org/a"),
                article(
                    "Bread", "Nothing of cafés but much of the ferry.", "https://example.org/b"
                ),
            ],
            "/papers/week.pdf",
        )
        yield library


def test_all_words_are_found_and_the_title_counts_most(library):
    assert [hit.title for hit in library.search("ferry CAFE*")] == ["Café lights", "Bread"]
    assert [hit.title for hit in library.search("ferry dawn")] == ["Café lights"]
    (hit,) = library.search("dawn")
    assert (hit.file, hit.snippet) == ("/papers/week.pdf", "The ferry leaves at [dawn].")
    assert library.search("absent") == []


def test_a_repeated_print_is_listed_once(library):
    library.add([article("Café lights", "Another ferry.", "https://example.org/a")], "")
    assert [hit.snippet for hit in library.search("lights")] == ["Another ferry."]
    assert library.search("dawn") == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=40))
def test_no_words_are_a_fault(library, words):
    library.search(words)
    library.add([article(words, words, words)], words)


def test_only_the_owner_can_read_it(library, tmp_path):
    assert stat.S_IMODE((tmp_path / "data/library.sqlite").stat().st_mode) == 0o600


def test_nothing_is_kept_unasked(webprint, web):
    url = web.add("/a", page("Harbour lights"))
    assert webprint(url, "a.pdf", "--render=never")[0] == 0
    assert not (data_folder() / "library.sqlite").exists()
    code, _, err = webprint("search", "harbour")
    assert code == 2
    assert "library = true" in err
    assert webprint(url, "a.pdf", "--render=never", "--library")[0] == 0
    code, out, _ = webprint("search", "harbour", "lights", "--json")
    result = json.loads(out)
    assert (code, result["title"], result["url"]) == (0, "Harbour lights", url)
    assert result["file"].endswith("/a.pdf")
    code, out, err = webprint("search", "absent")
    assert (code, out) == (0, "")
    assert "all of these words" in err


def test_an_article_that_could_not_be_rendered_is_not_stored(webprint, tmp_path, monkeypatch):
    def render(_printer, pages):
        (_, first), (_, second) = outcomes = [
            (p.source.requested_url, p.article.title) for p in pages
        ]
        results = (
            PageResult(*outcomes[0]),
            PageResult(*outcomes[1], error=RenderError("too long")),
        )
        return Result(b"%PDF", 1, f"{first}, {second}", outcomes=results)

    monkeypatch.setattr(Printer, "render", render)
    for name in ("Harbour", "Bakery"):
        (tmp_path / f"{name}.html").write_text(page(f"{name} news", name))
    call = ("Harbour.html", "Bakery.html", "--bundle", "both.pdf", "--library")
    assert webprint(*call)[0] == RenderError.exit_code
    _, out, _ = webprint("search", "news")
    assert "Harbour news" in out
    assert "Bakery news" not in out
