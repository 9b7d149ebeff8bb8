"""How a batch handles the results of its jobs, and what a later run finds of an earlier one."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from printer import batch
from printer.errors import ErrorRecord, JobsError
from printer.files import lock_file
from printer.jobs.engine import open_result_storage
from printer.jobs.queue import JobQueue
from printer.options import BatchOptions
from printer.settings import Settings
from tests.support.jobs import claim

BUSY = ErrorRecord("the server is busy", kind="FetchError")
GONE = ErrorRecord("the server answered 404 Not Found", kind="HTTPStatusError", status=404)
A, B, C = (f"https://one.test/{name}" for name in "abc")


class Killed(BaseException):
    """Ends a run as kill -9 does: nothing is written any more."""


class Press:
    """Takes the place of the workers: does one job at each look at it.

    ``outcomes`` has an error or the fields of a result by address, or a list of them, one a try.
    """

    def __init__(self):
        self.requested, self.outcomes, self.stored = [], {}, "article.pdf"

    def start(self, settings, _files):
        self.queue, self.storage = JobQueue(settings.database), open_result_storage(settings)

    def check(self):
        if not (job := claim(self.queue)):
            return
        self.requested.append(job.url)
        outcome = self.outcomes.get(job.url, {})
        outcome = outcome.pop(0) if isinstance(outcome, list) else outcome
        if isinstance(outcome, ErrorRecord):
            job.fail(outcome)
            return
        self.storage.put(f"{job.id}/{job.attempt}/{self.stored}", job.url.encode())
        job.finish({"title": f"Page {job.url[-1]}", "attempt": job.attempt, **outcome})

    def close(self):
        if hasattr(self, "queue"):
            self.queue.disconnect()


@pytest.fixture
def press(monkeypatch):
    press = Press()
    monkeypatch.setattr(batch, "LocalWorkers", lambda: press)
    monkeypatch.setattr(batch, "_POLL_INTERVAL", 0.0)
    yield press
    press.close()


@pytest.fixture
def run(press, tmp_path):
    """Print a list; return the items by the last letter of their addresses."""

    def run(*urls, **options):
        options = BatchOptions(**{"delay": 0.0, "retry_delay": 0.0, **options})
        pages = list(enumerate(urls, 1))
        place = tmp_path / "out"
        with batch.BatchRunner(place, pages, Settings(), options) as work:
            lines = []
            work.on_finished = lines.append
            work.run()
            work.write_reports()
        assert len(lines) == len({id(item) for item in lines})
        return {item.url[-1]: item for item in work.items}

    return run


def files(tmp_path):
    return {path.name: path.read_bytes().decode() for path in (tmp_path / "out").glob("*.pdf")}


@pytest.mark.parametrize("when", ["before the file is written", "after it"])
def test_pages_printed_before_a_kill_are_not_printed_again(run, press, tmp_path, monkeypatch, when):
    def killed(path, data):
        if when == "after it":
            path.write_bytes(data)
        raise Killed

    with monkeypatch.context() as context:
        context.setattr(batch, "atomic_write", killed)
        with pytest.raises(Killed):
            run(A, B)
    run(A, B)
    assert files(tmp_path) == {"Page a.pdf": A, "Page b.pdf": B}
    assert sorted(press.requested) == [A, B]


def test_the_report_names_results_older_than_the_jobs(run, press, tmp_path):
    run(A, B)
    shutil.rmtree(tmp_path / "out/.webprint")
    (tmp_path / "out/Page b.pdf").unlink()
    items = run(B, A)
    assert press.requested == [A, B, B]
    assert (items["a"].name, items["a"].result["title"]) == ("Page a.pdf", "Page a")
    assert files(tmp_path) == {"Page a.pdf": A, "Page b.pdf": B}


def test_the_password_of_an_address_is_not_reported(run, press, tmp_path):
    run("https://name:s3cret@one.test/a")
    report = (tmp_path / "out" / batch.REPORT_JSON).read_text()
    assert '"url": "https://one.test/a"' in report
    assert "s3cret" not in report


def test_a_report_that_is_damaged_is_as_none(run, press, tmp_path):
    (tmp_path / "out").mkdir()
    bad_row = '{"pages": [{"url": [], "state": "done"}]}'
    for damaged in ("{", "[" * 99_999, bad_row, '{"pages": 1}'):
        (tmp_path / "out" / batch.REPORT_JSON).write_text(damaged)
        assert run(A)["a"].state == "done"


def test_a_temporary_failure_is_tried_again_so_many_times(run, press):
    press.outcomes = {A: [BUSY, BUSY, {}], B: [BUSY, BUSY, BUSY, {}], C: [GONE]}
    items = run(A, B, C)
    assert [(items[name].state, items[name].tries) for name in "abc"] == [
        ("done", 2), ("failed", 3), ("failed", 1),
    ]  # fmt: skip
    assert sorted(press.requested) == [A, A, A, B, B, B, C]


def test_failures_are_retried_by_a_later_run_unless_it_is_not_to(run, press, tmp_path):
    sign_in = {"obstacle": "sign-in"}
    press.outcomes = {A: [GONE, {}], B: [sign_in, {}]}
    run(A, B)
    items = run(A, B, no_retry=True)
    assert {item.state for item in items.values()} == {"failed"}
    assert items["a"].error.status == 404
    assert len(press.requested) == 2
    items = run(A, B)
    assert {item.state for item in items.values()} == {"done"}
    assert len(files(tmp_path)) == 2


def test_a_file_that_was_deleted_is_printed_again(run, press, tmp_path):
    run(A)
    (tmp_path / "out/Page a.pdf").unlink()
    run(A)
    assert files(tmp_path) == {"Page a.pdf": A}
    assert press.requested == [A, A]


def test_a_result_that_is_not_in_the_storage_is_a_failure(run, press, tmp_path):
    press.stored = "print.epub"
    items = run(A, B)
    assert [items[name].error.message for name in "ab"] == [
        "its PDF is not in the storage of results"
    ] * 2
    assert press.requested == [A, B]
    press.stored = "article.pdf"
    run(A, B)
    assert files(tmp_path) == {"Page a.pdf": A, "Page b.pdf": B}


def test_workers_make_pdfs_whatever_their_settings(run, press):
    run(A)
    assert [job.options for job in press.queue.list_recent(9)] == [{"format": "pdf"}]


def test_hosts_take_turns_and_equal_titles_get_files_of_their_own(run, press, tmp_path):
    other = "https://two.test/a"
    run(A, B, "HTTPS://one.test/a#top", other)
    assert press.requested == [A, other, B]
    assert files(tmp_path) == {"Page a.pdf": A, "Page a 2.pdf": other, "Page b.pdf": B}


def test_the_database_of_a_program_that_was_killed_is_not_changed_by_a_plan(tmp_path):
    """Its last changes are in a second file, which SQLite merges when nobody uses the database."""
    JobQueue(str(tmp_path / "jobs.sqlite")).disconnect()
    with closing(sqlite3.connect(tmp_path / "jobs.sqlite")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE added (n)")
        for end in ("", "-wal"):
            shutil.copy(tmp_path / f"jobs.sqlite{end}", tmp_path / f"killed.sqlite{end}")
    files = [tmp_path / "killed.sqlite", tmp_path / "killed.sqlite-wal"]
    before = [path.read_bytes() for path in files]
    settings = Settings(database=str(files[0]))
    (item,) = batch.planned_items(tmp_path / "out", [(1, A)], settings, BatchOptions())
    assert item.state == "waiting"
    assert [path.read_bytes() for path in files] == before


def test_a_plan_lists_printed_pages_and_changes_nothing(run, press, tmp_path):
    press.outcomes = {C: GONE}
    run(A, B, C)
    (tmp_path / "out/Page b.pdf").unlink()
    file = tmp_path / "out" / batch.STATE_FOLDER / batch.STATE_FILE
    before = file.read_bytes()
    pages = list(enumerate([A, B, C, "nothing"], 1))
    for no_retry, state in ((False, "waiting"), (True, "failed")):
        options = BatchOptions(no_retry=no_retry)
        items = batch.planned_items(tmp_path / "out", pages, Settings(), options)
        # The second file is gone, so that its print would be collected or made again.
        assert [item.state for item in items] == ["done", "sent", state, "failed"]
    assert file.read_bytes() == before
    assert (
        batch.planned_items(tmp_path / "none", pages[:1], Settings(), options)[0].state == "waiting"
    )


def test_a_run_that_cannot_begin_unlocks_its_folder(tmp_path):
    place = tmp_path / "out"
    (place / batch.STATE_FOLDER / batch.STATE_FILE).mkdir(parents=True)
    with pytest.raises(JobsError) as failure:
        batch.BatchRunner(place, [(1, A)], Settings(), BatchOptions())
    lock_file(place / batch.STATE_FOLDER / "lock").close()
    assert failure.tb
