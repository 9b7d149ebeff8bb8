"""Requests to remote workers: results in order, despite failures."""

import pytest

from printer import serial
from printer.backoff import Backoff
from printer.capture import PageSource
from printer.errors import ErrorRecord, JobsError
from printer.jobs import JobRequest, tasks
from printer.jobs.storage import Storage
from printer.jobs.tasks import TASK_RESULT, JobClient, dump_page, load_page, load_result
from printer.output import CompletenessReport, ExtractedPage
from printer.render.context import Document
from printer.render.weasy.engine import RenderedPdf, render_pdf
from printer.selection import PictureDecision
from tests.support.documents import render_html
from tests.support.jobs import claim
from tests.support.sample_articles import SAMPLE_ARTICLE, pictures


@pytest.fixture
def storage(tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "BACKOFF", Backoff(0.01))
    return Storage(str(tmp_path / "prints"))


class Workers:
    """Workers that act at once on each request; ``faults`` has the number of failures by address."""

    def __init__(self, table, storage, faults=()):
        self.table, self.storage, self.faults = table, storage, dict(faults)
        self.done = []

    def __call__(self):
        while claimed := claim(self.table):
            url = claimed.url
            if self.faults.get(url, 0) > 0:
                self.faults[url] -= 1
                claimed.fail(ErrorRecord("come again", "FetchError", code=4))
                continue
            self.done.append(url)
            folder = f"{claimed.id}/{claimed.attempt}"
            self.storage.put(f"{folder}/{TASK_RESULT}", url.encode())
            claimed.finish({})


def remote_renderer(table, storage, workers, **more):
    more = {"may_retry": lambda _, error: error.code == 4, "on_submit": workers, **more}
    return JobClient(queue=table, storage=storage, name="test", **more)


def test_results_are_in_order_and_temporary_failures_retried(sqlite_table, storage):
    urls = [f"https://example.org/{n}" for n in range(7)]
    workers = Workers(sqlite_table, storage, {urls[1]: 2, urls[4]: 3})
    submitted = []

    def requests():
        for url in urls:
            submitted.append(url)
            yield JobRequest(url)

    outcomes = remote_renderer(sqlite_table, storage, workers, max_pending=3).results(requests())
    assert next(outcomes) == urls[0].encode()
    assert len(submitted) == 3, "no more are made than are handed on"
    results = list(outcomes)
    assert results[:3] == [url.encode() for url in urls[1:4]]
    assert results[3].message == "come again"
    assert results[4:] == [url.encode() for url in urls[5:]]
    assert sorted(workers.done) == sorted(set(urls) - {urls[4]})
    assert not sqlite_table.list_recent()
    assert not storage.names()


def test_a_result_that_is_not_in_the_storage_is_a_failure(sqlite_table, storage, tmp_path):
    workers = Workers(sqlite_table, Storage(str(tmp_path / "other")))
    client = remote_renderer(
        sqlite_table, storage, workers, may_retry=lambda _request, _error: True
    )
    (error,) = client.results([JobRequest("https://example.org/a")])
    assert error.message == "its result is not in the storage"
    assert len(workers.done) == tasks.MAX_TRIES


def test_a_restarted_client_finds_its_results(sqlite_table, storage):
    workers = Workers(sqlite_table, storage)
    request = JobRequest("https://example.org/a")
    first = remote_renderer(sqlite_table, storage, workers)
    sqlite_table.submit(request, f"test {request.fingerprint} 0")
    workers()
    assert list(first.results([request])) == [b"https://example.org/a"]
    assert workers.done == ["https://example.org/a"]


def test_lost_results_are_requested_again_and_abandoned_ones_forgotten(
    sqlite_table, storage, monkeypatch
):
    def lose():
        for job in sqlite_table.list_recent():
            sqlite_table.delete(job.id)
        one.on_submit = Workers(sqlite_table, storage)

    one = remote_renderer(sqlite_table, storage, lose)
    assert list(one.results([JobRequest("https://example.org/a")])) == [b"https://example.org/a"]
    monkeypatch.setattr(tasks, "TIMEOUT", 0.05)
    client = remote_renderer(sqlite_table, storage, lambda: None)
    outcomes = client.results([JobRequest("https://example.org/b")])
    with pytest.raises(JobsError, match="no worker"):
        next(outcomes)
    assert not sqlite_table.list_recent()


def test_a_document_laid_out_elsewhere_is_as_it_is_here():
    document = render_html([SAMPLE_ARTICLE], pictures())
    local = render_pdf(document)
    sent = load_result(Document, serial.dump(Document, document))
    remote = load_result(RenderedPdf, serial.dump(RenderedPdf, render_pdf(sent)))
    assert (remote.pages, remote.layout) == (local.pages, local.layout)
    assert remote.warnings == local.warnings
    assert remote.pdf[:5] == b"%PDF-"
    assert abs(len(remote.pdf) - len(local.pdf)) < 100


def test_a_reading_goes_to_another_machine_and_back():
    source = PageSource("https://example.org/a", "https://example.org/", "text/html")
    judged = (PictureDecision("https://example.org/a.png", "image", reason="an icon"),)
    reading = ExtractedPage(
        SAMPLE_ARTICLE, source, b"\xff<p>", judged, canonical="https://example.org/b",
        losses=(CompletenessReport(),),
    )  # fmt: skip
    assert load_page(dump_page(reading)) == reading


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"article": {"blocks": [{"type": "os"}]}}'])
def test_unreadable_results_are_errors(data):
    with pytest.raises(JobsError):
        load_page(data)
    with pytest.raises(JobsError):
        load_result(RenderedPdf, data)
