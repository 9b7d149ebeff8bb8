"""Words of mixed directions stand in their order, also across links and emphasis."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from weasyprint import HTML

from printer.render.weasy.patches import patched


def visual_lines(markup: str, direction: str, width: int = 2000) -> list[str]:
    """Return the texts of each line's boxes from left to right, joined by a vertical bar."""
    style = f"width: {width}px; font: 16px DejaVu Sans; direction: {direction}"
    with patched():
        page: Any = HTML(string=f"<p style='{style}'>{markup}").render().pages[0]._page_box
    found = []
    for line in page.children[0].descendants():
        if type(line).__name__ == "LineBox" and line.children:
            texts = [box for box in line.descendants() if getattr(box, "text", "").strip()]
            texts.sort(key=lambda box: box.position_x)
            edges = [(box.position_x, box.position_x + box.width) for box in texts]
            assert all(a[1] <= b[0] + 0.1 for a, b in pairwise(edges))
            found.append("|".join(box.text.strip() for box in texts))
    return found


@pytest.mark.parametrize(
    ("direction", "markup", "expected"),
    [
        # A phrase that is divided by a link, alone and in its paragraph.
        ("rtl", "the New <b>York</b> Times", "the New|York|Times"),
        ("rtl", "קראתי the New <b>York</b> Times אתמול", "אתמול|the New|York|Times|קראתי"),
        ("ltr", "he said שלום <b>עולם</b> טוב to us", "he said|טוב|עולם|שלום|to us"),
        # The last word, whose full stop ends the paragraph.
        ("rtl", "sunt <b>anim id est.</b>", ".|sunt|anim id est"),
        # What is of one direction, or divided nowhere else, stays as it is.
        ("rtl", "קראתי <b>עיתון</b> אתמול", "אתמול|עיתון|קראתי"),
        ("rtl", "קראתי <b>iPhone 5%</b> אתמול", "אתמול|iPhone 5%|קראתי"),
        ("rtl", "בשנת 2011 <b>12</b> ו־3", "ו־3|12|בשנת 2011"),
        ("ltr", "one <b>two</b> three", "one|two|three"),
        # An isolate, and a bracket between words of one direction.
        ("ltr", "he said <b dir=rtl>the</b> word", "he said|the|word"),
        ("rtl", "קראתי the New (<b>York</b>) Times", "the New (|York|) Times|קראתי"),
        # Marks without a text, in a phrase.
        ("rtl", "the New<a id=x></a> <b>York</b> Times", "the New|York|Times"),
    ],
)
def test_words_stand_in_their_visual_order(direction, markup, expected):
    assert visual_lines(markup, direction) == [expected]


def test_each_line_is_ordered_and_no_word_is_lost():
    words = "Lorem ipsum dolor sit amet consectetur adipisicing elit sed do eiusmod".split()
    markup = " ".join(f"<i>{word}</i>" if n % 2 else word for n, word in enumerate(words))
    found = visual_lines(markup, "rtl; text-align: justify", 160)
    assert len(found) > 2
    assert [word for line in found for word in line.split("|")] == words
