"""Addresses are put on the reading list by programs, pages of ours and the second bookmark."""

import pytest

from printer.server.auth import COOKIE, AccessKeys


@pytest.fixture
def listed(server):
    """What the reading list's file says."""
    path = server.home / ".local/share/webprint/later.txt"
    path.unlink(missing_ok=True)
    return lambda: path.read_text().split() if path.exists() else []


def test_a_program_puts_an_address_on_the_list(server, listed):
    first = server.client.post("/api/later", json={"url": "https://example.org/é"})
    assert (first.status_code, first.json()["added"]) == (201, True)
    again = server.client.post("/api/later", json={"url": "https://example.org/é"})
    assert (again.status_code, again.json()["added"]) == (200, False)
    assert listed() == server.client.get("/api/later").json() == ["https://example.org/%C3%A9"]


@pytest.mark.parametrize(
    "url",
    ["", "file:///etc/passwd", "javascript:alert(1)", "https://", "a\nhttps://b/", "x" * 5000],
)
def test_only_the_address_of_a_web_page_comes_on_it(server, listed, url):
    assert server.client.post("/api/later", json={"url": url}).status_code == 422
    key = AccessKeys(server.token).key("later")
    with server.anonymous_client() as client:
        sent = client.post("/send", data={"later": "yes", "key": key, "url": url})
    assert sent.status_code == 422
    assert listed() == []


def test_the_second_bookmark_has_a_key_for_that_alone(server, listed):
    access = AccessKeys(server.token)
    ask = {"later": "yes", "url": "https://example.org/story"}
    with server.anonymous_client() as client:
        for wrong in ("", "x", access.key("send"), access.token):
            assert client.post("/send", data={**ask, "key": wrong}).status_code == 403
        assert listed() == []
        answer = client.post("/send", data={**ask, "key": access.key("later")})
        assert answer.status_code == 200
        assert "On your reading list" in answer.text
        printed = {"url": "https://example.org/", "html": "<p>x", "key": access.key("later")}
        assert client.post("/send", data=printed).status_code == 403
        client.headers["Authorization"] = f"Bearer {access.key('later')}"
        assert client.get("/api/later").status_code in (401, 429)
    assert listed() == ["https://example.org/story"]


def test_with_the_cookie_only_our_own_pages_do(server, listed):
    session = server.cookie.partition("=")[2]
    for origin, status in (("https://evil.test", 403), (server.url, 200)):
        with server.anonymous_client(Cookie=f"{COOKIE}={session}", Origin=origin) as client:
            answer = client.post("/later", data={"url": "https://example.org/<b>"})
        assert answer.status_code == status
    assert "<b>" not in answer.text
    assert listed() == ["https://example.org/%3Cb%3E"]
