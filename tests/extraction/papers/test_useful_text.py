"""CUTER's useful nodes and the borders of the article."""

from __future__ import annotations

import numpy as np

from printer.extraction.papers.useful_text import (
    REACH,
    Borders,
    find_borders,
    neighborhoods,
    score,
)
from printer.html.page import read_page

LONG = "A sentence that is long enough to be useful text on its own. "


def test_the_borders_are_the_first_and_last_useful_node_and_the_title() -> None:
    page = read_page(
        f"""<title>Rain in the valley</title><body><p>Rain in the valley</p><p>Menu</p>
        <h1>Rain in the valley</h1><p>By A. Writer</p><p>{LONG}</p><p>Short.</p><p>{LONG * 2}</p>
        <p><a href=1>More</a></p></body>"""
    )
    assert find_borders(page) == Borders(first=2, start=4, last=6)
    scores = score(page)
    assert [value > 0 for value in scores] == [
        False, False, True, False, True, True, True, False,
    ]  # fmt: skip


def test_links_between_the_borders_are_left_out() -> None:
    page = read_page(f"<p>{LONG}</p><p><a href=1>{LONG}</a></p><p>{LONG}</p>")
    assert [value > 0 for value in score(page)] == [True, False, True]


def test_the_neighbourhood_with_the_most_text_is_the_article() -> None:
    between = "<p>x</p>" * REACH
    page = read_page(f"<p>{LONG}</p>{between}<p>{LONG}</p><p>{LONG}</p>{between}<p>{LONG}</p>")
    found = find_borders(page)
    assert found == Borders(first=REACH + 1, start=REACH + 1, last=REACH + 2)


def test_neighbours_are_at_most_the_reach_apart() -> None:
    flags = [True, False, False, True, False, False, False, True]
    assert neighborhoods(np.array(flags), 3) == [(0, 3), (7, 7)]


def test_without_a_useful_node_there_are_no_borders() -> None:
    page = read_page("<p>Menu</p>")
    assert find_borders(page) is None
    assert max(score(page)) <= 0
