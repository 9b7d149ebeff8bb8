"""Luo et al.: figure 2 and table 1, the classifier, the subsequence against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.capture import Font, Rect, Visibility
from printer.extraction.papers.max_subsequence import (
    best_run,
    best_sums_through,
    body_text_signs,
    filter_aligned,
    score,
)
from printer.extraction.visual import FontRuns, SegmentLayout, infer_font_runs
from printer.html.page import Page, read_page

# The tree of figure 2; each leaf's text is its number, solid (block) nodes are div.
FIGURE_2 = """<body><div id=n2><b>12</b><i>13</i><br>7<span><div id=n14>19</div><em>20</em></span>
<u>16</u></div><div id=n3><b>17</b><i>18</i></div></body>"""

# Table 1: the nearest line-break node of each text leaf.
TABLE_1 = {"12": "n2", "13": "n2", "7": "n2", "19": "n14", "20": "n2", "16": "n2",
           "17": "n3", "18": "n3"}  # fmt: skip


def test_figure_2_has_the_five_segments_the_paper_names() -> None:
    page = read_page(FIGURE_2)
    segments = [
        [leaf.text.strip() for leaf in segment.leaves if leaf.text.strip()]
        for segment in page.segments
    ]
    assert segments == [["12", "13"], ["7"], ["19"], ["20", "16"], ["17", "18"]]


def test_table_1_names_the_nearest_line_break_node_of_each_leaf() -> None:
    nearest = {
        leaf.text.strip(): segment.block.get("id")
        for segment in read_page(FIGURE_2).segments
        for leaf in segment.leaves
        if leaf.text.strip()
    }
    assert nearest == TABLE_1


def scored(page: Page) -> list[float]:
    tree = page.index
    return body_text_signs(infer_font_runs(page), tree).tolist()


BODY = "<p>" + "The body is in plain text. " * 9 + "</p>"


@pytest.mark.parametrize(
    ("segment", "value"),
    [
        ("<p>" + "a" * 70 + "<small>" + "b" * 30 + "</small></p>", 1),
        ("<p>" + "a" * 69 + "<small>" + "b" * 31 + "</small></p>", -1),
        ("<p>" + "a" * 20 + "<font color=red>" + "b" * 80 + "</font></p>", 1),
        ("<p>" + "a" * 19 + "<font color=red>" + "b" * 81 + "</font></p>", -1),
        ("<p>" + "a" * 50 + "<a href=1>" + "b" * 50 + "</a></p>", 1),
        ("<p>" + "a" * 49 + "<a href=1>" + "b" * 51 + "</a></p>", -1),
        ("<h1>A heading</h1>", -1),
        ("<p style='font-size: 9px'>Small print</p>", -1),
        ("<p style='font-size: 1em'>As large</p>", 1),
    ],
    ids=["size 0.70", "size 0.69", "colour 0.20", "colour 0.19", "links 0.50", "links 0.51",
         "heading", "style", "style without effect"],
)  # fmt: skip
def test_the_classifier_has_the_papers_constants(segment: str, value: float) -> None:
    assert scored(read_page(BODY + segment)) == [1, value]


def brute(values: list[int]) -> int:
    places = range(len(values))
    return max(sum(values[low : high + 1]) for low in places for high in places[low:])


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=14))
def test_the_run_found_has_the_greatest_sum_of_all(values: list[int]) -> None:
    low, high, total = best_run(np.array(values, dtype=float))
    assert 0 <= low < high <= len(values)
    assert total == sum(values[low:high]) == brute(values)


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=12))
def test_the_greatest_sum_through_each_place(values: list[int]) -> None:
    found = best_sums_through(np.array(values, dtype=float)).tolist()
    for place, total in enumerate(found):
        assert total == max(
            sum(values[low:high])
            for low in range(place + 1)
            for high in range(place + 1, len(values) + 1)
        )


def test_the_subsequence_bounds_the_body_with_the_junk_inside_it() -> None:
    link = "<p><a href=1>" + "l" * 60 + "</a></p>"
    text = "<p>" + "t" * 100 + "</p>"
    page = read_page(f"<body>{link}<p>short</p>{link}{text}{link}{text}{text}{link}</body>")
    # -60 5 -60 | 100 -60 100 100 | -60: the greatest sum is 240.
    scores = score(page)
    assert [value > 0 for value in scores] == [False] * 3 + [True] * 4 + [False]
    assert scores[3:7] == pytest.approx([1.5 + area / 480 for area in (100, -60, 100, 100)])
    # The best run through the last link sums to 180, through the first to 125.
    assert scores[7] == pytest.approx(180 / 240 - 1)
    assert scores[0] == pytest.approx(125 / 240 - 1)


def test_a_page_of_nothing_but_links_has_no_body() -> None:
    assert score(read_page("<p><a href=1>one</a></p><p><a href=2>two</a></p>")) == (-1, -1)


BODY_RECT = Rect(100, 0, 700, 50)


@pytest.mark.parametrize(
    ("rect", "selected"),
    [
        (Rect(100, 60, 700, 90), True),
        (Rect(102, 60, 698, 90), True),
        (Rect(140, 60, 700, 90), True),
        (Rect(100, 60, 420, 90), True),
        (Rect(100, 60, 300, 90), False),
        (Rect(500, 60, 700, 90), False),
        (Rect(130, 60, 670, 90), False),
        (Rect(720, 60, 900, 90), False),
        (None, False),
    ],
    ids=["as the body", "within tolerance", "indented", "left, over half", "caption at the left",
         "box at the right", "centred", "side bar", "not drawn"],
)  # fmt: skip
def test_segments_must_line_up_with_the_body(rect: Rect | None, selected: bool) -> None:
    rects = [BODY_RECT, rect, BODY_RECT, Rect(0, 0, 90, 10)]
    flags = filter_aligned(rects, [True, True, True, False], [200, 300, 200, 900])
    assert flags == (True, selected, True, False)


def test_a_layout_brings_real_fonts_and_alignment() -> None:
    page = read_page("".join(f"<p class={name}>{'t' * 100}</p>" for name in "abcde"))
    # Drawn, the first is in large print, and the third a narrow box beside the text.
    drawn = FontRuns(
        np.arange(5), np.array([1, 0, 0, 0, 0]), np.full(5, 100), [Font(16.0), Font(30.0)]
    )
    rects = [BODY_RECT, BODY_RECT, Rect(580, 0, 700, 50), BODY_RECT, BODY_RECT]
    assert [value > 0 for value in score(page)] == [True] * 5
    scores = score(page, layout=SegmentLayout(drawn, rects, rects, [Visibility(0)] * 5))
    assert [value > 0 for value in scores] == [False, True, False, True, True]
    assert scores[2] == 0


def test_without_any_rectangle_all_stays_as_it_was() -> None:
    assert filter_aligned([None, None], [True, False], [5, 5]) == (True, False)
