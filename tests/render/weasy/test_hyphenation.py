"""Tests of the lazy reading of Pyphen's dictionaries."""

from itertools import pairwise

import pyphen
import pytest

from printer.render.weasy import hyphenation
from printer.render.weasy.hyphenation import HyphDict, parse_pattern, prepare_hyphenation


@pytest.mark.parametrize("language", ["en", "fr", "hu", "ru"])
def test_dictionaries_are_read_as_pyphen_reads_them(language: str) -> None:
    path = pyphen.LANGUAGES[language]
    expected = HyphDict.__bases__[0](path)
    lazy = HyphDict(path)

    assert {key: lazy.patterns.get(key) for key in expected.patterns} == expected.patterns
    assert not any(lazy.patterns.get(key) for key in lazy.patterns.keys() - expected.patterns)
    assert lazy.maxlen == expected.maxlen


def test_words_are_hyphenated_as_by_pyphen() -> None:
    lazy = HyphDict(pyphen.LANGUAGES["hu"])
    expected = HyphDict.__bases__[0](pyphen.LANGUAGES["hu"])

    for word in ("asszonnyal", "könnyebbség", "budapest", "a"):
        points = [(point, point.data) for point in lazy.positions(word)]
        assert points == [(point, point.data) for point in expected.positions(word)]


def test_pattern_without_values_is_dropped() -> None:
    assert parse_pattern("0a0b") == ("ab", None)
    assert parse_pattern(".a2b1") == (".ab", (2, (2, 1)))


def test_only_so_many_words_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hyphenation, "MAX_CACHED_WORDS", 10)
    english = HyphDict(pyphen.LANGUAGES["en_GB"])
    for number in range(100):
        english.positions("word" + "y" * number)
    assert len(english.cache) <= 10


@pytest.mark.parametrize("divided", ["doesn't", "shouldn’t", "gov-ern-ment's", "won-der-ful"])
def test_the_end_of_a_contraction_stays_whole(divided: str) -> None:
    prepare_hyphenation()
    assert pyphen.Pyphen(lang="en_US").inserted(divided.replace("-", "")) == divided


def test_names_are_not_divided_after_two_letters() -> None:
    english = HyphDict(pyphen.LANGUAGES["en_GB"])

    assert 2 in english.positions("reuters")
    assert 2 not in english.positions("Reuters")


@pytest.mark.parametrize(
    ("language", "divided"),
    [
        ("en", "ter-ri-to-ry"),
        ("en_US", "ter-ri-to-ry"),
        ("en_GB", "ter-rit-ory"),
        ("en_AU", "ter-rit-ory"),
        ("en_PH", "ter-ri-to-ry"),
    ],
)
def test_english_is_divided_by_its_country(language: str, divided: str) -> None:
    prepare_hyphenation()
    dictionary = pyphen.Pyphen(lang=pyphen.language_fallback(language))

    assert dictionary.inserted("territory") == divided


@pytest.mark.parametrize(
    "divided",
    ["unglück-lich", "Rück-kehr", "Deutsch-land", "zu-rück", "Charles", "Bis-marck", "Stre-cke"],
)
def test_every_piece_of_a_german_word_is_a_syllable(divided: str) -> None:
    german = HyphDict(pyphen.LANGUAGES["de_DE"])
    word = divided.replace("-", "")
    positions = [at for at in german.positions(word) if 1 < at < len(word) - 2]
    pieces = [word[a:b] for a, b in pairwise((0, *positions, len(word)))]

    assert "-".join(pieces) == divided
