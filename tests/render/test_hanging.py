"""Lines break at the same places whether or not their words are marked up."""

from __future__ import annotations

from typing import Any

from weasyprint import HTML

from printer.render.hanging import install

PLAIN = "one two three four five six seven eight"
MARKED = "one two three <a href='#'>four five</a> six <em>seven</em> eight"


def lines(markup: str, width: float, style: str = "") -> list[str]:
    source = f"<p style='width: {width}px; font: 16px DejaVu Sans Mono; {style}'>{markup}</p>"
    page: Any = HTML(string=source).render().pages[0]._page_box
    return [
        "".join(getattr(box, "text", "") for box in line.descendants()).strip()
        for line in page.descendants()
        if type(line).__name__ == "LineBox" and line.children
    ]


def test_words_in_links_break_where_they_would_break_without() -> None:
    install()
    for width in range(60, 400):
        assert lines(MARKED, width) == lines(PLAIN, width), f"in a width of {width} pixels"


def test_white_space_that_is_kept_does_not_hang() -> None:
    install()
    for style in ("white-space: pre", "white-space: pre-wrap"):
        for width in range(90, 200, 10):
            assert "".join(lines(MARKED, width, style)).split()[0] == "one"
