"""webprint jobs: the jobs of the print server on the command line."""

import json

from printer.errors import ErrorRecord
from printer.jobs import JobRequest, engine
from printer.settings import Settings
from tests.support.jobs import claim


def filled():
    queue = engine.open_queue(Settings())
    ids = [queue.submit(JobRequest(f"https://example.org/{n}"))[0].id for n in range(3)]
    claim(queue).fail(ErrorRecord("no such page"))
    return queue, ids


def test_jobs_are_listed(webprint):
    queue, ids = filled()
    code, out, _ = webprint("jobs")
    assert code == 0
    lines = out.splitlines()
    assert [line.split()[0] for line in lines] == ids[::-1]
    assert "failed" in lines[2]
    assert "no such page" in lines[2]
    code, out, _ = webprint("jobs", "list", ids[1], "--json")
    assert [json.loads(line)["id"] for line in out.splitlines()] == [ids[1]]
    queue.disconnect()


def test_jobs_are_tried_again_and_cancelled(webprint):
    queue, (failed, waiting, other) = filled()
    assert webprint("jobs", "retry", failed)[0] == 0
    assert webprint("jobs", "cancel", waiting, other)[0] == 0
    states = [queue.get(job).state for job in (failed, waiting, other)]
    assert states == ["queued", "cancelled", "cancelled"]
    code, _, err = webprint("jobs", "cancel", waiting)
    assert code == 2
    assert waiting in err
    assert webprint("jobs", "retry")[0] == 2
    queue.disconnect()


def test_an_empty_queue_is_reported(webprint):
    assert webprint("jobs") == (0, "", "no jobs\n")


def test_a_file_that_is_no_database_is_named_and_left_alone(webprint, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database " * 99)
    code, _, err = webprint("jobs", "list", "--database", str(path))
    assert code == 14
    assert "file is not a database. Name another database; this one was left" in err
    assert path.read_text() == "not a database " * 99
