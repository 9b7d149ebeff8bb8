"""Tests of the lazy reading of Pyphen's dictionaries."""

import pyphen
import pytest

from printer.render.weasy.engine import HyphDict, parse_pattern


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


def test_names_are_not_divided_after_two_letters() -> None:
    english = HyphDict(pyphen.LANGUAGES["en"])

    assert 2 in english.positions("reuters")
    assert 2 not in english.positions("Reuters")
