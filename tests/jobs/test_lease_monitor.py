"""Silence is measured with a clock that only counts, and only while the table could be seen."""

from printer.jobs.supervisor import LeaseMonitor

JOB = ("a", 1, 0)


def looks(watch, times, rows=(JOB,)):
    return [watch.expired(rows, now) for now in times]


def test_a_job_whose_worker_is_silent_is_found_after_the_lease():
    found = looks(LeaseMonitor(timeout=15, interval=3), range(0, 19, 3))
    assert found == [[]] * 5 + [[JOB], [JOB]]


def test_a_beat_begins_the_count_anew():
    watch = LeaseMonitor(timeout=15, interval=3)
    looks(watch, range(0, 13, 3))
    assert watch.expired([("a", 1, 1)], 15) == []
    assert looks(watch, range(18, 30, 3), [("a", 1, 1)]) == [[]] * 4
    assert watch.expired([("a", 1, 1)], 30) == [("a", 1, 1)]


def test_another_attempt_begins_the_count_anew():
    watch = LeaseMonitor(timeout=6, interval=3)
    looks(watch, (0, 3))
    assert watch.expired([("a", 2, 0)], 6) == []


def test_a_time_in_which_nobody_could_look_does_not_count():
    watch = LeaseMonitor(timeout=15, interval=3)
    assert looks(watch, (0, 3, 1000)) == [[], [], []]


def test_what_ran_out_is_forgotten():
    watch = LeaseMonitor(timeout=6, interval=3)
    looks(watch, (0, 3))
    assert watch.expired([], 6) == []
    assert looks(watch, (9, 12)) == [[], []]
