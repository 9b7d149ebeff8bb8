"""The job queue: submission, order, completion and expiry."""

import pickle
import random
import sqlite3
import threading
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, text

from printer.errors import ErrorRecord, JobsError, UsageError
from printer.jobs import PAGE_PART, JobRequest
from printer.jobs import queue as queue_module
from printer.jobs.queue import MAX_DISPATCHES, JobQueue, KeyReused, QueueFull, pack, unpack
from tests.support.jobs import claim, job_request, wait_until

STORY = JobRequest("https://example.org/story", {"paper": "A5"}, {PAGE_PART: b"<p>\0\xff</p>" * 99})


def order(table):
    """Take all jobs, and return the ends of their addresses."""
    return [claimed.url.rpartition("/")[2] for claimed in iter(lambda: claim(table), None)]


def submit(table, *names, **more):
    return [table.submit(JobRequest(f"https://a.test/{name}"), **more)[0].id for name in names]


def test_accepted_jobs_are_listed(table):
    job, new = table.submit(STORY)
    assert new
    assert (job.state, job.url, job.options, job.attempt) == ("queued", STORY.url, STORY.options, 0)
    assert table.get(job.id) == job
    claimed = claim(table)
    assert (claimed.id, claimed.attempt) == (job.id, 1)
    assert table.get(job.id).state == "running"
    assert table.attempt(job.id) == (1, STORY.options, None)


@given(data=st.binary(max_size=2000))
def test_bytes_are_the_same_after_they_were_text(data):
    assert unpack(pack(data)) == data


def test_jobs_are_taken_in_order_of_submission(table):
    ids = submit(table, *"01234")
    assert order(table) == [*"01234"]
    assert claim(table) is None
    assert [job.id for job in table.list_recent()] == ids[::-1]


def test_senders_take_turns_and_background_jobs_wait(table):
    submit(table, *"xyz", sender="batch", background=True)
    submit(table, *"12345", sender="ada")
    submit(table, *"ab", sender="bob")
    assert claim(table).url.endswith("1")
    submit(table, "c", sender="eve")
    assert order(table) == [*"ac2b345xyz"]


def test_a_late_sender_does_not_overtake_waiting_ones(table):
    submit(table, *"123456", sender="ada")
    assert [claim(table).url[-1] for _ in "123"] == [*"123"]
    submit(table, *"ab", sender="bob")
    assert order(table) == [*"4a5b6"]


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
    ids = set(submit(table, *range(40)))
    barrier = threading.Barrier(4)

    def work(_):
        barrier.wait()
        return [claimed.id for claimed in iter(lambda: claim(table), None)]

    with ThreadPoolExecutor(4) as pool:
        claimed = [job for batch in pool.map(work, range(4)) for job in batch]
    assert len(claimed) == 40
    assert set(claimed) == ids


def test_only_the_execution_that_has_a_job_finishes_it(table):
    job, _ = table.submit(STORY)
    old = claim(table, "first")
    assert not table.requeue(job.id, "other")
    assert table.requeue(job.id, "first")
    new = claim(table, "second")
    assert (new.id, new.attempt) == (job.id, 2)
    assert not old.finish({"title": "old"})
    assert not old.fail(ErrorRecord("old"))
    assert not table.requeue(job.id, "first")
    assert new.finish({"title": "new"})
    assert not new.finish({"title": "again"})
    assert table.get(job.id).title == "new"


def test_a_failure_has_its_reason(table):
    job, _ = table.submit(STORY)
    record = ErrorRecord("no \ud800 such page", "HTTPStatusError", "Look again", code=6, status=404)
    assert claim(table).fail(record)
    assert table.get(job.id).error == record
    assert table.retry(job.id)
    again = table.get(job.id)
    assert (again.state, again.error, again.finished) == ("queued", None, None)
    assert claim(table).attempt == 2


def test_a_job_that_was_lost_too_often_is_given_up(table):
    job, _ = table.submit(STORY)
    claim(table)
    table._client._sys_db.dead_letter_workflows([job.id], min_recovery_attempts=1)
    abandoned = table.get(job.id)
    assert abandoned.state == "failed"
    assert f"{MAX_DISPATCHES} times" in abandoned.error.message
    assert table.retry(job.id)


def test_a_cancelled_job_is_not_worked_on(table):
    waiting, running = submit(table, *"ab")
    claimed = claim(table)
    assert claimed.id == waiting
    assert table.cancel(waiting)
    assert table.cancel(running)
    assert claim(table) is None
    assert not claimed.finish({})
    assert not table.cancel(waiting)
    assert not table.cancel("0" * 20)
    assert table.retry(waiting)
    assert claim(table).attempt == 2


def test_a_print_is_revised_and_keeps_its_title_meanwhile(table):
    job, _ = table.submit(STORY)
    assert not table.revise(job.id, {}, b"")
    claim(table).finish({"title": "Harbour lights"})
    assert table.attempt(job.id)[2] is None
    assert table.revise(job.id, {"paper": "A4"}, b"\xffedit")
    assert table.attempt(job.id)[2] == b"\xffedit"
    waiting = table.get(job.id)
    assert (waiting.state, waiting.options) == ("queued", {"paper": "A4"})
    assert waiting.title == "Harbour lights"
    claimed = claim(table)
    assert claimed.attempt == 2, "results of two attempts never share a folder"
    assert table.attempt(job.id) == (2, {"paper": "A4"}, b"\xffedit")
    assert claimed.finish({"title": "Lights"})
    assert table.get(job.id).title == "Lights"


def test_a_revision_that_fails_leaves_the_last_result(table):
    job, _ = table.submit(STORY)
    claim(table).finish({"title": "Lights", "attempt": 1})
    assert table.revise(job.id, {}, b"edit")
    claim(table).fail(ErrorRecord("no"))
    assert table.retry(job.id)
    claim(table).fail(ErrorRecord("no"))
    failed = table.get(job.id)
    assert (failed.state, failed.attempt, failed.title) == ("failed", 3, "Lights")
    assert failed.result_folder == f"{job.id}/1"
    assert table.revise(job.id, {}, b"edit")
    claim(table).finish({"title": "Lights", "attempt": 4})
    assert table.get(job.id).result_folder == f"{job.id}/4"


def test_a_removed_job_is_gone_with_its_page(table):
    job, _ = table.submit(STORY, "key")
    claimed = claim(table)
    assert table.delete(job.id)
    assert not table.delete(job.id)
    assert table.get(job.id) is None
    schema = "" if table.engine.dialect.name == "sqlite" else "dbos."
    with table.engine.connect() as connection:
        pages = connection.execute(text(f"SELECT count(*) FROM {schema}workflow_input"))
        assert pages.scalar() == 0
    assert not claimed.finish({})
    assert table.submit(STORY, "key")[1]


def test_old_jobs_are_found_and_others_are_not(database):
    table = JobQueue(database)
    old, remaining, _ = submit(table, *"abc")
    claim(table).finish({})
    with table.engine.begin() as connection:
        schema = "" if table.engine.dialect.name == "sqlite" else "dbos."
        connection.execute(
            text(f"UPDATE {schema}workflow_status SET created_at = 1000, completed_at = 2000"
                 " WHERE workflow_uuid = :id"), {"id": old},
        )  # fmt: skip
    claim(table).finish({})
    assert table.list_older_than(1000) == [old]
    assert table.get(remaining)
    table.disconnect()


def test_counts(table):
    submit(table, *"abcd")
    claim(table).finish({})
    claim(table).fail(ErrorRecord("no"))
    claim(table)
    counts = {"queued": 1, "running": 1, "done": 1, "failed": 1, "cancelled": 0}
    assert table.count_by_state() == counts
    assert table.next_queued().url.endswith("d")
    assert [job.state for job in table.list_recent(states=("failed", "running"))] == [
        "running", "failed",
    ]  # fmt: skip


def test_a_full_queue_takes_no_more(sqlite_table, monkeypatch):
    monkeypatch.setattr(queue_module, "MAX_QUEUED", 2)
    submit(sqlite_table, *"ab")
    with pytest.raises(QueueFull):
        sqlite_table.submit(STORY)


def test_accepted_jobs_survive_reopening(database):
    table = JobQueue(database)
    job, _ = table.submit(STORY)
    table.disconnect()
    again = JobQueue(database)
    assert again.get(job.id) == job
    again.disconnect()


def test_a_locked_database_is_reported_and_nothing_is_lost(tmp_path, monkeypatch):
    monkeypatch.setattr("printer.db.LOCK_TIMEOUT", 0.1)
    path = tmp_path / "jobs.sqlite"
    table = JobQueue(str(path))
    job, _ = table.submit(STORY)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(JobsError, match="locked"):
        table.submit(STORY)
    assert table.get(job.id) == job, "who reads need not wait"
    other.execute("ROLLBACK")
    other.close()
    assert table.submit(STORY)[1]
    assert len(table.list_recent()) == 2
    table.disconnect()


def test_a_database_without_room_accepts_nothing_and_goes_on_when_there_is_some(sqlite_table):
    first, _ = sqlite_table.submit(job_request("first"))
    page = random.Random(1).randbytes(200_000)
    large = JobRequest("https://example.org/", {}, {"page": page})
    with sqlite_table.engine.connect() as connection:
        room = connection.exec_driver_sql("PRAGMA page_count").scalar() + 2

    def set_room(connection, _record):
        connection.execute(f"PRAGMA max_page_count = {room}").close()

    event.listen(sqlite_table.engine, "connect", set_room)
    sqlite_table.disconnect()
    with pytest.raises(JobsError, match="full"):
        sqlite_table.submit(large, "key")
    assert sqlite_table.count_by_state()["queued"] == 1
    claimed = claim(sqlite_table)
    assert claimed.id == first.id, "what was accepted is there and worked on"
    assert claimed.finish({})
    room = 1_000_000
    sqlite_table.disconnect()
    _, new = sqlite_table.submit(large, "key")
    assert new


@pytest.mark.parametrize("database", ["mysql://host/db", "sqlite://", "://", "nonsense://x"])
def test_only_known_databases_are_opened(database):
    with pytest.raises(UsageError):
        JobQueue(database)


def test_a_password_shows_nowhere():
    with pytest.raises(JobsError) as raised:
        JobQueue("postgresql://me:sesame@127.0.0.1:1/prints")
    assert "sesame" not in str(raised.value)


MOVES = st.lists(
    st.tuples(
        st.sampled_from(["claim", "finish", "fail", "lose", "cancel", "retry", "revise"]),
        st.integers(0, 3),
    ),
    max_size=30,
)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves=MOVES)
def test_a_job_is_done_once_per_request_and_never_lost(moves, tmp_path_factory):
    table = JobQueue(str(tmp_path_factory.mktemp("moves") / "jobs.sqlite"))
    ids = submit(table, *"abc")
    claims, done, requests, folders = [], dict.fromkeys(ids, 0), dict.fromkeys(ids, 1), set()
    for move, number in moves:
        job = ids[number % 3]
        claimed = claims[number % len(claims)] if claims else None
        if move == "claim" and (new := claim(table)):
            claims.append(new)
            assert (new.id, new.attempt) not in folders
            folders.add((new.id, new.attempt))
        elif move == "finish" and claimed and claimed.finish({"by": claimed.attempt}):
            done[claimed.id] += 1
            assert table.get(claimed.id).result == {"by": claimed.attempt}
        elif move == "fail" and claimed:
            claimed.fail(ErrorRecord("no"))
        elif move == "lose":
            for running, executor in table.executions("print"):
                assert table.requeue(running, executor)
        elif move == "cancel":
            table.cancel(job)
        elif move == "retry":
            table.retry(job)
        elif move == "revise" and table.revise(job, {}, b"x"):
            requests[job] += 1
    assert all(done[job] <= requests[job] for job in ids)
    finished = {job.id for job in table.list_recent(states=["done"])}
    assert all(done[job] for job in finished)
    assert {job.id for job in table.list_recent()} == set(ids)
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
    assert {table.get(job_id).url for job_id in ids if job_id} == {
        job_request(f"story/{n}").url for n in range(60) if n % 10 != 3
    }
    assert table.count_by_state()["queued"] == 55


def test_a_commit_that_fails_accepts_none(table):
    def full(connection):
        raise OSError("no space left on device")

    event.listen(table.engine, "commit", full)
    try:
        with pytest.raises((JobsError, OSError)):
            table.submit(job_request("story"))
    finally:
        event.remove(table.engine, "commit", full)
    assert table.count_by_state()["queued"] == 0
    assert table.submit(job_request("story"))[1]


def test_requests_of_many_threads_are_committed_together_and_each_is_answered(table):
    commits = []

    @event.listens_for(table.engine, "commit")
    def count(connection):
        if not connection.get_execution_options().get("read_only"):
            commits.append(connection)

    with ThreadPoolExecutor(20) as pool:
        with table._write_lock:  # Another transaction is being written.
            submissions = [
                pool.submit(table.submit, job_request(str(n % 18)), f"key {n % 18}")
                for n in range(20)
            ]
            wait_until(lambda: len(table._waiting) == 20)
        answers = [submission.result() for submission in submissions]
    assert len(commits) == 1
    assert sum(is_new for _, is_new in answers) == 18
    assert {(job.id, job.url) for job, _ in answers} == {
        (job.id, job.url) for job in table.list_recent(40)
    }


def test_a_request_that_the_database_refuses_takes_no_other_with_it(table):
    bad = JobRequest("https://a.test/", {"title": "\0"})
    with ThreadPoolExecutor(2) as pool:
        with table._write_lock:
            submissions = [
                pool.submit(table.submit, request) for request in (bad, job_request("good"))
            ]
            wait_until(lambda: len(table._waiting) == 2)
        job, _ = submissions[1].result()
    assert table.get(job.id).state == "queued"
    refused = isinstance(submissions[0].exception(), JobsError)
    assert refused == (table.engine.dialect.name == "postgresql")


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_nothing_in_the_database_is_executed(table, tmp_path):
    fired = tmp_path / "fired"
    pickled = b64encode(pickle.dumps(Bomb(fired))).decode()
    done, waiting = submit(table, "done", "waiting")
    claim(table).finish({})
    schema = "" if table.engine.dialect.name == "sqlite" else "dbos."
    with table.engine.begin() as connection:
        connection.execute(text(f"UPDATE {schema}workflow_status SET serialization = 'py_pickle'"))
        for name, columns in (("input", "inputs"), ("output", "output")):
            planted = text(f"UPDATE {schema}workflow_{name} SET {columns} = :data")
            connection.execute(planted, {"data": pickled})
    assert {job.id for job in table.list_recent()} == {done, waiting}
    assert (table.get(done).state, table.get(done).result) == ("done", {})
    assert claim(table).id == waiting
    assert not fired.exists()


def test_attributes_of_other_types_count_as_missing(sqlite_table):
    job, _ = sqlite_table.submit(STORY)
    hostile = {"url": 7, "options": [], "created": 1e308, "step": {}, "file": 1, "attempts": "x"}
    sqlite_table._client.update_workflow_attributes(job.id, hostile)
    damaged = sqlite_table.get(job.id)
    assert (damaged.url, damaged.options, damaged.created, damaged.file) == ("", {}, 0.0, "")
    traversing = replace(damaged, result={"attempt": "../.."})
    assert traversing.result_folder == f"{job.id}/0"
