"""Find, start, watch and kill the processes of Chromium and Playwright's driver."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Coroutine, Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ...errors import FetchTimeout, MissingLibrary
from .errors import BrowserDied

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import Playwright

T = TypeVar("T")

#: Suitable programs, the smallest first.
_PROGRAMS = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
_INSTALL = (
    "Install one with 'apt-get install chromium-headless-shell' (Debian)"
    " or 'playwright install --only-shell chromium', or use --render never"
)
_LISTENING = re.compile(r"DevTools listening on (ws://127\.0\.0\.1:\d+/\S+)")

#: Kills Chromium's process group when our end of the pipe closes, however this program ends.
_WATCHDOG = '"$@" </dev/null & exec >/dev/null 2>&1; read _; kill -9 0'

#: The proxy of contexts without their own: nothing listens there.
_NOWHERE = "socks5://127.0.0.1:1"

_HEADLESS = ("--headless", "--hide-scrollbars", "--mute-audio")
_SWITCHES = Path(__file__).with_name("chromium_switches.txt").read_text("utf-8").split()
#: The environment variables that Chromium inherits; on Linux the first two name a display.
_SCREEN = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR")
_ENVIRONMENT = ("FONTCONFIG_FILE", "FONTCONFIG_PATH", "LANG", "LC_ALL", "PATH", "TZ")

_STOP_SECONDS = 2.0
#: Seconds between an error and the report of the browser's death that caused it.
_NEWS_SECONDS = 0.5


def find_chromium() -> Iterator[str]:
    """Yield the Chromium programs of this machine, the best first."""
    for name in _PROGRAMS:
        if path := shutil.which(name):
            yield path
    folder = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    root = Path(folder or os.environ.get("HOME", "/"), "" if folder else ".cache/ms-playwright")
    for pattern in (
        "chromium_headless_shell-*/*/*headless*shell",
        "chromium-*/chrome-linux*/chrome",
    ):
        yield from (str(path) for path in sorted(root.glob(pattern), reverse=True))


class Chromium:
    """A running Chromium; ``endpoint`` is the address of its remote control.

    It reaches the network, including loopback, only through the proxies of its contexts, and
    queries no name server.  Raises :class:`MissingLibrary` if none is installed or none starts,
    :class:`BrowserDied` if it ended without a message, for example because it was killed.
    """

    def __init__(self, timeout: float, *, visible: bool = False) -> None:
        deadline = time.monotonic() + timeout
        self._visible = visible
        reason = ""
        for program in find_chromium():
            if visible and "headless" in Path(program).name:
                continue
            try:
                self._start(program, deadline)
            except _StartError as error:
                if not str(error):
                    raise BrowserDied("the browser ended as it started") from None
                reason = reason or f"{program} does not start: {error}"
            else:
                return
        raise _missing(reason, visible)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def kill(self) -> None:
        """Kill all processes of the browser; may be called from any thread."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def memory(self) -> int:
        """Return the private memory of its processes in bytes, 0 if unknown."""
        return sum(map(_private_bytes, _process_group(self._process.pid)))

    def close(self) -> None:
        """Kill the browser and delete its profile."""
        self.kill()
        if self._process.stdin:
            self._process.stdin.close()
        self._process.wait()
        self._reader.join(5)
        self._folder.cleanup()

    def _start(self, program: str, deadline: float) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="webprint-", ignore_cleanup_errors=True)
        home = self._folder.name
        inherited = (*_ENVIRONMENT, *(_SCREEN if self._visible else ()))
        environment = {name: os.environ[name] for name in inherited if name in os.environ}
        self._process = subprocess.Popen(  # noqa: S603 - fixed words and a path from PATH
            ["/bin/sh", "-c", _WATCHDOG, "sh", program, *self._switches(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=home,
            env={**environment, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home},
            start_new_session=True,
        )
        lines: SimpleQueue[str] = SimpleQueue()
        self._reader = threading.Thread(target=self._read_output, args=(lines,), daemon=True)
        self._reader.start()
        try:
            self.endpoint = _wait_for_endpoint(lines, deadline)
        except BaseException:
            self.close()
            raise

    def _switches(self, home: str) -> list[str]:
        switches = [
            *_SWITCHES,
            *(() if self._visible else _HEADLESS),
            f"--user-data-dir={home}/profile",
            f"--proxy-server={_NOWHERE}",
            "--proxy-bypass-list=<-loopback>",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ]
        if os.geteuid() == 0:  # Chromium refuses to use its sandbox as root.
            switches.append("--no-sandbox")
        # A visible one shows only the windows we open, and outlives the last of them.
        return [*switches, "--no-startup-window" if self._visible else "about:blank"]

    def _read_output(self, lines: SimpleQueue[str]) -> None:
        """Pass on its messages, '' at their end; keep reading so that it never blocks."""
        stream = self._process.stderr
        if stream is not None:
            with stream:
                for count, line in enumerate(iter(lambda: stream.readline(2000), b"")):
                    if count < 200:
                        lines.put(line.decode("utf-8", "replace").strip() or " ")
        lines.put("")


class _StartError(Exception):
    """Chromium ended before it could be controlled; the text is its last message."""


def _missing(reason: str, visible: bool) -> MissingLibrary:
    """Return the error for a Chromium that is missing or does not start."""
    if not visible:
        message = reason or "no Chromium was found to show the page in"
        return MissingLibrary(message, hint=_INSTALL)
    if sys.platform == "linux" and not {*_SCREEN[:2]} & os.environ.keys():
        return MissingLibrary(
            "there is no screen for a browser to show itself on",
            hint="Run this where there is one (DISPLAY or WAYLAND_DISPLAY names it), or export"
            " your browser's cookies and use --cookies",
        )
    return MissingLibrary(
        reason or "no Chromium was found that can show itself",
        hint="Install one with 'apt-get install chromium' (Debian; a headless shell has no"
        " windows), and run this where there is a screen; or export your browser's cookies"
        " and use --cookies",
    )


def _wait_for_endpoint(lines: SimpleQueue[str], deadline: float) -> str:
    message = ""
    while True:
        try:
            line = lines.get(timeout=max(deadline - time.monotonic(), 0.0))
        except Empty:
            raise _start_timeout() from None
        if not line:
            raise _StartError(message)
        if match := _LISTENING.search(line):
            return match[1]
        if "error" in line.lower() or "sandbox" in line.lower():
            message = re.sub(r"^\[[^\]]*\]\s*", "", line)[:200]


def _start_timeout() -> FetchTimeout:
    return FetchTimeout("the browser did not start in time", hint="Allow more with --timeout")


def _process_group(leader: int) -> Iterator[int]:
    """Yield the processes of a process group; nothing without /proc."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):  # It may have ended meanwhile.
            if int(entry.read_text("utf-8", "replace").rpartition(")")[2].split()[2]) == leader:
                yield int(entry.parent.name)


def _private_bytes(pid: int) -> int:
    """Return the private memory of a process in bytes."""
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0


class BrowserProcess:
    """A running Chromium with its driver, and the numbers of pages loading and loaded.

    ``retired`` means that it gets no more pages and is closed when the last one is released.
    """

    def __init__(
        self, chromium: Chromium, playwright: Playwright, browser: PlaywrightBrowser
    ) -> None:
        self.chromium = chromium
        self.browser = browser
        self.user_agent = ""
        self.retired = False
        self.users = 0
        self.pages_loaded = 0
        self.disconnected = asyncio.Event()
        self._closed = False
        self._playwright = playwright
        browser.on("disconnected", lambda _: self.disconnected.set())

    @classmethod
    async def start(cls, deadline: float, *, visible: bool = False) -> BrowserProcess:
        """Start a browser; raises as :class:`Chromium` does."""
        from playwright.async_api import Error as PlaywrightError
        from playwright.async_api import TimeoutError as PlaywrightTimeout
        from playwright.async_api import async_playwright

        launching = asyncio.to_thread(Chromium, deadline - time.monotonic(), visible=visible)
        starting_driver = asyncio.create_task(async_playwright().start())
        try:
            chromium = await launching
        except BaseException:
            with suppress(Exception):
                await (await asyncio.wait_for(starting_driver, _STOP_SECONDS)).stop()
            raise
        try:
            playwright = await _wait_for_driver(starting_driver, deadline)
            try:
                left = max(deadline - time.monotonic(), 0.001) * 1000
                browser = await playwright.chromium.connect_over_cdp(
                    chromium.endpoint, timeout=left, is_local=True
                )
                process = cls(chromium, playwright, browser)
                session = await browser.new_browser_cdp_session()
                process.user_agent = (await session.send("Browser.getVersion"))["userAgent"]
            except BaseException as error:
                with suppress(Exception):  # The driver may be what died.
                    await playwright.stop()
                if isinstance(error, PlaywrightError) and not isinstance(error, PlaywrightTimeout):
                    raise BrowserDied("the browser ended as it started") from error
                raise
        except BaseException:
            await asyncio.to_thread(chromium.close)
            raise
        return process

    @property
    def usable(self) -> bool:
        """Whether it may load another page."""
        return self.alive and not self.retired

    @property
    def alive(self) -> bool:
        """Whether it is still running."""
        return not (self._closed or self.disconnected.is_set()) and self.browser.is_connected()

    async def while_alive(self, work: Awaitable[T]) -> T:
        """Return the result of some work with the browser; raises :class:`BrowserDied`.

        After an error the browser is checked again, as its death may be the cause.
        """
        working = asyncio.ensure_future(work)
        dying = asyncio.ensure_future(self.disconnected.wait())
        both: tuple[asyncio.Future[Any], ...] = (working, dying)
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if working.done() and working.exception() and "closed" in str(working.exception()):
                await asyncio.wait((dying,), timeout=_NEWS_SECONDS)
            if dying.done() and not (working.done() and not working.exception()):
                raise BrowserDied("the browser ended of itself")
            return await working
        finally:
            working.cancel()
            dying.cancel()
            await asyncio.gather(working, dying, return_exceptions=True)

    async def close(self) -> None:
        """Kill the browser and stop its driver."""
        if self._closed:
            return
        self.retired = self._closed = True
        self.chromium.kill()
        with suppress(Exception):  # The driver may have died with it.
            await asyncio.wait_for(self._playwright.stop(), _STOP_SECONDS)
        await asyncio.to_thread(self.chromium.close)


async def _wait_for_driver(starting: asyncio.Task[Playwright], deadline: float) -> Playwright:
    try:
        return await asyncio.wait_for(starting, max(deadline - time.monotonic(), 0.001))
    except TimeoutError:
        raise _start_timeout() from None
    except Exception as error:  # The driver's failure to start has no type of its own.
        if await asyncio.to_thread(_driver_runs):
            raise BrowserDied("what drives the browser ended as it started") from error
        raise MissingLibrary(
            "what drives the browser cannot start",
            hint="On Debian or Ubuntu: apt install libatomic1",
        ) from error


def _driver_runs() -> bool:
    """Return whether the driver can run on this machine; if so, somebody killed it before."""
    from playwright._impl._driver import compute_driver_executable

    with suppress(Exception):
        program, _ = compute_driver_executable()
        command = [program, "--version"]
        return subprocess.run(command, capture_output=True, timeout=10).returncode == 0  # noqa: S603
    return False


class EventLoop:
    """An event loop in a thread that runs coroutines for any other thread."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Return the coroutine's result; raises its exception, or ``TimeoutError``."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout)
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """Cancel all tasks and end the thread."""
        with suppress(TimeoutError):
            self.run(_cancel_all(), 1.0)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(1)
        if not self._thread.is_alive():
            self._loop.close()


async def _cancel_all() -> None:
    # Tasks may start others as they are cancelled.
    while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.sleep(0)  # Lets a task that has just begun reach its own clean-up.
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
