"""The history: prints are found by words, site and day, page by page, deleted and restored."""

import json
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from printer.jobs import Job
from printer.jobs.queue import JobQueue
from printer.jobs.storage import Storage
from printer.server import history as history_module
from printer.server import main as server_main
from printer.server.history import HistoryQuery, PrintHistory
from printer.server.service import Preferences, PrintService
from printer.settings import Settings
from tests.support.jobs import closing_queue, wait_until
from tests.support.remote_storage import UNREACHABLE
from tests.support.story_page import story_page


class Queue:
    """The part of the job queue that the history uses."""

    def __init__(self):
        self.jobs = {}

    def add(self, number, url="https://www.example.org/a", title="A story", state="done"):
        job = Job(f"{number:020x}", state, url, {}, 1, result={"title": title}, created=number)
        self.jobs[job.id] = job
        return job.id

    def list_recent(self, limit):
        return sorted(self.jobs.values(), key=lambda job: -job.created)[:limit]

    def get(self, job_id):
        return self.jobs.get(job_id)

    def get_many(self, ids):
        return {i: self.jobs[i] for i in ids if i in self.jobs}

    def delete(self, job_id):
        del self.jobs[job_id]


class Texts(dict):
    """The storage, with the text of articles by print."""

    def get(self, key):
        return json.dumps({"byline": "Ann Author", "text": self[key[:20]]}).encode()

    def delete(self, key):
        self.pop(key, None)


@pytest.fixture
def queue():
    return Queue()


@pytest.fixture
def texts():
    return Texts()


@pytest.fixture
def history(tmp_path, queue, texts):
    with PrintHistory(tmp_path / "history.sqlite", queue, texts) as index:
        yield index


def matching(history, **query):
    return [int(job.id, 16) for job in history.find(HistoryQuery(**query)).jobs]


def add(queue, texts, number, text="Nothing", **more):
    texts[queue.add(number, **more)] = text


def test_nothing_is_lost_at_any_number(history, queue, texts):
    for number in range(1, 701):
        add(queue, texts, number)
    listed, before = [], None
    while True:
        page = history.find(HistoryQuery(limit=99, before=before))
        listed += [int(job.id, 16) for job in page.jobs]
        before = page.next
        if before is None:
            break
    assert listed == list(range(700, 0, -1))


def test_the_newest_are_found_without_looking_at_all_before_them(history, queue, texts):
    for number in range(1, 301):
        add(queue, texts, number)
    limits = []
    listed = queue.list_recent
    queue.list_recent = lambda limit: limits.append(limit) or listed(limit)
    assert [int(job.id, 16) for job in history.recent(12)] == list(range(300, 288, -1))
    history.mark_deleted([f"{299:020x}", f"{1:020x}"], 5.0)
    limits.clear()
    assert [int(job.id, 16) for job in history.recent(3)] == [300, 298, 297]
    assert max(limits) < 20


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("ferry", [3, 1]),
        ("FÉRRY chain", [1]),
        ("ferry OR", []),
        ('"', []),
        ("author", [3, 2, 1]),
        ("灯り", [2]),
        ("港の ferry", []),
        ("100%", []),
        ("harb*", [1]),
    ],
)
def test_words_are_found_in_the_text(history, queue, texts, words, numbers):
    add(queue, texts, 1, "The chain ferry of the harbour")
    add(queue, texts, 2, "港の灯りが消える")
    add(queue, texts, 3, "By road", title="No ferry today")
    assert matching(history, words=words) == numbers


def test_a_passage_is_quoted(history, queue, texts):
    add(queue, texts, 1, "word " * 50 + "the ferry leaves " + "word " * 50)
    (snippet,) = history.find(HistoryQuery(words="ferry")).snippets.values()
    assert "the \x02ferry\x03 leaves" in snippet
    assert len(snippet) < 200


def test_filters_by_site_state_and_time(history, queue, texts):
    add(queue, texts, 1, url="https://www.example.org/a")
    add(queue, texts, 2, url="https://news.example.org/b")
    add(queue, texts, 3, url="https://other.test/", state="failed")
    assert matching(history, site="example.org") == [2, 1]
    assert matching(history, site="www.Example.org") == [2, 1]
    assert matching(history, site="ample.org") == []
    assert matching(history, site="%") == matching(history, site="example_org") == []
    assert matching(history, states=("failed",)) == [3]
    assert matching(history, states=("done",), since=2, until=3) == [2]
    assert history.sites() == ["example.org", "news.example.org", "other.test"]


def test_it_follows_the_queue(history, queue, texts):
    add(queue, texts, 1, "Old words", state="running")
    print_id = f"{1:020x}"
    assert matching(history, words="words") == []
    queue.jobs[print_id] = replace(queue.jobs[print_id], state="done")
    assert matching(history, words="old words") == [1]
    history.reopen(print_id)  # It is printed again.
    texts[print_id] = "New ones"
    assert matching(history, words="new") == [1]
    assert matching(history, words="old") == []
    del queue.jobs[print_id]  # By retention, or by another server.
    assert matching(history) == []


def test_a_page_is_full_although_prints_are_gone(history, queue, texts):
    for number in range(1, 31):
        add(queue, texts, number)
    assert len(matching(history, limit=30)) == 30
    for number in range(16, 30):
        del queue.jobs[f"{number:020x}"]
    assert matching(history, limit=5) == [30, 15, 14, 13, 12]


def test_texts_that_take_long_are_read_later(history, queue, texts, monkeypatch):
    monkeypatch.setattr(history_module, "_READ_SECONDS", 0.0)
    add(queue, texts, 1, "Found at last")
    assert matching(history, words="last") == []
    assert matching(history, states=("done",)) == [1]
    monkeypatch.undo()
    assert matching(history, words="last") == [1]


def test_it_works_while_the_storage_is_away_and_reads_the_texts_later(queue, texts, tmp_path):
    add(queue, texts, 1, "Found at last")
    index = tmp_path / "history.sqlite"
    with closing(PrintHistory(index, queue, Storage(UNREACHABLE))) as history:
        assert matching(history, states=("done",)) == [1]
        assert matching(history, words="last") == []
    with closing(PrintHistory(index, queue, texts)) as history:
        assert matching(history, words="last") == [1]


def test_a_broken_index_is_made_again(history, queue, texts, tmp_path):
    add(queue, texts, 1, "Still here")
    path = tmp_path / "history.sqlite"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(history_module.JobsError):
        matching(history)
    assert matching(history, words="still") == [1]
    assert path.stat().st_mode & 0o77 == 0
    with closing(sqlite3.connect(path)) as index:
        assert index.execute("SELECT count(*) FROM prints").fetchone() == (1,)


def test_deleted_prints_are_out_of_sight_and_can_be_restored(history, queue, texts, monkeypatch):
    add(queue, texts, 1)
    print_id = f"{1:020x}"
    assert history.mark_deleted([print_id, "0" * 20], 1e9) == [print_id]
    assert history.mark_deleted([print_id], 2e9) == [], "deleted already"
    assert history.is_deleted(print_id)
    assert matching(history) == []
    assert history.expired() == [print_id]
    assert history.mark_deleted([print_id], None) == [print_id]
    assert history.expired() == []
    assert matching(history) == [1]


def test_discarded_prints_wait_without_threads_and_are_deleted(history, queue, texts, monkeypatch):
    for number in range(50):
        add(queue, texts, number)
    service = PrintService(queue, texts, Settings(), Preferences(Path("none"), Settings()), history)
    threads = threading.active_count()
    for print_id in queue.jobs:
        assert service.discard([print_id]) == [print_id]
    assert threading.active_count() == threads
    service.delete_discarded()
    assert len(queue.jobs) == 50, "they can be restored"
    monkeypatch.setattr(history_module, "UNDO_SECONDS", -1.0)
    service.delete_discarded()
    assert queue.jobs == {}
    assert history.expired() == []


def test_a_deletion_that_fails_does_not_end_the_later_ones(monkeypatch, capsys):
    outcomes = iter([OSError("the disk is full"), None, KeyboardInterrupt()])

    def delete_discarded():
        if error := next(outcomes):
            raise error

    monkeypatch.setattr(server_main, "_DELETION_INTERVAL", 0)
    with pytest.raises(KeyboardInterrupt):
        server_main.delete_discarded_prints(SimpleNamespace(delete_discarded=delete_discarded))
    assert "the disk is full" in capsys.readouterr().err


def printed(server, title, url="https://history.example/story"):
    answer = server.submit(url=url, html=story_page(title))
    return server.wait_finished(answer.json()["id"])["id"]


def test_programs_page_by_the_link_header(server):
    ids = [printed(server, f"Walrus {n}") for n in range(3)]
    client, listed = server.client, []
    path = "/api/prints?limit=2&q=walrus&site=history.example"
    while path:
        answer = client.get(path).raise_for_status()
        listed += [job["id"] for job in answer.json()]
        path = answer.links.get("next", {}).get("url")
    assert listed == ids[::-1]
    assert client.get("/api/prints?until=1999-01-01").json() == []
    assert client.get("/api/prints?since=2024-02-30").status_code == 422
    assert client.get("/api/prints?cursor=0").status_code == 422
    for path in ("/api/prints?cursor=", "/history?before=", "/opds/prints?before="):
        assert client.get(path + "9" * 30).status_code == 422


def test_a_print_that_failed_is_listed(server, web):
    answer = server.submit(url=f"{web.url}/lost")
    assert server.wait_finished(answer.json()["id"])["state"] == "failed"
    page = server.client.get("/history", headers={"Accept": "text/html"})
    assert (page.status_code, "failed" in page.text) == (200, True)


def test_a_print_with_neither_address_nor_title_is_listed(server):
    """A page that is sent without an address, and not printed, has no title either."""
    print_id = server.submit(html="<p>").json()["id"]
    assert server.wait_finished(print_id)["state"] == "failed"
    for path in ("/", "/history", f"/prints/{print_id}"):
        page = server.client.get(path, headers={"Accept": "text/html"})
        assert (page.status_code, "Untitled page" in page.text) == (200, True)


def test_issues_of_digests_are_listed(server):
    with closing_queue(JobQueue(str(server.home / ".local/share/webprint/jobs.sqlite"))) as queue:
        queue.submit_digest("morning", 1.0)
    page = server.client.get("/history", headers={"Accept": "text/html"})
    assert "digest morning" in page.text
    assert server.client.get("/api/prints?q=morning").json() == []


def test_people_delete_several_and_undo(server):
    ids = [printed(server, f"Narwhal {n}") for n in range(3)]
    html = {"Accept": "text/html"}
    page = server.client.post("/history/delete", data={"id": ids[:2]}, follow_redirects=True)
    assert "2 prints were deleted." in page.text
    listed = server.client.get("/api/prints?q=narwhal").json()
    assert [job["id"] for job in listed] == ids[2:]
    deleted = server.client.get(f"/prints/{ids[0]}", headers=html)
    assert (deleted.status_code, "This print was deleted." in deleted.text) == (404, True)
    assert server.client.get(f"/api/prints/{ids[0]}/pdf").status_code == 404
    server.client.post("/history/restore", data={"id": ids[:2]})
    assert len(server.client.get("/api/prints?q=narwhal").json()) == 3
    assert server.client.get(f"/api/prints/{ids[0]}/pdf").status_code == 200
    server.client.post(f"/prints/{ids[0]}/delete")
    assert len(server.client.get("/api/prints?q=narwhal").json()) == 2


def test_deleted_prints_are_purged_after_a_while(server, serve, tmp_path):
    started = serve()
    print_id = printed(started, "Gone for good")
    started.client.post("/history/delete", data={"id": print_id})
    folder = tmp_path / ".local/share/webprint/prints" / print_id
    assert folder.is_dir()
    with sqlite3.connect(tmp_path / ".local/share/webprint/history.sqlite") as index:
        index.execute("UPDATE prints SET deleted = 1")
    index.close()
    started.close()
    serve()  # Whoever starts it next need not visit it.
    wait_until(lambda: not folder.exists())


def test_only_our_own_pages_delete(server):
    print_id = printed(server, "Not by others")
    for path in ("/history/delete", "/history/restore"):
        with server.anonymous_client(Cookie=server.cookie, Origin="https://evil.test") as client:
            assert client.post(path, data={"id": print_id}).status_code == 403
        with server.anonymous_client() as client:
            assert client.post(path, data={"id": print_id}).status_code in (401, 429)
    assert server.client.get(f"/api/prints/{print_id}").status_code == 200
