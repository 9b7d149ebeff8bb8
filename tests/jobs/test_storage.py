"""Results are stored completely or not at all, under keys that cannot name other files."""

import errno
import os
import subprocess
import sys

import pytest
from sqlalchemy import text

from printer.errors import JobsError, UsageError
from printer.files import MAX_BYTES_BELOW
from printer.jobs import JobRequest
from printer.jobs.engine import apply_retention
from printer.jobs.storage import Storage, StorageUnavailable, check_storage
from tests.support.jobs import claim
from tests.support.remote_storage import UNREACHABLE

KEY = "0a1b/3/article.pdf"


@pytest.fixture(params=["folder", "memory"])
def storage(request, tmp_path):
    if request.param == "folder":
        return Storage(str(tmp_path / "prints"))
    return Storage(f"memory://{tmp_path.name}")


def test_stored_data_can_be_read(storage):
    storage.put(KEY, b"one")
    storage.put(KEY, b"two")
    assert storage.get(KEY) == b"two"
    assert storage.names() == ["0a1b"]
    assert storage.names("0a1b") == ["3"]
    assert storage.names("0a1b/3") == ["article.pdf"]


def test_missing_data_is_none(storage):
    assert storage.get(KEY) is None
    assert storage.names("0a1b") == []
    storage.delete("0a1b")


def test_a_folder_is_deleted_with_its_content(storage):
    storage.put(KEY, b"one")
    storage.put("0a1b/4/article.pdf", b"two")
    storage.delete("0a1b/3")
    assert storage.get(KEY) is None
    storage.delete("0a1b")
    assert storage.names() == []


@pytest.mark.parametrize(
    "key",
    ["../x", "/etc/passwd", "a/../../b", "a/1/..", "a/1/x", "", "a\0", "A/1/x.pdf", "a/1/x.pdf\n"],
)
def test_other_keys_are_refused(storage, key):
    for call in (storage.get, storage.delete, lambda key: storage.put(key, b"")):
        with pytest.raises(ValueError, match="not a key"):
            call(key)


@pytest.mark.parametrize("planted", ["article.pdf", "3", "0a1b", "pipe", "folder"])
def test_a_link_in_a_shared_folder_leads_nowhere(tmp_path, planted):
    foreign = tmp_path / "foreign"
    for name in ("article.pdf", "3/article.pdf", "0a1b/3/article.pdf"):
        (foreign / name).parent.mkdir(parents=True, exist_ok=True)
        (foreign / name).write_bytes(b"secret")
    storage = Storage(str(tmp_path / "prints"))
    file = tmp_path / "prints" / KEY
    links = {"article.pdf": file, "3": file.parent, "0a1b": file.parent.parent}
    link = links.get(planted, file)
    link.parent.mkdir(parents=True, exist_ok=True)
    if planted == "pipe":
        os.mkfifo(file)
    elif planted == "folder":
        file.mkdir()
    else:
        link.symlink_to(foreign / KEY[KEY.index(planted) :].partition("/")[0])
        assert file.read_bytes() == b"secret"
    assert storage.get(KEY) is None
    if planted in ("3", "0a1b"):
        with pytest.raises(StorageUnavailable):
            storage.put(KEY, b"a print")
    storage.delete(KEY)
    storage.delete("0a1b/3")
    storage.delete("0a1b")
    assert storage.names() == []
    assert [path.read_bytes() for path in foreign.rglob("*.pdf")] == [b"secret"] * 3


def test_a_file_that_others_made_huge_is_not_read(tmp_path):
    storage = Storage(str(tmp_path))
    storage.put(KEY, b"a print")
    os.truncate(tmp_path / KEY, MAX_BYTES_BELOW + 1)
    assert storage.get(KEY) is None


def test_a_full_disk_leaves_the_old_data(tmp_path, monkeypatch):
    storage = Storage(str(tmp_path))
    storage.put(KEY, b"old")

    def fail(_descriptor):
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(JobsError, match="it is full"):
        storage.put(KEY, b"new" * 100_000)
    assert storage.get(KEY) == b"old"
    assert [path.name for path in tmp_path.rglob("*.part")] == []


def test_a_small_file_system_that_is_full(tmp_path):
    script = f"""
import subprocess, sys
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", {str(tmp_path)!r}], check=True)
from pathlib import Path
from printer.errors import JobsError
from printer.jobs.storage import check_storage, Storage
kept = Storage({str(tmp_path)!r})
kept.put("a/1/article.pdf", b"x" * 20_000)
try:
    kept.put("b/1/article.pdf", b"x" * 200_000)
except JobsError as error:
    assert "it is full" in str(error), error
else:
    sys.exit("it went in")
assert len(kept.get("a/1/article.pdf")) == 20_000
assert kept.get("b/1/article.pdf") is None
kept.delete("b")
kept.put("c/1/article.pdf", b"y" * 20_000)
"""
    in_small_disk(script)


def in_small_disk(script):
    """Run a script that may mount a file system."""
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*unshare, "true"], capture_output=True).returncode:
        pytest.skip("file systems cannot be mounted here")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ran = subprocess.run(
        [*unshare, sys.executable, "-c", script], capture_output=True, text=True, env=env
    )
    assert ran.returncode == 0, ran.stderr


def test_jobs_can_be_deleted_on_a_full_disk(tmp_path):
    script = f"""
import subprocess, sys
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", {str(tmp_path)!r}], check=True)
from pathlib import Path
from printer.errors import JobsError
from printer.jobs import JobRequest
from printer.jobs.queue import JobQueue
queue = JobQueue({str(tmp_path / "jobs.sqlite")!r})
ids = [queue.submit(JobRequest(f"https://a.test/{{n}}"))[0].id for n in range(20)]
with suppress(OSError), Path({str(tmp_path / "rest")!r}).open("wb", 0) as file:
    while True:
        file.write(b"x" * 4096)
try:
    for n in range(2000):
        queue.submit(JobRequest(f"https://a.test/{{n}}", {{}}, {{"page": b"x" * 99}}))
except JobsError as error:
    assert "full" in str(error), error
else:
    sys.exit("it went in")
assert all(queue.delete(each) for each in ids)
"""
    in_small_disk("from contextlib import suppress\n" + script)


def test_an_unwritable_place_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(JobsError, match="cannot be stored"):
        Storage(str(tmp_path / "file" / "prints"))
    with pytest.raises(UsageError, match="--storage"):
        Storage("nonsense://bucket")


def test_cleaning_keeps_folders_of_jobs(sqlite_queue, storage):
    queue = sqlite_queue
    ids = [queue.submit(JobRequest(f"https://a.test/{n}"))[0].id for n in range(3)]
    first = claim(queue)
    storage.put(f"{first.id}/1/article.pdf", b"of an engine that was killed")
    assert queue.requeue(first.id, "local")
    second = claim(queue)
    assert (second.id, second.attempt) == (first.id, 2)
    storage.put(f"{second.id}/2/article.pdf", b"kept")
    assert second.finish({})
    running = claim(queue)
    storage.put(f"{running.id}/1/article.pdf", b"on its way")
    storage.put("dead/1/article.pdf", b"of nobody")
    apply_retention(queue, storage, 1000)
    assert storage.names() == sorted(ids[:2])
    assert storage.names(first.id) == ["2"]
    assert storage.get(f"{running.id}/1/article.pdf") == b"on its way"
    apply_retention(queue, storage, -1000)
    assert storage.names() == [running.id]
    assert queue.get(first.id) is None


def test_cleaning_leaves_what_is_not_a_job_alone(sqlite_queue, tmp_path):
    queue, storage = sqlite_queue, Storage(str(tmp_path / "prints"))
    (tmp_path / "prints/lost+found").mkdir()
    storage.put("dead/1/article.pdf", b"of nobody")
    (tmp_path / "prints/dead/1/x y").touch()
    queue.submit(JobRequest("https://a.test/"))
    assert claim(queue).finish({})
    with queue.engine.begin() as connection:
        connection.execute(text("UPDATE workflow_status SET workflow_uuid = '../../other'"))
    apply_retention(queue, storage, -1000)
    assert (storage.names(), queue.list_recent()) == ([], [])
    assert (tmp_path / "prints/lost+found").is_dir()


def test_remote_storage_out_of_reach_is_one_error():
    with pytest.raises(JobsError, match="refused"):
        Storage("ftp://127.0.0.1:1/prints")


def test_an_error_of_a_package_for_storage_is_one_error():
    """The errors of botocore, for one, are not those of the system."""
    storage = Storage(UNREACHABLE)
    calls = [storage.get, storage.delete, lambda key: storage.put(key, b""), storage.names]
    for call in calls:
        with pytest.raises(StorageUnavailable, match="could not connect") as caught:
            call(KEY)
        assert "hunter2" not in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_folder_named_by_a_url_is_private_as_well(tmp_path):
    Storage(f"file://{tmp_path}/prints").put(KEY, b"one")
    file = tmp_path / "prints" / KEY
    modes = [path.stat().st_mode & 0o777 for path in (tmp_path / "prints", file.parent, file)]
    assert modes == [0o700, 0o700, 0o600]


def test_storage_is_checked_without_a_connection(tmp_path):
    check_storage("ftp://127.0.0.1:1/prints")
    check_storage(str(tmp_path / "prints"))
    with pytest.raises(UsageError, match="not known: nope"):
        check_storage("nope://bucket")
    (tmp_path / "file").touch()
    with pytest.raises(JobsError):
        check_storage(str(tmp_path / "file"))
