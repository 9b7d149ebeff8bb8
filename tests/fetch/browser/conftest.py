"""A browser for the tests of a file."""

from collections.abc import Iterator

import pytest

from printer.fetch.browser.browser import Browser
from printer.fetch.ssrf import Guard
from printer.options import FetchOptions
from tests.support.web_server import WebServer


@pytest.fixture(scope="module")
def drawn() -> Iterator[tuple[Browser, WebServer]]:
    """A browser, and a server that it may reach."""
    with WebServer() as web, Browser(FetchOptions(timeout=60), Guard([web.url])) as browser:
        yield browser, web
