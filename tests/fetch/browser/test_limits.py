"""Endless pages, and pages that try to escape their limits."""

import base64
import hashlib
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from printer.errors import WebprintError
from printer.fetch.browser.browser import Browser
from printer.fetch.ssrf import Guard
from printer.html.page import strip_markers
from printer.options import FetchOptions
from tests.support.web_server import Hit, Reply, WebServer

pytestmark = pytest.mark.browser

SECONDS = 2.0
#: A machine with other work to do is late, but not without end.
SLACK = 60.0

ENDLESS = {
    "script": "while (true) {}",
    "promises": "const go = () => Promise.resolve().then(go); go();",
    "alerts": "while (true) alert('again');",
    "alerts by timer": "setInterval(() => { alert(1); confirm(2); prompt(3); }, 1);",
    "writing": "for (;;) document.write('<p>more');",
    "reloading": "location.reload();",
    "going on": "location = location.pathname + '?' + Math.random();",
    "history": "setInterval(() => history.pushState({}, '', '/p' + Math.random()), 1);",
    "growing": "setInterval(() => { for (let i = 0; i < 999; i++)"
    " document.body.append(document.createElement('p')); }, 1);",
    "huge": "const f = document.createDocumentFragment(); for (let i = 0; i < 900000; i++)"
    " f.append(document.createElement('i')); document.body.append(f);",
    "requests": "setInterval(() => fetch('/x?' + Math.random()), 5);",
    "unload": "onbeforeunload = () => { while (true); }; location = '/warm';",
    "scroll": "onscroll = () => { while (true); };",
}


def test_hostile_pages_end_in_time_and_others_are_loaded(web: WebServer) -> None:
    def one(url: str) -> float:
        """Load a page and return the seconds it took; it may be read, or refused in one line."""
        start = time.monotonic()
        try:
            browser.capture(url)
        except WebprintError as error:
            assert "\n" not in str(error)  # noqa: PT017
        return time.monotonic() - start

    fine = web.add("/warm", "<p>warm</p>")
    urls = [
        web.add(f"/{at}", f"<!DOCTYPE html><title>T</title><body><p>Words<script>{script}</script>")
        for at, script in enumerate(ENDLESS.values())
    ]
    options = FetchOptions(timeout=SECONDS)
    with Browser(options, Guard([web.url]), pages=5) as browser:
        one(fine)
        with ThreadPoolExecutor(5) as pool:
            took = dict(zip(ENDLESS, pool.map(one, urls), strict=True))
        late = {kind: seconds for kind, seconds in took.items() if seconds > SECONDS + SLACK}
        assert not late
        browser.options = FetchOptions(timeout=60)
        assert b"warm" in browser.capture(fine).body


def talk(sock: socket.socket, hit_key: str) -> None:
    """Answer a WebSocket's handshake and say hello (RFC 6455)."""
    guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1((hit_key + guid).encode()).digest()).decode()
    sock.sendall(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
    )
    sock.sendall(b"\x81\x05hello")
    sock.settimeout(20)
    sock.recv(1000)


def test_sockets_and_workers_go_through_the_guard_like_all_else(web: WebServer) -> None:
    """What is named may be spoken with; what is private gets nothing, from a worker neither."""
    with WebServer() as inside:
        inside.add("/secret", "swordfish", headers={"Access-Control-Allow-Origin": "*"})
        secret = inside.url + "/secret"
        web.redirect("/bounce", secret)

        def socket_(hit: Hit) -> Reply:
            key = hit.headers.get("sec-websocket-key", "")
            return Reply(raw=lambda sock: talk(sock, key))

        web.add("/ws", socket_)
        asks = f"fetch({secret!r}, {{mode: 'no-cors'}}); fetch('/bounce', {{mode: 'no-cors'}});"
        worker = f"{asks} new WebSocket({secret.replace('http', 'ws')!r});"
        service = asks + "onfetch = (e) => e.respondWith(new Response('<p>from the worker'));"
        web.add("/w.js", worker, media_type="text/javascript")
        web.add("/sw.js", service, media_type="text/javascript")
        script = f"""
            const add = (text) => document.body.append(text + "; ");
            const own = new WebSocket({web.url.replace("http", "ws") + "/ws"!r});
            own.onmessage = (event) => add("own says " + event.data);
            const other = new WebSocket({secret.replace("http", "ws")!r});
            other.onerror = () => add("other refused");
            new Worker("/w.js");
            new SharedWorker("/w.js");
            const register = ServiceWorkerContainer.prototype.register;
            register.call(navigator.serviceWorker, "/sw.js").then(
                () => fetch("/plain").then((r) => r.text()).then(add), () => add("no worker"));"""
        web.add("/plain", "from the server", media_type="text/plain")
        url = web.add("/page", f"<!DOCTYPE html><title>T</title><body><script>{script}</script>")
        with Browser(FetchOptions(timeout=30), Guard([web.url])) as browser:
            capture = browser.capture(url)
            assert capture.layout is not None
            html = strip_markers(capture.body.decode(), capture.layout)
        assert "own says hello" in html
        assert "other refused" in html
        assert "swordfish" not in html
        assert "from the worker" not in html
        assert not inside.hits()
