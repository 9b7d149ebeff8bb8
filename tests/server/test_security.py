"""Access to the server: who is admitted, who is refused, and what stays secret."""

import socket
from contextlib import suppress

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.errors import JobsError
from printer.server.security import (
    COOKIE,
    AccessKeys,
    AllowedHosts,
    RateLimiter,
    is_loopback,
    load_keys,
)
from tests.support.story_page import story_page

CLOSED = [
    ("GET", "/api/prints"), ("POST", "/api/prints"), ("GET", f"/api/prints/{'0' * 20}"),
    ("GET", f"/api/prints/{'0' * 20}/pdf"), ("GET", f"/api/prints/{'0' * 20}/events"),
    ("DELETE", f"/api/prints/{'0' * 20}"), ("GET", "/metrics"), ("GET", "/api/openapi.json"),
    ("GET", "/print?url=https://example.org/"), ("GET", "/nothing"),
]  # fmt: skip


@pytest.fixture(scope="module")
def session(server):
    return server.cookie.partition("=")[2]


@pytest.mark.parametrize(("method", "path"), CLOSED)
@pytest.mark.parametrize("credentials", ["", "Bearer", "Bearer wrong", "Basic x", "Bearer \xff"])
def test_without_the_token_nothing_opens(server, method, path, credentials):
    headers = {"Authorization": credentials.encode("latin-1")} if credentials else {}
    with server.anonymous_client() as client:
        answer = client.request(method, path, headers=headers)
    assert answer.status_code in (401, 429)
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_cookie_opens_read_only_pages(server, session):
    with server.anonymous_client(Cookie=f"{COOKIE}={session}") as client:
        assert client.get("/api/prints").status_code == 200
        assert client.get("/metrics").status_code == 200
    with server.anonymous_client(Cookie=f"{COOKIE}={server.token}") as client:
        answer = client.get("/api/prints")
        assert answer.status_code in (401, 429), "the token is no cookie"
        assert answer.status_code == 429 or "Authorization: Bearer" in answer.json()["hint"]


FOREIGN_ORIGINS = [
    {}, {"Origin": "https://evil.test"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "OWN"}, {"Origin": "http://127.0.0.1:1"},
]  # fmt: skip


@pytest.mark.parametrize("headers", FOREIGN_ORIGINS)
def test_a_page_elsewhere_changes_nothing_with_the_cookie(server, session, headers):
    headers = {name: value.replace("OWN", server.url) for name, value in headers.items()}
    order = {"url": "https://example.org/", "html": story_page()}
    with server.anonymous_client(Cookie=f"{COOKIE}={session}", **headers) as client:
        assert client.post("/api/prints", json=order).status_code == 403
        assert client.delete(f"/api/prints/{'0' * 20}").status_code == 403


@pytest.mark.parametrize("headers", [{"Origin": "OWN"}, {"Sec-Fetch-Site": "same-origin"}])
def test_our_own_pages_do(server, session, headers):
    headers = {name: value.replace("OWN", server.url) for name, value in headers.items()}
    with server.anonymous_client(Cookie=f"{COOKIE}={session}", **headers) as client:
        assert client.delete(f"/api/prints/{'0' * 20}").status_code == 404


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:8631", "127.0.0.1.evil.test", "", "[", "x@y"]
)
def test_a_name_that_is_not_ours_is_refused(server, host):
    answer = server.client.get("/api/prints", headers={"Host": host})
    assert answer.status_code in (400, 421)
    assert "title" not in answer.text or answer.json()["status"] == 421


def test_which_names_are_ours():
    allowed = AllowedHosts.of("127.0.0.1")
    assert allowed.allows("localhost:8631")
    assert allowed.allows("[::1]:8631")
    assert not allowed.allows("192.168.1.5:8631")
    open_ = AllowedHosts.of("0.0.0.0", ["print.example.org"])
    assert open_.allows("192.168.1.5:8631")
    assert open_.allows("PRINT.example.org")
    assert not open_.allows("evil.test")
    assert not open_.allows("")
    for name in (
        "ann@localhost",
        "localhost/x",
        "localhost:80:80",
        "localhost#",
        "[::1",
        "::1",
        "localhost:x",
    ):
        assert not allowed.allows(name), name


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("x", False)],
)
def test_loopback_hosts(host, loopback):
    assert is_loopback(host) is loopback


def test_every_response_has_security_headers(server):
    with server.anonymous_client() as client:
        answers = [client.get("/api/prints"), client.get("/health"), client.get("/nothing")]
    answers += [server.client.get("/api/prints"), server.client.get("/api/prints/x")]
    for answer in answers:
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers


def test_the_token_is_in_no_log(server):
    with server.anonymous_client(Accept="text/html") as client:
        assert client.get("/", params={"token": server.token}).status_code == 303
        wrong = client.get("/", params={"token": "wrong-but-secret"})
        assert wrong.status_code == 401
        assert "wrong-but-secret" not in wrong.text
        client.get("/nothing", headers={"Authorization": f"Bearer {server.token}"})
    # Not localhost: browsers try ::1 first, where another user of the machine may listen.
    invitation = f"open http://127.0.0.1:{server.port}/?token={server.token}"
    assert invitation in server.log_text()
    log = server.log_text().replace(invitation, "")
    assert server.token not in log
    assert "wrong-but-secret" not in log
    assert server.token not in repr(AccessKeys(server.token))


def test_a_server_for_others_fetches_nothing_private(serve, web):
    server = serve("--hostnames", "print.example.org")
    job = server.wait_finished(server.submit(url=web.add("/story", story_page())).json()["id"])
    assert job["error"]["kind"] == "BlockedAddress"
    assert web.hits() == []
    by_name = {"Host": "print.example.org", "X-Forwarded-Proto": "https", "Accept": "text/html"}
    with server.anonymous_client(**by_name) as client:
        entered = client.get("/", params={"token": server.token})
        assert "Secure" in entered.headers["set-cookie"]
        start = client.get("/", headers={"Cookie": server.cookie})
        assert "https://print.example.org" in start.text


def test_the_token_is_kept_from_others(server, tmp_path):
    token_file = server.home / ".config/webprint/token"
    assert token_file.stat().st_mode & 0o777 == 0o600
    assert token_file.read_text().strip() == server.token
    path = tmp_path / "folder" / "token"
    first = load_keys(path)
    assert load_keys(path) == first
    path.chmod(0o644)
    with pytest.raises(JobsError, match="others can read"):
        load_keys(path)
    path.chmod(0o600)
    path.write_text("short\n")
    with pytest.raises(JobsError, match="contains no token"):
        load_keys(path)


def test_each_key_opens_only_its_purpose():
    access = AccessKeys("t" * 40)
    values = [access.token, access.key("later"), access.key("send")]
    checks = [
        access.is_token,
        lambda value: access.is_button_key(value, "later"),
        lambda value: access.is_button_key(value, "send"),
    ]
    for n, check in enumerate(checks):
        assert [check(value) for value in values] == [m == n for m in range(3)]
        assert not check("")
        assert not check("é\ud800")


def test_a_request_that_is_too_large_is_refused(serve):
    server = serve("--max-size", "100000")
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(
            b"POST /api/prints HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n"
            + f"Authorization: Bearer {server.token}\r\n\r\n".encode()
        )
        assert raw.recv(100).startswith(b"HTTP/1.1 413")

    def endless():
        for _ in range(100):
            yield b" " * 10_000

    with suppress(httpx2.TransportError):  # It may hang up while we are still sending.
        answer = server.client.post("/api/prints", content=endless())
        assert answer.status_code == 413
    assert server.client.get("/health").status_code == 200


def test_the_extension_s_key_opens_the_same_as_the_bookmarks():
    access = AccessKeys("t" * 40)
    assert all(access.is_button_key(access.key("order"), p) for p in ("send", "later", "order"))
    assert not access.is_button_key(access.key("send"), "order")
    assert not access.is_button_key(access.key("later"), "send")


@given(
    st.integers(1, 600), st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 90)), max_size=99)
)
def test_a_client_may_send_a_minutes_requests_at_once_and_then_as_they_are_due(rate, requests):
    now = 0.0
    limiter = RateLimiter(lambda: now)
    assert [limiter.count("c", rate) for _ in range(rate)] == [0] * rate
    wait = limiter.count("c", rate)
    assert wait == pytest.approx(60 / rate)
    now += wait
    assert (limiter.count("c", rate), limiter.count("c", rate) > 0) == (0, True)
    accepted = {"a": [], "b": []}
    for client, pause in requests:
        now += pause
        if limiter.count(client, rate) == 0:
            accepted[client].append(now)
    for times in accepted.values():
        for n, start in enumerate(times):
            in_minute = [time for time in times[n:] if time <= start + 60]
            assert len(in_minute) <= 2 * rate
    now += 120
    limiter.count("new", rate)
    assert list(limiter._due) == ["new"], "clients that are gone are forgotten"
