"""A clock that was set is not believed for a while, and nothing is deleted by it."""

from __future__ import annotations

import pytest

from printer.jobs.queue import JobQueue, JobRequest
from printer.jobs.supervisor import ClockGuard

YEAR = 365 * 86_400.0


def clock(day: list[float], steady: list[float]) -> ClockGuard:
    made = ClockGuard(wall_clock=lambda: day[0], monotonic_clock=lambda: steady[0])
    made.check()
    return made


@pytest.mark.parametrize("jump", [-YEAR, YEAR, 3600.0])
def test_a_clock_that_was_set_is_believed_again_after_a_day(jump: float) -> None:
    day, steady = [2e9], [500.0]
    made = clock(day, steady)
    day[0] += jump
    made.check()
    assert not made.is_reliable
    for _ in range(23):
        day[0] += 3600
        steady[0] += 3600
        made.check()
    assert not made.is_reliable
    steady[0] += 2 * 3600
    assert made.is_reliable


def test_what_corrects_a_clock_and_what_lets_a_machine_sleep_are_no_jumps() -> None:
    day, steady = [2e9], [500.0]
    made = clock(day, steady)
    for passed, corrected in ((60.0, 0.5), (8 * 3600.0, -0.5), (1.0, 20.0)):
        steady[0] += passed
        day[0] += passed + corrected
        made.check()
    assert made.is_reliable


def test_the_systems_own_clock_is_even() -> None:
    made = ClockGuard()
    made.check()
    made.check()
    assert made.is_reliable


def test_a_print_that_ended_before_it_was_asked_for_is_not_old(database: str) -> None:
    now = [2e9]
    table = JobQueue(database, clock=lambda: now[0])
    try:
        job = table.submit(JobRequest("https://a.test/1"))[0].id
        now[0] -= YEAR
        table.finish(table.lease("w"), {})
        now[0] += YEAR + 10
        assert table.delete_older_than(60) == []
        now[0] += 100
        assert table.delete_older_than(60) == [job]
    finally:
        table.disconnect()
