"""The title node of CUTER."""

from __future__ import annotations

import pytest

from printer.html.metadata.titles import find_title_node


@pytest.mark.parametrize(
    ("texts", "title", "node"),
    [
        (["Rain", "x", "Rain", "y"], "Rain", 2),
        (["RAIN  here"], "rain", 0),
        (["Rain in the valley"], "Rain in the valley - The Bugle", 0),
        (["The"], "The rain in the valley", None),
        (["x", "y"], "Rain", None),
        (["x"], "", None),
        (["Rain, " * 30], "Rain", None),
    ],
    ids=["the latest", "any case", "with the site's name", "too little", "none", "no title",
         "in running text"],
)  # fmt: skip
def test_the_latest_node_that_contains_the_title(
    texts: list[str], title: str, node: int | None
) -> None:
    assert find_title_node([" ".join(text.split()) for text in texts], title) == node
