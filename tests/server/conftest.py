"""Print servers in separate processes."""

import io
import random

import pytest
from PIL import Image

from printer.fetch.browser.process import find_chromium
from tests.support.csp import STRICT_BUT_PICTURES
from tests.support.print_server import PrintServer
from tests.support.story_page import story_page
from tests.support.web_server import Reply, WebServer


@pytest.fixture(scope="module")
def server(tmp_path_factory, warm):
    """A server shared by the tests of a file."""
    home = tmp_path_factory.mktemp("server")
    started = PrintServer(home, "--port", "0", "--render", "never", warm=warm)
    yield started
    started.close()


@pytest.fixture
def serve(tmp_path, warm):
    """Start a server; those started in one test share a home."""
    started = []

    def start(*options, warm=warm):
        new_server = PrintServer(tmp_path, "--port", "0", "--render", "never", *options, warm=warm)
        started.append(new_server)
        return new_server

    yield start
    for running in started:
        running.close()


@pytest.fixture(scope="module")
def browser():
    """A Chromium of the tests of a file, driven by Playwright itself."""
    sync_api = pytest.importorskip("playwright.sync_api")
    program = next(iter(find_chromium()), "")
    if not program:
        pytest.skip("no Chromium")
    with sync_api.sync_playwright() as playwright:
        driven = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield driven
        driven.close()


def png(side=400):
    """A picture with something to see in it."""
    file = io.BytesIO()
    noise = random.Random(side).randbytes(side * side * 3 // 100)
    small = Image.frombytes("RGB", (side // 10, side // 10), noise)
    small.resize((side, side), Image.Resampling.BICUBIC).save(file, "PNG")
    return file.getvalue()


def for_members(reply):
    """Return an answer that is for those with a cookie."""
    return lambda hit: reply if "who=me" in hit.headers.get("cookie", "") else Reply("Log in", 403)


@pytest.fixture(scope="module")
def members():
    """A site whose page and pictures are for those with a cookie; their address is private."""
    with WebServer("127.0.0.2") as web:
        figures = "<figure><img src=/a.png><figcaption>The quay</figcaption></figure>"
        figures += (
            "<figure><img src=/b.png srcset='/b.png 400w, /wide.png 900w' sizes=400px></figure>"
        )
        page = story_page("For members", figures)
        web.add("/members", for_members(Reply(page)))
        web.add("/strict", for_members(Reply(page, headers=tuple(STRICT_BUT_PICTURES.items()))))
        for name, side in (("a", 400), ("b", 400), ("wide", 900)):
            web.add(f"/{name}.png", for_members(Reply(png(side), media_type="image/png")))
        yield web
