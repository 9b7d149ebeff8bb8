"""The posts of a discussion, and who wrote them."""

from __future__ import annotations

from time import process_time

import pytest
from lxml import html

from printer.html.forum import read_posts


def told(source: str) -> list[tuple[str, str]]:
    tree = html.fromstring(f"<html><body>{source}</body></html>")
    return [(post.author, post.date) for post in read_posts(tree).values()]


MICRODATA = """
<div itemprop=mainEntity itemscope itemtype="https://schema.org/Question">
  <div itemprop=text><p>Why does it rain?</p></div>
  <div class=user><a href=/u/1>An editor</a></div>
  <div itemprop=author itemscope><a href=/u/2>Rosa</a><meta itemprop=name content=Rosa></div>
  <time itemprop=dateCreated datetime="2024-05-03T10:00:00Z"></time>
</div>
<div itemprop=suggestedAnswer itemscope itemtype="https://schema.org/Answer">
  <div itemprop=text><p>Because it must.</p></div>
  <div itemprop=author itemscope><span itemprop=name>Tomas</span></div>
  <ul><li itemprop=comment itemscope itemtype="https://schema.org/Comment">
    <span itemprop=text>Must it?</span><a itemprop=author href=/u/4>Vera</a>
  </li></ul>
</div>"""


def test_microdata_names_who_asked_answered_and_commented() -> None:
    assert told(MICRODATA) == [("Rosa", "2024-05-03"), ("Tomas", ""), ("Vera", "")]


@pytest.mark.parametrize(
    "post",
    [
        "<li class='block message' data-author='{0}'><time>{1}</time><p>{2}</p></li>",
        "<div id=post-1{3}><span class=username>{0}</span> <time>{1}</time><p>{2}</p></div>",
        "<div id=p77{3}><p class=author>by <a href=/u>{0}</a></p><time>{1}</time><p>{2}</p></div>",
        "<article class='topic-post'><b class=author>{0}</b><time>{1}</time><p>{2}</p></article>",
        "<x-comment author='{0}'><time>{1}</time><p>{2}</p></x-comment>",
    ],
)
def test_a_class_an_id_or_the_name_of_an_element_may_call_a_post_one(post: str) -> None:
    days = ["3 May 2024", "4 May 2024"]
    source = "".join(
        post.format(name, day, "Words.", number)
        for number, (name, day) in enumerate(zip(["Rosa", "Tomas"], days, strict=True))
    )
    assert told(source) == [("Rosa", days[0]), ("Tomas", days[1])]


def test_a_name_in_a_quotation_is_not_the_authors() -> None:
    quoted = "<blockquote><span class=author>Vera</span> said: no.</blockquote>"
    posts = [
        f"<div class=post>{quoted}<i class=author>{name}</i></div>" for name in ("Rosa", "Ida")
    ]
    assert told("".join(posts)) == [("Rosa", ""), ("Ida", "")]


def test_a_note_after_the_day_is_no_part_of_it() -> None:
    post = (
        "<div class=post><b class=author>{}</b><i class=date>3 May 2024 (last changed: 5)</i></div>"
    )
    assert told(post.format("Rosa") + post.format("Ida"))[0] == ("Rosa", "3 May 2024")


def test_one_post_is_no_discussion() -> None:
    assert told("<article class=post><b class=author>Rosa</b><p>All of it.</p></article>") == []


def test_a_name_that_holds_the_text_is_not_left_out_with_it() -> None:
    post = "<div class=post><div class=author><b>Rosa</b><p>{}</p></div></div>".format(
        "words " * 40
    )
    tree = html.fromstring(f"<html><body>{post * 2}</body></html>")
    assert all(post.author == "Rosa" and not post.elements for post in read_posts(tree).values())


def test_posts_within_posts_cost_no_more_than_their_number() -> None:
    deep = "<div class=post><b class=author>Rosa</b>" * 4_000
    tree = html.fromstring(
        f"<html><body>{deep}</body></html>", parser=html.HTMLParser(huge_tree=True)
    )
    begun = process_time()
    assert len(read_posts(tree)) > 100
    assert process_time() - begun < 20
