"""Fixtures for all tests: web servers on loopback, and a new home folder."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from printer import GC_THRESHOLDS
from printer.fetch.browser.process import find_chromium
from tests.support.distribution import FixtureScheduling, rewrite_share
from tests.support.effort import THOROUGH
from tests.support.running_processes import watched
from tests.support.warm_programs import WarmPrograms
from tests.support.web_server import WebServer

# A busy machine is slow now and then, which is no failure of the code under test.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("steady"), max_examples=40)
settings.load_profile("steady" if THOROUGH else "quick")


#: The quick tests of `make smoke`: folders and files.
SMOKE = (
    "article", "compose", "crawl/test_near_duplicates.py", "crawl/test_sitemaps.py",
    "digest/test_config.py", "digest/test_delivery.py", "digest/test_discovery.py",
    "extraction/papers", "extraction/test_corrections.py", "fetch/test_client.py",
    "fetch/test_content_type.py", "fetch/test_credentials.py", "fetch/test_ssrf.py", "html",
    "images/papers", "images/test_captions.py", "jobs/test_storage.py", "render/test_ink.py",
    "render/weasy/test_engine.py", "server/test_reading_list.py", "site_rules/test_css.py",
    "summarize", "cli/test_formats_command.py", "cli/test_output.py", "test_db.py", "test_text.py",
    "test_urls.py",
)  # fmt: skip
HERE = Path(__file__).parent


#: The folders and files whose tests take longest, or long in one process; they come first, so that
#: short ones fill the end of a run.
LONG = (
    "fetch/browser", "jobs", "server", "samples", "deploy", "bench", "docs", "batch", "crawl",
    "hostile", "test_wheel.py", "images/test_pictures_on_paper.py",
)  # fmt: skip


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FixtureScheduling:
    """Give tests that share a fixture of their module to one process."""
    # The table of characters that all processes read, which takes each two seconds to make.
    st.characters(codec="utf-8").validate()
    return FixtureScheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect without looking for garbage, and never look for any in what was collected."""
    rewrite_share(session.config)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the quick tests, skip what cannot run here, and put those that take longest first."""
    if not THOROUGH:
        _leave_out_thorough_tests(config, items)
    missing = [place for place in (*SMOKE, *LONG) if not (HERE / place).exists()]
    assert not missing, f"tests/conftest.py names tests that do not exist: {missing}"
    has_chromium = next(find_chromium(), None) is not None
    for item in items:
        if not has_chromium and item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason="no Chromium (see webprint doctor)"))
        path = item.path.relative_to(HERE).as_posix()
        if any(_is_in(path, place) for place in SMOKE):
            item.add_marker(pytest.mark.smoke)
    items.sort(key=_order)


def _leave_out_thorough_tests(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of thorough.txt, unless they are named on the command line."""
    lines = (HERE / "thorough.txt").read_text().splitlines()
    beginnings = tuple(f"tests/{line}" for line in lines if not line.startswith("#"))
    named = tuple(argument for argument in config.args if "::" in argument)

    def is_left_out(item: pytest.Item) -> bool:
        return item.nodeid.startswith(beginnings) and not item.nodeid.startswith(named)

    if left_out := list(filter(is_left_out, items)):
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not is_left_out(item)]


def _order(item: pytest.Item) -> int:
    path = item.path.relative_to(HERE).as_posix()
    return next((at for at, place in enumerate(LONG) if _is_in(path, place)), len(LONG))


def _is_in(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return an iterator of new folders."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(scope="session", autouse=True)
def no_running_processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fail if a test left a process running, and say which test it was."""
    with watched(tmp_path_factory.mktemp("tmp")):
        yield


@pytest.fixture(scope="session")
def warm() -> Iterator[WarmPrograms]:
    """A process that has loaded everything, and runs programs in forked children."""
    with WarmPrograms() as programs:
        yield programs


@pytest.fixture(autouse=True)
def home_folder(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's settings, cache and environment away from the tests."""
    home = next(homes)
    home.mkdir()
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
