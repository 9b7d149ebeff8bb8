"""Comments below a page: found by what the page calls them, signed, nested as they were."""

from __future__ import annotations

import time

import pytest

from printer.html.comments import MAX_COMMENTS, MAX_DEPTH, Comment, Comments, read_comments
from printer.html.parse import parse

ARTICLE = "<h1>Nets</h1><article><p>How to mend a net in the winter.</p></article>"


def comments(html: str) -> Comments:
    return read_comments(parse(f"<html><body>{ARTICLE}{html}</body></html>"))


def told(threads: tuple[Comment, ...] | list[Comment]) -> list[object]:
    """Return comments as (author, date, text, replies)."""
    return [
        (c.author, c.date, " ".join("".join(leaf.text for leaf in c.leaves).split()),
         told(c.replies))
        for c in threads
    ]  # fmt: skip


BLOG = """
<div id="comments" class="comments-area"><h2 class="comments-title">2 thoughts on “Nets”</h2>
<ol class="comment-list">
<li id="comment-1" class="comment even depth-1"><article id="div-comment-1" class="comment-body">
<footer class="comment-meta"><div class="comment-author vcard"><img src="a.png" alt="">
<b class="fn">Anna Reed</b> <span class="says">says:</span></div>
<div class="comment-metadata"><a href="#c1"><time datetime="2024-05-03T10:00:00+01:00">
May 3, 2024 at 10:00</time></a></div></footer>
<div class="comment-content"><p>The <b>blue</b> one.</p></div>
<div class="reply"><a class="comment-reply-link" href="#r">Reply</a></div></article>
<ol class="children"><li id="comment-2" class="comment"><article id="div-comment-2"
class="comment-body"><footer class="comment-meta"><b class="fn">Ben</b></footer>
<div class="comment-content"><p>No, the red one.</p></div></article></li></ol></li>
<li id="comment-4" class="comment pingback"><p>Pingback: <a href="/x">Other nets</a></p></li></ol>
<div id="respond" class="comment-respond"><h3>Leave a reply</h3>
<form class="comment-form"><p class="comment">Your comment</p></form></div></div>
"""


def test_a_blog_s_comments_are_read_with_their_replies() -> None:
    found = comments(BLOG)
    assert found.heading == "2 thoughts on “Nets”"
    assert told(found.threads) == [
        (
            "Anna Reed",
            "May 3, 2024 at 10:00",
            "The blue one.",
            [("Ben", "", "No, the red one.", [])],
        )
    ]


def test_microdata_says_what_a_comment_is_and_replies_may_stand_beside_it() -> None:
    found = comments(
        """<section><h3>Kommentare (2)</h3>
        <div itemprop=comment itemscope itemtype="https://schema.org/Comment">
        <span itemprop=author itemscope><span itemprop=name>Anna</span></span>
        <time itemprop=dateCreated datetime="2024-05-03T08:00Z">vor 3 Tagen</time>
        <p itemprop=text>Die blaue.</p></div>
        <div class=replies><div itemtype="http://schema.org/UserComments" itemscope>
        <span itemprop=creator>Ben</span><p itemprop=commentText>Nein, die rote.</p></div></div>
        </section>"""
    )
    assert found.heading == "Kommentare (2)"
    assert told(found.threads) == [
        ("Anna", "2024-05-03", "Die blaue.", [("Ben", "", "Nein, die rote.", [])])
    ]


@pytest.mark.parametrize(
    "opening",
    ['<div class=x><h2>댓글 2</h2>', '<div aria-label="Comments">', '<div id=discussion>'],
)  # fmt: skip
def test_blocks_alike_each_signed_are_comments_where_the_page_says_so(opening: str) -> None:
    block = '<li class=a1><span class="u author">{}</span> <time>{}</time><p>{}</p></li>'
    blocks = block.format("가", "2024. 5. 3.", "하나") + block.format("나", "2024. 5. 4.", "둘")
    found = comments(f"{opening}<ul>{blocks}</ul></div>")
    assert told(found.threads) == [
        ("가", "2024. 5. 3.", "하나", []),
        ("나", "2024. 5. 4.", "둘", []),
    ]
    assert not comments(f"<div class=x><ul>{blocks}</ul></div>").threads


@pytest.mark.parametrize(
    "html",
    [
        "<div class=comment>Returns the net.</div><div class=comment>Mends the net.</div>",
        "<span class=comment># knots</span>",
        '<form class="comment"><p class="author">Name</p><p class="comment">Comment</p></form>',
        '<div id=comments class=comment><h2>0 comments</h2><p class=author>Name</p></div>',
        '<a class=comment href=#c>3 comments</a>',
    ],
)  # fmt: skip
def test_what_is_signed_by_nobody_is_no_comment(html: str) -> None:
    assert comments(html).threads == ()


def test_a_wrapper_called_comment_is_none() -> None:
    block = "<div class=comment><cite>Anna</cite><p>Word {}.</p></div>"
    found = comments(
        f"<section class=comment><div>{block.format(1)}{block.format(2)}</div></section>"
    )
    assert told(found.threads) == [("Anna", "", "Word 1.", []), ("Anna", "", "Word 2.", [])]


@pytest.mark.parametrize(
    "html",
    [
        "<div class=comment><cite>A</cite><p>b</p>" * 20_000,
        "<div class=comment><cite>A</cite><p>b</p></div>" * 20_000,
        "<div id=comments>" * 20_000 + "<p>b</p>",
        f"<div class='comment {'comment-' * 200_000}'><cite>A</cite>b</div>",
        "<div class=comment>" + "<b>" * 20_000 + "b",
        "<h2>Comments</h2>" * 20_000 + "<div class=z><time>2024</time>b</div>" * 20_000,
    ],
)
def test_hostile_comments_are_read_in_bounded_time(html: str) -> None:
    tree = parse(f"<html><body>{ARTICLE}{html}")
    started = time.process_time()
    found = read_comments(tree)
    assert time.process_time() - started < 3

    def depth(threads: list[Comment]) -> int:
        return max((1 + depth(each.replies) for each in threads), default=0)

    assert depth(list(found.threads)) <= MAX_DEPTH
    assert len(found.threads) <= MAX_COMMENTS
