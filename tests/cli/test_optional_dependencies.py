"""A command whose extra is not installed names it, and how to install it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from printer.cli import options
from printer.cli.app import app
from printer.errors import MissingLibrary, install_command


@pytest.mark.parametrize(
    ("line", "extra"),
    [
        ("digest run week", "digest"),
        ("digest check week", "digest"),
        ("digest list", "digest"),
        ("digest add https://example.org/", "digest"),
        ("digest import feeds.opml", "digest"),
        ("digest export", "digest"),
        ("digest schedule", "digest"),
        ("later https://example.org/", "digest"),
        ("crawl https://example.org/", "crawl"),
        ("batch list.txt out", "server"),
        ("serve", "server"),
        ("worker", "server"),
        ("jobs list", "server"),
    ],
)
def test_it_is_named(line, extra, monkeypatch):
    monkeypatch.setattr(options, "find_spec", lambda _name: None)
    result = CliRunner().invoke(app, line.split())
    assert isinstance(result.exception, MissingLibrary), result.output
    assert re.search(rf"pip install '\S+\[{extra}\]'", str(result.exception))


ROOT = Path(__file__).parents[2]

_DIGEST = """
[[digest]]
name = "week"
schedule = "0 6 * * *"
[[digest.source]]
feed = "http://127.0.0.1:9/feed"
"""
_CRAWLED = _DIGEST.replace("feed =", "crawl =")


@pytest.mark.parametrize(
    ("line", "digest", "says"),
    [
        ("digest list", _DIGEST, "week: "),
        ("digest check week", _DIGEST, "127.0.0.1"),
        ("digest check week", _CRAWLED, "crawling needs protego"),
    ],
)
def test_commands_of_digests_need_the_packages_of_digests_only(line, digest, says, tmp_path):
    (tmp_path / "webprint.toml").write_text(digest)
    command = [sys.executable, str(ROOT / "tests/support/one_extra.py"), "digest", *line.split()]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert says in done.stdout + done.stderr
    assert "internal error" not in done.stderr


def test_a_schedule_needs_the_server(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(options, "find_spec", lambda name: None if name == "dbos" else name)
    (tmp_path / "webprint.toml").write_text(_DIGEST)
    result = CliRunner().invoke(app, ["digest", "schedule"])
    assert isinstance(result.exception, MissingLibrary), result.output
    assert "the print server needs dbos" in str(result.exception)


def test_the_hint_keeps_the_extras_that_are_installed(monkeypatch):
    """pipx and uv make the environment anew."""
    monkeypatch.setattr(options, "find_spec", lambda name: None if name == "protego" else name)
    result = CliRunner().invoke(app, ["crawl", "https://example.org/"])
    assert "[crawl,digest,server]" in str(result.exception)


@pytest.mark.parametrize(
    ("receipt", "command"),
    [
        ("pipx_metadata.json", "pipx install --force"),
        ("uv-receipt.toml", "uv tool install --force"),
    ],
)
def test_the_hint_installs_as_webprint_was_installed(receipt, command, tmp_path, monkeypatch):
    (tmp_path / receipt).touch()
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    assert install_command("server").startswith(command)
