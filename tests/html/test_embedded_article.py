"""Pages whose text is only in data for scripts."""

from __future__ import annotations

import json

from lxml.html import document_fromstring

from printer.html.embedded_article import find_embedded_article
from printer.html.page import read_page

STORY = [
    f"The {ordinal} paragraph of the story tells what happened at the weir, at length, so that "
    "nobody takes it for a label. It has a second sentence too."
    for ordinal in ("first", "second", "third", "fourth", "fifth", "sixth")
]


def shell(data: object, kind: str = "application/json", body: str = "") -> str:
    script = f"<script type='{kind}'>{json.dumps(data)}</script>"
    return f"<html><body><div id=root>{body}</div>{script}</body></html>"


def test_prose_in_many_parts_is_left_to_a_browser() -> None:
    data = {"story": {"blocks": [{"kind": "p", "text": text} for text in STORY]}}
    assert not read_page(shell(data)).segments
    packed = {"story": json.dumps(data)}
    assert not read_page(shell(packed)).segments


def test_a_stated_article_body_comes_before_all_else() -> None:
    data = {"@type": "NewsArticle", "description": "x" * 900, "articleBody": "\n\n".join(STORY)}
    page = read_page(shell(data, "application/ld+json"))
    assert [segment.text for segment in page.segments] == STORY


def test_html_in_the_data_is_read_as_html_and_runs_nothing() -> None:
    html = "".join(f"<p>{text}</p>" for text in STORY) + "<script>alert(1)</script>"
    page = read_page(
        shell({"post": {"content": html}})
        .replace("</p>", "<\\/p>")
        .replace('</script>"', '<\\/script>"')
    )
    assert [segment.text for segment in page.segments] == STORY
    assert {segment.block.tag for segment in page.segments} == {"p"}


def test_text_with_angle_brackets_stays_text() -> None:
    data = {"articleBody": "\n".join([*STORY, "If a < b & b < c then a < c, as everybody knows."])}
    page = read_page(shell(data, "application/ld+json"))
    assert page.segments[-1].text == "If a < b & b < c then a < c, as everybody knows."


def test_a_page_that_shows_its_text_is_left_alone() -> None:
    body = "".join(f"<p>{text}</p>" for text in STORY)
    page = read_page(shell({"post": "Another text. " * 90}, body=body))
    assert [segment.text for segment in page.segments] == STORY


def test_broken_deep_or_foreign_data_is_passed_over() -> None:
    for source in ("{", "[" * 100_000, "null", '"text"', "[1, 2, {}]", ""):
        tree = document_fromstring(
            f"<html><body><script type='application/json'>{source:100}</script></body></html>"
        )
        assert find_embedded_article(tree) == ""
