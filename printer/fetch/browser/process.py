"""A Chromium of our own: found, started behind the proxy, and ended whatever it does."""

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

from ...errors import FetchError, FetchTimeout, MissingLibrary

if TYPE_CHECKING:
    from playwright.async_api import Browser as Driven
    from playwright.async_api import Playwright


#: Programs that will do, the smallest first.
_PROGRAMS = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
#: What says on Linux where windows are shown.
_SCREENS = {"DISPLAY", "WAYLAND_DISPLAY"}

_INSTALL = (
    "Install one with 'apt-get install chromium-headless-shell' (Debian)"
    " or 'playwright install --only-shell chromium', or use --render never"
)
_LISTENING = re.compile(r"DevTools listening on (ws://127\.0\.0\.1:\d+/\S+)")

#: Ends Chromium and all its processes when we end, however we do: the pipe on our side closes.
_KEEPER = '"$@" </dev/null & exec >/dev/null 2>&1; read _; kill -9 0'

#: What has no proxy of its own gets nowhere: nothing listens there.
_NOWHERE = "socks5://127.0.0.1:1"

#: Of one that nobody looks at.
_UNSEEN = ("--headless", "--hide-scrollbars", "--mute-audio")
_SWITCHES = (
    "--remote-debugging-port=0",
    "--autoplay-policy=user-gesture-required",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-gpu",
    "--disable-notifications",
    "--disable-quic",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater,"
    "DialMediaRouteProvider,InterestFeedContentSuggestions,MediaRouter,OptimizationHints,"
    "PaintHolding,Translate,WebRtcHideLocalIpsWithMdns",
    "--force-color-profile=srgb",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--js-flags=--max-old-space-size=1024",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)
#: What Chromium may know of our environment.
_SCREEN = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR")
_ENVIRONMENT = ("FONTCONFIG_FILE", "FONTCONFIG_PATH", "LANG", "LC_ALL", "PATH", "TZ")


def programs() -> Iterator[str]:
    """Yield the Chromiums of this machine, the likeliest first."""
    for name in _PROGRAMS:
        if found := shutil.which(name):
            yield found
    folder = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    root = Path(folder or os.environ.get("HOME", "/"), "" if folder else ".cache/ms-playwright")
    for pattern in (
        "chromium_headless_shell-*/*/*headless*shell",
        "chromium-*/chrome-linux*/chrome",
    ):
        yield from (str(path) for path in sorted(root.glob(pattern), reverse=True))


class Died(FetchError):
    """The browser ended while it started or showed a page."""

    process_died = True


class Chromium:
    """A running Chromium; ``endpoint`` is where it is driven from.

    It reaches no network but through the proxies that its pages are given, loopback not excepted,
    and asks no name server.  With ``visible`` it shows itself to a person.  Raises
    :class:`MissingLibrary` when none is installed or none starts, :class:`Died` when one ended
    without a word, as it does when somebody ends it.
    """

    def __init__(self, timeout: float, *, visible: bool = False) -> None:
        deadline = time.monotonic() + timeout
        self._visible = visible
        reason = ""
        for program in programs():
            if visible and "headless" in Path(program).name:
                continue
            try:
                self._start(program, deadline)
            except _NotStarted as error:
                if not str(error):
                    raise Died("the browser ended as it started") from None
                reason = reason or f"{program} does not start: {error}"
            else:
                return
        if visible and sys.platform == "linux" and not _SCREENS & os.environ.keys():
            raise MissingLibrary(
                "there is no screen for a browser to show itself on",
                hint="Run this where there is one (DISPLAY or WAYLAND_DISPLAY names it), or export"
                " your browser's cookies and use --cookies",
            )
        if visible:
            raise MissingLibrary(
                reason or "no Chromium was found that can show itself",
                hint="Install one with 'apt-get install chromium' (Debian; a headless shell has no"
                " windows), and run this where there is a screen; or export your browser's cookies"
                " and use --cookies",
            )
        if reason:
            raise MissingLibrary(reason, hint=_INSTALL)
        raise MissingLibrary("no Chromium was found to show the page in", hint=_INSTALL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def kill(self) -> None:
        """End every process of the browser now; may be called from any thread."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def memory(self) -> int:
        """Return the bytes that its processes hold for themselves (0 where that cannot be told)."""
        return sum(_own_bytes(pid) for pid in _group(self._process.pid))

    def close(self) -> None:
        """End the browser and take its folder away."""
        self.kill()
        if self._process.stdin:
            self._process.stdin.close()
        self._process.wait()
        self._reader.join(5)
        self._folder.cleanup()

    def _start(self, program: str, deadline: float) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="webprint-", ignore_cleanup_errors=True)
        home = self._folder.name
        known = (*_ENVIRONMENT, *(_SCREEN if self._visible else ()))
        environment = {name: os.environ[name] for name in known if name in os.environ}
        self._process = subprocess.Popen(  # noqa: S603 - our own words and a path from PATH
            ["/bin/sh", "-c", _KEEPER, "sh", program, *self._switches(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=home,
            env={**environment, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home},
            start_new_session=True,
        )
        lines: SimpleQueue[str] = SimpleQueue()
        self._reader = threading.Thread(target=self._listen, args=(lines,), daemon=True)
        self._reader.start()
        try:
            self.endpoint = _endpoint(lines, deadline)
        except BaseException:
            self.close()
            raise

    def _switches(self, home: str) -> list[str]:
        switches = [
            *_SWITCHES,
            *(() if self._visible else _UNSEEN),
            f"--user-data-dir={home}/profile",
            f"--proxy-server={_NOWHERE}",
            "--proxy-bypass-list=<-loopback>",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ]
        if os.geteuid() == 0:  # Chromium refuses to use its sandbox as root.
            switches.append("--no-sandbox")
        # One that shows itself has the windows we open, and outlives the last of them.
        return [*switches, "--no-startup-window" if self._visible else "about:blank"]

    def _listen(self, lines: SimpleQueue[str]) -> None:
        """Pass on what Chromium says, '' at its end; reads on so that it never waits for us."""
        stream = self._process.stderr
        if stream is not None:
            with stream:
                for count, line in enumerate(iter(lambda: stream.readline(2000), b"")):
                    if count < 200:
                        lines.put(line.decode("utf-8", "replace").strip() or " ")
        lines.put("")


def _group(leader: int) -> Iterator[int]:
    """Yield the processes of a process group, where the system lists them as files."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):  # It may have ended meanwhile.
            if int(entry.read_text("utf-8", "replace").rpartition(")")[2].split()[2]) == leader:
                yield int(entry.parent.name)


def _own_bytes(pid: int) -> int:
    """Return the memory that a process shares with none."""
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0


class _NotStarted(Exception):
    """Chromium ended before it could be driven; the text is what it said last."""


def _endpoint(lines: SimpleQueue[str], deadline: float) -> str:
    """Wait for the address Chromium is driven from."""
    said = ""
    while True:
        try:
            line = lines.get(timeout=max(deadline - time.monotonic(), 0.0))
        except Empty:
            raise FetchTimeout(
                "the browser did not start in time", hint="Allow more with --timeout"
            ) from None
        if not line:
            raise _NotStarted(said)
        if found := _LISTENING.search(line):
            return found[1]
        if "error" in line.lower() or "sandbox" in line.lower():
            said = re.sub(r"^\[[^\]]*\]\s*", "", line)[:200]


_STOP_SECONDS = 2.0
_NEWS_SECONDS = 0.5

T = TypeVar("T")


class Running:
    """A Chromium that was started, and how many pages it shows and has shown.

    ``retired`` says that it is to get no more pages; whoever gives back the last one closes it.
    """

    def __init__(self, chromium: Chromium, playwright: Playwright, driven: Driven) -> None:
        self.chromium = chromium
        self.driven = driven
        self.user_agent = ""
        self.retired = False
        self.busy = 0
        self.shown = 0
        self.gone = asyncio.Event()
        self._closed = False
        self._playwright = playwright
        driven.on("disconnected", lambda _: self.gone.set())

    @classmethod
    async def start(cls, deadline: float, *, visible: bool = False) -> Running:
        """Start a browser.

        Raises :class:`MissingLibrary`, :class:`FetchTimeout`, or :class:`Died` when it could start
        and was ended by somebody.
        """
        from playwright.async_api import Error as PlaywrightError
        from playwright.async_api import TimeoutError as PlaywrightTimeout
        from playwright.async_api import async_playwright

        launching = asyncio.to_thread(Chromium, deadline - time.monotonic(), visible=visible)
        driving = asyncio.create_task(async_playwright().start())
        try:
            chromium = await launching
        except BaseException:
            await _end_driver(driving)
            raise
        try:
            playwright = await _started(driving, deadline)
            try:
                left = max(deadline - time.monotonic(), 0.001) * 1000
                driven = await playwright.chromium.connect_over_cdp(
                    chromium.endpoint, timeout=left, is_local=True
                )
                running = cls(chromium, playwright, driven)
                session = await driven.new_browser_cdp_session()
                running.user_agent = (await session.send("Browser.getVersion"))["userAgent"]
            except BaseException as error:
                with suppress(Exception):  # What drives it may be what ended.
                    await playwright.stop()
                if isinstance(error, PlaywrightError) and not isinstance(error, PlaywrightTimeout):
                    raise Died("the browser ended as it started") from error
                raise
        except BaseException:
            await asyncio.to_thread(chromium.close)
            raise
        return running

    @property
    def fit(self) -> bool:
        """Whether another page may be shown in it."""
        return not self.retired and self.alive

    @property
    def alive(self) -> bool:
        """Whether it still answers."""
        return not (self._closed or self.gone.is_set()) and self.driven.is_connected()

    async def while_alive(self, work: Awaitable[T]) -> T:
        """Return what some work with the browser returns; raises :class:`Died` if it dies before.

        What the work raises is looked at again after a moment, as it may be of that.
        """
        working, ending = asyncio.ensure_future(work), asyncio.ensure_future(self.gone.wait())
        both: tuple[asyncio.Future[Any], ...] = (working, ending)
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if working.done() and working.exception() and "closed" in str(working.exception()):
                await asyncio.wait((ending,), timeout=_NEWS_SECONDS)
            if ending.done() and not (working.done() and not working.exception()):
                raise Died("the browser ended of itself")
            return await working
        finally:
            working.cancel()
            ending.cancel()
            await asyncio.gather(working, ending, return_exceptions=True)

    async def close(self) -> None:
        """End the browser and what drives it."""
        if self._closed:
            return
        self.retired = self._closed = True
        self.chromium.kill()
        with suppress(Exception):  # What drives it may have died with it.
            await asyncio.wait_for(self._playwright.stop(), _STOP_SECONDS)
        await asyncio.to_thread(self.chromium.close)


async def _started(driving: asyncio.Task[Playwright], deadline: float) -> Playwright:
    try:
        return await asyncio.wait_for(driving, max(deadline - time.monotonic(), 0.001))
    except TimeoutError:
        raise FetchTimeout(
            "the browser did not start in time", hint="Allow more with --timeout"
        ) from None
    except Exception as error:  # Its driver's failure to start has no type of its own.
        if await asyncio.to_thread(_drives):
            raise Died("what drives the browser ended as it started") from error
        raise MissingLibrary(
            "what drives the browser cannot start",
            hint="On Debian or Ubuntu: apt install libatomic1",
        ) from error


def _drives() -> bool:
    """Tell whether what drives browsers runs here: if it did not, somebody ended it."""
    from playwright._impl._driver import compute_driver_executable

    with suppress(Exception):
        program, _ = compute_driver_executable()
        command = [program, "--version"]
        return subprocess.run(command, capture_output=True, timeout=10).returncode == 0  # noqa: S603
    return False


async def _end_driver(driving: asyncio.Task[Playwright]) -> None:
    with suppress(Exception):
        await (await asyncio.wait_for(driving, _STOP_SECONDS)).stop()


Result = TypeVar("Result")


class Loop:
    """Runs coroutines for any thread, many at once."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Result], timeout: float | None = None) -> Result:
        """Return what the coroutine returns, or raise what it raises or ``TimeoutError``."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout)
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """Cancel what is still being done and let the thread end."""
        with suppress(TimeoutError):
            self.run(_cancelled(), 1.0)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(1)
        if not self._thread.is_alive():
            self._loop.close()


async def _cancelled() -> None:
    while others := asyncio.all_tasks() - {asyncio.current_task()}:  # Some leave work behind.
        await asyncio.sleep(0)  # What has only just begun gets as far as its own cleaning up.
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
