"""Comments after the article: wanted or not, with their replies, and none where they are all."""

from __future__ import annotations

from printer import extract
from printer.article import Heading, Item, List, Paragraph, Span
from printer.html.comments import MAX_COMMENTS
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


def test_comments_stand_after_the_article_when_they_are_wanted() -> None:
    without, found = extract(PAGE, URL), extract(PAGE, URL, comments=True)
    assert found.blocks[: len(without.blocks)] == without.blocks
    heading, comments = found.blocks[len(without.blocks) :]
    assert heading == Heading(2, (Span("Comments"),))
    assert isinstance(comments, List)
    signature = (Span("Anna", ("strong",)), Span(", 3 May 2024", ("small",)))
    first, last = comments.items
    assert first.blocks[0] == Paragraph(signature)
    assert isinstance(said := first.blocks[1], Paragraph)
    assert said.spans == (Span("I was "), Span("never", ("em",)), Span(" late."))
    assert first.blocks[2] == List((Item((Paragraph((Span("Once."),)),)),))
    assert isinstance(replies := first.blocks[3], List)
    assert replies.items[0].blocks[1] == Paragraph((Span(SENTENCE.strip()),))
    assert isinstance(linked := last.blocks[1], Paragraph)
    assert Span("this", href="https://example.org/x") in linked.spans


def test_a_page_without_comments_is_the_same_with_them() -> None:
    assert extract(story_page(), URL, comments=True) == extract(story_page(), URL)


def test_the_heading_is_in_the_language_of_the_page() -> None:
    said = "Die Fähre verlässt den Hafen im Morgengrauen, und niemand kommt je zu spät. "
    page = PAGE.replace("lang=en", "lang=de-AT").replace(SENTENCE, said)
    assert Heading(2, (Span("Kommentare"),)) in extract(page, URL, comments=True).blocks


def test_of_a_great_many_comments_the_first_are_printed() -> None:
    many = "".join(comment("Anna", f"<p>{SENTENCE * 3}</p>") for _ in range(MAX_COMMENTS + 9))
    found = extract(story_page(extra=thread(many)), URL, comments=True)
    assert found.warnings == (f"only the first {MAX_COMMENTS} comments are printed",)
    (comments,) = (block for block in found.blocks if isinstance(block, List))
    assert len(comments.items) == MAX_COMMENTS
