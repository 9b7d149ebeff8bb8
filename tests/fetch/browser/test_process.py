"""The browser as a process: one that is not there, does not start, dies, or outlives us."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from printer.errors import FetchError, MissingLibrary
from printer.fetch.browser.browser import Browser
from printer.fetch.ssrf import Guard
from printer.options import FetchOptions
from tests.support.web_server import Hit, Reply, WebServer

pytestmark = pytest.mark.browser

OPTIONS = FetchOptions(timeout=20)


def test_a_browser_that_dies_is_an_error_and_is_started_anew(web: WebServer) -> None:
    slow = web.raw("/dies", lambda sock: time.sleep(1))
    fine = web.add("/fine", "<p>Fine</p>")
    with Browser(OPTIONS, Guard([slow])) as browser:
        browser.capture(fine)
        killer = threading.Timer(0.3, browser._process.chromium.kill)
        killer.start()
        with pytest.raises(FetchError):
            browser.capture(slow)
        assert b"Fine" in browser.capture(fine).body


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks in /proc")
@pytest.mark.parametrize("kind", ["network.mojom.NetworkService", "--type=renderer"])
def test_a_page_outlives_a_process_that_ends_while_it_is_loaded(web: WebServer, kind: str) -> None:
    asked, answered = threading.Semaphore(0), threading.Event()
    fine = web.add("/fine", "<p>Fine</p>")

    def answer(hit: Hit) -> Reply:
        asked.release()
        assert answered.wait(20)
        return Reply("<p>Words</p>")

    slow = web.add("/slow", answer)
    with Browser(OPTIONS, Guard([web.url])) as browser:
        browser.capture(fine)
        group = browser._process.chromium._process.pid

        def end() -> None:
            assert asked.acquire(timeout=20)
            for pid in processes_of(kind):
                with suppress(ProcessLookupError):  # Another browser's may end meanwhile.
                    if os.getpgid(pid) == group:
                        os.kill(pid, signal.SIGKILL)
            assert asked.acquire(timeout=20), "the page was not asked for again"
            answered.set()

        with ThreadPoolExecutor(1) as killer:
            killing = killer.submit(end)
            assert b"Words" in browser.capture(slow).body
            killing.result()


def test_no_chromium_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    with Browser(OPTIONS, Guard()) as browser, pytest.raises(MissingLibrary) as caught:
        browser.capture("https://example.org/")
    assert "chromium-headless-shell" in str(caught.value)


def test_a_chromium_that_does_not_start_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\necho '[1:2:ERROR] No usable sandbox!' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    with Browser(OPTIONS, Guard()) as browser, pytest.raises(MissingLibrary) as caught:
        browser.capture("https://example.org/")
    assert "No usable sandbox" in str(caught.value)


def processes_of(marker: str) -> list[int]:
    """Return the processes whose command line holds a text."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in words:
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks in /proc")
def test_nothing_is_left_running_when_we_are_killed(web: WebServer, tmp_path: Path) -> None:
    url = web.add("/x", "<p>Words</p>")
    code = (
        "import sys, time\n"
        "from printer.fetch.browser.browser import Browser\n"
        "from printer.fetch.ssrf import Guard\n"
        "from printer.options import FetchOptions\n"
        "browser = Browser(FetchOptions(timeout=20), Guard([sys.argv[1]]))\n"
        "browser.capture(sys.argv[1])\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    ours = subprocess.Popen(
        [sys.executable, "-c", code, url],
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert ours.stdout is not None
    with ours.stdout:
        assert ours.stdout.readline() == b"ready\n"
    assert processes_of(str(tmp_path))
    ours.send_signal(signal.SIGKILL)
    ours.wait()
    deadline = time.monotonic() + 60
    while processes_of(str(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not processes_of(str(tmp_path))
