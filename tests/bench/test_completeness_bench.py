"""How a printed page is searched for the pieces of an article."""

from __future__ import annotations

from benchmarks.completeness import broken


def test_a_cell_on_two_pages_ends_before_the_next_cell_of_the_first_page() -> None:
    pages = ["tensorsandmixtures" + "instructornotes", "independentcomponentanalysis"]
    piece = "tensorsandmixtures" + pages[1]
    assert broken(piece, pages, 0, 0) == (0, len("tensorsandmixtures"))
