"""The browser as a process: missing, failing to start, dying, or outliving us."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.async_api import Error as PlaywrightError

from printer.errors import FetchError, FetchTimeout, MissingLibrary, TooLarge
from printer.fetch.browser import process
from printer.fetch.browser.browser import Browser
from printer.fetch.browser.process import (
    BrowserProcess,
    find_chromium,
    translate,
)
from printer.fetch.ssrf import Guard
from printer.options import FetchOptions
from printer.processes import process_tree
from printer.session import Session
from tests.support.web_server import Hit, Reply, WebServer

pytestmark = pytest.mark.browser

OPTIONS = FetchOptions(timeout=60)


def test_a_browser_that_dies_is_an_error_and_is_started_anew(web: WebServer) -> None:
    slow = web.raw("/dies", lambda sock: time.sleep(1))
    fine = web.add("/fine", "<p>Fine</p>")
    with Browser(OPTIONS, Guard([slow])) as browser:
        browser.capture(fine)
        killer = threading.Timer(0.3, browser._process.kill)
        killer.start()
        with pytest.raises(FetchError):
            browser.capture(slow)
        assert b"Fine" in browser.capture(fine).body


def test_a_driver_that_starts_too_late_is_ended(
    web: WebServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from playwright._impl._driver import compute_driver_executable

    program = tmp_path / "node"
    program.write_text(f'#!/bin/sh\nsleep 1\nexec {compute_driver_executable()[0]} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(program))
    with Browser(FetchOptions(timeout=0.5), Guard([web.url])) as browser:
        with pytest.raises(FetchTimeout):
            browser.capture(web.add("/x", "<p>Words</p>"))
        children = set(process_tree(os.getpid()))
        assert children & {*processes_of("run-driver")}
    assert not children & {*processes_of("run-driver")}


def add_greedy_page(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """Add a page that soon takes more memory than is allowed from now on; return its URL."""
    monkeypatch.setattr(process, "MAX_MEMORY", 400_000_000)
    monkeypatch.setattr(process, "_MEMORY_CHECK_SECONDS", 0.1)
    script = "const all = []; while (all.length < 400) all.push(new Uint8Array(5e6).fill(1))"
    return web.add("/greedy", f"<p>Words</p><script>{script}</script>")


def test_a_page_that_takes_all_memory_is_ended(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    greedy = add_greedy_page(web, monkeypatch)
    fine = web.add("/fine", "<p>Fine</p>")
    with Browser(OPTIONS, Guard([web.url])) as browser:
        with pytest.raises(TooLarge, match=r"needs more than 0\.4 GB"):
            browser.capture(greedy)
        assert b"Fine" in browser.capture(fine).body


def test_a_page_that_takes_all_memory_spares_the_others(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    greedy = add_greedy_page(web, monkeypatch)
    again = threading.Event()

    def answer(hit: Hit) -> Reply:
        if len(web.hits("/fine")) > 1:
            again.set()
        assert again.wait(60), "the page was not asked for again"
        return Reply("<p>Fine</p>")

    fine = web.add("/fine", answer)
    with Browser(OPTIONS, Guard([web.url]), pages=2) as browser, ThreadPoolExecutor(2) as readers:
        captures = [readers.submit(browser.capture, url) for url in (fine, greedy)]
        assert b"Fine" in captures[0].result().body
        with pytest.raises(TooLarge, match=r"the page needs more than 0\.4 GB"):
            captures[1].result()


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks in /proc")
@pytest.mark.parametrize("kind", ["network.mojom.NetworkService", "--type=renderer"])
def test_a_page_outlives_a_process_that_ends_while_it_is_loaded(web: WebServer, kind: str) -> None:
    requests, answered = threading.Semaphore(0), threading.Event()
    fine = web.add("/fine", "<p>Fine</p>")

    def answer(hit: Hit) -> Reply:
        requests.release()
        assert answered.wait(60)
        return Reply("<p>Words</p>")

    slow = web.add("/slow", answer)
    with Browser(OPTIONS, Guard([web.url])) as browser:
        browser.capture(fine)
        group = browser._process.group

        def end() -> None:
            assert requests.acquire(timeout=60)
            for pid in processes_of(kind):
                with suppress(ProcessLookupError):  # Another browser's may end meanwhile.
                    if os.getpgid(pid) == group:
                        os.kill(pid, signal.SIGKILL)
            assert requests.acquire(timeout=60), "the page was not asked for again"
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
    assert f"'{sys.executable} -m playwright install" in str(caught.value), "only a bare command"


def broken_chromium(folder: Path, monkeypatch: pytest.MonkeyPatch, message: str) -> None:
    """Make the only Chromium of the machine one that ends with a message."""
    broken = folder / "chromium"
    broken.write_text(f"#!/bin/sh\necho '[1:2:ERROR:x.cc] {message}' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(folder))


@pytest.mark.parametrize(
    ("message", "expected", "hint"),
    [
        ("Cannot open the fonts!", "does not start: Cannot open the fonts!", "chromium-headless"),
        ("No usable sandbox! Update your kernel", "cannot use its sandbox", "seccomp="),
    ],
)
def test_a_chromium_that_does_not_start_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, message: str, expected: str, hint: str
) -> None:
    broken_chromium(tmp_path, monkeypatch, message)
    with Browser(OPTIONS, Guard()) as browser, pytest.raises(MissingLibrary) as caught:
        browser.capture("https://example.org/")
    assert expected in caught.value.message
    assert hint in caught.value.hint


def test_a_chromium_that_loses_a_process_as_it_starts_is_started_again(
    web: WebServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program, fine = next(find_chromium()), web.add("/fine", "<p>Fine</p>")
    message = "GPU process launch failed: error_code=1002"
    broken_chromium(tmp_path, monkeypatch, message)
    script = (tmp_path / "chromium").read_text()
    once = f'[ -e {tmp_path}/tried ] && exec {program} "$@"\n: > {tmp_path}/tried\n'
    (tmp_path / "chromium").write_text(script.replace("\n", f"\n{once}", 1))
    with Browser(OPTIONS, Guard([fine])) as browser:
        assert b"Fine" in browser.capture(fine).body


@pytest.mark.parametrize(
    "message",
    [
        "BrowserContext.new_page: Target crashed",
        "Page.goto: Page crashed\nCall log:\n  - navigating",
        "Page.goto: Target page, context or browser has been closed",
        "Page.evaluate: Connection closed while reading from the driver",
        "Page.goto: net::ERR_PROXY_CONNECTION_FAILED at https://example.org/",
    ],
)
def test_an_ended_process_is_distinguished_from_a_page_that_fails(message: str) -> None:
    error = translate(PlaywrightError(message), "https://example.org/", "", None)
    assert error.process_died
    assert not translate(
        PlaywrightError("net::ERR_FAILED"), "https://e.org/", "", None
    ).process_died


def test_root_is_warned_that_there_is_no_sandbox(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    fine = web.add("/fine", "<p>Fine</p>")
    with Session(OPTIONS, user_urls=[fine]) as session:
        session.browser.capture(fine)
        warnings = session.take_warnings()
        words = " ".join(command_of(pid) for pid in members(session.browser._process.group))
    assert ("--no-sandbox" in words) == any("WITHOUT ITS SANDBOX" in text for text in warnings)
    assert bool(warnings) == (os.geteuid() == 0)


def members(group: int) -> list[int]:
    """Return the processes of a process group."""
    pids = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(ProcessLookupError):
            if os.getpgid(int(entry.name)) == group:
                pids.append(int(entry.name))
    return pids


def command_of(pid: int) -> str:
    with suppress(OSError):
        return (Path(f"/proc/{pid}/cmdline")).read_text().replace("\0", " ")
    return ""


def listening_sockets(pids: list[int]) -> list[str]:
    """Return the local addresses at which processes listen for TCP connections."""
    inodes = set()
    for pid in pids:
        with suppress(OSError):
            for link in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(OSError):
                    inodes.update(re.findall(r"socket:\[(\d+)\]", str(link.readlink())))
    addresses = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                addresses.append(fields[1])
    return addresses


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="looks in /proc")
def test_no_port_of_the_browser_is_open_while_a_page_is_loaded(web: WebServer) -> None:
    """Any user of the machine could read this user's files through a debugging port."""
    requested, checked = threading.Event(), threading.Event()

    def answer(hit: Hit) -> Reply:
        requested.set()
        assert checked.wait(60)
        return Reply("<p>Words</p>")

    url = web.add("/slow", answer)
    before = set(process_tree(os.getpid()))
    with Browser(OPTIONS, Guard([url])) as browser, ThreadPoolExecutor(1) as pool:
        capturing = pool.submit(browser.capture, url)
        try:
            assert requested.wait(60)
            running = [pid for pid in process_tree(os.getpid()) if pid not in before]
            assert any("--type=renderer" in command_of(pid) for pid in running)
            assert listening_sockets([os.getpid()]), "the scan finds this server's own port"
            assert listening_sockets(running) == []
            assert not any("remote-debugging-port" in command_of(pid) for pid in running)
        finally:
            checked.set()
        assert b"Words" in capturing.result().body


#: Runs a program as the parent of its orphans, for which nobody waits, and prints how many are left.
ORPHANS = """
import ctypes, os, subprocess, sys
from printer.processes import process_tree
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
subprocess.run([sys.executable, "-c", *sys.argv[1:]], check=True)
print(len(process_tree(os.getpid())) - 1)
"""
CAPTURING = """
import os, sys
from printer.fetch.browser.browser import Browser
from printer.fetch.browser.process import translate
from printer.fetch.browser.process import find_chromium
from printer.fetch.ssrf import Guard
from printer.options import FetchOptions
from printer.processes import process_tree
for _ in range(2):
    with Browser(FetchOptions(timeout=20), Guard([sys.argv[1]])) as browser:
        browser.capture(sys.argv[1])
print(len(process_tree(os.getpid())) - 1)
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks in /proc")
def test_every_process_of_a_browser_is_reaped(web: WebServer, tmp_path: Path) -> None:
    url = web.add("/x", "<p>Words</p>")
    command = [sys.executable, "-c", ORPHANS, CAPTURING, url]
    ran = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["0", "0"]
    assert not list(tmp_path.glob("playwright*")), "a folder of the driver is left"


def processes_of(marker: str) -> list[int]:
    """Return the processes whose command line holds a text."""
    pids = (int(entry.name) for entry in Path("/proc").glob("[0-9]*"))
    return [pid for pid in pids if marker in command_of(pid)]


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
    program = subprocess.Popen(
        [sys.executable, "-c", code, url],
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert program.stdout is not None
    with program.stdout:
        assert program.stdout.readline() == b"ready\n"
    assert processes_of(str(tmp_path))
    program.send_signal(signal.SIGKILL)
    program.wait()
    deadline = time.monotonic() + 60
    while processes_of(str(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not processes_of(str(tmp_path))


def test_a_browser_whose_closing_is_cancelled_is_closed_all_the_same() -> None:
    async def close_twice() -> Path:
        running = await BrowserProcess.start(time.monotonic() + 60)
        closing = asyncio.create_task(running.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.gather(closing, return_exceptions=True)
        await running.close()
        with pytest.raises(ProcessLookupError):
            os.killpg(running.group, 0)
        return Path(running.folder.name)

    assert not asyncio.run(close_twice()).exists()
