import os
import stat

import pytest

from printer.cli import output
from printer.errors import OutputError, UsageError


def test_a_free_path_is_numbered_unless_forced(tmp_path):
    (tmp_path / "a.pdf").touch()
    (tmp_path / "a 2.pdf").touch()
    assert output.free_path(tmp_path, "a", ".pdf", force=False).name == "a 3.pdf"
    assert output.free_path(tmp_path, "a", ".pdf", force=True).name == "a.pdf"


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "out.pdf"
    path.write_bytes(b"old")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="no space left"):
        output.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_writing_keeps_a_files_mode_and_follows_its_link(tmp_path):
    real, link = tmp_path / "real.pdf", tmp_path / "link.pdf"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    output.write(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_new_file_obeys_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        output.write(tmp_path / "out.pdf", b"x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "out.pdf").stat().st_mode) == 0o640


def test_a_device_is_written_to_directly():
    output.write(output.Path("/dev/null"), b"x")


@pytest.mark.parametrize(("name", "says"), [("missing/out.pdf", "no folder"), (".", "is a folder")])
def test_an_unwritable_file_is_reported(tmp_path, name, says):
    with pytest.raises(OutputError) as caught:
        output.write(tmp_path / name, b"x")
    assert says in str(caught.value)


def test_a_list_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(output, "MAX_INPUT_BYTES", 1_000_000)
    with pytest.raises(UsageError, match="/dev/zero is larger than 1 MB"):
        output.read_input("/dev/zero")
