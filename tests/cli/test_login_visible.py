"""Signing in with a visible browser, a mouse and a keyboard."""

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from printer.fetch.browser.process import find_chromium
from tests.support.story_page import story_page
from tests.support.web_server import Hit, Reply, WebServer

CHROMIUM = next((one for one in find_chromium() if "headless" not in Path(one).name), "")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium that can show itself (package chromium)"),
    pytest.mark.skipif(
        not (shutil.which("Xvfb") and shutil.which("xdotool")),
        reason="no screen to test on (packages xvfb and xdotool)",
    ),
]

LIMIT = 90.0
FORM = """<title>Sign in</title><form action="/in"><input name=who autofocus
style="position:fixed;inset:0;width:100%;height:100%"></form>"""


def wait(met: Callable[[], object], meanwhile: Callable[[], object] = lambda: None) -> None:
    """Wait until something is so, doing something again and again meanwhile."""
    deadline = time.monotonic() + LIMIT
    while not met():
        assert time.monotonic() < deadline, "timed out"
        meanwhile()
        time.sleep(0.2)


@contextmanager
def screen() -> Iterator[dict[str, str]]:
    """Run an X server on a display that is free; gives the environment to use it with."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            number = pipe.readline().decode().strip()
        if not number:
            pytest.skip(f"Xvfb does not start here: it ended with code {server.wait(10)}")
        yield {**os.environ, "DISPLAY": f":{number}"}
    finally:
        server.terminate()
        server.wait()


@contextmanager
def login(url: str, file: Path, env: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Run the command as a person does, without a terminal."""
    code = "from printer.cli import main; main()"
    program = subprocess.Popen(
        [sys.executable, "-c", code, "login", url, "--storage-state", str(file)],
        env=env,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        with program.stderr:
            yield program
    finally:
        program.kill()
        program.wait()


def test_a_person_signs_in_and_the_state_prints(web: WebServer, tmp_path: Path, webprint) -> None:
    def members(hit: Hit) -> Reply:
        known = "session=ann" in hit.headers.get("cookie", "")
        return Reply(story_page() if known else "<p>Members only</p>", 200 if known else 403)

    cookie = (("Set-Cookie", "session=ann; HttpOnly; Max-Age=9000"),)
    web.add("/login", FORM)
    web.add("/in", lambda hit: Reply("<title>Welcome</title>", headers=cookie))
    url = web.add("/members", members)
    file = tmp_path / "state.json"
    with screen() as env, login(web.url + "/login", file, env) as program:

        def hands(*words: str) -> bool:
            return not subprocess.run(
                ["xdotool", *words], env=env, capture_output=True, timeout=LIMIT
            ).returncode

        def is_visible(title: str) -> bool:
            return hands("search", "--onlyvisible", "--name", title)

        def signs_in() -> None:
            hands("mousemove", "400", "600", "click", "1", "key", "ctrl+a")
            hands("type", "ann")
            hands("key", "Return")

        wait(lambda: is_visible("Sign in") or program.poll() is not None)
        assert program.poll() is None, program.stderr.read()
        wait(lambda: web.hits("/in"), signs_in)
        wait(lambda: is_visible("Welcome"))
        wait(lambda: program.poll() is not None, lambda: hands("key", "ctrl+w"))
        err = program.stderr.read()
        assert program.returncode == 0, err
    assert "A browser opens" in err
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "session" in {cookie["name"] for cookie in json.loads(file.read_text())["cookies"]}
    assert webprint("extract", url)[0] != 0
    code, out, _ = webprint("extract", url, "--storage-state", file, "--to", "text")
    assert code == 0
    assert "Harbour lights" in out


def test_without_a_screen_the_requirements_are_named(tmp_path: Path) -> None:
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    env = {name: value for name, value in os.environ.items() if name not in screens}
    with login("http://127.0.0.1:9/", tmp_path / "s.json", env) as program:
        err = program.stderr.read()
        assert program.wait() == 13
    assert "screen" in err
    assert "--cookies" in err
