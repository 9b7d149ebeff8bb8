"""What is left of parts that were left out, and copies for other screens."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from printer.extraction.postprocess import complete_elements
from printer.html.page import read_page

TEXT = "The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it, they say."


def choice(html: str, selected: Sequence[str], kind: str = "article") -> list[str]:
    """Return the texts that are kept, of those a choice by text began with."""
    page = read_page(f"<body>{html}</body>")
    keep = [any(part in s.text for part in selected) for s in page.segments]
    flags = complete_elements(page, keep, kind)
    return [s.text for s, flag in zip(page.segments, flags, strict=True) if flag]


@pytest.mark.parametrize(("selected", "expected"), [(["Ann"], 0), (["Ann", "Tam", "Jo"], 3)])
def test_bylines_of_reviews_stay_if_most_do(selected: list[str], expected: int) -> None:
    reviews = "".join(
        f"<h3>Dry {n}</h3><div class=by>Written by {name} on May 4th 2020</div><p>{TEXT} {n}</p>"
        for n, name in enumerate(["Ann Reed", "Tam", "Jo Ash", "Mira"])
    )
    texts = choice(
        f"<h1>Boots</h1><p>{TEXT}</p>{reviews}", ["Boots", "Dry", TEXT, *selected], "product"
    )
    assert sum("Written by" in text for text in texts) == expected


def test_the_heading_of_a_section_that_was_left_out_goes_beside_those_that_stay() -> None:
    parts = "".join(f"<div><h3>Oar {n}</h3><p>{TEXT}</p></div>" for n in range(3))
    rest = "<div><h3>Use for</h3><p>Rowing</p></div>"
    drawn = "<div><h3>Scale</h3><p>One in ten</p><img src=/scale.png></div>"
    selected = ["Oar ", TEXT, "Use for", "Scale"]
    texts = choice(f"<h1>Oars</h1>{parts}{rest}{drawn}<h3>Oar 3</h3>{TEXT}", selected, "product")
    assert "Scale" in texts
    assert "Use for" not in texts
    cards = "".join(f"<div><h3>Boat {n}</h3><p>Details</p></div>" for n in range(4))
    assert len(choice(f"<h1>Boats</h1>{cards}", ["Boat "], "product")) == 4


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("Learn more about <a href=/b>how ferries of the north are built</a>", 2),
        ("We asked at the harbour <a href=/b>how ferries of the north are built</a>", 3),
    ],
)
def test_a_pointer_to_another_story_goes(line: str, lines: int) -> None:
    texts = choice(f"<p>{TEXT}</p><p>{line}</p><p>{TEXT}</p>", [TEXT, "ferries"])
    assert len(texts) == lines


def test_the_initials_of_a_reporter_below_the_text_go() -> None:
    html = f"<p>{TEXT}</p>" * 3
    assert choice(f"{html}<p>abc/de</p>", [TEXT, "abc"])[-1] == TEXT
    assert choice(f"{html}<p>Yes.</p>", [TEXT, "Yes"])[-1] == "Yes."
