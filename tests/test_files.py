"""A file is replaced completely or not at all."""

import errno
import os
import resource
import signal
import struct
import threading
from math import inf
from pathlib import Path

import pytest

from printer import files
from printer.errors import OutputError
from printer.files import atomic_write, changing, lock_file


def test_it_writes_bytes_and_text(tmp_path):
    atomic_write(tmp_path / "a", b"\x00")
    atomic_write(tmp_path / "b", "Žluť")
    assert (tmp_path / "a").read_bytes() == b"\x00"
    assert (tmp_path / "b").read_text(encoding="utf-8") == "Žluť"


def test_a_file_keeps_its_mode_and_a_new_one_gets_the_one_named(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("1")
    old.chmod(0o640)
    atomic_write(old, "2", 0o600)
    atomic_write(new, "2", 0o600)
    assert (old.stat().st_mode & 0o777, new.stat().st_mode & 0o777) == (0o640, 0o600)


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="only Linux shows the umask")
def test_other_threads_keep_the_umask_while_a_file_is_written(tmp_path, monkeypatch):
    old = os.umask(0o027)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(os, "umask", lambda mask: pytest.fail(f"the umask became {mask:o}"))
            atomic_write(tmp_path / "new", "1")
    finally:
        os.umask(old)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640


def test_a_file_keeps_its_access_list(tmp_path):
    file, name = tmp_path / "shared", "system.posix_acl_access"
    file.write_text("1")
    # The owner and user 5001 may write it, and its group may not read it.
    entries = [(1, 6, -1), (2, 6, 5001), (4, 0, -1), (16, 6, -1), (32, 0, -1)]
    packed = b"".join(struct.pack("<HHi", *entry) for entry in entries)
    try:
        os.setxattr(file, name, struct.pack("<I", 2) + packed)
    except OSError:
        pytest.skip("this file system has no access lists")
    before = os.getxattr(file, name)
    atomic_write(file, "2")
    assert os.getxattr(file, name) == before
    assert file.stat().st_mode & 0o777 == 0o660


def test_a_link_stays_one(tmp_path):
    link, file = tmp_path / "link", tmp_path / "file"
    file.write_text("1")
    link.symlink_to(file)
    atomic_write(link, "2")
    assert link.is_symlink()
    assert file.read_text() == "2"


def test_a_link_to_itself_is_left_as_it_is(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(link)
    with pytest.raises(OSError, match="symbolic links"):
        atomic_write(link, "2")
    assert list(tmp_path.iterdir()) == [link]


def test_a_pipe_or_device_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a file"):
        atomic_write(tmp_path / "pipe", "2")
    assert (tmp_path / "pipe").is_fifo()


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("1")

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        atomic_write(file, "2")
    assert file.read_text() == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a link to another user, as only root can")
def test_a_new_file_replaces_none(tmp_path):
    file = tmp_path / "new"
    atomic_write(file, "1", 0o640, replace=False)
    with pytest.raises(FileExistsError):
        atomic_write(file, "2", replace=False)
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("1", 0o640)
    assert [*tmp_path.iterdir()] == [file]


def test_a_new_file_is_written_where_no_file_can_have_two_names(tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(errno.EPERM, "no hard links")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.delattr(os, "O_TMPFILE")
    file = tmp_path / "new"
    atomic_write(file, "1", replace=False)
    with pytest.raises(FileExistsError):
        atomic_write(file, "2", replace=False)
    assert file.read_text() == "1"
    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without names are Linux's")
def test_a_process_that_is_killed_leaves_nothing_of_a_new_file(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: os.kill(os.getpid(), signal.SIGKILL))
    pid = os.fork()
    if pid == 0:
        atomic_write(tmp_path / "new", "1", replace=False)
        os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(pid, 0)[1])
    assert [*tmp_path.iterdir()] == []


def test_a_link_of_another_user_is_not_followed(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("kept")
    link.symlink_to(target)
    os.chown(link, 65534, -1, follow_symlinks=False)
    with pytest.raises(PermissionError, match="symbolic link of another user"):
        atomic_write(link, "changed")
    assert target.read_text() == "kept"
    os.chown(link, 0, -1, follow_symlinks=False)
    atomic_write(link, "changed")
    assert target.read_text() == "changed"


def test_a_folder_that_another_program_keeps_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_FOLDER_LOCK_SECONDS", 0.05)
    path = tmp_path / "new" / "file"
    with changing(path, OutputError):
        assert path.parent.stat().st_mode & 0o77 == 0
        with pytest.raises(OutputError, match="another program"), changing(path, OutputError):
            pass
    with changing(path, OutputError):
        pass


def test_who_waits_for_a_lock_without_a_limit_sleeps_until_it_is_free(tmp_path):
    first = lock_file(tmp_path / "lock")
    threading.Timer(1.0, first.close).start()
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
    lock_file(tmp_path / "lock", inf).close()
    wakes = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - before
    assert first.closed
    assert wakes < 20, f"the thread woke {wakes} times in a second"
