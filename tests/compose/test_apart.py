"""Text that a style sheet alone sets apart."""

from __future__ import annotations

import re

import pytest
from composed import article

from printer.compose import compose
from printer.dom.page import read_page
from printer.model import Font, Layout, Rect, Text, Verdict


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<em class=title>The ferry</em><span>Anna of Marl</span>", "The ferry Anna of Marl"),
        ("<a href=/1>Wide rivers</a><span class=n>Latest</span>", "Wide rivers Latest"),
        ("<span class=a>Colman</span><span class=b>Tent for 3</span>", "Colman Tent for 3"),
    ],
)
def test_a_word_and_a_new_beginning_in_two_elements_are_parted(html: str, text: str) -> None:
    assert article(f"<p>{html}").text == text


@pytest.mark.parametrize(
    "html",
    [
        "<b>H</b>ello there",
        "<b>Hello</b><i>World of them all</i>",
        "<span class=a>Java</span><span class=b>Script</span>",
        "<span class=a>the old Mac</span><span class=b>Book</span>",
        "<span class=c>O</span><span class=s>NCE upon a time</span>",
        "<span class=a>in all</span><span class=b>, Anna of Marl</span>",
        "in all<span class=b>Anna of Marl</span>",
        "<code><span class=n>the name</span><span class=k>Type</span></code>",
        "<span class=a>日本の</span><span class=b>川と海</span>",
    ],
)
def test_markup_within_words_and_sentences_parts_nothing(html: str) -> None:
    assert article(f"<p>{html}").text == re.sub("<[^>]*>", "", html)


@pytest.mark.parametrize(
    ("one", "other", "gap", "text"),
    [
        ("Date", "12 May", 8, "Date 12 May"),
        ("Date", "12 May", 0, "Date12 May"),
        ("H", "ello", 8, "Hello"),
        ("Date", ", 12 May", 8, "Date, 12 May"),
    ],
)
def test_a_gap_on_screen_is_a_space(one: str, other: str, gap: int, text: str) -> None:
    font = Font(16, "rgb(0, 0, 0)")
    texts = {
        (0, False): Text(Rect(100, 0, 140, 20), font),
        (1, False): Text(Rect(140 + gap, 0, 200 + gap, 20), font),
    }
    layout = Layout("data-m", 1280, 900, 1280, boxes={}, texts=texts, graphics={})
    html = f"<body><p><span data-m=0>{one}</span><span data-m=1>{other}</span></p></body>"
    page = read_page(html, layout=layout)
    assert compose(page, Verdict((True,) * len(page.segments)), ()).text == text
