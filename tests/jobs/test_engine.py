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


def over(table, *ids):
    return all(table.get(job).state in ("done", "failed", "cancelled") for job in ids)


def test_jobs_are_done_and_their_results_kept(engine, tmp_path):
    table = engine.table
    ids = [table.submit(job_request(f"nap/0.0{n}"))[0].id for n in range(6)]
    keeper = engine.keep(workers=2)
    wait_until(lambda: over(table, *ids))
    for job in map(table.get, ids):
        assert job.state == "done"
        printed = tmp_path / "prints" / job.result_folder / "article.pdf"
        assert printed.read_bytes() == job.url.encode() * 100
    assert len({table.get(job).result["worker"] for job in ids}) <= 2, "workers live on"
    assert keeper.stop() == 0


def test_a_print_that_takes_too_long_is_ended_with_all_it_started(engine, tmp_path, monkeypatch):
    table = engine.table
    monkeypatch.setenv("FAMILY", str(tmp_path / "family"))
    slow, _ = table.submit(job_request("family"))
    after, _ = table.submit(job_request("nap/0"))
    engine.keep(workers=1, seconds=1.0)
    wait_until(lambda: over(table, slow.id, after.id))
    assert "longer than 1 second" in table.get(slow.id).error.message
    assert table.get(after.id).state == "done"
    grandchild = int((tmp_path / "family").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(grandchild, 0)


def test_a_print_that_eats_memory_is_ended(engine):
    table = engine.table
    greedy, _ = table.submit(job_request("eat"))
    engine.keep(workers=1, memory=300_000_000)
    wait_until(lambda: over(table, greedy.id))
    assert "300 MB of memory" in table.get(greedy.id).error.message


def test_a_print_that_crashes_its_worker_is_given_up_and_others_are_done(engine):
    table = engine.table
    bad, _ = table.submit(job_request("crash"))
    good = [table.submit(job_request("nap/0"))[0].id for _ in range(4)]
    engine.keep(**QUICK)
    wait_until(lambda: over(table, bad.id, *good))
    assert "SIGABRT" in table.get(bad.id).error.message
    assert {table.get(job).state for job in good} == {"done"}


def test_a_print_whose_workers_are_killed_by_others_is_done(sqlite_table, keep):
    job, _ = sqlite_table.submit(job_request("nap/1.5"))
    keeper = keep(workers=1)
    for _ in range(7):  # More often than a page may crash them.
        (worker,) = wait_until(keeper.workers)
        wait_until(lambda: sqlite_table.get(job.id).state == "running")
        os.kill(worker, signal.SIGKILL)
        wait_until(lambda pid=worker: pid not in keeper.workers())
    wait_until(lambda: over(sqlite_table, job.id))
    assert (sqlite_table.get(job.id).state, sqlite_table.get(job.id).attempt) == ("done", 1)
    assert "SIGKILL" in keeper.output()


def test_a_print_whose_helper_ends_is_tried_again_so_many_times(sqlite_table, keep):
    job, _ = sqlite_table.submit(job_request("helper-dies"))
    keep(workers=1)
    wait_until(lambda: over(sqlite_table, job.id))
    over_ = sqlite_table.get(job.id)
    assert over_.state == "failed"
    assert over_.error.message.startswith("stopped after its worker")
    assert "the browser exited" in over_.error.message


@pytest.mark.parametrize("answer", ["[]", "{}", '{"surprise":1}', '{"done":1}', '{"failed":[]}'])
def test_a_print_whose_worker_answers_with_nonsense_fails(sqlite_table, keep, answer):
    job, _ = sqlite_table.submit(job_request(f"nonsense/{answer}"))
    keep(workers=1)
    wait_until(lambda: over(sqlite_table, job.id))
    assert sqlite_table.get(job.id).state == "failed"
    assert "gave no valid outcome" in sqlite_table.get(job.id).error.message


def test_a_cancelled_print_is_ended(engine):
    table = engine.table
    job, _ = table.submit(job_request("hang"))
    keeper = engine.keep(workers=1)
    wait_until(lambda: table.get(job.id).step == "hang")
    (before,) = keeper.workers()
    assert table.cancel(job.id)
    wait_until(lambda: before not in keeper.workers())
    after, _ = table.submit(job_request("nap/0"))
    wait_until(lambda: over(table, after.id))
    assert table.get(job.id).state == "cancelled"


def test_a_worker_is_replaced_after_so_many_jobs(sqlite_table, keep):
    ids = [sqlite_table.submit(job_request("nap/0"))[0].id for _ in range(6)]
    keep(workers=1, jobs_per_worker=2)
    wait_until(lambda: over(sqlite_table, *ids))
    assert len({sqlite_table.get(job).result["worker"] for job in ids}) == 3


def test_a_stopping_engine_puts_jobs_back_at_once(table, database, keep):
    job, _ = table.submit(job_request("hang"))
    keeper = keep(database, workers=1)
    wait_until(lambda: table.get(job.id).state == "running")
    assert keeper.stop() == 0
    assert table.get(job.id).state == "queued", keeper.output()


def test_nothing_is_left_when_all_of_it_is_killed(sqlite_table, keep, tmp_path, monkeypatch):
    monkeypatch.setenv("FAMILY", str(tmp_path / "family"))
    sqlite_table.submit(job_request("hang"))
    keeper = keep(workers=2)
    wait_until(lambda: sqlite_table.list_recent()[0].step)
    workers = wait_until(keeper.workers)
    keeper.kill()

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
    table = engine.table
    completions = count_completions(table)
    dice = random.Random(7)
    ids = [table.submit(job_request(f"nap/{dice.random() / 10:.3f}"))[0].id for _ in range(30)]
    keepers = [engine.keep(**QUICK) for _ in range(engine.count)]
    rounds = 3 if THOROUGH else 1
    victims = ["worker", "engine", "all of it"] * rounds
    dice.shuffle(victims)
    for victim in victims:
        keeper = dice.choice(keepers)
        workers = wait_until(keeper.workers)
        time.sleep(dice.random() / 5)
        ids += [table.submit(job_request("nap/0.05"))[0].id for _ in range(4)]
        if victim == "all of it":
            keeper.kill()
            keepers[keepers.index(keeper)] = engine.keep(**QUICK)
            continue
        candidates = workers if victim == "worker" else list(child_pids(keeper.process.pid))
        with suppress(ProcessLookupError):
            os.kill(dice.choice(candidates), signal.SIGKILL)
    wait_until(lambda: over(table, *ids))
    states = {job: table.get(job) for job in ids}
    assert {job.state for job in states.values()} == {"done"}, states
    assert completions() == sorted(ids)
    for job in states.values():
        printed = tmp_path / "prints" / job.result_folder / "article.pdf"
        assert printed.read_bytes() == job.url.encode() * 100


def test_a_print_that_is_requested_again_at_once_is_not_mixed_up_with_itself(engine, tmp_path):
    table = engine.table
    job, _ = table.submit(job_request("nap/1.0"))
    engine.keep(workers=2)
    wait_until(lambda: table.get(job.id).state == "running")
    assert table.cancel(job.id)
    assert table.retry(job.id)
    wait_until(lambda: over(table, job.id))
    assert (table.get(job.id).state, table.get(job.id).attempt) == ("done", 2)
    assert (tmp_path / "prints" / job.id / "2" / "article.pdf").exists()


def test_a_page_comes_to_the_worker_as_it_was_sent(engine, tmp_path):
    table = engine.table
    page = b"<p>\0\xff</p>" * 9999
    request = JobRequest("http://labour.test/parts", {"paper": "A5"}, {PAGE_PART: page})
    job, _ = table.submit(request)
    engine.keep(workers=1)
    wait_until(lambda: over(table, job.id))
    assert (tmp_path / "prints" / job.id / "1" / "parts.txt").read_bytes() == page + b"A5"


def test_children_of_workers_leave_no_zombies(sqlite_table, keep):
    ids = [sqlite_table.submit(job_request("orphan"))[0].id for _ in range(30)]
    keeper = keep(workers=2)
    wait_until(lambda: over(sqlite_table, *ids))
    (engine,) = child_pids(keeper.process.pid)
    # The fork server and two workers.
    wait_until(lambda: len(keeper.workers()) == 2 and len(list(child_pids(engine))) == 3)


def test_a_short_print_writes_its_state_and_nothing_else(sqlite_table, keep, tmp_path):
    with sqlite_table.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE written (what TEXT)")
        names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%_outputs'"
        for name in (*connection.exec_driver_sql(names).scalars(), "workflow_events"):
            connection.exec_driver_sql(
                f"CREATE TRIGGER on_{name} AFTER INSERT ON {name}"
                f" BEGIN INSERT INTO written VALUES ('{name}'); END"
            )
        connection.exec_driver_sql(
            "CREATE TRIGGER on_status AFTER UPDATE ON workflow_status"
            " BEGIN INSERT INTO written VALUES (NEW.status); END"
        )
    job, _ = sqlite_table.submit(job_request("nap/0"))
    keep(workers=1)
    wait_until(lambda: over(sqlite_table, job.id))
    with sqlite_table.engine.connect() as connection:
        written = connection.exec_driver_sql("SELECT what FROM written").scalars().all()
    assert written == ["PENDING", "SUCCESS"]


def test_a_database_that_is_locked_for_a_while_loses_nothing(sqlite_table, keep, tmp_path):
    ids = [sqlite_table.submit(job_request("nap/0.2"))[0].id for _ in range(6)]
    keep(**QUICK)
    wait_until(lambda: sqlite_table.count_by_state()["done"])
    other = sqlite3.connect(tmp_path / "jobs.sqlite", isolation_level=None, timeout=10)
    other.execute("BEGIN EXCLUSIVE")
    time.sleep(LOCK_TIMEOUT + 1.5)  # longer than a writer waits
    other.execute("ROLLBACK")
    other.close()
    wait_until(lambda: over(sqlite_table, *ids))
    assert {sqlite_table.get(job).state for job in ids} == {"done"}


def test_a_storage_that_cannot_be_written_holds_prints_until_it_can(sqlite_table, keep, tmp_path):
    place = tmp_path / "prints"
    place.mkdir()
    ids = [sqlite_table.submit(job_request("nap/0"))[0].id for _ in range(3)]
    for job in ids:
        (place / job).write_text("where a folder is needed")
    keeper = keep(workers=1)
    wait_until(lambda: "cannot be stored" in keeper.output())
    assert {sqlite_table.get(job).state for job in ids} <= {"queued", "running"}
    wait_until(lambda: any(sqlite_table.get(job).step == "no_room" for job in ids))
    for job in ids:
        (place / job).unlink()
    wait_until(lambda: over(sqlite_table, *ids))
    jobs = [sqlite_table.get(job) for job in ids]
    assert {(job.state, job.attempt) for job in jobs} == {("done", 1)}


@pytest.mark.slow
def test_postgresql_gone_and_back_loses_nothing(fresh_postgres, keep):
    import psycopg

    table = JobQueue(fresh_postgres)
    ids = [table.submit(job_request("nap/0.2"))[0].id for _ in range(8)]
    keep(fresh_postgres, **QUICK)
    base, _, name = fresh_postgres.rpartition("/")
    with psycopg.connect(f"{base}/postgres", autocommit=True) as connection:
        wait_until(lambda: table.count_by_state()["done"])
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
        connection.execute(terminate, (name,))
        time.sleep(2.5)
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    wait_until(lambda: over(table, *ids))
    assert {table.get(job).state for job in ids} == {"done"}
    table.disconnect()


def test_temporary_files_of_killed_workers_are_deleted(sqlite_table, keep, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    sqlite_table.submit(job_request("profile"))
    keeper = keep(workers=1)

    def profiles():
        return sorted(tmp_path.glob(f"{TEMPORARY_PREFIX}*/profile"))

    (first,) = wait_until(profiles)
    os.kill(keeper.workers()[0], signal.SIGKILL)
    wait_until(lambda: profiles() and not first.exists())
    (second,) = wait_until(profiles)
    keeper.kill()
    wait_until(lambda: is_unlocked(second.parent))  # The worker ended too.
    keep(workers=1)
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
