"""Workers and engines are killed and run out of resources; every job is done once."""

import fcntl
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from printer.db import LOCK_TIMEOUT
from printer.jobs import PAGE_PART, JobRequest
from printer.jobs.print_workers import TEMPORARY_PREFIX, delete_leftovers
from printer.jobs.queue import JobQueue
from printer.processes import child_pids
from tests.support.effort import THOROUGH
from tests.support.job_workers import ROOT
from tests.support.jobs import count_completions, job_request, wait_until

QUICK = {"workers": 2, "peer_timeout": 1.0}
FORK_SERVER_PROGRAM = [sys.executable, "-m", "tests.support.fork_server_programs"]


def over(queue, *ids):
    return all(queue.get(job).state in ("done", "failed", "cancelled") for job in ids)


def test_jobs_are_done_and_their_results_kept(engine, tmp_path):
    queue = engine.queue
    ids = [queue.submit(job_request(f"nap/0.0{n}"))[0].id for n in range(6)]
    started = engine.start(workers=2)
    wait_until(lambda: over(queue, *ids))
    for job in map(queue.get, ids):
        assert job.state == "done"
        printed = tmp_path / "prints" / job.result_folder / "article.pdf"
        assert printed.read_bytes() == job.url.encode() * 100
    assert len({queue.get(job).result["worker"] for job in ids}) <= 2, "workers live on"
    assert started.stop() == 0


def test_a_print_that_takes_too_long_is_ended_with_all_it_started(engine, tmp_path, monkeypatch):
    queue = engine.queue
    monkeypatch.setenv("FAMILY", str(tmp_path / "family"))
    slow, _ = queue.submit(job_request("family"))
    after, _ = queue.submit(job_request("nap/0"))
    engine.start(workers=1, seconds=1.0)
    wait_until(lambda: over(queue, slow.id, after.id))
    assert "longer than 1 second" in queue.get(slow.id).error.message
    assert queue.get(after.id).state == "done"
    grandchild = int((tmp_path / "family").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(grandchild, 0)


def test_a_print_that_eats_memory_is_ended(engine):
    queue = engine.queue
    greedy, _ = queue.submit(job_request("eat"))
    engine.start(workers=1, memory=300_000_000)
    wait_until(lambda: over(queue, greedy.id))
    assert "300 MB of memory" in queue.get(greedy.id).error.message


def test_a_print_that_crashes_its_worker_is_given_up_and_others_are_done(engine):
    queue = engine.queue
    bad, _ = queue.submit(job_request("crash"))
    good = [queue.submit(job_request("nap/0"))[0].id for _ in range(4)]
    engine.start(**QUICK)
    wait_until(lambda: over(queue, bad.id, *good))
    assert "SIGABRT" in queue.get(bad.id).error.message
    assert {queue.get(job).state for job in good} == {"done"}


def test_a_print_whose_workers_are_killed_by_others_is_done(sqlite_queue, start_engine):
    job, _ = sqlite_queue.submit(job_request("nap/1.5"))
    started = start_engine(workers=1)
    for _ in range(7):  # More often than a page may crash them.
        (worker,) = wait_until(started.workers)
        wait_until(lambda: sqlite_queue.get(job.id).state == "running")
        os.kill(worker, signal.SIGKILL)
        wait_until(lambda pid=worker: pid not in started.workers())
    wait_until(lambda: over(sqlite_queue, job.id))
    assert (sqlite_queue.get(job.id).state, sqlite_queue.get(job.id).attempt) == ("done", 1)
    assert "SIGKILL" in started.output()


def test_a_print_whose_helper_ends_is_tried_again_so_many_times(sqlite_queue, start_engine):
    job, _ = sqlite_queue.submit(job_request("helper-dies"))
    start_engine(workers=1)
    wait_until(lambda: over(sqlite_queue, job.id))
    over_ = sqlite_queue.get(job.id)
    assert over_.state == "failed"
    assert over_.error.message.startswith("stopped after its worker")
    assert "the browser exited" in over_.error.message


@pytest.mark.parametrize("answer", ["[]", "{}", '{"surprise":1}', '{"done":1}', '{"failed":[]}'])
def test_a_print_whose_worker_answers_with_nonsense_fails(sqlite_queue, start_engine, answer):
    job, _ = sqlite_queue.submit(job_request(f"nonsense/{answer}"))
    start_engine(workers=1)
    wait_until(lambda: over(sqlite_queue, job.id))
    assert sqlite_queue.get(job.id).state == "failed"
    assert "gave no valid outcome" in sqlite_queue.get(job.id).error.message


def test_a_cancelled_print_is_ended(engine):
    queue = engine.queue
    job, _ = queue.submit(job_request("hang"))
    started = engine.start(workers=1)
    wait_until(lambda: queue.get(job.id).step == "hang")
    (before,) = started.workers()
    assert queue.cancel(job.id)
    wait_until(lambda: before not in started.workers())
    after, _ = queue.submit(job_request("nap/0"))
    wait_until(lambda: over(queue, after.id))
    assert queue.get(job.id).state == "cancelled"


def test_a_worker_is_replaced_after_so_many_jobs(sqlite_queue, start_engine):
    ids = [sqlite_queue.submit(job_request("nap/0"))[0].id for _ in range(6)]
    start_engine(workers=1, jobs_per_worker=2)
    wait_until(lambda: over(sqlite_queue, *ids))
    assert len({sqlite_queue.get(job).result["worker"] for job in ids}) == 3


def test_a_stopping_engine_puts_jobs_back_at_once(queue, database, start_engine):
    job, _ = queue.submit(job_request("hang"))
    started = start_engine(database, workers=1)
    wait_until(lambda: queue.get(job.id).state == "running")
    assert started.stop() == 0
    assert queue.get(job.id).state == "queued", started.output()


def test_nothing_is_left_when_all_of_it_is_killed(
    sqlite_queue, start_engine, tmp_path, monkeypatch
):
    monkeypatch.setenv("FAMILY", str(tmp_path / "family"))
    sqlite_queue.submit(job_request("hang"))
    started = start_engine(workers=2)
    wait_until(lambda: sqlite_queue.list_recent()[0].step)
    workers = wait_until(started.workers)
    started.kill()

    def has_ended(pid):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] == "Z"

    wait_until(lambda: all(map(has_ended, workers)))


def test_a_worker_forked_for_an_engine_that_ended_ends(tmp_path):
    program = [*FORK_SERVER_PROGRAM, "end_engine", str(tmp_path / "ready")]
    with subprocess.Popen(
        program, cwd=ROOT, env={}, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            assert b"ChildProcessError" in process.communicate(timeout=60)[1]
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_kills_lose_no_job_and_deliver_none_twice(engine, tmp_path):
    queue = engine.queue
    completions = count_completions(queue)
    dice = random.Random(7)
    ids = [queue.submit(job_request(f"nap/{dice.random() / 10:.3f}"))[0].id for _ in range(30)]
    all_started = [engine.start(**QUICK) for _ in range(engine.count)]
    rounds = 3 if THOROUGH else 1
    victims = ["worker", "engine", "all of it"] * rounds
    dice.shuffle(victims)
    for victim in victims:
        started = dice.choice(all_started)
        workers = wait_until(started.workers)
        time.sleep(dice.random() / 5)
        ids += [queue.submit(job_request("nap/0.05"))[0].id for _ in range(4)]
        if victim == "all of it":
            started.kill()
            all_started[all_started.index(started)] = engine.start(**QUICK)
            continue
        candidates = workers if victim == "worker" else list(child_pids(started.process.pid))
        with suppress(ProcessLookupError):
            os.kill(dice.choice(candidates), signal.SIGKILL)
    wait_until(lambda: over(queue, *ids))
    states = {job: queue.get(job) for job in ids}
    assert {job.state for job in states.values()} == {"done"}, states
    assert completions() == sorted(ids)
    for job in states.values():
        printed = tmp_path / "prints" / job.result_folder / "article.pdf"
        assert printed.read_bytes() == job.url.encode() * 100


def test_a_print_that_is_requested_again_at_once_is_not_mixed_up_with_itself(engine, tmp_path):
    queue = engine.queue
    job, _ = queue.submit(job_request("nap/1.0"))
    engine.start(workers=2)
    wait_until(lambda: queue.get(job.id).state == "running")
    assert queue.cancel(job.id)
    assert queue.retry(job.id)
    wait_until(lambda: over(queue, job.id))
    assert (queue.get(job.id).state, queue.get(job.id).attempt) == ("done", 2)
    assert (tmp_path / "prints" / job.id / "2" / "article.pdf").exists()


def test_a_page_comes_to_the_worker_as_it_was_sent(engine, tmp_path):
    queue = engine.queue
    page = b"<p>\0\xff</p>" * 9999
    request = JobRequest("http://labour.test/parts", {"paper": "A5"}, {PAGE_PART: page})
    job, _ = queue.submit(request)
    engine.start(workers=1)
    wait_until(lambda: over(queue, job.id))
    assert (tmp_path / "prints" / job.id / "1" / "parts.txt").read_bytes() == page + b"A5"


def test_children_of_workers_leave_no_zombies(sqlite_queue, start_engine):
    ids = [sqlite_queue.submit(job_request("orphan"))[0].id for _ in range(30)]
    started = start_engine(workers=2)
    wait_until(lambda: over(sqlite_queue, *ids))
    (engine,) = child_pids(started.process.pid)
    # The fork server and two workers.
    wait_until(lambda: len(started.workers()) == 2 and len(list(child_pids(engine))) == 3)


def test_a_short_print_writes_its_state_and_nothing_else(sqlite_queue, start_engine, tmp_path):
    with sqlite_queue.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE written (what TEXT)")
        names = "SELECT name FROM sqlite_master WHERE type = 'queue' AND name LIKE '%_outputs'"
        for name in (*connection.exec_driver_sql(names).scalars(), "workflow_events"):
            connection.exec_driver_sql(
                f"CREATE TRIGGER on_{name} AFTER INSERT ON {name}"
                f" BEGIN INSERT INTO written VALUES ('{name}'); END"
            )
        connection.exec_driver_sql(
            "CREATE TRIGGER on_status AFTER UPDATE ON workflow_status"
            " BEGIN INSERT INTO written VALUES (NEW.status); END"
        )
    job, _ = sqlite_queue.submit(job_request("nap/0"))
    start_engine(workers=1)
    wait_until(lambda: over(sqlite_queue, job.id))
    with sqlite_queue.engine.connect() as connection:
        written = connection.exec_driver_sql("SELECT what FROM written").scalars().all()
    assert written == ["PENDING", "SUCCESS"]


def test_a_database_that_is_locked_for_a_while_loses_nothing(sqlite_queue, start_engine, tmp_path):
    ids = [sqlite_queue.submit(job_request("nap/0.2"))[0].id for _ in range(6)]
    start_engine(**QUICK)
    wait_until(lambda: sqlite_queue.count_by_state()["done"])
    other = sqlite3.connect(tmp_path / "jobs.sqlite", isolation_level=None, timeout=10)
    other.execute("BEGIN EXCLUSIVE")
    time.sleep(LOCK_TIMEOUT + 1.5)  # longer than a writer waits
    other.execute("ROLLBACK")
    other.close()
    wait_until(lambda: over(sqlite_queue, *ids))
    assert {sqlite_queue.get(job).state for job in ids} == {"done"}


def test_a_storage_that_cannot_be_written_holds_prints_until_it_can(
    sqlite_queue, start_engine, tmp_path
):
    place = tmp_path / "prints"
    place.mkdir()
    ids = [sqlite_queue.submit(job_request("nap/0"))[0].id for _ in range(3)]
    for job in ids:
        (place / job).write_text("where a folder is needed")
    started = start_engine(workers=1)
    wait_until(lambda: "cannot be stored" in started.output())
    assert {sqlite_queue.get(job).state for job in ids} <= {"queued", "running"}
    wait_until(lambda: any(sqlite_queue.get(job).step == "no_room" for job in ids))
    for job in ids:
        (place / job).unlink()
    wait_until(lambda: over(sqlite_queue, *ids))
    jobs = [sqlite_queue.get(job) for job in ids]
    assert {(job.state, job.attempt) for job in jobs} == {("done", 1)}


@pytest.mark.slow
def test_postgresql_gone_and_back_loses_nothing(fresh_postgres, start_engine):
    import psycopg

    queue = JobQueue(fresh_postgres)
    ids = [queue.submit(job_request("nap/0.2"))[0].id for _ in range(8)]
    start_engine(fresh_postgres, **QUICK)
    base, _, name = fresh_postgres.rpartition("/")
    with psycopg.connect(f"{base}/postgres", autocommit=True) as connection:
        wait_until(lambda: queue.count_by_state()["done"])
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
        connection.execute(terminate, (name,))
        time.sleep(2.5)
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    wait_until(lambda: over(queue, *ids))
    assert {queue.get(job).state for job in ids} == {"done"}
    queue.disconnect()


def test_temporary_files_of_killed_workers_are_deleted(
    sqlite_queue, start_engine, tmp_path, monkeypatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    sqlite_queue.submit(job_request("profile"))
    started = start_engine(workers=1)

    def profiles():
        return sorted(tmp_path.glob(f"{TEMPORARY_PREFIX}*/profile"))

    (first,) = wait_until(profiles)
    os.kill(started.workers()[0], signal.SIGKILL)
    wait_until(lambda: profiles() and not first.exists())
    (second,) = wait_until(profiles)
    started.kill()
    wait_until(lambda: is_unlocked(second.parent))  # The worker ended too.
    start_engine(workers=1)
    wait_until(lambda: profiles() and not second.exists())


def test_a_pipe_of_another_user_in_their_place_stops_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    os.mkfifo(tmp_path / f"{TEMPORARY_PREFIX}a")
    (tmp_path / f"{TEMPORARY_PREFIX}b").symlink_to("/dev/zero")
    (tmp_path / f"{TEMPORARY_PREFIX}c").mkdir()
    delete_leftovers()
    assert len(list(tmp_path.iterdir())) == 2


def is_unlocked(folder):
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def test_without_room_for_a_process_a_print_waits_until_there_is_some():
    ran = subprocess.run(
        [*FORK_SERVER_PROGRAM, "wait_for_room"], cwd=ROOT, env={}, capture_output=True, text=True,
        timeout=60,
    )  # fmt: skip
    waited, outcome = ran.stdout.splitlines()
    assert waited == "no room so far: True"
    assert "process_died" in outcome, ran.stderr
