"""Find, start, watch and kill Chromium and its driver, and translate their errors."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import Browser as PlaywrightBrowser
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Playwright, async_playwright
from playwright.async_api import TimeoutError as PlaywrightTimeout

from ...errors import BadURL, FetchError, FetchTimeout, MissingLibrary, TooLarge, WebprintError
from ...files import load_json
from ...processes import become_subreaper, memory_usage
from ...text import quantity
from ...urls import is_http, origin_of
from ..errors import with_url
from ..proxy import Proxy

#: Texts in the messages of Chromium and Playwright: prefixes of network errors, with our messages
#: for them; signs that a process of the browser or its driver ended, or was replaced by one that
#: does not know our proxy yet; and signs that a page leads to no web address.
_ERRORS: dict[str, Any] = load_json(__file__, "chromium_errors.json")


class BrowserDied(FetchError):
    """The browser ended while it started or loaded a page."""

    process_died = True


class PagesTooLarge(BrowserDied):
    """The browser was killed because the pages that it loaded at a time needed too much memory."""


class TabCrashed(FetchError):
    """The renderer or network process crashed, or, before a response, a load was aborted."""

    process_died = True


class PageGone(FetchError):
    """The page navigated to a place that cannot be read; the proxy may know why."""


def translate(error: Exception, url: str, target: str, proxy: Proxy | None) -> WebprintError:
    """Translate an exception of Playwright.

    ``target`` is the URL of the page's last navigation; ``proxy`` may know why it was not reached.
    """
    if proxy and proxy.overspent:
        return with_url(proxy.overspent, url)
    failed = target or url
    if proxy and is_http(failed):
        origin = origin_of(failed)
        if failure := proxy.failures.get((origin.host, origin.port)):
            return with_url(failure, failed)
    if isinstance(error, WebprintError):
        return with_url(error, url)
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    name = text.partition("net::")[2].split(" ")[0]
    if name.startswith(tuple(_ERRORS["bad_targets"])):
        return BadURL("the page leads to something that is not a web address", url=url)
    if any(words in text for words in _ERRORS["process_ended"]):
        return TabCrashed("the browser stopped while loading the page", url=url)
    if "Cannot find context" in text or "navigated" in text:
        return FetchError("the page keeps navigating to another page", url=url)
    for prefix, message in _ERRORS["net"].items():
        if name.startswith(prefix):
            return FetchError(f"{message} ({name})", url=failed)
    return FetchError(f"the browser could not show the page: {name or text[:200]}", url=url)


def page_timeout(url: str, seconds: float) -> FetchTimeout:
    return FetchTimeout(
        f"the browser did not finish the page within {quantity(seconds, 'second')}",
        url=url,
        hint="Allow more with --timeout",
    )


T = TypeVar("T")

#: Suitable programs, smallest first.
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
    f" or '{sys.executable} -m playwright install --only-shell chromium', or use --render never;"
    " 'webprint doctor' checks this machine"
)
_ALLOW_SANDBOX = (
    "Chromium isolates pages in user namespaces, which this system forbids: see 'The browser's"
    " sandbox' in docs/deploy.md (Docker: --security-opt seccomp=chromium-seccomp.json), or use"
    " --render never; 'webprint doctor' checks this machine"
)
#: The warning about a browser that root has started.
NO_SANDBOX = (
    "Chromium ran WITHOUT ITS SANDBOX because webprint runs as root: a malicious page that breaks"
    " out of it controls this machine. Run webprint as another user"
)

#: The proxy of contexts without their own: nothing listens there.
_NOWHERE = "socks5://127.0.0.1:1"

_HEADLESS = ("--headless", "--hide-scrollbars", "--mute-audio")
_SWITCHES = Path(__file__).with_name("chromium_switches.txt").read_text("utf-8").split()
#: The environment variables that Chromium inherits; on Linux the first two name a display.
_SCREEN = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR")
_ENVIRONMENT = ("FONTCONFIG_FILE", "FONTCONFIG_PATH", "LANG", "LC_ALL", "PATH", "TZ")

#: What Chromium writes on its error output, in the log of Playwright's error.
_MESSAGE = re.compile(
    r"\[pid=\d+\]\[err\] (?:\[[^\]]*\] *)?(.*(?:error|sandbox|cannot).*)", re.IGNORECASE
)

#: How long to wait for killed processes.
_STOP_SECONDS = 2.0
#: How long to wait for the driver, which takes this long on a busy machine, before leaving it.
_DRIVER_STOP_SECONDS = 10.0
#: Tasks that stop drivers which started too late; the event loop holds its tasks weakly.
_stopping: set[asyncio.Task[None]] = set()
#: The private memory of a browser, in bytes, at which it is killed, and how often it is measured.
MAX_MEMORY = 4_000_000_000
_MEMORY_CHECK_SECONDS = 1.0
#: Seconds to wait after an error for the report that the browser's death caused it.
_DEATH_REPORT_SECONDS = 0.5


def find_chromium() -> Iterator[str]:
    """Yield the Chromium programs of this machine, best first."""
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


def runs_unsandboxed() -> bool:
    """Return whether Chromium is started without its sandbox, which it refuses to use as root."""
    return os.geteuid() == 0


def _switches(home: str, visible: bool) -> list[str]:
    # The pipe is the only way to control it: a port would be open to every user of the machine.
    return [
        "--remote-debugging-pipe",
        *_SWITCHES,
        *(() if visible else _HEADLESS),
        f"--user-data-dir={home}/profile",
        f"--proxy-server={_NOWHERE}",
        "--proxy-bypass-list=<-loopback>",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        *(["--no-sandbox"] if runs_unsandboxed() else ()),
        "--no-startup-window",
    ]


async def _launch(
    playwright: Playwright, home: str, deadline: float, visible: bool
) -> PlaywrightBrowser:
    inherited = (*_ENVIRONMENT, *(_SCREEN if visible else ()))
    environment = {name: os.environ[name] for name in inherited if name in os.environ}
    environment |= {"HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home}
    failure: WebprintError | None = None
    programs = [path for path in find_chromium() if not (visible and "headless" in Path(path).name)]
    # Try each twice: one that failed may have been killed, or one of its processes was.
    for program in (program for path in programs for program in (path, path)):
        try:
            return await playwright.chromium.launch(
                executable_path=program,
                ignore_default_args=True,
                args=_switches(home, visible),
                artifacts_dir=f"{home}/artifacts",
                env={**environment},
                headless=not visible,
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
                timeout=max(deadline - time.monotonic(), 0.001) * 1000,
            )
        except PlaywrightError as error:
            for group in re.findall(r"<launched> pid=(\d+)", str(error)):
                await asyncio.to_thread(_reap_group, int(group))
            if isinstance(error, PlaywrightTimeout):
                raise _start_timeout() from None
            failure = failure or _launch_error(program, str(error), visible)
            if isinstance(failure, BrowserDied):
                raise failure from error
    raise failure or _missing_chromium("", visible)


def _launch_error(program: str, log: str, visible: bool) -> WebprintError:
    if "sandboxing failed" in log:
        return MissingLibrary(f"{program} cannot use its sandbox here", hint=_ALLOW_SANDBOX)
    messages = _MESSAGE.findall(log) or re.findall(r"Failed to launch: *(.*)", log)
    if not messages:
        return BrowserDied("the browser exited while starting")
    return _missing_chromium(f"{program} does not start: {messages[-1].strip()[:200]}", visible)


def _missing_chromium(reason: str, visible: bool) -> MissingLibrary:
    if not visible:
        message = reason or "no Chromium was found to load the page in"
        return MissingLibrary(message, hint=_INSTALL)
    if sys.platform == "linux" and not {*_SCREEN[:2]} & os.environ.keys():
        return MissingLibrary(
            "there is no display on which a browser could open a window",
            hint="Run this where there is one (DISPLAY or WAYLAND_DISPLAY names it), or export"
            " your browser's cookies and use --cookies",
        )
    return MissingLibrary(
        reason or "no Chromium was found that can open a window",
        hint="Install one with 'apt-get install chromium' (Debian; a headless shell has no"
        " windows), and run this where there is a screen; or export your browser's cookies"
        " and use --cookies",
    )


def _start_timeout() -> FetchTimeout:
    return FetchTimeout("the browser did not start in time", hint="Allow more with --timeout")


def _reap_group(group: int) -> None:
    """Wait until a killed process group is gone."""
    deadline = time.monotonic() + _STOP_SECONDS
    with suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            with suppress(ChildProcessError):
                while os.waitpid(-group, os.WNOHANG)[0]:
                    pass
            os.killpg(group, 0)
            time.sleep(0.01)


@dataclass(slots=True, eq=False)
class BrowserProcess:
    """A running Chromium with its driver, and the numbers of pages loading and loaded.

    Chromium reaches the network, including loopback, only through the proxies of its contexts,
    queries no name server, and is controlled by a pipe.  If this program ends, however it does, the
    pipes close, and the driver and Chromium end.  ``retired`` means that it gets no more pages and
    is closed when the last one is released.
    """

    playwright: Playwright
    browser: PlaywrightBrowser
    folder: tempfile.TemporaryDirectory[str]
    group: int
    user_agent: str
    retired: bool = False
    users: int = 0
    pages_loaded: int = 0
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)
    _too_large: bool = False
    _closing: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, deadline: float, *, visible: bool = False) -> BrowserProcess:
        """Start a browser; raise :class:`MissingLibrary` or :class:`FetchError`."""
        become_subreaper()
        starting = asyncio.create_task(async_playwright().start())
        playwright = await _wait_for_driver(starting, deadline)
        folder = tempfile.TemporaryDirectory(prefix="webprint-", ignore_cleanup_errors=True)
        try:
            browser = await _launch(playwright, folder.name, deadline, visible)
            session = await browser.new_browser_cdp_session()
            processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
            main_pid = next(process["id"] for process in processes if process["type"] == "browser")
            user_agent = (await session.send("Browser.getVersion"))["userAgent"]
            process = cls(playwright, browser, folder, os.getpgid(main_pid), user_agent)
            browser.on("disconnected", lambda _: process.disconnected.set())
        except BaseException as error:
            with suppress(Exception):  # The driver may be what died.
                await asyncio.wait_for(playwright.stop(), _DRIVER_STOP_SECONDS)
            folder.cleanup()
            died = isinstance(error, (PlaywrightError, ProcessLookupError))
            if died and not isinstance(error, PlaywrightTimeout):
                raise BrowserDied("the browser exited while starting") from error
            raise
        return process

    def kill(self) -> None:
        """Kill all processes of the browser; may be called from any thread."""
        with suppress(ProcessLookupError):
            os.killpg(self.group, signal.SIGKILL)

    def memory(self) -> int:
        """Return the private memory of its processes in bytes, 0 if unknown."""
        return memory_usage(self.group)

    @property
    def is_usable(self) -> bool:
        return self.is_alive and not self.retired

    @property
    def is_alive(self) -> bool:
        return not (self._closing or self.disconnected.is_set()) and self.browser.is_connected()

    async def while_alive(self, work: Awaitable[T]) -> T:
        """Return the result of some work with the browser.

        Raise :class:`BrowserDied` if the browser ended, which may be the cause of another error,
        and :class:`PagesTooLarge` or :class:`TooLarge` for more than ``MAX_MEMORY``.
        """
        work_task = asyncio.ensure_future(work)
        death = asyncio.ensure_future(self.disconnected.wait())
        growth = asyncio.ensure_future(self._wait_until_too_large())
        futures: tuple[asyncio.Future[Any], ...] = (work_task, death, growth)
        try:
            await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)
            if growth.done() and not work_task.done():
                self._too_large = True
                self.kill()
                limit = f"more than {MAX_MEMORY / 1_000_000_000:g} GB of the browser's memory"
                if self.users > 1:
                    raise PagesTooLarge(f"the pages need {limit} together")
                raise TooLarge(f"the page needs {limit}")
            if work_task.done() and "closed" in str(work_task.exception()):
                await asyncio.wait((death,), timeout=_DEATH_REPORT_SECONDS)
            if death.done() and not (work_task.done() and not work_task.exception()):
                error = PagesTooLarge if self._too_large else BrowserDied
                raise error("the browser exited unexpectedly")
            return await work_task
        finally:
            for future in futures:
                future.cancel()
            await asyncio.gather(*futures, return_exceptions=True)

    async def _wait_until_too_large(self) -> None:
        await asyncio.sleep(_MEMORY_CHECK_SECONDS)
        while await asyncio.to_thread(self.memory) <= MAX_MEMORY:
            await asyncio.sleep(_MEMORY_CHECK_SECONDS)

    async def close(self) -> None:
        """Kill the browser and its driver, even if cancelled; reap them and delete the profile."""
        if self._closing is None:
            self.retired = True
            self._closing = asyncio.create_task(self._shut_down())
        await asyncio.shield(self._closing)

    async def _shut_down(self) -> None:
        # The driver answers once it has removed its temporary folder; if it is stopped before, the
        # folder stays.
        closing = asyncio.ensure_future(self.browser.close())
        await asyncio.sleep(0)
        self.kill()
        # The driver may have died with it.
        with suppress(Exception):
            await asyncio.wait_for(closing, _DRIVER_STOP_SECONDS)
        with suppress(Exception):
            await asyncio.wait_for(self.playwright.stop(), _DRIVER_STOP_SECONDS)
        await asyncio.to_thread(_reap_group, self.group)
        await asyncio.to_thread(self.folder.cleanup)


async def _wait_for_driver(starting: asyncio.Task[Playwright], deadline: float) -> Playwright:
    try:
        seconds = max(deadline - time.monotonic(), 0.001)
        return await asyncio.wait_for(asyncio.shield(starting), seconds)
    except TimeoutError:
        # If the start were cancelled, the driver's process would run on.
        stopping = asyncio.create_task(_stop_driver(starting))
        _stopping.add(stopping)
        stopping.add_done_callback(_stopping.discard)
        raise _start_timeout() from None
    except Exception as error:  # The driver's failure to start has no type of its own.
        if await asyncio.to_thread(_driver_runs):
            raise BrowserDied("the browser's driver exited while starting") from error
        raise MissingLibrary(
            "the browser's driver cannot start",
            hint="On Debian or Ubuntu: apt-get install libatomic1; 'webprint doctor' checks this"
            " machine",
        ) from error


async def _stop_driver(starting: asyncio.Task[Playwright]) -> None:
    with suppress(Exception):  # One that does not start at all needs no stop.
        await (await starting).stop()


async def wait_for_late_drivers() -> None:
    """Wait until the drivers that started too late in this event loop have ended."""
    loop = asyncio.get_running_loop()
    stopping = [task for task in _stopping if task.get_loop() is loop]
    await asyncio.gather(*stopping, return_exceptions=True)


def _driver_runs() -> bool:
    """Return whether the driver can run on this machine, so that its death was a kill."""
    from playwright._impl._driver import compute_driver_executable

    with suppress(Exception):
        program, _ = compute_driver_executable()
        command = [program, "--version"]
        return subprocess.run(command, capture_output=True, timeout=10).returncode == 0  # noqa: S603
    return False
