"""Strangers can neither lock out a server's owner nor fill its memory."""

import asyncio
import logging
import re
import socket
import time
from contextlib import ExitStack, suppress

import anyio
import pytest
import uvicorn
from fastapi import HTTPException

from printer.server import app as app_module
from printer.server import security
from printer.server.app import HEADER_SECONDS, DeadlineProtocol, ProxyMiddleware
from printer.server.forms import PREFIX
from printer.server.security import AccessKeys, BodyLimitMiddleware
from tests.support.story_page import story_page

MEGABYTE = 1_000_000


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def test_requests_of_strangers_leave_the_owner_all_of_his_own(serve):
    server = serve()
    with server.anonymous_client() as client:
        answers = [client.post("/api/prints", json={"url": "x"}).status_code for _ in range(130)]
        assert answers[0] == 401
        assert answers[-1] == 429
        for n in range(130):
            sent = client.post("/send", data={"key": f"{n:064}", "html": "<p>x"})
            assert sent.status_code == 403
    assert server.submit(html=story_page()).status_code == 202
    key = AccessKeys(server.token).key("send")
    with server.anonymous_client() as client:
        assert client.post("/send", data={"key": key, "html": story_page()}).status_code == 200


@pytest.mark.parametrize("key", ["0" * 64, ""])
def test_the_key_of_a_page_is_looked_at_before_the_page(server, key):
    """A stranger is refused while most of the page is still to come."""
    form = f'--b\r\nContent-Disposition: form-data; name="key"\r\n\r\n{key}\r\n--b\r\n'
    head = "POST /send HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30000000\r\n"
    head += "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
    with connect(server) as raw:
        raw.sendall((head + form).encode() + b"x" * 10_000)
        started = time.monotonic()
        assert raw.recv(100).startswith(b"HTTP/1.1 403")
        assert time.monotonic() - started < 5
        raw.settimeout(5)
        try:
            while raw.recv(10_000):
                pass
        except ConnectionResetError:
            pass  # It hung up, which is what is wanted.


@pytest.mark.parametrize("path", ["/enter", "/api/prints", "/nothing"])
def test_strangers_send_no_large_bodies(server, path):
    with connect(server) as raw:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n"
        raw.sendall(head.encode())
        assert raw.recv(100).split(b" ")[1] in (b"401", b"413", b"429")


BAD_REQUESTS = [
    b"nonsense\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
]


def test_strangers_do_not_fill_the_log(serve):
    server = serve()
    before = len(server.log_text().splitlines())
    for number in range(60):
        with connect(server) as raw:
            raw.sendall(BAD_REQUESTS[number % 2])
            assert raw.recv(100)
    lines = server.log_text().splitlines()[before:]
    assert 0 < len(lines) <= app_module.MAX_LOG_LINES


def test_the_log_goes_on_after_a_flood():
    limit = app_module.LogLimit()

    def log(seconds):
        record = logging.makeLogRecord({"msg": "bad %s", "args": ("request",), "created": seconds})
        return record.getMessage() if limit.filter(record) else ""

    assert sum(log(100.0) == "bad request" for _ in range(50)) == app_module.MAX_LOG_LINES
    assert log(161.0) == "bad request (20 messages before it were not logged)"
    assert log(161.0) == "bad request"


@pytest.mark.parametrize(
    "fields",
    [
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: +5",
        "Transfer-Encoding : chunked",
        "Transfer-Encoding: identity, chunked",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked\r\nHost: other.test",
    ],
)
def test_a_request_that_can_be_read_in_two_ways_is_refused(server, fields):
    head = (
        f"POST /api/prints HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n"
    )
    head += f"{fields}\r\n\r\n"
    with connect(server) as raw:
        raw.sendall((head + "0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").encode())
        answer = b"".join(iter(lambda: raw.recv(10_000), b""))
    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1") == 1


def resident_megabytes(server):
    from pathlib import Path

    from printer.processes import process_tree
    from tests.support.processes import megabytes

    return sum(
        megabytes(pid) for pid in process_tree(server.process.pid) if Path(f"/proc/{pid}").exists()
    )


def test_half_sent_pages_of_strangers_hold_no_memory(serve):
    server = serve()
    assert server.client.get("/health").status_code == 200
    before = resident_megabytes(server)
    head = b"POST /send HTTP/1.1\r\nHost: localhost\r\nContent-Length: 40000000\r\n"
    head += b"Content-Type: application/x-www-form-urlencoded\r\n\r\nkey=" + b"0" * 64 + b"&html="
    with ExitStack() as stack:
        for _ in range(12):
            raw = stack.enter_context(connect(server))
            try:
                raw.sendall(head + b"x" * 10 * MEGABYTE)
            except (ConnectionResetError, BrokenPipeError):
                continue
        assert resident_megabytes(server) - before < 60


def test_half_sent_headers_do_not_stop_the_server(serve):
    server = serve()
    with ExitStack() as stack:
        waiting = [stack.enter_context(connect(server)) for _ in range(520)]
        for raw in waiting:
            raw.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        started = time.monotonic()
        with server.anonymous_client() as client:
            assert client.get("/health").status_code == 200
        assert server.submit(html=story_page()).status_code == 202
        assert time.monotonic() - started < HEADER_SECONDS
        # However slowly they go on, they are closed.
        last = waiting[-1]
        last.settimeout(1)
        closed = False
        while not closed and time.monotonic() - started < HEADER_SECONDS + 20:
            try:
                last.sendall(b"x")
                closed = last.recv(10) == b""
            except TimeoutError:
                continue
            except OSError:
                closed = True
        assert closed


def test_half_sent_bodies_do_not_stop_the_server(serve):
    server = serve()
    head = b"POST /enter HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n"
    head += b"Content-Type: application/x-www-form-urlencoded\r\n\r\ntoken="
    with ExitStack() as stack:
        for _ in range(520):
            raw = stack.enter_context(connect(server))
            with suppress(ConnectionResetError, BrokenPipeError):  # It made room for a later one.
                raw.sendall(head)
        started = time.monotonic()
        assert server.submit(html=story_page()).status_code == 202
        assert time.monotonic() - started < HEADER_SECONDS


@pytest.mark.anyio
async def test_a_response_that_is_not_read_is_given_up(monkeypatch):
    monkeypatch.setattr(app_module, "WRITE_SECONDS", 0.5)

    async def app(scope, receive, send):
        del scope, receive
        await send({"type": "http.response.start", "status": 200, "headers": []})
        with suppress(OSError):
            for _ in range(50):
                await send(
                    {"type": "http.response.body", "body": b"x" * MEGABYTE, "more_body": True}
                )

    config = uvicorn.Config(app, http=DeadlineProtocol, lifespan="off", log_level="critical")
    config.load()
    server = uvicorn.Server(config)
    loop = asyncio.get_running_loop()
    listener = await loop.create_server(
        lambda: DeadlineProtocol(config, server.server_state, {}), "127.0.0.1", 0
    )
    async with listener:
        with socket.create_connection(listener.sockets[0].getsockname()) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            client.setblocking(False)
            with anyio.fail_after(30):
                assert await loop.sock_recv(client, 10)
                while server.server_state.connections:
                    await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("x" * 60_000, ""),
        ("", ""),
    ],
)
def test_a_client_is_known_by_an_address_or_not_at_all(forwarded, client):
    assert security.client_network({"client": (forwarded, 0)}) == client


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("auth", "limit"), [("token", "_BODY_SECONDS"), ("none", "_STRANGER_BODY_SECONDS")]
)
async def test_a_body_has_a_deadline_however_it_drips(monkeypatch, auth, limit):
    monkeypatch.setattr(security, limit, 0.5)

    async def app(scope, receive, send):
        while (await receive()).get("more_body"):
            pass

    async def receive():
        await anyio.sleep(0.1)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def send(message):
        raise AssertionError(message)

    limited = BodyLimitMiddleware(app, 10_000, 100_000)
    scope = {
        "type": "http",
        "headers": [],
        "client": ("192.0.2.1", 1),
        "state": {"auth_method": auth},
    }
    with anyio.fail_after(10):
        with pytest.raises(HTTPException) as caught:
            await limited(scope, receive, send)
    assert caught.value.status_code == 408
    assert not limited._sizes


@pytest.mark.anyio
async def test_one_client_gets_no_more_than_its_share(monkeypatch):
    async def app(scope, receive, send):
        while (await receive()).get("more_body"):
            pass

    async def receive():
        return {"type": "http.request", "body": b"x" * 1000, "more_body": True}

    limited = BodyLimitMiddleware(app, 100_000, 10_000)
    scope = {
        "type": "http",
        "headers": [],
        "client": ("192.0.2.1", 1),
        "state": {"auth_method": "button"},
    }
    with pytest.raises(HTTPException) as caught:
        await limited(scope, receive, None)
    assert caught.value.status_code == 503


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ("10.0.0.2", ("203.0.113.9", "https", "/papers")),
        ("198.51.100.7", ("198.51.100.7", "http", "")),
    ],
)
async def test_only_trusted_proxies_are_believed(client, expected):
    requested = []

    async def app(scope, receive, send):
        requested.append((scope["client"][0], scope["scheme"], PREFIX.get()))

    headers = {
        "x-forwarded-for": "6.6.6.6, 203.0.113.9",
        "x-forwarded-proto": "https",
        "x-forwarded-prefix": "/papers/",
    }
    scope = {
        "type": "http", "scheme": "http", "client": (client, 1),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    await ProxyMiddleware(app, ["10.0.0.0/8"])(scope, None, None)
    assert requested == [expected]


@pytest.mark.parametrize("prefix", ["//evil.example", '/a"b', "/a/../b c", "javascript:", "/"])
def test_a_prefix_is_a_path(server, prefix):
    headers = {"X-Forwarded-Prefix": prefix, "Accept": "text/html"}
    with server.anonymous_client(**headers) as client:
        assert 'href="/static/style.css"' in client.get("/").text


def test_a_server_under_a_path_links_to_itself(server):
    headers = {"X-Forwarded-Prefix": "/papers", "Accept": "text/html", "Cookie": server.cookie}
    with server.anonymous_client(**headers) as client:
        start = client.get("/").text
        assert set(re.findall(r'(?:href|src|action)="(/[^/"]*)', start)) == {"/papers"}
        assert "%22/send" not in start
        job = server.submit(html=story_page()).json()
        server.wait_finished(job["id"])
        text = client.get(f"/prints/{job['id']}").text
        assert set(re.findall(r'(?:href|src|action|data-[a-z-]+)="(/[^/"]*)', text)) == {"/papers"}
        got = client.get(f"/api/prints/{job['id']}").json()
        assert got["links"]["self"].startswith("/papers/api/prints/")
        sent = client.post(
            "/prints",
            data={"url": "https://example.org/x"},
            headers={"Sec-Fetch-Site": "same-origin"},
        )
        assert sent.headers["location"].startswith("/papers/prints/")
        client.get("/", params={"token": server.token})
        assert (
            "Path=/papers/" in client.get("/", params={"token": server.token}).headers["set-cookie"]
        )


@pytest.mark.parametrize(
    "path", ["//evil.example/x", "/\\evil.example/x", "///evil.example", "//evil.example/?a=b"]
)
@pytest.mark.parametrize("signed_in", [False, True])
def test_no_path_leads_to_another_host(server, path, signed_in):
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nSec-Fetch-Site: cross-site\r\n"
    if signed_in:
        head += f"Cookie: {server.cookie}\r\n"
    with connect(server) as raw:
        raw.sendall((head + "Connection: close\r\n\r\n").encode())
        answer = b"".join(iter(lambda: raw.recv(10_000), b"")).decode()
    target = re.findall(r'(?:location: |url=|href=")([^"\r\n]*)', answer, re.IGNORECASE)
    assert not [url for url in target if re.match(r"[/\\]{2}|http", url)]


@pytest.mark.parametrize("site", ["none", "cross-site", "same-origin", ""])
def test_an_address_to_print_is_always_confirmed(server, site):
    before = len(server.client.get("/api/prints", params={"limit": 200}).json())
    headers = {"Sec-Fetch-Site": site} if site else {}
    link = {"url": "https://example.org/story"}
    with server.anonymous_client(Cookie=server.cookie, Accept="text/html", **headers) as client:
        assert "Print this page?" in client.get("/print", params=link).text
    assert "Print this page?" in server.client.get("/print", params=link).text
    assert len(server.client.get("/api/prints", params={"limit": 200}).json()) == before


@pytest.mark.parametrize("header", [{"Sec-Purpose": "prefetch;prerender"}, {"Purpose": "prefetch"}])
def test_prefetched_requests_have_no_effect(server, header):
    with server.anonymous_client(Accept="text/html", **header) as client:
        answer = client.get("/", params={"token": server.token})
    assert answer.status_code == 503
    assert "set-cookie" not in answer.headers


def test_our_pages_are_cut_off_from_those_that_open_them(server):
    with server.anonymous_client(Accept="text/html", Cookie=server.cookie) as client:
        for path in (
            "/",
            "/settings",
            "/print?url=https://example.org",
            "/nothing",
            "/static/style.css",
        ):
            assert client.get(path).headers["cross-origin-opener-policy"] == "same-origin", path
        sent = client.post("/send", data={"key": "0" * 64})
        assert sent.headers["cross-origin-opener-policy"] == "same-origin"
        # The button speaks with this one, which shows nothing of prints.
        assert client.get("/send").headers["cross-origin-opener-policy"] == "unsafe-none"
