"""Large first letters in separate blocks are joined with their words."""

from __future__ import annotations

import pytest

from printer import extract
from printer.article import Paragraph, Span, plain_text
from printer.compose.postprocess import join_drop_caps
from tests.support.story_page import SENTENCE, story_page

URL = "https://example.org/story"
LONG = " and so on, for as long as it takes to make a paragraph of some length out of it."


def paragraph(text: str) -> Paragraph:
    return Paragraph((Span(text),))


@pytest.mark.parametrize(
    ("initial", "text", "joined"),
    [
        ("D", "uring the storm", "During the storm"),
        ("“W", "e never left”", "“We never left”"),
        ("É", "tait-ce la pluie", "Était-ce la pluie"),
        ("A", "nother ferry", "Another ferry"),
    ],
)
def test_a_letter_and_the_paragraph_after_it_are_one(initial: str, text: str, joined: str) -> None:
    (block,) = join_drop_caps((paragraph(initial), paragraph(text + LONG)))
    assert isinstance(block, Paragraph)
    assert plain_text(block.spans) == joined + LONG


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("A", "abacus, " + LONG),  # words by their first letters
        ("B", "Nothing goes on here, " + LONG),
        ("C", "too short"),
        ("5", "pieces of something, " + LONG),
        ("As", "follows, in the order in which they came, " + LONG),
        ("x", "is what was sought, " + LONG),
    ],
)
def test_other_short_lines_stay(before: str, text: str) -> None:
    blocks = (paragraph(before), paragraph(text))
    assert join_drop_caps(blocks) == blocks


def test_an_initial_apart_from_its_paragraph_is_kept() -> None:
    page = story_page().replace(f"<p>{SENTENCE}", f"<div class=first>T</div><p>{SENTENCE[1:]}", 1)
    assert "<div class=first>" in page
    assert SENTENCE.strip() in extract(page, URL).text
