"""Selected text is complete, dropped text is absent, and words stay separate."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from printer import extract
from printer.article import Figure, Paragraph, plain_text
from printer.compose import compose
from printer.errors import NoArticle
from printer.html.page import read_page
from printer.selection import Verdict
from tests.support.compose_html import URL, compose_article

TAGS = [
    "div", "p", "span", "b", "em", "a", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "td",
    "th", "caption", "blockquote", "footer", "pre", "code", "h2", "h4", "section", "details",
    "summary", "figure", "figcaption", "sup", "center", "font", "tbody", "article", "aside", "q",
]  # fmt: skip
words = st.integers(100, 999).map(lambda number: f"w{number}")
trees = st.recursive(
    words | st.sampled_from(["<br>", "<hr>", " ", "\n"]),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(TAGS),
        st.lists(inner | words.map(lambda word: f" {word} "), max_size=5),
    ),
    max_leaves=40,
)


@given(trees, st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_the_words_of_the_kept_segments_are_the_words_of_the_article(
    html: str, random: object
) -> None:
    numbers = count(100)
    html = re.sub("w[0-9]+", lambda _: f"w{next(numbers)}", html)  # as copies may be dropped
    page = read_page(f"<body>{html}", URL)
    keep = tuple(random.random() < 0.7 for _ in page.segments)  # type: ignore[attr-defined]
    article = compose(page, Verdict(keep), ())
    selected = [segment for segment, flag in zip(page.segments, keep, strict=True) if flag]
    expected = Counter(word for segment in selected for word in segment.text.split())
    # Commas join the lines of a quotation's source.
    got = Counter(article.text.replace(",", "").split())
    # Short headings at the very end, with nothing beneath them, are the one thing left out.
    assert got <= expected
    assert expected - got <= Counter(
        word
        for segment in selected
        if any(
            e.tag in {"h2", "h4", "summary"}
            for e in (segment.block, *segment.block.iterancestors())
        )
        for word in segment.text.split()
    )


@given(trees)
@settings(max_examples=300, deadline=None)
def test_every_tree_can_be_extracted(html: str) -> None:
    with suppress(NoArticle):
        extract(f"<body>{html}", URL)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>one<b>two</b> three", "onetwo three"),
        ("<p>one <b> two </b> three", "one two three"),
        ("<p>one<br>two", "one\ntwo"),
        ("<p>one<br><br>two", "one\n\ntwo"),
        ("<p>one<br> <br>\n two", "one\n\ntwo"),
        ("<p>one <br> two", "one\ntwo"),
        ("<p>soft\u00adhyphen zero\u200bwidth no\u00a0break", "softhyphen zerowidth no break"),
        ("<p>\u200dOars and क्\u200dष", "Oars and क्\u200dष"),
        ("<p>&#xe001; icon &#xf101;", "icon"),
        ("<div>one<p>two</p>three</div>", "one\n\ntwo\n\nthree"),
        ("<span>one</span><span>two</span>", "onetwo"),
        ("<td>one<td>two", "one\n\ntwo"),
        ("<p>می\u200cخواهم", "می\u200cخواهم"),
        ("<p>👩\u200d🚀 x", "👩\u200d🚀 x"),
        ("<p>a <img alt='😀' src=x> b", "a 😀 b"),
        ("<p>one<wbr>two", "onetwo"),
    ],
)
def test_white_space(html: str, text: str) -> None:
    assert compose_article(html).text == text


@pytest.mark.parametrize(
    ("image", "text"),
    [
        ("<img src=/64/1f923.png alt=:ROFLMAO:>", "🤣"),
        ("<img src=/cdn/https%3A%2F%2Fe.example%2F64%2F1f923.png alt=:ROFLMAO:>", "🤣"),
        ("<img src=/u1f469-200d-1f680.svg?v=2 alt=:astronaut:>", "👩\u200d🚀"),
        ("<img src=/smilies/facepalm.gif alt=:facepalm:>", "🤦"),
        ("<img src=/smilies/wink.png alt=:wink:>", "😉"),
        ("<img src=data:image/gif;base64,R0lG alt=:laugh:>", "😆"),
        ("<img src=/smilies/bow-line.gif alt=:bow-line:>", ":bow-line:"),
        ("<img src=/smilies/1.gif alt=';-)'>", ";-)"),
        ("<span><img src=/smilies/1.gif alt=';-)'></span>", ";-)"),
        ("<img src=/64/d800.png alt=:x1:>", ":x1:"),
        ("<img src=/0041.png alt=:a:>", ""),
        ("<img src=/64/1f923.png alt=Laughter>", ""),
    ],
)
def test_smileys_are_emoji_or_what_was_typed(image: str, text: str) -> None:
    assert compose_article(f"<p>before {image} after").text == f"before {text} after".replace(
        "  ", " "
    )


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>ខ្ញុំ\u200bញ៉ាំ\u200bបាយ", "ខ្ញុំ|ញ៉ាំ|បាយ"),
        ("<p>retry_<wbr>after_<wbr/>seconds", "retry_|after_|seconds"),
        ("<p>one</p><p>\u200b</p><wbr><p>two", "one;two"),
    ],
)
def test_places_within_words_where_a_line_may_be_broken_are_kept(html: str, text: str) -> None:
    article = compose_article(html)
    spans = ["".join(span.text for span in block.spans) for block in article.blocks]  # type: ignore[union-attr]
    assert ";".join(spans).replace("\u200b", "|") == text
    assert "\u200b" not in article.text + "".join(article.paragraphs)


def test_a_dropped_segment_leaves_its_neighbours_apart() -> None:
    article = compose_article("<p>one<br>ADVERT two<br>three", drop="ADVERT")
    assert article.text == "one\n\nthree"


def test_two_inline_runs_parted_by_a_dropped_block_are_two_paragraphs() -> None:
    article = compose_article("<div>one<div>ADVERT</div>two</div>", drop="ADVERT")
    assert article.text == "one\n\ntwo"


def test_bullets_and_bars_alone_are_no_paragraphs() -> None:
    assert compose_article("<p>one</p><p>|</p><p>•</p><p>two</p>").text == "one\n\ntwo"


def test_a_page_nested_very_deep_composes_in_time() -> None:
    depth = 20_000
    html = "<div>" * depth + "inside" + "</div>" * depth + "<ul><li>" * depth + "last"
    assert compose_article(html).text.split() == ["inside", "last"]


def test_lists_deeper_than_the_limit_keep_their_text_in_order() -> None:
    html = "".join(f"<ul><li>i{n} " for n in range(60))
    assert compose_article(html).text.split() == [f"i{n}" for n in range(60)]


def test_a_page_with_only_a_title_prints_the_title() -> None:
    page = read_page("<title>A fine day</title><h1>A fine day</h1>", URL)
    assert compose(page, Verdict((True,)), ()).text == "A fine day"


def test_the_title_is_not_repeated() -> None:
    page = read_page("<title>A fine day</title><h1>A fine  day</h1><p>It was.", URL)
    article = compose(page, Verdict((True,) * len(page.segments)), ())
    assert article.title == "A fine day"
    assert article.text == "It was."


def test_the_name_of_a_product_is_not_repeated_below_its_pictures() -> None:
    pictures = "".join(f"<img src=/{n}.jpg width=800 height=600>" for n in range(9))
    text = (
        "<p>The oar is made of ash, three metres long, and oiled three times on the quay.</p>" * 5
    )
    html = f"<title>Blue oar</title><hr><div>{pictures}</div><h1>Blue oar</h1>{text}"
    article = extract(html, URL)
    assert sum(isinstance(block, Figure) for block in article.blocks) == 9
    assert "Blue oar" not in article.text


def test_a_heading_below_text_may_end_with_the_title() -> None:
    lines = "<p>The harbour lies as it lay when the ferry was new, and that is long ago.</p>"
    question = "<h2>Q: What is the depth of harbours?</h2><p>A: Three metres.</p>"
    page = read_page(f"<title>The depth of harbours</title>{lines}{question}", URL)
    article = compose(page, Verdict((True,) * len(page.segments)), ())
    assert "Q: What is the depth of harbours?" in article.text
    above = read_page(f"<title>The depth of harbours</title>{question}{lines}", URL)
    assert "Q:" not in compose(above, Verdict((True,) * len(above.segments)), ()).text


def test_marks_nest_in_one_order_and_spaces_between_links_are_in_none() -> None:
    (block,) = compose_article("<p><i><b>x</b></i> <a href=/1>one </a><a href=/2>two</a>.").blocks
    assert isinstance(block, Paragraph)
    spans = [(span.text, span.marks, span.href) for span in block.spans]
    assert spans == [
        ("x", ("strong", "em"), ""),
        (" ", (), ""),
        ("one", (), "https://example.org/1"),
        (" ", (), ""),
        ("two", (), "https://example.org/2"),
        (".", (), ""),
    ]


def test_a_paragraph_of_nothing_but_joiners_is_empty() -> None:
    article = compose_article(
        "<p>The ferry is late.</p><p>\u200d</p><p>\u00a0\u200d</p><p>\u200e\ufe0fNobody waits.</p>"
    )
    assert len(article.blocks) == 2


@pytest.mark.parametrize(
    ("end", "text"),
    [
        ("runs. By Orla Reed", "The ferry runs."),
        ("runs. <i>By Orla Reed</i>", "The ferry runs."),
        ("runs. By Tam Ash", "The ferry runs. By Tam Ash"),
        ("painted by Orla Reed", "The ferry painted by Orla Reed"),
    ],
)
def test_a_standfirst_ends_before_the_byline(end: str, text: str) -> None:
    head = "<title>Boats</title><meta name=author content='Orla Reed'>"
    body = f"<h1>Boats</h1><p>The ferry {end}</p><p>It leaves the quay at dawn.</p>"
    page = read_page(f"<html lang=en><head>{head}</head><body>{body}</body></html>", URL)
    first = compose(page, Verdict((True,) * 3, standfirst=frozenset({1})), ()).blocks[0]
    assert isinstance(first, Paragraph)
    assert plain_text(first.spans) == text
