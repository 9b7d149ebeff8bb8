"""A wrong call gets one line with the right next step, before anything is fetched.

``wrong_calls`` has a paragraph for each: the call, its exit code, and the line on stderr.
"""

import errno
import io
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer import Context
from typer.main import get_group

from printer.cli.app import app
from tests.support.story_page import story_page

CALLS = [
    paragraph.split("\n")
    for paragraph in (Path(__file__).parent / "wrong_calls").read_text().strip().split("\n\n")
]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return str(tmp_path_factory.mktemp("home"))


def commands(group, words):
    """Yield the words of every command, as in "webprint digest run"."""
    context = Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if getattr(command, "commands", None):
            yield from commands(command, f"{words} {name}")
        else:
            yield f"{words} {name}"


def test_there_are_a_hundred_and_fifty_of_all_commands():
    calls = [call.removeprefix("$ ") for call, _, _ in CALLS]
    assert len(set(calls)) == len(calls) >= 150
    names = {*commands(get_group(app), "webprint")} - {"webprint print"}  # the default command
    assert not [name for name in sorted(names) if not any(c.startswith(name) for c in calls)]


@pytest.mark.parametrize(("call", "code", "line"), CALLS, ids=[call for call, _, _ in CALLS])
def test_a_wrong_call_gets_one_line(webprint, web, tmp_path, monkeypatch, home, call, code, line):
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, home)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(), isatty=lambda: False))
    for name in ("saved.html", "other.html"):
        (tmp_path / name).write_text(story_page())
    (tmp_path / "there").mkdir()
    (tmp_path / "empty.txt").write_text("# nothing\n")
    (tmp_path / "list.txt").write_text("https://example.org/a\n")
    (tmp_path / "bad-list.txt").write_text("saved.html\n\nnonsense\n")
    before = sorted(tmp_path.rglob("*"))
    words = shlex.split(call.replace("{web}", web.url))[2:]
    assert webprint(*words) == (int(code), "", f"{line}\n")
    assert not web.hits()
    assert sorted(tmp_path.rglob("*")) == before


def test_a_home_that_may_not_be_read_is_named(webprint, monkeypatch, tmp_path):
    home = tmp_path / "home"
    is_file = Path.is_file

    def refuse(path):
        if path.is_relative_to(home):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refuse)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "saved.html").write_text(story_page())
    settings = home / ".config/webprint/webprint.toml"
    line = f"{settings} cannot be used: permission denied. Change its permissions, or set HOME"
    code, out, err = webprint("saved.html")
    assert (code, out, err) == (12, "", f"webprint: {line} to a folder of yours\n")
