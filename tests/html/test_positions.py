"""Positions in the tree, compared with lxml's ancestors and subtrees."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from printer.html.index import covered_by_ranges
from printer.html.page import read_page

PIECES = st.lists(
    st.sampled_from([
        "<div>", "</div>", "<p>", "<span>", "</span>", "<br>", "<svg></svg>", "<script>x</script>",
        "<select><option>no</select>", "word ", "a, b. ", "<td>", "<table>", "</table>", " ",
    ]),
    max_size=40,
)  # fmt: skip


@given(PIECES)
def test_the_segments_inside_an_element_are_those_whose_first_leaf_it_holds(
    pieces: list[str],
) -> None:
    page = read_page("".join(pieces))
    tree = page.index
    lows, highs = tree.segment_ranges(range(len(tree.tags)))
    for place, element in enumerate(page.index.elements):
        inner = []
        for segment in page.segments:
            leaf = segment.leaves[0]
            holder = leaf.element.getparent() if leaf.tail else leaf.element
            if element is holder or element in list(holder.iterancestors()):
                inner.append(segment.index)
        assert list(range(lows[place], highs[place])) == inner


@given(PIECES)
def test_an_element_ends_after_its_last_descendant(pieces: list[str]) -> None:
    page = read_page("".join(pieces))
    tree = page.index
    for place, element in enumerate(page.index.elements):
        below = [inner for inner in element.iter("*") if inner in page.index.elements]
        assert tree.subtree_ends[place] == place + len(below)
        assert tree.closes[place] == tree.opens[place] + 2 * len(below) - 1


def test_a_tail_behind_elements_left_out_stands_behind_the_last_one_kept() -> None:
    page = read_page("<body><b>one</b><svg></svg><svg></svg>two<hr><svg></svg>three</body>")
    tree = page.index
    bold, rule = tree.tags.index("b"), tree.tags.index("hr")
    assert (tree.segment_firsts[0], tree.segment_lasts[0]) == (tree.opens[bold], tree.closes[bold])
    assert tree.segment_firsts[1] == tree.closes[rule]


def test_overlapping_ranges_cover_their_union() -> None:
    flags = covered_by_ranges(np.array([1, 1, 4]), np.array([4, 2, 4]), 5)
    assert flags.tolist() == [False, True, True, True, False]
