"""Adding addresses to the reading list by API, by our pages and by the second bookmark."""

import re

import pytest

from printer.server.security import COOKIE, AccessKeys
from tests.support.story_page import story_page


@pytest.fixture
def listed(server):
    """Return the content of the reading list's file."""
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
        assert "Added to your reading list" in answer.text
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


def page_of(server, path="/later"):
    return server.client.get(path).raise_for_status().text


def test_the_list_is_displayed_searched_changed_and_restored(server, listed):
    urls = [f"https://example.org/{name}" for name in "abc"]
    for url in urls:
        server.client.post("/later", data={"url": url})
    assert [url in page_of(server, "/later?q=ORG/b") for url in urls] == [False, True, False]
    change = "/later/change"
    server.client.post(change, data={"first": urls[2]})
    server.client.post(change, data={"down": urls[0]})
    assert listed() == [urls[2], urls[1], urls[0]]
    assert (
        "Select one page"
        in server.client.post(change, data={"remove": "yes"}, follow_redirects=True).text
    )
    removed = {"remove": "yes", "page_url": urls[1:]}
    assert "2 pages were removed." in server.client.post(change, data=removed).text
    assert listed() == [urls[0]]
    server.client.post(
        "/later/restore", data={"line": [f"{urls[1]} The ferry", "ftp://no.example"]}
    )
    assert listed() == [urls[0], urls[1], "The", "ferry"]
    for number in range(120):
        server.client.post("/api/later", json={"url": f"https://example.org/{number}"})
    assert "https://example.org/119" in page_of(server, "/later?page=2")


def test_an_import_reports_the_result_of_each_entry(server, listed):
    server.client.post("/api/later", json={"url": "https://example.org/old"})
    export = (
        "url,title,status\nhttps://example.org/<b>,A <b>new</b> one,unread\n"
        "https://example.org/old,,unread\nhttps://example.org/read,,archive\nmailto:a@b.example,,\n"
    )
    sent = server.client.post("/later/import", files={"file": ("part.csv", export, "text/csv")})
    assert "1 of 4 entries were added." in sent.text
    for heading in ("Not the address of a web page: 1", "Left out: read or archived before: 1",
                    "Already on the list: 1", "Added: 1"):  # fmt: skip
        assert heading in sent.text
    assert "<b>new" not in sent.text
    assert len(read_lines(listed)) == 2
    pasted = {"text": "https://example.org/read", "read": "yes"}
    assert "1 of 1 entry was added." in server.client.post("/later/import", data=pasted).text
    refused = server.client.post("/later/import", data={"text": "  "})
    assert refused.status_code == 422


def read_lines(listed):
    return [word for word in listed() if word.startswith("http")]


def test_several_pages_become_one_pdf(server, listed, web):
    urls = [web.add(f"/{name}", story_page(f"Story {name}")) for name in ("one", "two")]
    chosen = {"print": "yes", "page_url": [*urls, web.url + "/missing"]}
    answer = server.client.post("/later/change", data=chosen)
    job = server.wait_finished(re.search(r"[0-9a-f]{20}", answer.headers["location"])[0])
    assert job["state"] == "done", job
    assert job["title"].startswith("Reading list")
    assert any("/missing was skipped" in warning for warning in job["result"]["warnings"])
    text = server.client.get(job["links"]["article"]).json()["text"]
    assert "Story one" in text
    assert "Story two" in text
    prints = server.client.get("/api/prints?q=two&limit=1").json()
    assert [result["id"] for result in prints] == [job["id"]]
    page = server.client.get(f"/prints/{job['id']}")
    assert page.status_code == 200
    too_many = {"print": "yes", "page_url": [f"https://example.org/{n}" for n in range(21)]}
    assert "Print them in parts" in server.client.post("/later/change", data=too_many).text


def test_only_our_own_pages_change_the_list(server, listed):
    server.client.post("/api/later", json={"url": "https://example.org/"})
    for path in ("/later/change", "/later/import", "/later/restore"):
        with server.anonymous_client(Cookie=server.cookie, Origin="https://evil.test") as client:
            assert client.post(path, data={"remove": "yes"}).status_code == 403
    assert listed() == ["https://example.org/"]
