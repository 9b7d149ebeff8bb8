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
from printer.jobs.engine import apply_retention
from printer.jobs.queue import MAX_DISPATCHES, JobQueue, KeyReused, QueueFull, pack, unpack
from printer.jobs.storage import Storage
from tests.support.jobs import claim, job_request, wait_until

STORY = JobRequest("https://example.org/story", {"paper": "A5"}, {PAGE_PART: b"<p>\0\xff</p>" * 99})


def order(queue):
    """Take all jobs, and return the ends of their addresses."""
    return [claimed.url.rpartition("/")[2] for claimed in iter(lambda: claim(queue), None)]


def submit(queue, *names, **more):
    return [queue.submit(JobRequest(f"https://a.test/{name}"), **more)[0].id for name in names]


def test_accepted_jobs_are_listed(queue):
    job, new = queue.submit(STORY)
    assert new
    assert (job.state, job.url, job.options, job.attempt) == ("queued", STORY.url, STORY.options, 0)
    assert queue.get(job.id) == job
    claimed = claim(queue)
    assert (claimed.id, claimed.attempt) == (job.id, 1)
    assert queue.get(job.id).state == "running"
    assert queue.revision(job.id) == (1, STORY.options, None)


@given(data=st.binary(max_size=2000))
def test_bytes_are_the_same_after_they_were_text(data):
    assert unpack(pack(data)) == data


def test_jobs_are_taken_in_order_of_submission(queue):
    ids = submit(queue, *"01234")
    assert order(queue) == [*"01234"]
    assert claim(queue) is None
    assert [job.id for job in queue.list_recent()] == ids[::-1]


def test_senders_take_turns_and_background_jobs_wait(queue):
    submit(queue, *"xyz", sender="batch", background=True)
    submit(queue, *"12345", sender="ada")
    submit(queue, *"ab", sender="bob")
    assert claim(queue).url.endswith("1")
    submit(queue, "c", sender="eve")
    assert order(queue) == [*"ac2b345xyz"]


def test_a_late_sender_does_not_overtake_waiting_ones(queue):
    submit(queue, *"123456", sender="ada")
    assert [claim(queue).url[-1] for _ in "123"] == [*"123"]
    submit(queue, *"ab", sender="bob")
    assert order(queue) == [*"4a5b6"]


def test_a_key_makes_one_job_however_often_it_comes(queue):
    first, new = queue.submit(STORY, "key")
    again, newer = queue.submit(STORY, "key")
    assert (first.id, new, newer) == (again.id, True, False)
    with pytest.raises(KeyReused):
        queue.submit(JobRequest("https://example.org/other"), "key")
    assert queue.submit(STORY)[0].id != first.id


def test_a_key_that_comes_from_many_at_once_makes_one_job(queue):
    barrier = threading.Barrier(8)

    def submit(_):
        barrier.wait()
        return queue.submit(STORY, "same")

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(submit, range(8)))
    assert len({job.id for job, _ in answers}) == 1
    assert sum(new for _, new in answers) == 1


def test_no_job_is_taken_twice(queue):
    ids = set(submit(queue, *range(40)))
    barrier = threading.Barrier(4)

    def work(_):
        barrier.wait()
        return [claimed.id for claimed in iter(lambda: claim(queue), None)]

    with ThreadPoolExecutor(4) as pool:
        claimed = [job for batch in pool.map(work, range(4)) for job in batch]
    assert len(claimed) == 40
    assert set(claimed) == ids


def test_only_the_execution_that_has_a_job_finishes_it(queue):
    job, _ = queue.submit(STORY)
    old = claim(queue, "first")
    assert not queue.requeue(job.id, "other")
    assert queue.requeue(job.id, "first")
    new = claim(queue, "second")
    assert (new.id, new.attempt) == (job.id, 2)
    assert not old.finish({"title": "old"})
    assert not old.fail(ErrorRecord("old"))
    assert not queue.requeue(job.id, "first")
    assert new.finish({"title": "new"})
    assert not new.finish({"title": "again"})
    assert queue.get(job.id).title == "new"


def test_a_failure_has_its_reason(queue):
    job, _ = queue.submit(STORY)
    record = ErrorRecord("no \ud800 such page", "HTTPStatusError", "Look again", code=6, status=404)
    assert claim(queue).fail(record)
    assert queue.get(job.id).error == record
    assert queue.retry(job.id)
    again = queue.get(job.id)
    assert (again.state, again.error, again.finished) == ("queued", None, None)
    assert claim(queue).attempt == 2


def test_a_job_that_was_lost_too_often_is_given_up(queue):
    job, _ = queue.submit(STORY)
    claim(queue)
    queue._client._sys_db.dead_letter_workflows([job.id], min_recovery_attempts=1)
    abandoned = queue.get(job.id)
    assert abandoned.state == "failed"
    assert f"{MAX_DISPATCHES} times" in abandoned.error.message
    assert queue.retry(job.id)


def test_a_cancelled_job_is_not_worked_on(queue):
    waiting, running = submit(queue, *"ab")
    claimed = claim(queue)
    assert claimed.id == waiting
    assert queue.cancel(waiting)
    assert queue.cancel(running)
    assert claim(queue) is None
    assert not claimed.finish({})
    assert not queue.cancel(waiting)
    assert not queue.cancel("0" * 20)
    assert queue.retry(waiting)
    assert claim(queue).attempt == 2


def test_a_print_is_revised_and_keeps_its_title_meanwhile(queue):
    job, _ = queue.submit(STORY)
    assert not queue.revise(job.id, {}, b"")
    claim(queue).finish({"title": "Harbour lights"})
    assert queue.revision(job.id)[2] is None
    assert queue.revise(job.id, {"paper": "A4"}, b"\xffedit")
    assert queue.revision(job.id)[2] == b"\xffedit"
    waiting = queue.get(job.id)
    assert (waiting.state, waiting.options) == ("queued", {"paper": "A4"})
    assert waiting.title == "Harbour lights"
    claimed = claim(queue)
    assert claimed.attempt == 2, "results of two attempts never share a folder"
    assert queue.revision(job.id) == (2, {"paper": "A4"}, b"\xffedit")
    assert claimed.finish({"title": "Lights"})
    assert queue.get(job.id).title == "Lights"


def test_a_revision_that_fails_leaves_the_last_result(queue):
    job, _ = queue.submit(STORY)
    claim(queue).finish({"title": "Lights", "attempt": 1})
    assert queue.revise(job.id, {}, b"edit")
    claim(queue).fail(ErrorRecord("no"))
    assert queue.retry(job.id)
    claim(queue).fail(ErrorRecord("no"))
    failed = queue.get(job.id)
    assert (failed.state, failed.attempt, failed.title) == ("failed", 3, "Lights")
    assert failed.result_folder == f"{job.id}/1"
    assert queue.revise(job.id, {}, b"edit")
    claim(queue).finish({"title": "Lights", "attempt": 4})
    assert queue.get(job.id).result_folder == f"{job.id}/4"


def test_a_removed_job_is_gone_with_its_page(queue):
    job, _ = queue.submit(STORY, "key")
    claimed = claim(queue)
    assert queue.delete(job.id)
    assert not queue.delete(job.id)
    assert queue.get(job.id) is None
    schema = "" if queue.engine.dialect.name == "sqlite" else "dbos."
    with queue.engine.connect() as connection:
        pages = connection.execute(text(f"SELECT count(*) FROM {schema}workflow_input"))
        assert pages.scalar() == 0
    assert not claimed.finish({})
    assert queue.submit(STORY, "key")[1]


def test_old_jobs_are_found_and_others_are_not(database):
    queue = JobQueue(database)
    old, remaining, _ = submit(queue, *"abc")
    claim(queue).finish({})
    with queue.engine.begin() as connection:
        schema = "" if queue.engine.dialect.name == "sqlite" else "dbos."
        connection.execute(
            text(f"UPDATE {schema}workflow_status SET created_at = 1000, completed_at = 2000"
                 " WHERE workflow_uuid = :id"), {"id": old},
        )  # fmt: skip
    claim(queue).finish({})
    assert queue.list_older_than(1000) == [old]
    assert queue.get(remaining)
    queue.disconnect()


def test_counts(queue):
    submit(queue, *"abcd")
    claim(queue).finish({})
    claim(queue).fail(ErrorRecord("no"))
    claim(queue)
    counts = {"queued": 1, "running": 1, "done": 1, "failed": 1, "cancelled": 0}
    assert queue.count_by_state() == counts
    assert queue.next_queued().url.endswith("d")
    assert [job.state for job in queue.list_recent(states=("failed", "running"))] == [
        "running", "failed",
    ]  # fmt: skip


def test_a_full_queue_takes_no_more(sqlite_queue, monkeypatch):
    monkeypatch.setattr(queue_module, "MAX_QUEUED", 2)
    submit(sqlite_queue, *"ab")
    with pytest.raises(QueueFull):
        sqlite_queue.submit(STORY)


def test_accepted_jobs_survive_reopening(database):
    queue = JobQueue(database)
    job, _ = queue.submit(STORY)
    queue.disconnect()
    again = JobQueue(database)
    assert again.get(job.id) == job
    again.disconnect()


def test_a_locked_database_is_reported_and_nothing_is_lost(tmp_path, monkeypatch):
    monkeypatch.setattr("printer.db.LOCK_TIMEOUT", 0.1)
    path = tmp_path / "jobs.sqlite"
    queue = JobQueue(str(path))
    job, _ = queue.submit(STORY)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(JobsError, match="locked"):
        queue.submit(STORY)
    assert queue.get(job.id) == job, "who reads need not wait"
    other.execute("ROLLBACK")
    other.close()
    assert queue.submit(STORY)[1]
    assert len(queue.list_recent()) == 2
    queue.disconnect()


def test_a_database_without_room_accepts_nothing_and_goes_on_when_there_is_some(sqlite_queue):
    first, _ = sqlite_queue.submit(job_request("first"))
    page = random.Random(1).randbytes(200_000)
    large = JobRequest("https://example.org/", {}, {"page": page})
    with sqlite_queue.engine.connect() as connection:
        room = connection.exec_driver_sql("PRAGMA page_count").scalar() + 2

    def set_room(connection, _record):
        connection.execute(f"PRAGMA max_page_count = {room}").close()

    event.listen(sqlite_queue.engine, "connect", set_room)
    sqlite_queue.disconnect()
    with pytest.raises(JobsError, match="full"):
        sqlite_queue.submit(large, "key")
    assert sqlite_queue.count_by_state()["queued"] == 1
    claimed = claim(sqlite_queue)
    assert claimed.id == first.id, "what was accepted is there and worked on"
    assert claimed.finish({})
    room = 1_000_000
    sqlite_queue.disconnect()
    _, new = sqlite_queue.submit(large, "key")
    assert new


def test_results_of_an_earlier_version_are_left_alone(tmp_path):
    old, unknown = "0" * 32, "1" * 32
    path = tmp_path / "jobs.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE jobs (id TEXT)")
        connection.execute("INSERT INTO jobs VALUES (?)", (old,))
    storage = Storage(str(tmp_path / "prints"))
    storage.put(f"{old}/1/a.pdf", b"%PDF-old")
    storage.put(f"{unknown}/1/a.pdf", b"%PDF-unknown")
    queue = JobQueue(str(path))
    apply_retention(queue, storage, 1.0)
    assert storage.names() == [old]
    assert queue.submit(STORY)[1]
    queue.disconnect()
    assert connection.execute("SELECT * FROM jobs").fetchall() == [(old,)]
    connection.close()


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
    queue = JobQueue(str(tmp_path_factory.mktemp("moves") / "jobs.sqlite"))
    ids = submit(queue, *"abc")
    claims, done, requests, folders = [], dict.fromkeys(ids, 0), dict.fromkeys(ids, 1), set()
    for move, number in moves:
        job = ids[number % 3]
        claimed = claims[number % len(claims)] if claims else None
        if move == "claim" and (new := claim(queue)):
            claims.append(new)
            assert (new.id, new.attempt) not in folders
            folders.add((new.id, new.attempt))
        elif move == "finish" and claimed and claimed.finish({"by": claimed.attempt}):
            done[claimed.id] += 1
            assert queue.get(claimed.id).result == {"by": claimed.attempt}
        elif move == "fail" and claimed:
            claimed.fail(ErrorRecord("no"))
        elif move == "lose":
            for running, executor in queue.executions("print"):
                assert queue.requeue(running, executor)
        elif move == "cancel":
            queue.cancel(job)
        elif move == "retry":
            queue.retry(job)
        elif move == "revise" and queue.revise(job, {}, b"x"):
            requests[job] += 1
    assert all(done[job] <= requests[job] for job in ids)
    finished = {job.id for job in queue.list_recent(states=["done"])}
    assert all(done[job] for job in finished)
    assert {job.id for job in queue.list_recent()} == set(ids)
    queue.disconnect()


def test_a_key_that_is_reused_does_no_harm_to_those_beside_it(queue):
    queue.submit(job_request("first"), "key")

    def submit(n):
        try:
            return queue.submit(job_request(f"story/{n}"), "key" if n % 10 == 3 else "")[0].id
        except KeyReused:
            return None

    with ThreadPoolExecutor(30) as pool:
        ids = list(pool.map(submit, range(60)))
    assert [n for n in range(60) if ids[n] is None] == [3, 13, 23, 33, 43, 53]
    assert {queue.get(job_id).url for job_id in ids if job_id} == {
        job_request(f"story/{n}").url for n in range(60) if n % 10 != 3
    }
    assert queue.count_by_state()["queued"] == 55


def test_a_commit_that_fails_accepts_none(queue):
    def full(connection):
        raise OSError("no space left on device")

    event.listen(queue.engine, "commit", full)
    try:
        with pytest.raises((JobsError, OSError)):
            queue.submit(job_request("story"))
    finally:
        event.remove(queue.engine, "commit", full)
    assert queue.count_by_state()["queued"] == 0
    assert queue.submit(job_request("story"))[1]


def test_requests_of_many_threads_are_committed_together_and_each_is_answered(queue):
    commits = []

    @event.listens_for(queue.engine, "commit")
    def count(connection):
        if not connection.get_execution_options().get("read_only"):
            commits.append(connection)

    with ThreadPoolExecutor(20) as pool:
        with queue._write_lock:  # Another transaction is being written.
            submissions = [
                pool.submit(queue.submit, job_request(str(n % 18)), f"key {n % 18}")
                for n in range(20)
            ]
            wait_until(lambda: len(queue._waiting) == 20)
        answers = [submission.result() for submission in submissions]
    assert len(commits) == 1
    assert sum(is_new for _, is_new in answers) == 18
    assert {(job.id, job.url) for job, _ in answers} == {
        (job.id, job.url) for job in queue.list_recent(40)
    }


def test_a_request_that_the_database_refuses_takes_no_other_with_it(queue):
    bad = JobRequest("https://a.test/", {"title": "\0"})
    with ThreadPoolExecutor(2) as pool:
        with queue._write_lock:
            submissions = [
                pool.submit(queue.submit, request) for request in (bad, job_request("good"))
            ]
            wait_until(lambda: len(queue._waiting) == 2)
        job, _ = submissions[1].result()
    assert queue.get(job.id).state == "queued"
    refused = isinstance(submissions[0].exception(), JobsError)
    assert refused == (queue.engine.dialect.name == "postgresql")


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_nothing_in_the_database_is_executed(queue, tmp_path):
    fired = tmp_path / "fired"
    pickled = b64encode(pickle.dumps(Bomb(fired))).decode()
    done, waiting = submit(queue, "done", "waiting")
    claim(queue).finish({})
    schema = "" if queue.engine.dialect.name == "sqlite" else "dbos."
    with queue.engine.begin() as connection:
        connection.execute(text(f"UPDATE {schema}workflow_status SET serialization = 'py_pickle'"))
        for name, columns in (("input", "inputs"), ("output", "output")):
            planted = text(f"UPDATE {schema}workflow_{name} SET {columns} = :data")
            connection.execute(planted, {"data": pickled})
    assert {job.id for job in queue.list_recent()} == {done, waiting}
    assert (queue.get(done).state, queue.get(done).result) == ("done", {})
    assert claim(queue).id == waiting
    assert not fired.exists()


def test_attributes_of_other_types_count_as_missing(sqlite_queue):
    job, _ = sqlite_queue.submit(STORY)
    hostile = {"url": 7, "options": [], "created": 1e308, "step": {}, "file": 1, "attempts": "x"}
    sqlite_queue._client.update_workflow_attributes(job.id, hostile)
    damaged = sqlite_queue.get(job.id)
    assert (damaged.url, damaged.options, damaged.created, damaged.file) == ("", {}, 0.0, "")
    traversing = replace(damaged, result={"attempt": "../.."})
    assert traversing.result_folder == f"{job.id}/0"


@pytest.mark.parametrize("attributes", ['"x"', "[7]", f'{{"created": 1{"0" * 400}}}'])
def test_attributes_that_others_wrote_do_not_break_a_list(sqlite_queue, attributes):
    job, _ = sqlite_queue.submit(STORY, "a key")
    planted = text("UPDATE workflow_status SET attributes = :data, recovery_attempts = :count")
    with sqlite_queue.engine.begin() as connection:
        connection.execute(planted, {"data": attributes, "count": -(2**63)})
    (listed,) = sqlite_queue.list_recent()
    assert (listed.created, listed.result_folder) == (0.0, f"{job.id}/0")
    assert sqlite_queue.revision(job.id).edit is None
    with pytest.raises(KeyReused):
        sqlite_queue.submit(STORY, "a key")


@pytest.mark.parametrize("attributes", ["{", "[" * 9_000 + "]" * 9_000])
def test_attributes_that_are_no_json_are_an_error(sqlite_queue, attributes):
    sqlite_queue.submit(STORY)
    with sqlite_queue.engine.begin() as connection:
        connection.execute(
            text("UPDATE workflow_status SET attributes = :data"), {"data": attributes}
        )
    with pytest.raises(JobsError, match="damaged"):
        sqlite_queue.list_recent()


def test_results_of_other_types_count_as_missing(sqlite_queue):
    job, _ = sqlite_queue.submit(STORY)
    result = {
        "title": 7, "format": None, "pages": 10**30, "pictures": -1, "bytes": "x", "site": "Tides",
        "warnings": ["one", 2], "attempt": -1, "complete": False, "articles": True,
    }  # fmt: skip
    claim(sqlite_queue).finish(result)
    assert sqlite_queue.get(job.id).result == {"site": "Tides", "complete": False}


def test_an_unknown_state_does_not_break_a_list(sqlite_queue):
    job, _ = sqlite_queue.submit(STORY)
    with sqlite_queue.engine.begin() as connection:
        connection.execute(text("UPDATE workflow_status SET status = 'X', completed_at = -1"))
    damaged = sqlite_queue.get(job.id)
    assert (damaged.state, damaged.finished) == ("failed", None)
    assert "unknown state" in damaged.error.message
    assert sqlite_queue.count_by_state()["failed"] == 1


@pytest.mark.parametrize("packed", ["x", "AAAA", None, 7, pack(bytes(2_000)), pack(b"ab")[:-4]])
def test_damaged_and_endless_parts_are_errors(packed, monkeypatch):
    monkeypatch.setattr("printer.db.MAX_DECOMPRESSED", 1_000)
    with pytest.raises(JobsError, match="database"):
        unpack(packed)


def test_an_unexpected_error_is_raised_by_all_who_submitted_together(queue, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(queue, "_enqueue", fail)
    with ThreadPoolExecutor(5) as pool:
        with queue._write_lock:
            submitted = [pool.submit(queue.submit, job_request()) for _ in range(5)]
            wait_until(lambda: len(queue._waiting) == 5)
        assert [type(future.exception()) for future in submitted] == [ZeroDivisionError] * 5
