"""Fixtures of all tests: web servers on loopback, and a home folder of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.web_server import WebServer

# A machine that does other things too is slow now and then; that is no fault of what is tested.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests that share a fixture of their module in one process; spread all others."""
    for item in items:
        fixtures = getattr(item, "_fixtureinfo", None)
        definitions = fixtures.name2fixturedefs.values() if fixtures else ()
        if any(found[-1].scope == "module" for found in definitions if found):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


@pytest.fixture(autouse=True)
def home_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's settings, cache and environment away from the tests."""
    home = tmp_path_factory.mktemp("home")
    browsers = Path.home() / ".cache/ms-playwright"
    if "PLAYWRIGHT_BROWSERS_PATH" not in os.environ and browsers.is_dir():
        monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(browsers))
    monkeypatch.setenv("HOME", str(home))
    for name, folder in (
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_CACHE_HOME", ".cache"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_STATE_HOME", ".local/state"),
    ):
        monkeypatch.setenv(name, str(home / folder))
    for name in list(os.environ):
        if name.startswith("WEBPRINT_"):
            monkeypatch.delenv(name)
    return home


@pytest.fixture
def web() -> Iterator[WebServer]:
    """A web server at 127.0.0.1."""
    with WebServer() as server:
        yield server


@pytest.fixture
def other_web() -> Iterator[WebServer]:
    """A second web server, of another origin: 127.0.0.2."""
    with WebServer("127.0.0.2") as server:
        yield server
