"""A clock that was set is not believed for a while, and nothing is deleted by it."""

from __future__ import annotations

import pytest

from printer.jobs.clocks import Clock
from printer.jobs.queue import JobTable, Request

YEAR = 365 * 86_400.0


def clock(day: list[float], steady: list[float]) -> Clock:
    made = Clock(day=lambda: day[0], steady=lambda: steady[0])
    made.look()
    return made


@pytest.mark.parametrize("jump", [-YEAR, YEAR, 3600.0])
def test_a_clock_that_was_set_is_believed_again_after_a_day(jump: float) -> None:
    day, steady = [2e9], [500.0]
    made = clock(day, steady)
    day[0] += jump
    made.look()
    assert not made.is_even
    for _ in range(23):
        day[0] += 3600
        steady[0] += 3600
        made.look()
    assert not made.is_even
    steady[0] += 2 * 3600
    assert made.is_even


def test_what_corrects_a_clock_and_what_lets_a_machine_sleep_are_no_jumps() -> None:
    day, steady = [2e9], [500.0]
    made = clock(day, steady)
    for passed, corrected in ((60.0, 0.5), (8 * 3600.0, -0.5), (1.0, 20.0)):
        steady[0] += passed
        day[0] += passed + corrected
        made.look()
    assert made.is_even


def test_the_systems_own_clock_is_even() -> None:
    made = Clock()
    made.look()
    made.look()
    assert made.is_even


def test_a_print_that_ended_before_it_was_asked_for_is_not_old(database: str) -> None:
    now = [2e9]
    table = JobTable(database, clock=lambda: now[0])
    try:
        job = table.submit(Request("https://a.test/1"))[0].id
        now[0] -= YEAR
        table.finish(table.claim("w"), {})
        now[0] += YEAR + 10
        assert table.remove_older(60) == []
        now[0] += 100
        assert table.remove_older(60) == [job]
    finally:
        table.disconnect()
