"""After a clock jump nothing is deleted for a while."""

import pytest

from printer.jobs.engine import ClockGuard

YEAR = 365 * 86_400.0


@pytest.mark.parametrize("jump", [-YEAR, YEAR, 3600.0])
def test_a_clock_that_was_set_is_believed_again_after_a_day(jump):
    day, steady = [2e9], [500.0]
    guard = ClockGuard(lambda: day[0], lambda: steady[0])
    assert guard.is_reliable()
    day[0] += jump
    for _ in range(24):
        assert not guard.is_reliable()
        day[0] += 3600
        steady[0] += 3600
    assert guard.is_reliable()


def test_small_corrections_and_sleep_are_no_clock_jumps():
    day, steady = [2e9], [500.0]
    guard = ClockGuard(lambda: day[0], lambda: steady[0])
    for passed, corrected in ((60.0, 0.5), (8 * 3600.0, -0.5), (1.0, 20.0)):
        steady[0] += passed
        day[0] += passed + corrected
        assert guard.is_reliable()


def test_the_systems_own_clock_is_even():
    guard = ClockGuard()
    assert guard.is_reliable()
    assert guard.is_reliable()
