"""Invalid Unicode, impossible option values, and clients that hang up."""

import socket
import sqlite3

import pytest

from tests.support.jobs import wait_until
from tests.support.story_page import story_page

LONE = "\\ud800"
JOBS = ".local/share/webprint/jobs.sqlite"


def post_json(server, path, body, method="POST"):
    headers = {"Content-Type": "application/json"}
    return server.client.request(method, path, content=body.encode(), headers=headers)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/prints", f'{{"url": "https://example.org/{LONE}"}}'),
        ("/api/prints", f'{{"html": "<p>{LONE}"}}'),
        ("/api/prints", f'{{"html": "<p>x", "options": {{"title": "{LONE}"}}}}'),
        ("/api/prints", f'{{"html": "<p>x", "options": {{"paper": "{LONE}"}}}}'),
        ("/api/prints", f'{{"html": "<p>x", "options": {{"{LONE}": "x"}}}}'),
        ("/api/prints", f'{{"html": "<p>x", "pictures": {{"https://x/{LONE}": "x"}}}}'),
        ("/api/later", f'{{"url": "https://example.org/{LONE}"}}'),
    ],
)
def test_it_is_refused_at_the_door(server, path, body):
    answer = post_json(server, path, body)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("name", "value"),
    [("extractor", "no-such"), ("image_method", "no-such"), ("paper", "A99"), ("theme", "no-such"),
     ("margin", "wide"), ("font_size", "9 miles"), ("links", "no-such"), ("key_paragraphs", -5)],
)  # fmt: skip
def test_impossible_option_values_are_refused_at_once(server, name, value):
    answer = server.submit(html=story_page(), options={name: value})
    assert answer.status_code == 422, answer.text


def test_one_bad_row_does_not_break_a_list(serve):
    server = serve()
    job = server.wait_finished(server.submit(html=story_page()).json()["id"])
    with sqlite3.connect(server.home / JOBS, timeout=60) as table:
        changed = table.execute(
            "update workflow_status set attributes = json_set(attributes, '$.options', json(?))"
            " where workflow_uuid = ?", ('{"title": "\\ud800"}', job["id"]),
        )  # fmt: skip
        assert changed.rowcount == 1
    table.close()
    assert len(server.client.get("/api/prints").raise_for_status().json()) == 1
    assert server.client.get(f"/api/prints/{job['id']}").status_code == 200
    page = {"Accept": "text/html"}
    assert server.client.get("/", headers=page).status_code == 200


RESULTS = [
    None, "null", "{", "[7]", "{}", '{"bytes": null}', '{"pages": "x", "warnings": null}',
    '{"pages": 1e400, "bytes": NaN, "pictures": {}}', f'{{"title": "{LONE}", "more": NaN}}',
    '{"pages": 1000000}', '{"pages": -1, "attempt": -1, "bytes": 1}',
]  # fmt: skip


def test_results_that_others_wrote_do_not_break_a_page(serve):
    server = serve()
    job = server.wait_finished(server.submit(html=story_page()).json()["id"])
    paths = (f"/prints/{job['id']}", "/", "/history", "/opds")
    for result in RESULTS:
        with sqlite3.connect(server.home / JOBS, timeout=60) as table:
            update = "update workflow_output set output = ? where workflow_uuid = ?"
            assert table.execute(update, (result, job["id"])).rowcount == 1
        table.close()
        for path in paths:
            answer = server.client.get(path, headers={"Accept": "text/html"})
            assert (answer.status_code, len(answer.text) < 100_000) == (200, True), (path, result)
        assert server.client.get("/api/prints").json()[0]["id"] == job["id"], result
        article = server.client.get(f"/api/prints/{job['id']}/article")
        assert article.status_code in (200, 404), result


def test_a_client_that_hangs_up_writes_one_line(serve):
    server = serve()
    begin = len(server.log_text())
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        head = "POST /prints HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n"
        head += f"Content-Type: application/x-www-form-urlencoded\r\nAuthorization: Bearer {server.token}\r\n\r\n"
        raw.sendall(head.encode() + b"url=https")
    wait_until(lambda: "disconnected" in server.log_text()[begin:])
    assert server.client.get("/health").status_code == 200
    lines = server.log_text()[begin:].splitlines()
    assert len(lines) == 1, lines
    assert "disconnected" in lines[0]
