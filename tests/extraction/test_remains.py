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


def test_lines_that_repeat_the_cells_of_a_table_are_a_copy_for_small_screens() -> None:
    rows = [("Adult", "$5", "$9"), ("Child", "$2", "$3"), ("Bicycle", "$1", "$2")]
    cells = "".join(f"<tr><td>{'<td>'.join(row)}</tr>" for row in rows)
    table = f"<table><tr><th>Who<th>One way<th>Return</tr>{cells}</table>"
    copy = "".join(
        f"<h4>{who}</h4><div>One way {one}</div><div>Return {both}</div>" for who, one, both in rows
    )
    parts = ["Adult", "Child", "Bicycle", "$", "Who", "One way", "Return", TEXT]
    texts = choice(f"<p>{TEXT}</p>{table}{copy}<p>{TEXT} Again.</p>", parts)
    assert texts[-2:] == ["$2", f"{TEXT} Again."]
    turned = "".join(
        f"<h4>{who}</h4><div>One way {both}</div><div>Return {one}</div>" for who, one, both in rows
    )
    assert len(choice(f"<p>{TEXT}</p>{table}{turned}", parts)) == 1 + 12 + 9
    prose = f"<h4>Adult</h4><p>Return tickets of adults: {TEXT}</p>"
    assert len(choice(f"<p>{TEXT}</p>{table}{prose}", parts)) == 1 + 12 + 2


def test_a_piece_of_the_notices_below_the_last_row_of_signs_goes() -> None:
    notices = ["Tell me your story by mail.", "We are on the air.", "Tell three friends of us all.",
               "Music by Tam Reed and his band of the quay.", "Cover by Jo Ash of the old harbour."]  # fmt: skip
    end = "".join(f"<p>{notice}</p>" for notice in notices)
    body = "".join(f"<p>{TEXT} {n}</p>" for n in range(4))
    begun = f"{body}<p>**********</p>"
    assert choice(begun + end, [TEXT, "*", "mail"])[-1] != notices[0]
    assert choice(begun + end, [TEXT, "*", *notices])[-1] == notices[-1]


def test_the_headings_of_a_shops_filters_go_with_their_options() -> None:
    options = "<span>Oak</span><br><span>Ash</span>"
    filters = f"<h2>Filters</h2><h3>Wood</h3>{options}<h3>Length</h3><div>Two metres</div>"
    oars = "".join(f"<h3>Oar {n}</h3><p>{TEXT}</p>" for n in range(3))
    selected = ["Filters", "Wood", "Length", "Oar ", TEXT]
    texts = choice(f"<h1>Oars</h1>{filters}{oars}", selected, "listing")
    assert texts == [text for n in range(3) for text in (f"Oar {n}", TEXT)]
    texts = choice(f"<h1>Oars</h1><h2>Woods</h2><h3>Wood</h3>{options}{oars}", selected, "listing")
    assert "Wood" in texts


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
