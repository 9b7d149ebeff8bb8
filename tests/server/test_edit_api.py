"""The API of editing."""

import pytest

from tests.support.story_page import SENTENCE, story_page

PAGE = story_page(extra=f"<div class=entry><p>A letter from the harbour. {SENTENCE}</p></div>")


@pytest.fixture(scope="module")
def job(server):
    """A finished print; tests that change it restore it."""
    finished = server.wait_finished(
        server.submit(url="https://example.org/edited", html=PAGE).json()["id"]
    )  # fmt: skip
    assert finished["state"] == "done", finished
    return finished


def change(server, job, **changes):
    return server.client.patch(job["links"]["edit"], json=changes)


def test_a_print_is_edited_and_edited_back(server, job):
    edits = server.client.get(job["links"]["edit"]).json()
    assert edits["title"] == "Harbour lights go dark"
    (letter,) = [block for block in edits["blocks"] if "letter" in block["label"]]
    assert letter["included"]
    assert letter["block"]["type"] == "paragraph"
    assert {"selector": ".entry", "covers": [letter["id"]]} in letter["rules"]
    answer = change(
        server, job, include={letter["id"]: False}, title="Changed", options={"paper": "A5"},
        revision=edits["revision"],
    )  # fmt: skip
    assert answer.status_code == 202, answer.text
    finished = server.wait_finished(job["id"])
    assert (finished["title"], finished["options"]) == ("Changed", {"paper": "A5"})
    assert "letter" not in server.client.get(job["links"]["article"]).json()["text"]
    assert "letter" not in server.client.get(job["links"]["markdown"]).text
    assert "letter" not in server.client.get(job["links"]["html"]).text
    book = server.client.get(job["links"]["epub"])
    assert book.headers["content-type"] == "application/epub+zip"
    assert book.content.startswith(b"PK")
    assert "Changed.epub" in book.headers["content-disposition"]
    again = server.client.get(job["links"]["edit"]).json()
    assert again["revision"] > edits["revision"]
    assert [p["id"] for p in again["blocks"]] == [p["id"] for p in edits["blocks"]]
    assert change(server, job, include={}, revision=edits["revision"]).status_code == 409
    assert change(server, job, include={letter["id"]: True}, title="").status_code == 202
    finished = server.wait_finished(job["id"])
    assert finished["title"] == "Harbour lights go dark"
    assert "letter" in server.client.get(job["links"]["article"]).json()["text"]


@pytest.mark.parametrize(
    "changes",
    [{"include": {"b999": False}}, {"include": {"../x": True}}, {"options": {"images": "none"}},
     {"options": {"theme": "../x"}}, {"options": {"paper": "enormous"}}, {"nothing": 1},
     {"title": "x" * 501}, {"options": {"paper": {}}}, {"include": {"b0": "perhaps"}}],
)  # fmt: skip
def test_changes_that_make_no_sense(server, job, changes):
    answer = change(server, job, **changes)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert server.client.get(job["links"]["self"]).json()["state"] == "done"


def test_all_cannot_be_left_out(server, job):
    pieces = server.client.get(job["links"]["edit"]).json()["blocks"]
    answer = change(server, job, include={piece["id"]: False for piece in pieces})
    assert answer.status_code == 422
    assert "nothing is left" in answer.json()["detail"]


def test_a_print_whose_snapshot_cannot_be_read_has_a_page_without_an_editor(server):
    job = server.submit(url="https://example.org/old", html=PAGE).json()
    assert server.wait_finished(job["id"])["state"] == "done"
    snapshot = server.home / f".local/share/webprint/prints/{job['id']}/0/base.zip"
    snapshot.write_bytes(b"of an earlier version")
    assert server.client.get(f"/prints/{job['id']}").status_code == 200
    assert server.client.get(f"/api/prints/{job['id']}/edit").status_code == 409


def test_a_missing_print_cannot_be_edited(server):
    path = f"/api/prints/{'0' * 20}/edit"
    assert server.client.get(path).status_code == 404
    assert server.client.patch(path, json={}).status_code == 404
    failed = server.wait_finished(
        server.submit(url="https://example.org/n", html="<p>").json()["id"]
    )
    assert failed["state"] == "failed"
    assert server.client.get(f"/api/prints/{failed['id']}/edit").status_code == 409
    assert server.client.patch(f"/api/prints/{failed['id']}/edit", json={}).status_code == 409


def test_an_edited_print_outlives_the_server(serve):
    first = serve()
    job = first.wait_finished(first.submit(url="https://example.org/kept", html=PAGE).json()["id"])
    edits = first.client.get(job["links"]["edit"]).json()
    include = {block["id"]: False for block in edits["blocks"] if "letter" in block["label"]}
    assert change(first, job, include=include).status_code == 202
    first.close()
    second = serve()
    assert second.wait_finished(job["id"])["state"] == "done"
    assert "letter" not in second.client.get(job["links"]["article"]).json()["text"]
    now = second.client.get(job["links"]["edit"]).json()
    assert [p["id"] for p in now["blocks"] if not p["included"] and not p["suggested"]] == list(
        include
    )
