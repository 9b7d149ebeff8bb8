"""One clean line of a stranger's text, and file names made of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.text import FILE_NAME_BYTES, file_name


@given(st.text(max_size=400))
def test_a_file_name_is_safe_whatever_the_title(title):
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
