"""Clean single lines and file names from untrusted text."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.text import FILE_NAME_BYTES, count_words, file_name, quantity, split_label


@given(st.text(max_size=400))
def test_a_file_name_is_safe_for_any_title(title):
    name = file_name(title)
    assert name
    assert len(name.encode()) <= FILE_NAME_BYTES
    assert not set(name) & set('\\/:*?"<>|\0\n\r\t')
    assert name[0] not in ".-"
    assert name == name.strip()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("A day at sea", "A day at sea"),
        ("../../etc/passwd", "etc passwd"),
        ("What is 1/2?", "What is 1 2"),
        ("海の日", "海の日"),
        ("--force", "force"),
        ("\u202egpj.exe", "gpj.exe"),
        ("", "article"),
        ("...", "article"),
    ],
)
def test_file_names(title, name):
    assert file_name(title) == name


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("The ferry's late – again.", 5),
        ("Das Schiff läuft aus", 4),
        ("船は港を出ます。", 4),
        ("10時にWick港を出ます", 6),
        ("เรือออกจากท่า", 7),
    ],
)
def test_words_are_counted_as_readers_do_in_every_script(text, words):
    assert count_words(text) == words


@given(st.text(st.characters(codec="latin-1"), max_size=200))
def test_with_spaces_words_are_what_spaces_separate(text):
    assert count_words(text) == len(text.split())


def test_a_number_has_its_noun():
    assert [quantity(n, "second") for n in (0, 1, 1.0, 2.5, 1_000_000)] == [
        "0 seconds", "1 second", "1 second", "2.5 seconds", "1000000 seconds",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("Source: Ann: x", ("Source", ":", " Ann: x")),
        ("来源：新华社", ("来源", ":", "新华社")),
        ("Ann", ("Ann", "", "")),
    ],
)
def test_a_line_is_split_after_its_label(line, parts):
    assert split_label(line) == parts


def test_a_file_name_has_the_letters_of_the_locale(monkeypatch):
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "latin-1")
    assert file_name("Über 港口 😀 Häfen") == "Über Häfen"
    assert file_name("港口") == "article"
