"""Khade, Rao and Potey's Joint-para and Extract-news, on a tree computed by hand.

The page below, and the text-node-sets in it:

    body
      div#top      "Home" "News"                    no full stop or comma: pruned
      div#page
        div#wrap
          div#story
            h1 p p     "Rain ..." "Wet, ..." "It ..."   3 marks, the longest
            div#share  "Share this"                 none: pruned inside the summary-node
            p          "The end."                   1 mark
        div#foot   "Made here, since long ago."     2 marks
"""

from __future__ import annotations

import pytest

from printer.extraction.papers.summary_node import (
    COMMAS,
    PERIODS,
    count_marks,
    extract_news,
    joint_para,
    score,
)
from printer.html.index import PageIndex
from printer.html.page import Page, read_page

PAGE = """<body><div id=top><a>Home</a><div>News</div></div><div id=page><div id=wrap><div id=story>
<h1>Rain in the valley</h1><p>Wet, cold.</p><p>It <b>rained</b> all through the afternoon.</p>
<div id=share><div>Share this</div></div><p>The end.</p></div></div>
<div id=foot>Made here, since long ago.</div></div></body>"""


def marks_of(page: Page) -> tuple[PageIndex, list[int]]:
    tree = page.index
    return tree, count_marks([segment.text for segment in page.segments], PERIODS + COMMAS).tolist()


def test_punctuation_is_counted_per_text() -> None:
    _, marks = marks_of(read_page(PAGE))
    assert marks == [0, 0, 0, 2, 1, 0, 1, 2]


def test_adjacent_big_nodes_of_a_level_are_joined() -> None:
    page = read_page(PAGE)
    tree, _ = marks_of(page)
    paras = joint_para(
        tree, count_marks([segment.text for segment in page.segments], PERIODS + COMMAS)
    )
    sets = list(zip(paras.low.tolist(), paras.high.tolist(), paras.marks.tolist(), strict=True))
    assert sets == [(0, 2, 0), (2, 5, 3), (5, 6, 0), (6, 7, 1), (7, 8, 2)]
    longest = int(paras.length.argmax())
    assert tree.tags[int(paras.first[longest])] == "h1"


def test_climbing_stops_where_punctuation_first_stops_growing() -> None:
    page = read_page(PAGE)
    tree = page.index
    marks = count_marks([segment.text for segment in page.segments], PERIODS + COMMAS)
    chain = extract_news(tree, marks, joint_para(tree, marks))
    # h1 has 0, story 4, wrap 4: the distance is 0 there, so its child is the summary-node.
    names = [page.index.elements[node].get("id") or tree.tags[node] for node in chain]
    assert names == ["story", "wrap", "page", "body", "html"]


def test_the_summary_node_is_selected_without_pruned_parts() -> None:
    # The footer is two steps up (in page), the menu three (in body).
    assert score(read_page(PAGE)) == (-3, -3, 1, 1, 1, 0, 1, -2)


def test_without_a_distance_of_0_the_root_is_the_summary_node() -> None:
    page = read_page("<body>Here, too.<div><p>A long paragraph, with a comma.</p>a, b</div></body>")
    tree = page.index
    marks = count_marks([segment.text for segment in page.segments], PERIODS + COMMAS)
    chain = extract_news(tree, marks, joint_para(tree, marks))
    assert [tree.tags[node] for node in chain] == ["body", "html"]
    assert score(page) == (1, 1, 1)


def test_runs_broken_by_br_are_one_big_node() -> None:
    page = read_page("<body><div id=a>One, two.<br>Three.<br>Four</div><p>Five</p></body>")
    tree = page.index
    marks = count_marks([segment.text for segment in page.segments], PERIODS + COMMAS)
    assert joint_para(tree, marks).low.tolist() == [0]
    assert joint_para(tree, marks).marks.tolist() == [3]


def test_a_stray_word_beside_blocks_does_not_make_the_page_one_text() -> None:
    page = read_page(
        "<body>stray<div><div><p>Wet, cold.</p><p>Dry, warm.</p></div></div><div>x, y</div></body>"
    )
    assert score(page) == (-2, 1, 1, -2)


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("今天下雨，很冷。明天、后天。", 4),
        ("اليوم، غدا۔ مطر،", 3),
        ("आज, कल। परसों॥", 3),
        ("wet, cold.", 2),
    ],
    ids=["Chinese", "Arabic and Urdu", "Hindi", "English"],
)
def test_full_stops_and_commas_of_every_script_count(text: str, marks: int) -> None:
    counted = count_marks([text, "none at all", "", text], PERIODS + COMMAS)
    assert counted.tolist() == [marks, 0, 0, marks]


def test_a_page_without_any_mark_keeps_nothing() -> None:
    assert score(read_page("<p>no marks here</p><p>or here</p>")) == (-1, -1)


def test_of_equal_texts_the_first_is_the_start() -> None:
    page = read_page(
        "<body><div><div><p>One, two.</p></div></div><div><div><p>Six, ten.</p></div></div></body>"
    )
    assert score(page) == (1, -3)
