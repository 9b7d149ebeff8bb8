"""How tests are distributed to processes."""

from pathlib import Path

import pytest

from tests.support.distribution import scope_of


@pytest.mark.parametrize(
    ("file", "together"),
    [
        ("tests/bench/test_layout_bench.py", True),  # by a fixture of its own
        ("tests/render/weasy/test_tags.py", True),  # by one with parameters
        ("tests/server/test_editor.py", True),  # by one of its folder
        ("tests/render/test_links.py", False),
        ("tests/test_text.py", False),
    ],
)
def test_tests_that_share_a_fixture_of_their_module_go_together(file, together):
    assert (scope_of(f"{file}::test_a[x]") == scope_of(f"{file}::test_b[y::z]")) is together


def test_the_thorough_tests_exist() -> None:
    tests = Path(__file__).parent
    for line in (tests / "thorough.txt").read_text().splitlines():
        if not line.startswith("#"):
            file, _, name = line.partition("::")
            assert f"def {name.partition('[')[0]}(" in (tests / file).read_text(), line
