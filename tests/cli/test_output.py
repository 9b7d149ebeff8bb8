import io
import json
import os
import stat
import subprocess
import sys

import pytest

from printer.cli import output
from printer.errors import OutputError, UsageError
from printer.options import EXTENSIONS, Format
from printer.output import CompletenessReport, ContentCounts, Result
from printer.selection import PictureDecision


def test_a_new_file_is_numbered_unless_forced(tmp_path):
    (tmp_path / "a.pdf").touch()
    (tmp_path / "a 2.pdf").touch()
    assert output.write_free(tmp_path / "a.pdf", b"own").name == "a 3.pdf"
    assert output.write_free(tmp_path / "a.pdf", b"own", force=True).name == "a.pdf"


def test_a_name_that_another_run_takes_meanwhile_is_numbered(tmp_path, monkeypatch):
    def fsync(handle):
        if not (tmp_path / "a.pdf").exists():
            (tmp_path / "a.pdf").write_bytes(b"other")

    monkeypatch.setattr(os, "fsync", fsync)
    assert output.write_free(tmp_path / "a.pdf", b"own") == tmp_path / "a 2.pdf"
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written == {"a.pdf": b"other", "a 2.pdf": b"own"}
    assert stat.S_IMODE((tmp_path / "a 2.pdf").stat().st_mode) & 0o600 == 0o600


def test_a_link_that_leads_nowhere_takes_a_name(tmp_path):
    (tmp_path / "a.pdf").symlink_to("nowhere")
    assert output.write_free(tmp_path / "a.pdf", b"own") == tmp_path / "a 2.pdf"


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


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "ascii"])
def test_json_is_printed_whatever_a_name_holds(monkeypatch, encoding):
    stdout = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", stdout)
    data = {"out": "a\udcff.pdf", "title": "河 😀 \x9b31m\u202e"}
    output.print_json(data)
    output.print_json({"title": "河 😀"})
    lines = stdout.buffer.getvalue().decode(encoding).splitlines()
    assert [json.loads(line) for line in lines] == [data, {"title": "河 😀"}]
    assert all(line.isprintable() for line in lines)


def test_a_name_that_stdout_cannot_encode_is_printed_escaped(tmp_path):
    (tmp_path / "河.html").write_text("<p>x")
    done = subprocess.run(
        [sys.executable, "-m", "printer", "河.html", "--dry-run", "-o", "a.pdf"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"}, cwd=tmp_path, capture_output=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[:1] == [rb"read   \u6cb3.html"], done.stderr


def test_pictures_that_a_format_leaves_out_are_not_called_printed() -> None:
    report = CompletenessReport(ContentCounts(words=3, pictures=1), ContentCounts(words=3))
    decisions = (PictureDecision("https://a.test/1.jpg", "image"),)
    result = Result(b"", 0, "Harbor", "markdown", picture_decisions=decisions, report=report)
    assert output.summary(result).count("printed") == 1
    assert "only 0 of 1 pictures printed" in output.summary(result)


@pytest.mark.parametrize("format_", EXTENSIONS)
def test_missing_text_is_reported_for_each_format(format_: Format) -> None:
    report = CompletenessReport(
        ContentCounts(words=3), ContentCounts(words=2), missing_text=("the last word",)
    )
    result = Result(b"", 1, "Harbor", format_, report=report)
    assert output.missing_from(result) == f"missing from the {output.FORMAT_NAMES[format_]}"
    assert "2 of 3 words" in output.summary(result)
