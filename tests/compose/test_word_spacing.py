"""Words that only a style sheet separates."""

from __future__ import annotations

import re

import pytest

from printer.article import Paragraph
from printer.capture import Font, Layout, Rect, TextBox
from printer.compose import compose
from printer.html.page import read_page
from printer.selection import Verdict
from tests.support.compose_html import compose_article


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<em class=title>The ferry</em><span>Anna of Marl</span>", "The ferry Anna of Marl"),
        ("<a href=/1>Wide rivers</a><span class=n>Latest</span>", "Wide rivers Latest"),
        ("<span class=a>Colman</span><span class=b>Tent for 3</span>", "Colman Tent for 3"),
        ("<b class=a>$24.50</b><b class=b>$35.00</b><b class=c>Now!</b>", "$24.50 $35.00 Now!"),
        ("<b class=a>$24</b><b class=b>$35</b><b class=c>19% off</b>", "$24 $35 19% off"),
        ("<a href=/1>Tides of 2021</a><b class=i>PDF | 38 KB</b>", "Tides of 2021 PDF | 38 KB"),
        ("<b class=keyword>Harbours</b>The ferry is late.", "Harbours The ferry is late."),
        ("<a href=/1>Oak</a><a href=/2>Elm</a><a href=/3>3D</a>", "Oak Elm 3D"),
        ("<a href=/1><b>Buy oak</b></a><a href=/2><b>Buy elm</b></a>", "Buy oak Buy elm"),
        ("<b class=title>Wide rivers</b>Our boats are dry.", "Wide rivers Our boats are dry."),
        ("<em class=title>GRIP</em>GRIP is new here.", "GRIP GRIP is new here."),
        ("<img src=/i><em class=name>Grip 2.0</em>It holds well.", "Grip 2.0 It holds well."),
        ("<a href=/s>Seed</a><wbr><b title=x><code>unstable</code></b>", "Seed unstable"),
        ("<a class=tag href=/1>Local</a><a class=tag href=/2>eBooks</a>", "Local eBooks"),
        ("<i>Built and owned by:</i><a href=/1>semimill</a>", "Built and owned by: semimill"),
        ("Built by:<span>Anna of Marl</span>", "Built by: Anna of Marl"),
        ("<i class=a>2008</i><i class=a>2h 32m</i><i class=a>PG-13</i>", "2008 2h 32m PG-13"),
        ("<time>21:00</time><mark>Tam Reed</mark>", "21:00 Tam Reed"),
        ("<i class=no>#1</i><b>Anthills</b>", "#1 Anthills"),
        ("<i class=a>OARS</i><i class=b>Light 10 Boat</i>", "OARS Light 10 Boat"),
        ("<i class=title>Boat IV</i><i>Seats six.</i>", "Boat IV Seats six."),
        ("<i><i>(13)</i></i><i class=n>13 reviews</i>", "(13) 13 reviews"),
        ("<time>2008</time>er Riesling", "2008er Riesling"),
        ("<kbd>Ctrl</kbd>+<kbd>F</kbd><kbd>Tab</kbd><kbd>4</kbd>", "Ctrl+F Tab 4"),
    ],
)
def test_a_word_and_a_new_beginning_in_two_elements_are_parted(html: str, text: str) -> None:
    assert compose_article(f"<p>{html}").text == text


def test_keys_in_a_row_are_separate() -> None:
    (paragraph,) = compose_article("<p><kbd>F</kbd><kbd>Tab</kbd> <kbd>Up</kbd>").blocks
    assert isinstance(paragraph, Paragraph)
    spans = [(span.text, span.marks) for span in paragraph.spans]
    key = ("kbd",)
    assert spans == [("F", key), (" ", ()), ("Tab", key), (" ", ()), ("Up", key)]


@pytest.mark.parametrize(
    "html",
    [
        "<b>H</b>ello there",
        "<i class=a>F(x)</i><i class=b>13</i>",
        "<i class=a>BOAT</i><i class=b>S on the river</i>",
        "<i class=title>Boat IV</i><i>b is new</i>",
        "<b>Hello</b><i>World of them all</i>",
        "<i class=a>He</i><i class=b>llo there</i>",
        "<i class=a>H</i><i class=a>ello there</i>",
        "<i class=a>Le</i><i class=a>arn</i>",
        "<i class=a>今日は</i><i class=a>天気です</i>",
        "<a href=/1>Java</a><a href=/1>script</a>",
        "<a href=/1>weir.mp</a><a href=/2>4</a>",
        "The <a href=/1>Java</a><a href=/2>script</a>",
        "<a href=/1>Java</a><a href=/2>script</a> it is",
        "<a href=/1>river</a><i>side</i><a href=/2>path</a>",
        "std::<i>Map</i> and doi:<a href=/1>10.1</a>",
        "<span class=a>Java</span><span class=b>Script</span>",
        "<span class=a>the old Mac</span><span class=b>Book</span>",
        "<span class=a>the old Mac</span>Book",
        "<b>Wide rivers</b>Our boats",
        "<b class=brand>Ferry</b>Book is new here.",
        "<span class=c>O</span><span class=s>NCE upon a time</span>",
        "<span class=a>in all</span><span class=b>, Anna of Marl</span>",
        "in all<span class=b>Anna of Marl</span>",
        "<code><span class=n>the name</span><span class=k>Type</span></code>",
        "<span class=a>日本の</span><span class=b>川と海</span>",
    ],
)
def test_markup_within_words_and_sentences_parts_nothing(html: str) -> None:
    assert compose_article(f"<p>{html}").text == re.sub("<[^>]*>", "", html)


@pytest.mark.parametrize(
    ("html", "gap", "text"),
    [
        ("<b data-m=0>Date</b><i data-m=1>12 May</i>", 8, "Date 12 May"),
        ("<b data-m=0>Date</b><i data-m=1>12 May</i>", 0, "Date12 May"),
        ("<b data-m=0>H</b><i data-m=1>ello</i>", 8, "Hello"),
        ("<b data-m=0>“O</b><i data-m=1>nce upon a time</i>", 8, "“Once upon a time"),
        ("<b data-m=0>Date</b><i data-m=1>, 12 May</i>", 8, "Date, 12 May"),
        ("<b data-m=0>co-</b><i data-m=1>operate</i>", 8, "co-operate"),
        ("<code data-m=0>String</code><i data-m=1>s are</i>", 8, "Strings are"),
        ("SO<sub data-m=0>42</sub><i data-m=1>Cl is</i>", 8, "SO42Cl is"),
        ("<mark data-m=0>high</mark><i data-m=1>light it</i>", 8, "highlight it"),
        (
            "<b data-m=0>私は</b><ruby>漢字<rt>かん</rt></ruby><i data-m=1>を読む</i>",
            60,
            "私は漢字を読む",
        ),
    ],
)
def test_a_gap_on_screen_is_a_space(html: str, gap: int, text: str) -> None:
    font = Font(16, "rgb(0, 0, 0)")
    texts = {
        (0, False): TextBox(Rect(100, 0, 140, 20), font),
        (1, False): TextBox(Rect(140 + gap, 0, 200 + gap, 20), font),
    }
    layout = Layout("data-m", boxes={}, texts=texts, pictures={})
    page = read_page(f"<body><p>{html}</p></body>", layout=layout)
    assert compose(page, Verdict((True,) * len(page.segments)), ()).text == text
