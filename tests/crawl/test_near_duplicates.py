"""Detection of nearly identical texts."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from printer.crawl.near_duplicates import (
    NEAR_DUPLICATE,
    bands,
    resemblance,
    sketch,
)

WORDS = [f"word{n}" for n in range(3000)]


def text(seed, length=600):
    return " ".join(random.Random(seed).choices(WORDS, k=length))


def shared(one, other):
    """The true resemblance."""

    def runs(t):
        words = t.split()
        return {tuple(words[i : i + 4]) for i in range(len(words) - 3)}

    return len(runs(one) & runs(other)) / len(runs(one) | runs(other))


def test_case_and_spaces_do_not_matter():
    one = sketch("The ferry leaves the harbour at dawn, and nobody is late.")
    other = sketch("THE FERRY leaves\nthe harbour; at dawn and nobody is late")
    assert resemblance(one, other) == 1
    assert bands(one) == bands(other)


@pytest.mark.parametrize("changed", [0, 5, 20, 60, 150, 600])
def test_a_sketch_estimates_how_much_two_texts_share(changed):
    one = text(1)
    words = one.split()
    for place in random.Random(2).sample(range(len(words)), changed):
        words[place] = f"other{place}"
    other = " ".join(words)
    assert resemblance(sketch(one), sketch(other)) == pytest.approx(shared(one, other), abs=0.16)


def test_near_texts_share_a_band_and_others_do_not():
    one, other = text(1), text(1) + " and one word more, a correction of the editor"
    assert resemblance(sketch(one), sketch(other)) >= NEAR_DUPLICATE
    assert set(bands(sketch(one))) & set(bands(sketch(other)))
    assert not set(bands(sketch(text(1)))) & set(bands(sketch(text(2))))


def test_scripts_without_spaces_are_read_sign_by_sign():
    one = "渡船は夜明けに港を出て、誰も遅れることはない。灯台の光が消える。"
    assert resemblance(sketch(one), sketch(one.replace("灯台", "燈台"))) > 0.3
    assert resemblance(sketch(one), sketch("全く別の話がここに書かれている、それだけのこと")) < 0.1


def test_a_text_without_words_resembles_nothing():
    assert sketch("") == sketch(" -- !") == b""
    assert resemblance(b"", sketch("A word")) == 0


@settings(deadline=None)
@given(st.text(min_size=1, max_size=200))
def test_a_sketch_is_as_long_for_any_text(any_text):
    signature = sketch(any_text)
    if signature:
        assert len(signature) == 4 * 64
        assert resemblance(signature, signature) == 1
