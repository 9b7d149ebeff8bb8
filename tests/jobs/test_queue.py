"""The job table: what it accepts, who may work on it, and when it is over."""

import os
import random
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from printer.errors import ErrorRecord, JobsError, UsageError
from printer.jobs import queue as table_module
from printer.jobs.models import PAGE_PART, JobRequest
from printer.jobs.queue import (
    CRASH_FAULTS,
    KILL_FAULTS,
    MAX_FAULTS,
    JobQueue,
    KeyReused,
    QueueFull,
    parts,
)
from tests.support.jobs import job_request

STORY = JobRequest("https://example.org/story", {"paper": "A5"}, {PAGE_PART: b"<p>\0\xff</p>" * 99})


def test_what_was_asked_comes_to_the_worker_as_it_was(table):
    job, new = table.submit(STORY)
    assert new
    assert (job.state, job.url, job.options) == ("queued", STORY.url, STORY.options)
    claim = table.lease("here")
    assert claim.request == STORY
    assert (claim.id, claim.attempt) == (job.id, 1)
    assert table.get(job.id).state == "running"


def test_jobs_are_taken_in_the_order_they_came(table):
    ids = [table.submit(JobRequest(f"https://example.org/{n}"))[0].id for n in range(5)]
    assert [table.lease("w").id for _ in ids] == ids
    assert table.lease("w") is None
    assert [job.id for job in table.list_recent()] == ids[::-1]


def test_a_key_makes_one_job_however_often_it_comes(table):
    first, new = table.submit(STORY, "key")
    again, newer = table.submit(STORY, "key")
    assert (first.id, new, newer) == (again.id, True, False)
    with pytest.raises(KeyReused):
        table.submit(JobRequest("https://example.org/other"), "key")
    assert table.submit(STORY)[0].id != first.id


def test_a_key_that_comes_from_many_at_once_makes_one_job(table):
    barrier = threading.Barrier(8)

    def submit(_):
        barrier.wait()
        return table.submit(STORY, "same")

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(submit, range(8)))
    assert len({job.id for job, _ in answers}) == 1
    assert sum(new for _, new in answers) == 1


def test_no_job_is_taken_twice(table):
    ids = {table.submit(JobRequest(f"https://example.org/{n}"))[0].id for n in range(40)}
    barrier = threading.Barrier(4)

    def work(_):
        barrier.wait()
        return [claim.id for claim in iter(lambda: table.lease("w"), None)]

    with ThreadPoolExecutor(4) as pool:
        taken = [job for each in pool.map(work, range(4)) for job in each]
    assert len(taken) == 40
    assert set(taken) == ids


def test_only_the_attempt_that_holds_a_job_finishes_it(table):
    job, _ = table.submit(STORY)
    old = table.lease("first")
    assert table.expire(job.id, old.attempt, 0)
    new = table.lease("second")
    assert (new.id, new.attempt) == (job.id, 2)
    assert not table.finish(old, {"title": "old"})
    assert not table.fail(old, ErrorRecord("old"))
    assert not table.release(old)
    assert table.heartbeat({job.id: (old.attempt, "x")}) == {job.id}
    assert table.finish(new, {"title": "new"})
    assert not table.finish(new, {"title": "again"})
    assert table.get(job.id).title == "new"


def test_a_sign_of_life_keeps_a_job(table):
    job, _ = table.submit(STORY)
    claim = table.lease("w")
    (seen,) = table.list_running()
    assert table.heartbeat({job.id: (claim.attempt, "print")}) == set()
    assert not table.expire(*seen)
    assert table.get(job.id).step == "print"
    assert table.finish(claim, {})


@pytest.mark.parametrize(("blame", "times"), [(CRASH_FAULTS, 5), (KILL_FAULTS, 20)])
def test_a_job_whose_workers_end_each_time_is_given_up(table, blame, times):
    job, _ = table.submit(STORY)
    for _ in range(times):
        assert table.get(job.id).state == "queued"
        table.release(table.lease("w"), "it broke", blame)
    over = table.get(job.id)
    assert over.state == "failed"
    assert "it broke" in over.error.message
    assert table.retry(job.id)
    assert table.get(job.id).faults == 0


def test_workers_lost_with_their_machine_are_hardly_held_against_a_job(table):
    job, _ = table.submit(STORY)
    for _ in range(MAX_FAULTS // CRASH_FAULTS + 1):
        table.lease("w")
        (seen,) = table.list_running()
        assert table.expire(*seen)
    assert table.get(job.id).state == "queued"


def test_a_job_may_be_put_back_without_blame_for_ever(table):
    job, _ = table.submit(STORY)
    for _ in range(3 * MAX_FAULTS):
        table.release(table.lease("w"))
    assert (table.get(job.id).state, table.get(job.id).faults) == ("queued", 0)


def test_a_cancelled_job_is_not_worked_on(table):
    waiting, running = (table.submit(JobRequest(f"https://a.test/{n}"))[0].id for n in "ab")
    claim = table.lease("w")
    assert claim.id == waiting
    assert table.cancel(waiting)
    assert table.cancel(running)
    assert table.lease("w") is None
    assert table.heartbeat({waiting: (1, "")}) == {waiting}
    assert not table.finish(claim, {})
    assert not table.cancel(waiting)
    assert table.retry(waiting)
    assert table.lease("w").attempt == 2


def test_a_removed_job_is_gone_with_its_page(table):
    job, _ = table.submit(STORY, "key")
    claim = table.lease("w")
    assert table.delete(job.id)
    assert table.get(job.id) is None
    with table._engine.connect() as connection:
        assert connection.execute(parts.select().where(parts.c.job == job.id)).first() is None
    assert not table.finish(claim, {})
    assert table.submit(STORY, "key")[1]


def test_old_jobs_are_forgotten_and_others_kept(database):
    now = [1000.0]
    table = JobQueue(database, clock=lambda: now[0])
    old, kept, waiting = (table.submit(JobRequest(f"https://a.test/{n}"))[0].id for n in range(3))
    table.finish(table.lease("w"), {})
    now[0] += 100
    table.finish(table.lease("w"), {})
    assert table.delete_older_than(50) == [old]
    assert [job.id for job in table.list_recent()] == [waiting, kept]
    table.disconnect()


def test_a_day_that_jumps_takes_no_job_from_its_worker(database):
    now = [1e9]
    table = JobQueue(database, clock=lambda: now[0])
    table.submit(STORY)
    claim = table.lease("w")
    for jump in (1e8, -5e8, 3e9):
        now[0] += jump
        assert table.delete_older_than(60) == []
        assert table.lease("another") is None
    assert table.finish(claim, {})
    table.disconnect()


def test_counts(table):
    for n in range(4):
        table.submit(JobRequest(f"https://a.test/{n}"))
    table.finish(table.lease("w"), {})
    table.fail(table.lease("w"), ErrorRecord("no"))
    table.lease("w")
    counts = {"queued": 1, "running": 1, "done": 1, "failed": 1, "cancelled": 0}
    assert table.count_by_state() == counts


def test_a_full_queue_takes_no_more(sqlite_table, monkeypatch):
    monkeypatch.setattr(table_module, "MAX_QUEUED", 2)
    for n in range(2):
        sqlite_table.submit(JobRequest(f"https://a.test/{n}"))
    with pytest.raises(QueueFull):
        sqlite_table.submit(STORY)


def test_what_was_accepted_is_there_when_opened_again(database):
    table = JobQueue(database)
    job, _ = table.submit(STORY)
    table.disconnect()
    again = JobQueue(database)
    assert again.get(job.id) == job
    again.disconnect()


def test_a_locked_database_is_told_and_nothing_is_lost(tmp_path, monkeypatch):
    monkeypatch.setattr("printer.db.engine.LOCK_TIMEOUT", 0.1)
    path = tmp_path / "jobs.sqlite"
    table = JobQueue(str(path))
    kept, _ = table.submit(STORY)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(JobsError, match="locked"):
        table.submit(STORY)
    with pytest.raises(JobsError, match="locked"):
        table.lease("w")
    assert table.get(kept.id) == kept, "who reads need not wait"
    other.execute("ROLLBACK")
    other.close()
    assert table.submit(STORY)[1]
    assert len(table.list_recent()) == 2
    table.disconnect()


def test_a_full_disk_accepts_nothing_and_loses_nothing(tmp_path):
    path = tmp_path / "jobs.sqlite"
    table = JobQueue(str(path))
    job, _ = table.submit(STORY)
    table.disconnect()
    from sqlalchemy import event

    pages = sqlite3.connect(path).execute("PRAGMA page_count").fetchone()[0]

    @event.listens_for(table._engine, "connect")
    def limit(connection, record):
        connection.execute(f"PRAGMA max_page_count = {pages + 2}").close()

    incompressible = JobRequest(
        "https://a.test/", {}, {PAGE_PART: random.Random(1).randbytes(200_000)}
    )
    with pytest.raises(JobsError, match="full"):
        table.submit(incompressible)
    assert table.get(job.id) == job
    claim = table.lease("w")
    assert claim.request == STORY
    assert table.finish(claim, {})
    table.disconnect()


def test_a_table_of_another_version_is_left_alone(tmp_path):
    path = tmp_path / "jobs.sqlite"
    JobQueue(str(path)).disconnect()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE about SET version = 99")
    connection.close()
    with pytest.raises(JobsError, match="version 99"):
        JobQueue(str(path))


@pytest.mark.parametrize("database", ["mysql://host/db", "sqlite://", "://", "nonsense://x"])
def test_only_known_databases_are_opened(database):
    with pytest.raises(UsageError):
        JobQueue(database)


def test_a_password_shows_nowhere():
    with pytest.raises(JobsError) as told:
        JobQueue("postgresql://me:sesame@127.0.0.1:1/prints")
    assert "sesame" not in str(told.value)


MOVES = st.lists(
    st.tuples(
        st.sampled_from(["claim", "finish", "fail", "release", "lose", "cancel", "retry", "beat"]),
        st.integers(0, 3),
    ),
    max_size=30,
)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves=MOVES)
def test_whatever_happens_a_job_is_done_at_most_once_and_never_lost(
    moves, tmp_path_factory, monkeypatch
):
    table = JobQueue(str(tmp_path_factory.mktemp("moves") / "jobs.sqlite"))
    ids = [table.submit(JobRequest(f"https://a.test/{n}"))[0].id for n in range(3)]
    claims, done = [], []
    for move, which in moves:
        job = ids[which % 3]
        claim = claims[which % len(claims)] if claims else None
        if move == "claim" and (new := table.lease("w")):
            claims.append(new)
        elif move == "finish" and claim and table.finish(claim, {"by": claim.attempt}):
            done.append(claim.id)
            assert table.get(claim.id).result == {"by": claim.attempt}
        elif move == "fail" and claim:
            table.fail(claim, ErrorRecord("no"))
        elif move == "release" and claim:
            table.release(claim, "lost")
        elif move == "beat" and claim:
            table.heartbeat({claim.id: (claim.attempt, "x")})
        elif move == "lose":
            for row in table.list_running():
                table.expire(*row)
        elif move == "cancel":
            table.cancel(job)
        elif move == "retry":
            table.retry(job)
    assert len(done) == len(set(done))
    assert sorted(job.id for job in table.list_recent(states=["done"])) == sorted(done)
    assert {job.id for job in table.list_recent()} == set(ids)
    table.disconnect()


def test_a_database_without_room_accepts_nothing_and_goes_on_when_there_is_some(sqlite_table):
    first, _ = sqlite_table.submit(job_request("first"))
    large = JobRequest("https://example.org/", {}, {"page": os.urandom(200_000)})

    def set_room(connection, _record):
        connection.execute(f"PRAGMA max_page_count = {room}").close()

    room = 20  # Pages of 4096 bytes.
    event.listen(sqlite_table._engine, "connect", set_room)
    sqlite_table.disconnect()
    with pytest.raises(JobsError, match="full"):
        sqlite_table.submit(large, "key")
    assert sqlite_table.count_by_state()["queued"] == 1
    assert sqlite_table.lease("w").id == first.id, "what was accepted is there and worked on"
    room = 1_000_000
    sqlite_table.disconnect()
    _, new = sqlite_table.submit(large, "key")
    assert new
    assert sqlite_table.lease("w").request == large


@pytest.mark.parametrize("jump", [-10 * 365 * 86_400, 10 * 365 * 86_400])
def test_a_clock_that_jumps_changes_no_order_and_loses_nothing(database, jump):
    now = [1_800_000_000.0]
    table = JobQueue(database, clock=lambda: now[0])
    try:
        ids = [table.submit(job_request("before"))[0].id]
        claim = table.lease("w")
        now[0] += jump
        ids.append(table.submit(job_request("after"))[0].id)
        assert table.heartbeat({claim.id: (claim.attempt, "")}) == set(), "it is still held"
        assert table.finish(claim, {})
        assert table.lease("w").id == ids[1]
        gone = table.delete_older_than(30 * 86_400)
        assert gone == [], "a print that was finished now is not old"
        assert [table.get(each).state for each in ids] == ["done", "running"]
    finally:
        table.disconnect()


def test_a_key_that_is_reused_does_no_harm_to_those_beside_it(table):
    table.submit(job_request("first"), "key")

    def submit(n):
        try:
            return table.submit(job_request(f"story/{n}"), "key" if n % 10 == 3 else "")[0].id
        except KeyReused:
            return None

    with ThreadPoolExecutor(30) as pool:
        ids = list(pool.map(submit, range(60)))
    assert [n for n in range(60) if ids[n] is None] == [3, 13, 23, 33, 43, 53]
    assert {table.get(each).url for each in ids if each} == {
        job_request(f"story/{n}").url for n in range(60) if n % 10 != 3
    }
    assert table.count_by_state()["queued"] == 55


def test_a_commit_that_fails_accepts_none(table):
    def full(connection):
        raise OSError("no space left on device")

    event.listen(table._engine, "commit", full)
    try:
        with pytest.raises((JobsError, OSError)):
            table.submit(job_request("story"))
    finally:
        event.remove(table._engine, "commit", full)
    assert table.count_by_state()["queued"] == 0
    assert table.submit(job_request("story"))[1]
