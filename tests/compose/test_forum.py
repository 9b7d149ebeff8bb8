"""A printed discussion says above each post who wrote it, and when."""

from __future__ import annotations

import pytest

from printer import extract
from printer.article import Paragraph, Rule, Span, plain_text
from tests.support.story_page import SENTENCE, story_page

URL = "https://example.org/t/1"

POST = """<div itemprop=comment itemscope itemtype="https://schema.org/Comment" class=post>
  <div class=head><span itemprop=author itemscope><b itemprop=name>{0}</b></span>,
    <time itemprop=datePublished datetime={1}>{1}</time> <a href=#{2}>#{2}</a></div>
  <div itemprop=text><p>{0} thinks so. {3}</p><p>{3}</p></div></div><hr>"""


def thread(*names: str) -> str:
    posts = (POST.format(name, f"2024-05-0{n}", n, SENTENCE) for n, name in enumerate(names, 1))
    head = "<title>On rain</title><meta name=author content=Rosa>"
    opening = (
        "<body itemscope itemtype='https://schema.org/DiscussionForumPosting'><h1>On rain</h1>"
    )
    return f"<html><head>{head}</head>{opening}{''.join(posts)}</body></html>"


@pytest.fixture(scope="module")
def blocks() -> tuple[object, ...]:
    return extract(thread("Rosa", "Tomas", "Vera", "Ida"), URL).blocks


def test_each_post_is_signed_but_the_first_that_the_title_names(blocks: tuple[object, ...]) -> None:
    signed = [
        plain_text(block.spans)
        for block in blocks
        if isinstance(block, Paragraph) and block.spans[0].marks == ("strong",)
    ]
    assert signed == ["Tomas, 2024-05-02", "Vera, 2024-05-03", "Ida, 2024-05-04"]


def test_the_pages_own_line_of_names_is_not_printed_too(blocks: tuple[object, ...]) -> None:
    lines = [plain_text(block.spans) for block in blocks if isinstance(block, Paragraph)]
    assert not any("#" in line for line in lines)
    assert sum(line.startswith("Vera") for line in lines) == 2  # signature, and what she thinks


def test_no_rule_stands_above_a_signature(blocks: tuple[object, ...]) -> None:
    assert not any(isinstance(block, Rule) for block in blocks)


def test_an_article_with_comments_below_it_is_not_a_discussion() -> None:
    comments = "".join(POST.format(name, "2024-05-01", 1, "Yes.") for name in ("Rosa", "Vera"))
    article = extract(story_page(extra=comments), URL)
    assert not any(
        Span("Vera", ("strong",)) in block.spans
        for block in article.blocks
        if isinstance(block, Paragraph)
    )
