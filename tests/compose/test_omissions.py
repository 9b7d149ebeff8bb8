"""Parts of the article that were not selected are reported."""

from dataclasses import replace

import pytest

from printer.compose.coverage import check_coverage, find_omissions
from printer.extract_stage import extract_article
from printer.extraction.extract import correct_selection
from printer.html.page import read_page
from printer.options import ExtractOptions
from printer.output import ContentCounts

PARAGRAPHS = "".join(
    f"<p>On day {day} the ferry carries {cargo} across the wide river before noon, and then it rests.</p>"
    for day, cargo in enumerate(("eleven children and a teacher", "sheep from the northern farms",
        "letters for the old island", "a piano that nobody can play", "the doctor with her dog",
        "forty crates of green apples", "two brides in one boat", "nothing but rain and wind"), 1)
)  # fmt: skip
CODE = "<pre><code>for day in range(9):\n    ferry.cross(day)\n</code></pre>"
ROW = "<tr><td>The chain of the ferry</td><td>412 crowns a year</td><td>since 1911</td></tr>"
LIST = (
    "<ul><li>In a fog the ferry crosses by lantern only, and very slowly.</li>"
    "<li>In a storm the ferry stays on the bank of the river.</li></ul>"
)
TABLE = f"<table><tr><th>Thing</th><th>Cost</th><th>Since</th></tr>{ROW * 3}</table>"


def extraction(body):
    page = read_page(
        f"<html lang=en><head><title>The ferry</title></head><body><main><h1>The ferry</h1>{body}"
        "</main></body></html>",
        "https://example.org/ferry",
    )
    return extract_article(page, ExtractOptions())


def without(found, text):
    """Return the extraction's page and its verdict without the segments that hold a text."""
    dropped = [text in segment.text for segment in found.page.segments]
    assert any(dropped)
    keep = tuple(keep and not drop for keep, drop in zip(found.verdict.keep, dropped, strict=True))
    return found.page, replace(found.verdict, kind="article", keep=keep)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ("", "nothing but rain and wind"),
        ("", "piano that nobody"),
        (CODE, "ferry.cross"),
        (TABLE, "412 crowns"),
        (LIST, "by lantern only"),
    ],
)
def test_unselected_text_of_the_container_is_reported(more, text):
    found = extraction(PARAGRAPHS + more)
    assert find_omissions(found.page, replace(found.verdict, kind="article")) == []
    page, verdict = without(found, text)
    assert any(text in segment.text for segment in find_omissions(page, verdict))
    article = replace(found.article, blocks=found.article.blocks[:2])
    loss = check_coverage(page, verdict, (), article)
    assert loss.counts != ContentCounts()
    assert any(text in quote for quote in loss.texts)


@pytest.mark.parametrize(
    "more",
    [
        "<p><a href=/more>Read also: the ferry of Morrow Point is sold, and nobody knows why</a></p>",
        "<p class=share>Share this story with your friends on all the networks there are today</p>",
        "<p>Photo: Tam Reed</p>",
        "<aside><p>A story that stands beside this one, with as many words as a paragraph has.</p></aside>",
        "<p>https://example.org/ferry?from=one&to=two words that follow are not those of a text at all</p>",
        "<table><tr><td><a href=/a>Previous: the tram that no longer stops at the old harbour</a></td>"
        "<td><a href=/b>Next: the chain that was sold to the highest bidder in March</a></td></tr></table>",
    ],
)  # fmt: skip
def test_text_around_an_article_is_not_reported_missing(more):
    found = extraction(PARAGRAPHS + more)
    last = found.page.segments[-1].text
    page, verdict = without(found, last)
    assert find_omissions(page, verdict) == []


def test_notices_are_not_reported_missing():
    notice = (
        "Sign up for our newsletter, and read of all the ferries that cross the river in the fog."
    )
    found = extraction(f"{PARAGRAPHS}<p>{notice}</p>")
    (line,) = (segment for segment in found.page.segments if segment.text == notice)
    verdict = replace(
        found.verdict, keep=tuple(True for _ in found.verdict.keep), notices=frozenset()
    )
    selected = correct_selection(found.page, replace(verdict, kind="article"))
    assert not selected.keep[line.index]
    assert line.index in selected.notices
    assert find_omissions(found.page, selected) == []
    assert find_omissions(found.page, replace(selected, notices=frozenset())) == [line]


def test_other_kinds_of_pages_have_no_container():
    page, verdict = without(extraction(PARAGRAPHS), "piano that nobody")
    assert find_omissions(page, replace(verdict, kind="listing")) == []


def test_the_kicker_in_a_heading_that_is_the_title_is_not_missed():
    body = f"<article>{PARAGRAPHS}</article>"
    page = read_page(
        "<html lang=en><head><title>The last crossing | Tide</title></head><body><main>"
        f"<h1><span class=kicker>Rivers</span> The last crossing</h1>{body}</main></body></html>",
        "https://example.org/ferry",
    )
    found = extract_article(page, ExtractOptions())
    assert found.article.title == "The last crossing"
    assert found.loss.counts == ContentCounts()
