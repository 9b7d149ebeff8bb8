"""The longest common subsequence and the edit distance, compared with the textbook algorithms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scoring import common_subsequence, edit_distance

TEXT = st.text("abc", max_size=14)


def subsequence_by_table(one: str, other: str) -> int:
    above = [0] * (len(other) + 1)
    for left in one:
        row = [0]
        for place, right in enumerate(other):
            row.append(above[place] + 1 if left == right else max(above[place + 1], row[-1]))
        above = row
    return above[-1]


def distance_by_table(one: str, other: str) -> int:
    above = list(range(len(other) + 1))
    for line, left in enumerate(one, 1):
        row = [line]
        for place, right in enumerate(other):
            row.append(min(above[place] + (left != right), above[place + 1] + 1, row[-1] + 1))
        above = row
    return above[-1]


@pytest.mark.parametrize(
    ("one", "other", "common", "distance"),
    [("", "", 0, 0), ("", "abc", 0, 3), ("kitten", "sitting", 4, 3), ("rain", "rain", 4, 0),
     ("abcbdab", "bdcaba", 4, 5), ("x" * 200, "y" + "x" * 200, 200, 1)],
)  # fmt: skip
def test_known_pairs(one: str, other: str, common: int, distance: int) -> None:
    assert common_subsequence(one, other) == common
    assert edit_distance(one, other) == distance


@given(TEXT, TEXT)
def test_both_agree_with_the_full_table(one: str, other: str) -> None:
    assert common_subsequence(one, other) == subsequence_by_table(one, other)
    assert edit_distance(one, other) == distance_by_table(one, other)


@given(st.lists(st.integers(0, 3), max_size=90), st.lists(st.integers(0, 3), max_size=90))
def test_the_two_bound_each_other(one: list[int], other: list[int]) -> None:
    common = common_subsequence(one, other)
    distance = edit_distance(one, other)
    longer, shorter = max(len(one), len(other)), min(len(one), len(other))
    assert longer - common <= distance <= len(one) + len(other) - 2 * common
    assert distance >= longer - shorter
    assert common_subsequence(other, one) == common
    assert edit_distance(other, one) == distance
