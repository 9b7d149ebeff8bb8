"""From words to terms: stop words, stems, scripts without spaces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.summarize import Tokenizer


def terms(text, language="en"):
    return [term for term, _ in Tokenizer(language).terms(text)]


def test_stop_words_go_and_the_rest_is_stemmed():
    assert terms("The bridges were bridging a river, and the River's banks") == [
        "bridg", "bridg", "river", "river", "bank",
    ]  # fmt: skip


def test_words_are_given_as_they_are_written():
    assert list(Tokenizer("en").terms("Bridges bridge")) == [
        ("bridg", "Bridges"),
        ("bridg", "bridge"),
    ]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "die Brücken und der Brücke", ["bruck", "bruck"]),
        ("ru", "и мосты на мосту", ["мост", "мост"]),
        ("zh", "跨海大桥", ["跨海", "海大", "大桥"]),
        ("ja", "大橋を渡る", ["大橋", "橋を", "を渡", "渡る"]),
        ("xx", "unknown tongue", ["unknown", "tongue"]),
        ("", "no language", ["no", "language"]),
    ],
)
def test_languages(language, text, expected):
    assert terms(text, language) == expected


def test_numbers_and_marks_are_no_terms():
    assert terms("12 3.5 % — … 2nd") == []


def test_a_word_of_a_megabyte_is_no_term():
    assert terms("a" * 1_000_000 + " bridge") == ["bridg"]


@given(st.text(max_size=300), st.sampled_from(["en", "de", "ar", "zh", "th", "xx", ""]))
def test_any_text_gives_terms_that_are_words_of_it(text, language):
    for term, word in Tokenizer(language).terms(text):
        assert term
        assert word in text
