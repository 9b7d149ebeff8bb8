"""Posts and comments: found by names or similarity, with authors and nesting."""

from __future__ import annotations

import time

import pytest

from printer.html.discussion import (
    MAX_DEPTH,
    MAX_POSTS,
    Comments,
    read_comments,
    read_posts,
)
from printer.html.index import build_index
from printer.html.parse import parse
from printer.html.posts import FoundPost

ARTICLE = "<h1>Nets</h1><article><p>How to mend a net in the winter.</p></article>"


def comments(html: str) -> Comments:
    tree = parse(f"<html><body>{ARTICLE}{html}</body></html>")
    return read_comments(tree, build_index(tree).segments)


def posts(html: str) -> tuple[FoundPost, ...]:
    tree = parse(f"<html><body>{html}</body></html>")
    segments = build_index(tree).segments
    keep = [len(segment.text) > 30 for segment in segments]
    return read_posts(tree, segments, keep, is_known=True)


def fields(found: tuple[FoundPost, ...]) -> list[tuple[str, str, str, int]]:
    """Return posts as (author, date, text, depth)."""
    return [
        (post.author, post.date,
         " ".join("".join(leaf.text for leaf in post.leaves).split()), post.depth)
        for post in found
    ]  # fmt: skip


def signed(found: tuple[FoundPost, ...]) -> list[tuple[str, str]]:
    return [(post.author, post.date) for post in found]


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
    assert fields(found.posts) == [
        ("Anna Reed", "May 3, 2024 at 10:00", "The blue one.", 0),
        ("Ben", "", "No, the red one.", 1),
    ]


def test_microdata_marks_comments_and_replies_beside_them() -> None:
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
    assert fields(found.posts) == [
        ("Anna", "2024-05-03", "Die blaue.", 0),
        ("Ben", "", "Nein, die rote.", 1),
    ]


@pytest.mark.parametrize(
    "opening",
    ['<div class=x><h2>댓글 2</h2>', '<div aria-label="Comments">', '<div id=discussion>'],
)  # fmt: skip
def test_similar_signed_blocks_are_comments_if_the_page_says_so(opening: str) -> None:
    block = '<li class=a1><span class="u author">{}</span> <time>{}</time><p>{}</p></li>'
    blocks = block.format("가", "2024. 5. 3.", "하나") + block.format("나", "2024. 5. 4.", "둘")
    found = comments(f"{opening}<ul>{blocks}</ul></div>")
    assert fields(found.posts) == [("가", "2024. 5. 3.", "하나", 0), ("나", "2024. 5. 4.", "둘", 0)]
    assert not comments(f"<div class=x><ul>{blocks}</ul></div>").posts


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
def test_unsigned_blocks_are_no_comments(html: str) -> None:
    assert comments(html).posts == ()


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
def test_hostile_pages_are_read_in_bounded_time(html: str) -> None:
    tree = parse(f"<html><body>{ARTICLE}{html}")
    segments = build_index(tree).segments
    started = time.process_time()
    found = read_comments(tree, segments)
    assert len(found.posts) <= MAX_POSTS
    read_posts(tree, segments, [True] * len(segments), is_known=True)
    assert time.process_time() - started < 10
    assert all(post.depth < MAX_DEPTH for post in found.posts)


# Discussions

ANSWERS = """
<div itemprop=mainEntity itemscope itemtype="https://schema.org/Question">
  <div itemprop=text><p>Why does it rain on one side of the street only?</p></div>
  <div class=user><a href=/u/1>An editor</a></div>
  <div itemprop=author itemscope><a href=/u/2>Rosa</a><meta itemprop=name content=Rosa></div>
  <time itemprop=dateCreated datetime="2024-05-03T10:00:00Z"></time>
</div>
<div itemprop=suggestedAnswer itemscope itemtype="https://schema.org/Answer">
  <div itemprop=text><p>Because clouds end somewhere, and that is where.</p></div>
  <div itemprop=author itemscope><span itemprop=name>Tomas</span></div>
  <ul><li itemprop=comment itemscope itemtype="https://schema.org/Comment">
    <span itemprop=text>They end everywhere, don’t they, sooner or later?</span><a itemprop=author href=/u/4>Vera</a>
  </li></ul>
</div>"""


def test_microdata_names_the_authors_of_question_answers_and_comments() -> None:
    assert fields(posts(ANSWERS)) == [
        ("Rosa", "2024-05-03", "Why does it rain on one side of the street only?", 0),
        ("Tomas", "", "Because clouds end somewhere, and that is where.", 0),
        ("Vera", "", "They end everywhere, don’t they, sooner or later?", 1),
    ]


REMARK = "The wind that evening came from the east, and nobody had shut the barn."
DAYS = ("3 May 2024", "4 May 2024")


@pytest.mark.parametrize(
    "post",
    [
        "<li class='block message' data-author='{0}'><time>{1}</time><p>{2}</p></li>",
        "<div id=post-1{3}><span class=username>{0}</span> <time>{1}</time><p>{2}</p></div>",
        "<div id=p77{3}><p class=author>by <a href=/u>{0}</a></p><time>{1}</time><p>{2}</p></div>",
        "<article class='topic-post'><b class=author>{0}</b><time>{1}</time><p>{2}</p></article>",
        "<x-comment author='{0}'><time>{1}</time><p>{2}</p></x-comment>",
        # Only their similarity shows that these are posts.
        "<div class=k9><a href=/members/{0}.{3}/>{0}</a> <time>{1}</time><div>{2}</div></div>",
        "<div class=k9><b class=by>{0}</b> <i datetime=2024-05-03>{1}</i><div>{2}</div></div>",
    ],
)
def test_posts_are_found_by_name_or_by_likeness(post: str) -> None:
    source = "".join(
        post.format(name, day, f"{REMARK} {number}", number)
        for number, (name, day) in enumerate(zip(["Rosa", "Tomas"], DAYS, strict=True))
    )
    assert signed(posts(source)) == [("Rosa", DAYS[0]), ("Tomas", DAYS[1])]
    assert [len(post.leaves) for post in posts(source)] == [1, 1]


def test_a_second_date_of_a_post_is_no_text() -> None:
    time = "<time datetime={0}><span>{1}</span><span>2 yr</span></time>"
    post = (
        "<article class=post-box><b class=author>{2}</b>" + time
        + "<div class=box-content><div class=meta>Posted " + time + "</div><p>{3}</p></div></article>"
    )  # fmt: skip
    source = "".join(
        post.format(f"2024-05-0{3 + n}", day, name, f"{REMARK} {n}")
        for n, (name, day) in enumerate(zip(["Rosa", "Tomas"], DAYS, strict=True))
    )
    assert "2 yr" not in " ".join(text for _, _, text, _ in fields(posts(source)))


def test_the_preview_of_a_folded_post_is_no_text() -> None:
    first, last = (
        "The lamp on the pier was out again, all through the night.",
        "Nobody saw it, as the fog lay on the quay ",
    )
    html = "".join(
        f"<div class=post><div class=author>{name}</div><div class=date>3 May 2024</div>"
        f"<div class=body><p>{first} {name}</p><p>{last}<i>until</i> no</p><a class=more>More</a>"
        f"<div><p>{first} {name}</p><p>{last}<i>until</i> noon.</p><p>Then it rose.</p></div>"
        "</div></div>"
        for name in ("Anna", "Ben", "Cleo")
    )
    for post in fields(posts(html)):
        assert post[2] == f"{first} {post[0]}{last}until noon.Then it rose."


def test_a_name_and_a_date_may_stand_in_plain_text() -> None:
    post = """<div class="w-full p-{2}"><div class=mt-1>{0} · <span>{1}</span></div>
    <button>Report</button><div class=said>{0} thinks so, and so does everybody else.</div></div>"""
    source = "".join(
        post.format(name, f"0{n}/03/2024 19:4{n}", n) for n, name in enumerate(["Rosa", "Ida"], 1)
    )
    assert fields(posts(source)) == [
        ("Rosa", "01/03/2024 19:41", "Rosa thinks so, and so does everybody else.", 0),
        ("Ida", "02/03/2024 19:42", "Ida thinks so, and so does everybody else.", 0),
    ]


PANEL = """<div id=p{3} class=post><dl class=who><dt><b>{0}</b></dt><dd>Member</dd>
<dd>Joined: 2 May 2011 10:02</dd><dd>Posts: {3}</dd></dl><div class=box><h3>{1}</h3>
<div class=msg><p>{2}</p><ul><li>{2}</li></ul><div class=signature>Ever onward!</div></div>
<p class=tools><a href=#>Quote</a> <a href=#>Report {3}</a></p></div></div>"""


def test_the_text_of_a_post_excludes_ranks_counts_signatures_and_tools() -> None:
    source = "".join(
        PANEL.format(name, f"5 March 2024 10:0{n}", f"{name} has seen it. " * 3, n)
        for n, name in enumerate(["Rosa", "Ida", "Vera", "Tomas"])
    )
    assert fields(posts(source)) == [
        (name, f"5 March 2024 10:0{n}", " ".join([f"{name} has seen it."] * 6), 0)
        for n, name in enumerate(["Rosa", "Ida", "Vera", "Tomas"])
    ]


def test_a_name_in_a_quotation_is_not_the_authors() -> None:
    quoted = "<div class='bbcode_quote'><span class=author>Vera</span> said: no.</div>"
    found = posts(
        "".join(
            f"<div class=post>{quoted}<i class=author>{name}</i><p>{REMARK}</p></div>"
            for name in ("Rosa", "Ida")
        )
    )
    assert signed(found) == [("Rosa", ""), ("Ida", "")]


def test_the_author_of_a_quotation_below_is_not_the_authors() -> None:
    found = posts(
        "".join(
            f"<div class=post><a href='/u/{name}'>{name}</a><i class=date>3 May 2024</i>"
            f"<div><cite>Vera wrote...</cite><br><blockquote>No.</blockquote>{REMARK}</div></div>"
            for name in ("Rosa", "Ida")
        )
    )
    assert "Vera" not in str(signed(found))


def test_a_note_after_the_day_is_no_part_of_it() -> None:
    post = (
        "<div class=post><b class=author>{0}</b><i class=date>3 May 2024 (last changed: 5)</i>"
        f"<p>{REMARK}</p></div>"
    )
    assert signed(posts(post.format("Rosa") + post.format("Ida")))[0] == ("Rosa", "3 May 2024")


def test_one_post_is_no_discussion() -> None:
    assert not posts(f"<article class=post><b class=author>Rosa</b><p>{REMARK}</p></article>")


LEVELS = """<table><tr class=row id={0}><td indent={2}><img src=s.gif height=1 width={2}></td>
<td><a class=hnuser href=/user?id={1}>{1}</a> <span class=age title=2024-05-03>1 day ago</span>
<div class=text>{1} answers that at some length, twice.</div></td></tr></table>"""


def test_replies_are_as_deep_as_an_indent_states() -> None:
    rows = [("Rosa", 0), ("Ida", 40), ("Vera", 80), ("Tomas", 40), ("Anna", 0)]
    found = posts("".join(LEVELS.format(n, name, at) for n, (name, at) in enumerate(rows)))
    assert [(post.author, post.depth) for post in found] == [
        ("Rosa", 0), ("Ida", 1), ("Vera", 2), ("Tomas", 1), ("Anna", 0),
    ]  # fmt: skip
    assert {post.date for post in found} == {"2024-05-03"}


def test_remarks_that_the_article_leaves_out_are_no_posts() -> None:
    answer = """<div class=answer><div class=text>{0} answers this at length and in detail.</div>
    <i class=author>{0}</i><ul><li class=comment>Nice, {1}. <i class=author>{1}</i></li></ul></div>"""
    html = answer.format("Rosa", "Ida") + answer.format("Tomas", "Vera")
    tree = parse(f"<html><body>{html}</body></html>")
    segments = build_index(tree).segments
    keep = ["Nice" not in segment.text for segment in segments]
    assert [post.author for post in read_posts(tree, segments, keep)] == ["Rosa", "Tomas"]


def test_the_date_of_a_post_is_not_that_of_its_last_edit() -> None:
    edit = "<span class=post_edit><i>(Changed on 2024-01-05, 03:27 AM by Ann.)</i></span>"
    html = "".join(
        f"<div class=post id=post_{n}><a class=username href=/user-{n}>{name}</a>"
        f"<span class=post_date>2019-02-2{n}, 09:14 PM {edit}</span>"
        f"<div class=post_body><p>The nets are dry and the ferry leaves at dawn, {name}.</div></div>"
        for n, name in enumerate(["Ann", "Ben", "Cy"], start=1)
    )
    assert [post.date for post in posts(html)] == [f"2019-02-2{n}, 09:14 PM" for n in (1, 2, 3)]


def test_a_link_in_a_post_to_an_address_that_begins_like_a_profile_names_no_author() -> None:
    texts = (
        "The <a href=/uploads/weir.pdf>plan of the weir in five sheets</a> shows it without a gate.",
        "The <a href=/peoples-history>history of the two villages</a> shows it with a gate of oak.",
        "The <a href=/u/ben>owner of the mill</a> has a drawing of the gate that nobody else has.",
    )
    html = "".join(
        f"<div class=post id=post_{n}><time>May {n}, 2024 10:0{n}</time><div class=text>{text}</div></div>"
        for n, text in enumerate(texts, 1)
    )
    found = comments(
        f"<div id=comments class=comments>{html.replace('class=post', 'class=comment')}</div>"
    )
    assert [post.author for post in found.posts] == ["", "", "owner of the mill"]


EDITED = """<div class=post id=p{0}><div class=time-of>changed <i class=posted-on>May {2}, 2024</i></div>
<div class=time-of>asked <i class=posted-on>May {1}, 2024</i></div><a href=/u/{3}>{3}</a>
<div class=text>{3} asks at some length where the nets are dried in the winter.</div></div>"""


def test_of_two_dates_marked_alike_the_earlier_one_is_that_of_the_post() -> None:
    html = "".join(EDITED.format(n, n, 20 + n, name) for n, name in enumerate(["Ann", "Ben"], 1))
    assert [post.date for post in posts(html)] == ["May 1, 2024", "May 2, 2024"]


def test_a_written_date_above_a_post_is_rather_its_own_than_one_below() -> None:
    html = "".join(
        f"<div class=post id=p{n}><p class=by>by <a href=/u/{n}>{name}</a> » Tue Aug 27, 2019 1:4{n} am</p>"
        f"<div class=content>The nets are dry and the ferry leaves at dawn, {name}.</div>"
        f"<div class=notice>Last edited by <a href=/u/{n}>{name}</a> on Tue Aug 27, 2019 10:03 pm, "
        "edited 1 time in total.</div></div>"
        for n, name in enumerate(["Ann", "Ben"], 1)
    )
    assert [post.date for post in posts(html)] == [f"Tue Aug 27, 2019 1:4{n} am" for n in (1, 2)]


def test_the_first_post_of_a_page_that_has_it_twice_is_read_once() -> None:
    text = (
        "The nets are dry and the ferry leaves at dawn; who will come to mend the sail on the quay?"
    )
    post = "<article class=post><b class=author>{0}</b><i class=date>{1}</i><p>{2}</p></article>"
    opening = post.format("Ann", "2024-05-03", text) + post.format("Ann", "May 3, 2024", text)
    thanks = post.format("Ben", "May 4, 2024", "Thanks.") * 2
    found = posts(opening + thanks + post.format("Cy", "May 4, 2024", f"{text} I do not."))
    assert signed(found) == [
        ("Ann", "May 3, 2024"), *[("Ben", "May 4, 2024")] * 2, ("Cy", "May 4, 2024"),
    ]  # fmt: skip


def test_the_same_output_of_two_programs_is_printed_twice() -> None:
    output = "<pre><code>" + "The ferry leaves at dawn.\n" * 8 + "</code></pre>"
    post = "<div class=post id=p{0}><b class=author>{1}</b><i class=date>May {0}, 2024</i>{2}</div>"
    body = f"<div class=text><p>The first says:</p>{output}<p>The second says:</p>{output}</div>"
    found = posts(
        post.format(1, "Ann", body)
        + post.format(2, "Ben", "<div class=text>The weir has gone, and the path with it.</div>")
    )
    assert fields(found)[0][2].count("The ferry") == 16


def test_neither_the_number_of_a_post_nor_an_address_is_its_author() -> None:
    post = (
        "<div class=post id=p{0}><p class=author>{1}<i class=date>May {0}, 2024</i>"
        "<a href=#p{0}><span>#{0}</span></a></p>"
        "<div class=text>The nets are dry and the ferry leaves at dawn, {0}; see"
        " <a href=//x.example/user/a>https://x.example/user/a</a>.</div></div>"
    )
    names = ("<a class=username>Ann</a>", "", "<a class=username>Ben</a>")
    found = posts("".join(post.format(n, name) for n, name in enumerate(names, 1)))
    assert [post.author for post in found] == ["Ann", "", "Ben"]


def test_the_date_of_a_post_is_that_which_readers_see() -> None:
    post = (
        "<article class=post id=p{0} data-author={1} itemscope><header><span>Jul {0}, 2024 at 7:30 PM"
        "</span><meta itemprop=datePublished content=2024-07-0{0}T19:30:00Z></header>"
        "<div class=text>The nets are dry and the ferry leaves at dawn, {1}.</div>{2}</article>"
    )
    edit = "<div class=note>Edited: <time itemprop=dateModified datetime=2024-07-09>Jul 9, 2024</time></div>"
    found = posts(post.format(5, "Ann", "") + post.format(6, "Ben", edit))
    assert [post.date for post in found] == ["Jul 5, 2024 at 7:30 PM", "Jul 6, 2024 at 7:30 PM"]


def test_a_date_for_machines_is_a_day() -> None:
    stamp = "<time datetime=2021-04-0{0}T04:06:17.467Z>2021-04-0{0}T04:06:17.467Z+00:00</time>"
    html = "".join(
        f"<div class=post id=p{n}><b class=author>{name}</b>{stamp.format(n)}"
        f"<div class=text>The nets are dry and the ferry leaves at dawn, {name}.</div></div>"
        for n, name in enumerate(["Ann", "Ben"], 1)
    )
    assert [post.date for post in posts(html)] == ["2021-04-01", "2021-04-02"]
