"""Font size and colour from tags and inline styles."""

from __future__ import annotations

import pytest

from printer.capture import Font
from printer.extraction.visual import infer_font_runs
from printer.html.page import read_page


def fonts(html: str) -> list[list[tuple[float, str, int]]]:
    page = read_page(html)
    found = infer_font_runs(page)
    out: list[list[tuple[float, str, int]]] = [[] for _ in page.segments]
    for segment, font, chars in zip(*map(list, found[:3]), strict=True):
        if chars:
            out[segment].append((*found.fonts[font], int(chars)))
    return out


@pytest.mark.parametrize(
    ("html", "font"),
    [
        ("<p>x</p>", Font()),
        ("<h1>x</h1>", Font(32.0)),
        ("<div style='font-size:20px'><h2>x</h2></div>", Font(30.0)),
        ("<p style='font-size: 150%'>x</p>", Font(24.0)),
        ("<p style='FONT-SIZE: 12PT; COLOR: #F00'>x</p>", Font(16.0, "#f00")),
        ("<p style='font: italic bold 12px/30px Georgia'>x</p>", Font(12.0)),
        ("<p style='font-size: x-large !important'>x</p>", Font(24.0)),
        ("<p style='font-size: smaller'>x</p>", Font(13.3)),
        ("<font size=5 color=Red>x</font>", Font(24.0, "red")),
        ("<font size=-1>x</font>", Font(13.0)),
        ("<font size=huge>x</font>", Font()),
        ("<p style='font-size: calc('>x</p>", Font()),
        ("<p style='background-color: red'>x</p>", Font()),
        ("<div style='color:red'><p style='color: inherit'>x</p></div>", Font(16.0, "red")),
        ("<p style='font-size:99999em'>x</p>", Font(1000.0)),
    ],
)
def test_tags_and_styles_set_the_font(html: str, font: Font) -> None:
    assert fonts(html) == [[(*font, 1)]]


def test_text_behind_an_element_has_the_font_around_it() -> None:
    html = "<p style='color:red'>one <small>two</small> <b>three</b> four</p><p>five</p>"
    assert fonts(html) == [
        [
            (16.0, "red", 400, 3),
            (13.3, "red", 400, 3),
            (16.0, "red", 400, 5),
            (16.0, "red", 400, 4),
        ],
        [(16.0, "", 400, 4)],
    ]
