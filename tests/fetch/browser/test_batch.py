"""Many pages in one browser: no page harms another."""

import os
import signal
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest

from printer.errors import FetchError, FetchTimeout
from printer.fetch.browser.browser import Browser
from printer.fetch.browser.process import BrowserProcess, TabCrashed, find_chromium
from printer.fetch.ssrf import Guard
from printer.options import FetchOptions
from tests.support.web_server import Hit, Reply, WebServer

pytestmark = pytest.mark.browser


def capture_all(browser: Browser, urls: list[str]) -> list[bytes | FetchError]:
    def one(url: str) -> bytes | FetchError:
        try:
            return browser.capture(url).body
        except FetchError as error:
            return error

    with ThreadPoolExecutor(len(urls)) as pool:
        return list(pool.map(one, urls))


def ends(running: BrowserProcess) -> bool:
    """Wait for a browser that is not needed any more to end."""
    deadline = time.monotonic() + 20
    while running.is_alive and time.monotonic() < deadline:
        time.sleep(0.02)
    return not running.is_alive


def test_pages_are_loaded_at_once(web: WebServer) -> None:
    meeting = threading.Barrier(3, timeout=60)

    def answer(hit: Hit) -> Reply:
        meeting.wait()  # None is answered before all have asked.
        return Reply(f"<p>page {hit.path}</p>")

    urls = [web.add(f"/{number}", answer) for number in range(3)]
    with Browser(FetchOptions(timeout=60), Guard([web.url]), pages=3) as browser:
        bodies = capture_all(browser, urls)
    for number, body in enumerate(bodies):
        assert isinstance(body, bytes), body
        assert f"page /{number}<" in body.decode()


def test_a_tab_that_hangs_or_crashes_costs_its_own_page(web: WebServer) -> None:
    hang = web.add("/hang", "<p>x</p><script>while (true) {}</script>")
    crash = web.add("/crash", "<p>Crash</p><script>location = 'chrome://crash'</script>")
    fine = [web.add(f"/fine{n}", f"<p>fine {n}</p>") for n in range(4)]
    with Browser(FetchOptions(timeout=60), Guard([web.url]), pages=3) as browser:
        browser.capture(fine[0])
        before = browser._process
        browser.options = FetchOptions(timeout=4)
        bodies = capture_all(browser, [hang, crash, *fine])
        assert isinstance(bodies[0], FetchTimeout)
        for n, body in enumerate(bodies[2:]):
            assert isinstance(body, bytes), body
            assert f"fine {n}".encode() in body
        assert b"fine 1" in browser.capture(fine[1]).body
        assert browser._process is before or before.retired


@pytest.mark.parametrize("times", [1, 2])
def test_a_tab_whose_process_dies_twice_is_one_error(web: WebServer, times: int) -> None:
    slow = web.add("/slow", "<p>x</p><script>setInterval(() => fetch('/x'), 50)</script>")
    with Browser(FetchOptions(timeout=60), Guard([web.url])) as browser:
        browser.capture(web.add("/fine", "<p>fine</p>"))
        running = browser._process
        assert running is not None

        loaded = threading.Semaphore(0)
        web.add("/x", lambda _: (loaded.release(), Reply("x"))[1])

        def end_tabs() -> None:
            for _ in range(times):
                assert loaded.acquire(timeout=60)
                end_tab()
                time.sleep(0.5)
                while loaded.acquire(blocking=False):
                    pass

        def end_tab() -> None:
            for entry in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    words = entry.read_bytes()
                    group = os.getpgid(int(entry.parent.name))
                except OSError:
                    continue
                if b"--type=renderer" in words and group == running.group:
                    os.kill(int(entry.parent.name), signal.SIGKILL)

        ending = threading.Thread(target=end_tabs)
        ending.start()
        if times > 1:
            with pytest.raises(TabCrashed, match="crash"):
                browser.capture(slow)
        else:
            assert b">x</p>" in browser.capture(slow).body
        ending.join()
        assert b"fine" in browser.capture(web.url + "/fine").body
        assert browser._process is running


def test_killing_the_browser_in_mid_batch_loses_no_page(web: WebServer) -> None:
    requests = threading.Semaphore(0)

    def answer(hit: Hit) -> Reply:
        requests.release()
        time.sleep(0.3)
        return Reply(f"<p>page {hit.path}</p>")

    urls = [web.add(f"/{number}", answer) for number in range(8)]
    with Browser(FetchOptions(timeout=30), Guard([web.url]), pages=3) as browser:

        def kill() -> None:
            for _ in range(5):
                assert requests.acquire(timeout=60)
            assert browser._process is not None
            leader = browser._process.group
            for entry in Path("/proc").glob("[0-9]*/cmdline"):
                words = entry.read_bytes()
                main = b"--user-data-dir" in words and b"--type=" not in words
                if main and os.getpgid(int(entry.parent.name)) == leader:
                    os.kill(int(entry.parent.name), signal.SIGKILL)

        with ThreadPoolExecutor(1) as killer:
            killing = killer.submit(kill)
            bodies = capture_all(browser, urls)
            killing.result()
    for number, body in enumerate(bodies):
        assert isinstance(body, bytes), body
        assert f"page /{number}<" in body.decode()


def test_a_browser_is_replaced_after_so_many_pages(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = web.add("/x", "<p>x</p>")
    monkeypatch.setattr("printer.fetch.browser.browser.MAX_PAGES_LOADED", 2)
    with Browser(FetchOptions(timeout=60), Guard([url])) as browser:
        used = []
        for _ in range(5):
            browser.capture(url)
            used.append(browser._process)
        assert used[0] is used[1] is not used[2] is used[3] is not used[4]
        for before in (used[0], used[2]):
            assert ends(before)


def test_a_browser_that_grows_is_replaced(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    url = web.add("/x", "<p>x</p>")
    monkeypatch.setattr("printer.fetch.browser.browser.MAX_BYTES", 1)
    with Browser(FetchOptions(timeout=60), Guard([url])) as browser:
        for _ in range(5):
            browser.capture(url)
            first = browser._process
        browser.capture(url)
        assert first is not browser._process


def test_a_browser_that_was_closed_does_not_start_anew(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = Mock(side_effect=BrowserProcess.start)
    monkeypatch.setattr(BrowserProcess, "start", starts)
    hang = web.raw("/hang", lambda sock: bool(web.closing.wait(30)))
    browser = Browser(FetchOptions(timeout=60), Guard([web.url]))
    with browser, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(browser.capture, hang)
        deadline = time.monotonic() + 30
        while not web.hits("/hang") and time.monotonic() < deadline:
            time.sleep(0.02)
        browser.close()
        with pytest.raises((FetchError, CancelledError)):
            waiting.result(timeout=60)
        with pytest.raises(FetchError, match="closed"):
            browser.capture(hang)
    starts.assert_called_once()


def killed_at_first(path: Path, program: str) -> Path:
    """Write a program that is killed when it is started for the first time, and not to be asked."""
    path.write_text(
        f'#!/bin/sh\n[ "$1" != --version ] && [ ! -e {path}.mark ] && {{ touch {path}.mark;'
        f' kill -9 $$; }}\nexec {program} "$@"\n'
    )
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("killed", ["driver", "chromium"])
def test_a_browser_killed_at_its_start_is_started_again(
    web: WebServer, killed: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from playwright._impl._driver import compute_driver_executable

    if killed == "driver":
        program = killed_at_first(tmp_path / "node", compute_driver_executable()[0])
        monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(program))
    else:
        program = killed_at_first(tmp_path / "chromium", next(find_chromium()))
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        monkeypatch.setattr("printer.fetch.browser.process._PROGRAMS", ("chromium",))
    with Browser(FetchOptions(timeout=60), Guard([web.url])) as browser:
        assert b"fine" in browser.capture(web.add("/fine", "<p>fine</p>")).body
    assert Path(f"{program}.mark").exists()
