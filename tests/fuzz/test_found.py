"""Valid examples, parts of them, and everything that fuzzing has found, as regression tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.seeds import SEEDS, WORDS
from tests.fuzz.targets import TARGETS

FOUND = sorted((Path(__file__).parent / "found").glob("*-*"))


def test_every_target_has_seeds_and_the_reverse() -> None:
    assert SEEDS.keys() == TARGETS.keys()


@pytest.mark.parametrize("name", TARGETS)
def test_valid_and_truncated_examples(name: str) -> None:
    for seed in SEEDS[name]:
        for end in (len(seed), len(seed) // 2, len(seed) // 3, 0):
            TARGETS[name](seed[:end])


@pytest.mark.parametrize("file", FOUND, ids=lambda file: file.name)
def test_former_findings_stay_fixed(file: Path) -> None:
    TARGETS[file.name.partition("-")[0]](file.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_examples_with_something_put_in(name: str) -> None:
    pieces = st.sampled_from([word.encode("latin-1") for word in WORDS]) | st.binary(max_size=8)

    @settings(max_examples=15, database=None, derandomize=True)
    @given(
        seed=st.sampled_from(SEEDS[name]),
        put=st.lists(st.tuples(st.floats(0, 1), pieces), min_size=1, max_size=4),
    )
    def try_one(seed: bytes, put: list[tuple[float, bytes]]) -> None:
        for where, piece in put:
            at = int(where * len(seed))
            seed = seed[:at] + piece + seed[at:]
        TARGETS[name](seed)

    try_one()
