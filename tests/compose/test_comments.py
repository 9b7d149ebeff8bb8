"""Comments after the article: optional, with their replies, and none if the page has only comments."""

from __future__ import annotations

from printer import extract
from printer.article import Heading, Item, List, Paragraph, Post, Span
from printer.html.discussion import MAX_POSTS
from tests.support.story_page import SENTENCE, story_page

URL = "https://example.org/story"


def thread(comment: str) -> str:
    return f"<section id=comments><ol class=comment-list>{comment}</ol></section>"


def comment(author: str, text: str, replies: str = "") -> str:
    inside = f"<ul class=children>{replies}</ul>" if replies else ""
    signed = f"<b class='comment-author'>{author}</b> <time>3 May 2024</time>"
    return f"<li class=comment>{signed}<div class=comment-content>{text}</div>{inside}</li>"


PAGE = story_page(
    extra=thread(
        comment("Anna", "<p>I was <em>never</em> late.</p><ul><li>Once.</li></ul>",
                comment("Ben", f"<p>{SENTENCE}</p>"))
        + comment("Cleo", "<p>See <a href='/x'>this</a>.</p>")
    )
)  # fmt: skip


def test_comments_are_no_part_of_the_article() -> None:
    text = extract(PAGE, URL).text
    assert "Anna" not in text
    assert "Ben" not in text


def test_comments_follow_the_article_with_the_option() -> None:
    without, found = extract(PAGE, URL), extract(PAGE, URL, comments=True)
    assert found.blocks[: len(without.blocks)] == without.blocks
    heading, *comments = found.blocks[len(without.blocks) :]
    assert heading == Heading(2, (Span("Comments"),))
    late = Paragraph((Span("I was "), Span("never", ("em",)), Span(" late.")))
    once = List((Item((Paragraph((Span("Once."),)),)),))
    see = Paragraph((Span("See "), Span("this", href="https://example.org/x"), Span(".")))
    assert comments == [
        Post("Anna", "3 May 2024", (late, once)),
        Post("Ben", "3 May 2024", (Paragraph((Span(SENTENCE.strip()),)),), depth=1),
        Post("Cleo", "3 May 2024", (see,)),
    ]


def test_a_page_without_comments_is_the_same_with_them() -> None:
    assert extract(story_page(), URL, comments=True) == extract(story_page(), URL)


def test_the_heading_is_in_the_language_of_the_page() -> None:
    sentence = "Die Fähre verlässt den Hafen im Morgengrauen, und niemand kommt je zu spät. "
    page = PAGE.replace("lang=en", "lang=de-AT").replace(SENTENCE, sentence)
    assert Heading(2, (Span("Kommentare"),)) in extract(page, URL, comments=True).blocks


def test_of_a_great_many_comments_the_first_are_printed() -> None:
    many = "".join(comment("Anna", f"<p>{SENTENCE * 3}</p>") for _ in range(MAX_POSTS + 9))
    found = extract(story_page(extra=thread(many)), URL, comments=True)
    assert found.warnings == (f"only the first {MAX_POSTS} comments are printed",)
    assert sum(isinstance(block, Post) for block in found.blocks) == MAX_POSTS
