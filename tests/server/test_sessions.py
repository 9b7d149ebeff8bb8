"""Signing in and out, and expired sessions."""

import errno
import json
import os
import re
import time
from contextlib import contextmanager

import pytest

from printer.errors import JobsError
from printer.server.security import COOKIE, SESSION_SECONDS, Access, load_keys
from tests.support.story_page import story_page

SAME_ORIGIN = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def access(tmp_path):
    return Access(tmp_path / "token", tmp_path / "data/sessions.json")


@pytest.mark.parametrize("content", [b"", b"\xff" * 40, b"x" * 10**6])
def test_a_file_without_a_token_says_so(tmp_path, content):
    file = tmp_path / "token"
    file.write_bytes(content)
    file.chmod(0o600)
    with pytest.raises(JobsError, match="token"):
        load_keys(file)


def test_a_full_disk_leaves_no_token(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(JobsError, match="no space left"):
        load_keys(tmp_path / "token")
    assert list(tmp_path.iterdir()) == []


def test_a_session_is_a_secret_of_its_own_and_ends(access, tmp_path, monkeypatch):
    first, second = access.start_session(), access.start_session()
    file = tmp_path / "data/sessions.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert first not in file.read_text()
    assert access.is_session(first)
    assert access.is_session(second)
    assert not access.is_session("")
    assert not access.is_session("\ud800")
    access.end_session(first)
    assert not access.is_session(first)
    assert access.is_session(second)
    later = time.time() + SESSION_SECONDS + 1
    monkeypatch.setattr("printer.server.security.time.time", lambda: later)
    assert not access.is_session(second)


def test_sessions_outlive_a_restart_but_not_a_new_token(access, tmp_path):
    from printer.server.security import replace_token

    cookie = access.start_session()
    again = Access(tmp_path / "token", tmp_path / "data/sessions.json")
    assert again.is_session(cookie)
    before = again.keys.token
    assert replace_token(tmp_path / "token").token != before
    assert again.keys.token != before
    assert not again.is_session(cookie)


@pytest.mark.parametrize("damaged", ["", "[]", "{", '{"a": "b"}', "[" * 50_000])
def test_a_damaged_file_of_sessions_only_signs_out(access, tmp_path, damaged):
    cookie = access.start_session()
    (tmp_path / "data/sessions.json").write_text(damaged)
    assert not access.is_session(cookie)
    assert access.is_session(access.start_session())


def test_there_are_not_too_many_sessions(access, tmp_path):
    cookies = [access.start_session() for _ in range(120)]
    assert len(json.loads((tmp_path / "data/sessions.json").read_text())) == 100
    assert access.is_session(cookies[-1])
    assert not access.is_session(cookies[0])


@contextmanager
def enter(server):
    with server.anonymous_client(**SAME_ORIGIN) as client:
        assert client.post("/enter", data={"token": server.token}).status_code == 303
        yield client


def signed_in(client):
    return client.get("/settings").status_code == 200


def test_signing_out_here_and_everywhere(server):
    with enter(server) as one, enter(server) as two, enter(server) as three:
        cookie = one.cookies[COOKIE]
        assert one.post("/sign-out").status_code == 303
        assert not signed_in(one)
        with server.anonymous_client(Cookie=f"{COOKIE}={cookie}", **SAME_ORIGIN) as thief:
            assert not signed_in(thief), "the cookie itself is no longer good"
        assert signed_in(two)
        two.post("/sign-out", data={"everywhere": "yes"})
        assert not signed_in(two)
        assert not signed_in(three)
    assert server.client.get("/api/prints").status_code == 200, "the token still is"
    vars(server).pop("cookie", None)


def test_a_new_token_by_one_command_while_the_server_runs(serve, warm):
    server = serve()

    def token(*options):
        env = {"HOME": str(server.home), "PATH": "/usr/bin:/bin"}
        return warm.run("token", *options, env=env).stdout

    assert token().strip() == server.token
    with enter(server) as client:
        new = token("--new").strip()
        assert new != server.token
        assert not signed_in(client)
        assert client.post("/enter", data={"token": server.token}).status_code == 401
        assert client.post("/enter", data={"token": new}).status_code == 303
        assert signed_in(client)
    assert server.client.get("/api/prints").status_code == 401
    assert (server.home / ".config/webprint/token").stat().st_mode & 0o777 == 0o600


def test_input_is_not_lost_when_a_session_ends(server):
    order = {"url": "https://example.org/a?b=1&c=<x>", "theme": "plain"}
    with server.anonymous_client(**SAME_ORIGIN) as client:
        refused = client.post("/prints", data=order)
        assert refused.status_code == 401
        assert "Sign in" in refused.text
        hidden_fields = dict(
            re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', refused.text)
        )
        assert hidden_fields["target"] == "/prints"
        fields = {
            name: value.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
            for name, value in hidden_fields.items()
        }
        assert fields["typed:url"] == order["url"]
        wrong = client.post("/enter", data={**fields, "token": "wrong"})
        assert wrong.status_code == 401
        assert "example.org/a?b=1" in wrong.text
        resumed = client.post("/enter", data={**fields, "token": server.token})
        assert resumed.status_code == 200
        assert 'action="/prints"' in resumed.text
        assert "Continue" in resumed.text
        assert 'name="theme" value="plain"' in resumed.text
        assert signed_in(client)


def test_a_page_elsewhere_has_nothing_kept(server):
    headers = {"Accept": "text/html", "Sec-Fetch-Site": "cross-site"}
    with server.anonymous_client(**headers) as client:
        answer = client.post("/prints", data={"url": "https://evil.example/"})
    assert answer.status_code in (401, 429)
    assert "evil.example" not in answer.text


@pytest.mark.parametrize(
    "target", ["//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example"]
)
def test_signing_in_leads_to_no_other_host(server, target):
    with server.anonymous_client(**SAME_ORIGIN) as client:
        answer = client.post("/enter", data={"token": server.token, "target": target})
        assert re.match(r"/[^/\\]", answer.headers["location"])


def test_one_asks_for_a_page_signs_in_and_gets_it(server):
    with server.anonymous_client(**SAME_ORIGIN) as client:
        response = client.get("/print", params={"url": "https://example.org/x?y=1"})
        target = re.search(r'name="target" value="([^"]+)"', response.text)[1].replace("&amp;", "&")
        answer = client.post("/enter", data={"token": server.token, "target": target})
        assert "Print this page?" in client.get(answer.headers["location"]).text


def test_others_can_read_no_result_and_no_upload(serve):
    server = serve()
    job = server.wait_finished(server.submit(html=story_page()).json()["id"])
    assert job["state"] == "done", job["error"]
    folder = server.home / ".local/share/webprint"
    results = [path for path in (folder / "prints").rglob("*") if path.is_file()]
    assert results, list(folder.rglob("*"))
    assert {oct(path.stat().st_mode & 0o777) for path in results} == {"0o600"}
