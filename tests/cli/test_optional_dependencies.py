"""A command whose extra is not installed names it, and how to install it."""

import re

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
