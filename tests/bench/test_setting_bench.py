"""The benchmark of typesetting: its counts and floors."""

from __future__ import annotations

from typing import Any

import pytest
from weasyprint import HTML

from benchmarks.protocol import floors
from benchmarks.setting import count_cuts, measure, shares
from tests.support.sample_articles import SAMPLE_ARTICLE


def heading(text: str, width: int, style: str = "") -> Any:
    source = f"<h1 style='font: 20px DejaVu Sans Mono; width: {width}px; {style}'>{text}</h1>"
    page: Any = HTML(string=source).render().pages[0]._page_box
    return next(box for box in page.descendants() if box.element_tag == "h1")


@pytest.mark.parametrize(
    ("text", "style", "cuts"),
    [
        ("The river and the mill", "", 0),
        ("Responsibilities", "overflow-wrap: anywhere", 1),
        ("A well-watered valley", "", 0),
        ("The mill<br>and<br>its <em>river<br></em>weir", "", 0),
    ],
)
def test_words_cut_in_headings_are_counted(text: str, style: str, cuts: int) -> None:
    assert count_cuts(heading(text, 120, style), "en") == cuts
    assert count_cuts(heading(text, 120, style), "ja") == 0


def test_every_figure_has_a_floor() -> None:
    metrics = measure(SAMPLE_ARTICLE)
    assert metrics["pages"] > 1
    assert metrics["lines"] > 20
    assert set(shares(metrics)) == set(floors("setting"))
