"""A command whose extra is not installed says so, and how to get it."""

import pytest
from typer.testing import CliRunner

from printer.cli import options
from printer.cli.app import app
from printer.errors import MissingLibrary


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
    assert f"pip install 'webprint[{extra}]'" in str(result.exception)
