"""Named entities by rule, and what they say about a caption (Joshi and Liu)."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.html.page import read_page
from printer.images.candidates import find_candidates
from printer.images.papers import joshi_liu
from printer.images.papers.joshi_liu import (
    SHORT_CHARS,
    article_subtree,
    block_segments,
    caption_relevance,
    cosine_similarity,
    is_relevant,
    representative_names,
)
from printer.images.papers.ner import find_names, find_terms
from printer.selection import Verdict


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("The mayor, Ada Fenwick, spoke.", {"ada fenwick": 1}),
        ("Yesterday it rained in Kestermouth.", {"kestermouth": 1}),
        ("Rain fell. Nobody came.", {}),
        ("Dr. Oake came. Oake left.", {"oake": 2}),
        ("Ada Fenwick spoke. Then Fenwick left with Ada.", {"ada fenwick": 3}),
        ("They met at the University of Kestermouth.", {"university of kestermouth": 1}),
        ("Today shares of Vell & Sons rose.", {"vell & sons": 1}),
        ("NATO met on Tuesday in March.", {"nato": 1}),
        ("J. R. Vell, Crane Street, Hollin", {"j r vell": 1, "crane street": 1, "hollin": 1}),
        ("Kestermouth's harbour is deep, said Kestermouth’s mayor.", {"kestermouth": 2}),
        ("Vincent van der Lind paints.", {"vincent van der lind": 1}),
        ("the maid of kester", {"maid": 1, "kester": 1}),
        ("THE MAID OF KESTER", {"maid": 1, "kester": 1}),
        ("Η γέφυρα στο Χόλιν είναι νέα.", {"χόλιν": 1}),
        ("渡し場", {"渡し": 1, "し場": 1}),
        ("القنديل", {"قنديل": 1}),
        ("", {}),
    ],
)
def test_names(text: str, entities: dict[str, int]) -> None:
    assert find_names(text) == Counter(entities)


@given(st.text())
def test_any_text_has_names_that_are_not_blank(text: str) -> None:
    assert all(name.strip() and count > 0 for name, count in find_names(text).items())
    assert all(find_terms(text))


def test_the_cosine_by_hand() -> None:
    one, other = Counter(a=3, b=4), Counter(a=6, b=8)
    assert cosine_similarity(one, other) == pytest.approx(1)
    assert cosine_similarity(Counter(a=1, b=1), Counter(a=1, c=1)) == pytest.approx(0.5)
    assert cosine_similarity(Counter(a=1), Counter(b=1)) == 0
    assert cosine_similarity(Counter(), one) == 0
    assert cosine_similarity(Counter(a=1, b=2), Counter(a=2, b=1)) == pytest.approx(
        4 / math.sqrt(25)
    )


def test_representatives_are_the_commonest_with_their_ties() -> None:
    assert representative_names(Counter(a=5, b=2, c=2, d=1), 2) == {"a", "b", "c"}
    assert representative_names(Counter(a=1), 5) == {"a"}


ARTICLE = Counter({"ada fenwick": 9, "kestermouth": 6, "hollin": 4, "oake": 1})


@pytest.mark.parametrize(
    ("caption", "share"),
    [
        ("Ada Fenwick at the ferry", 1.0),
        ("Mayor Fenwick at the ferry", 1.0),
        ("Ada Fenwick and Tove Lindqvar", 0.5),
        ("Thomas Oake, who is mentioned once", 0.0),
        ("a ferry on a river", 0.0),
        ("", 0.0),
    ],
)
def test_a_short_caption_has_to_mention_a_representative_name(
    caption: str, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joshi_liu, "REPRESENTATIVES", 3)
    assert caption_relevance(caption, ARTICLE) == pytest.approx(share)
    assert is_relevant(caption, ARTICLE) is (share > 0)


def test_a_long_caption_has_to_point_the_same_way() -> None:
    filler = "and then a good deal happened that nobody had thought of before it did " * 6
    same = f"We saw Ada Fenwick {filler} in Kestermouth {filler}"
    other = f"We saw Tove Lindqvar {filler} in Vell, {filler} in Vell, {filler} in Hollin"
    assert len(same) > SHORT_CHARS
    assert caption_relevance(same, ARTICLE) == pytest.approx(15 / math.sqrt(2 * (81 + 36 + 16 + 1)))
    assert is_relevant(same, ARTICLE)
    assert not is_relevant(other, ARTICLE)


def test_the_article_subtree_is_the_smallest_with_nearly_all_text() -> None:
    page = read_page(
        "<body><div><div id=a><p>" + "x" * 300 + "</p><p>" + "y" * 300 + "</p></div>"
        "<p>short</p></div><div id=b>z</div></body>"
    )
    verdict = Verdict(tuple(len(segment.text) > 1 for segment in page.segments))
    top = article_subtree(page, verdict)
    assert page.index.elements[top].get("id") == "a"
    first = page.index.elements.index(page.tree.find(".//p"))
    assert top <= first < page.index.subtree_ends[top] < len(page.index.elements)
    assert article_subtree(page, Verdict((False,) * len(page.segments))) == -1


def test_the_caption_is_the_text_of_the_first_block() -> None:
    page = read_page("<p>Text.</p><div><p><img src=a.jpg> The boat.</p><p>More.</p></div>")
    assert block_segments(page, find_candidates(page)[0]) == range(1, 2)
