"""Runs of a digest: build the issue, deliver it, remember its stories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .. import serial
from ..article import Article
from ..capture import Capture
from ..crawl.store import HostDelays
from ..errors import BadURL, ErrorRecord, RenderError, UsageError, WebprintError
from ..files import Closing
from ..jobs import REQUEST_OPTIONS, JobRequest
from ..jobs.engine import LocalWorkers, open_result_storage
from ..jobs.queue import JobQueue
from ..jobs.tasks import DOCUMENT_PART, READ_PART, JobClient, load_page, load_result
from ..output import ExtractedPage, Result
from ..render.context import Document
from ..render.weasy.engine import RenderedPdf
from ..render.worker_pool import RenderPool
from ..settings import LoadedSettings, Settings, data_folder
from .builder import Issue, IssueBuilder
from .config import Destination, Digest
from .delivery import Delivery, deliver
from .selection import StoryCandidate, StoryHistory, StoryRecord

Deliver = Callable[[Delivery, Destination, Settings], str]


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run; ``result`` is None if there was nothing new."""

    issue: Issue
    result: Result | None = None
    delivered: tuple[str, ...] = ()
    failed: tuple[WebprintError, ...] = ()


@dataclass(frozen=True, slots=True)
class BuiltIssue:
    """An issue to deliver, with its stories, its articles, and warnings for the user."""

    delivery: Delivery
    stories: tuple[StoryRecord, ...]
    articles: tuple[Article, ...]
    warnings: tuple[str, ...] = ()


def issue_report(issue: Issue, result: Result) -> dict[str, Any]:
    return {
        "digest": issue.digest.name,
        "title": issue.digest.heading,
        "date": issue.date.isoformat(),
        "pages": result.pages,
        "articles": [
            {
                "title": story.article.title,
                "url": story.urls[0],
                "section": story.candidate.source.section,
                "updated": story.updated,
            }
            for story in issue.stories
        ],
        "missing": [{"name": name, "reason": reason} for name, reason in issue.problems],
    }


def run_digest(
    builder: IssueBuilder, digest: Digest, now: datetime,
    write: Callable[[Issue, Result], str] | None = None, deliver: Deliver = deliver,
) -> RunResult:  # fmt: skip
    """Build a digest and deliver it, or pass it to ``write`` instead.

    Its stories are remembered if it was delivered anywhere; the result has the errors of delivery.
    Raise :class:`WebprintError`.
    """
    issue, result = _build(builder, digest, now)
    if result is None:
        return RunResult(issue)
    delivered: list[str] = []
    failed: list[WebprintError] = []
    if write is not None:
        delivered.append(write(issue, result))
    else:
        delivery = _delivery(issue, result)
        for destination in digest.deliver:
            try:
                delivered.append(deliver(delivery, destination, builder.settings))
            except WebprintError as error:
                failed.append(error)
    if delivered:
        records = [story.record() for story in issue.stories]
        builder.history.remember(digest.name, records, issue.date.timestamp())
    return RunResult(issue, result, tuple(delivered), tuple(failed))


def build_issue(builder: IssueBuilder, digest: Digest, now: datetime) -> BuiltIssue | None:
    """Build a digest to be delivered later; return None if there is nothing new."""
    issue, result = _build(builder, digest, now)
    if result is None:
        return None
    return BuiltIssue(
        _delivery(issue, result),
        tuple(story.record() for story in issue.stories),
        tuple(story.article for story in issue.stories),
        (*(f"{name}: {reason}" for name, reason in issue.problems), *result.warnings),
    )


def _build(builder: IssueBuilder, digest: Digest, now: datetime) -> tuple[Issue, Result | None]:
    with builder.printer(digest) as printer:
        issue = builder.build(digest, now, printer)
        for candidate in issue.unchanged:
            builder.history.note_unchanged(digest.name, candidate.url, candidate.fingerprint)
        return builder.render(issue, printer) if issue.stories else (issue, None)


def _delivery(issue: Issue, result: Result) -> Delivery:
    name, title = issue.digest.name, issue.digest.heading
    report = issue_report(issue, result)
    return Delivery(name, title, issue.date, result.data, report, result.format)


def build_in_worker(loaded: LoadedSettings, digest: Digest, now: datetime) -> BuiltIssue | None:
    """Build a digest; call this in a separate process, whose end releases the memory."""
    settings = loaded.settings
    with ExitStack() as stack:
        remote = None
        if settings.spread:
            remote = stack.enter_context(RemoteWorkers(settings, loaded.explicit))
        history = stack.enter_context(closing(StoryHistory(stories_database(settings))))
        pool = None
        if remote is None:
            pool = stack.enter_context(RenderPool(settings.print_timeout, fork=False))
        builder = IssueBuilder(
            settings, history, loaded.from_command_line, pool=pool, workers=remote
        )
        return build_issue(builder, digest, now)


def stories_database(settings: Settings) -> str:
    """Return the path or URL of the database of what digests printed."""
    return settings.database or str(data_folder() / "digests.sqlite")


#: The seconds between two requests to a host, by any workers.
HOST_DELAY = 1.0

_MAX_PENDING_PAGES = 100
#: The most pending documents, which contain their pictures.
_MAX_PENDING_DOCUMENTS = 24


class RemoteWorkers(Closing):
    """Fetches, extracts and renders in the workers of a job queue; a context manager.

    Create it before any thread, as an engine is forked here if the settings ask for ``workers``.
    ``chosen`` names the settings to send with each page.
    """

    def __init__(self, settings: Settings, chosen: Iterable[str] = ()) -> None:
        if "://" not in settings.database or not settings.storage:
            raise UsageError(
                "--spread needs a database and a storage that all workers share",
                hint="Give --database postgresql://... and --storage",
            )
        self._options = {
            name: getattr(settings, name) for name in chosen if name in REQUEST_OPTIONS
        }
        self._local_workers = LocalWorkers()
        if settings.workers:
            self._local_workers.start(settings)
        self._queue = JobQueue(settings.database)
        self._storage = open_result_storage(settings)
        self._host_delays = HostDelays(settings.database, HOST_DELAY)

    def close(self) -> None:
        self._local_workers.close()
        self._host_delays.close()
        self._queue.disconnect()

    def pages(
        self, candidates: Sequence[StoryCandidate], run: str
    ) -> Iterator[ExtractedPage | Capture | WebprintError]:
        """Yield the extracted page or the error of each candidate, in order.

        A page that was already captured is yielded unchanged.  ``run`` names the issue; pages read
        for another issue are not reused.
        """
        client = self._client(
            f"read {run}", _MAX_PENDING_PAGES, may_submit=self._may_fetch, may_retry=self._may_retry
        )
        urls = (candidate.url for candidate in candidates if candidate.capture is None)
        results = client.results(JobRequest(url, self._options, {READ_PART: b""}) for url in urls)
        for candidate in candidates:
            if candidate.capture is not None:
                yield candidate.capture
                continue
            result = next(results)
            if isinstance(result, bytes):
                yield load_page(result)
            else:
                yield WebprintError(result.message, hint=result.hint)

    def start(self, pages: int = 1) -> None:
        del pages

    def render(self, document: Document) -> RenderedPdf:
        (outcome,) = self.render_all([document])
        if isinstance(outcome, RenderError):
            raise outcome
        return outcome

    def render_all(self, documents: Iterable[Document]) -> Iterator[RenderedPdf | RenderError]:
        parts = ({DOCUMENT_PART: serial.dump(Document, document)} for document in documents)
        client = self._client("lay out", _MAX_PENDING_DOCUMENTS)
        for result in client.results(JobRequest("", {}, part) for part in parts):
            if isinstance(result, bytes):
                yield load_result(RenderedPdf, result)
            else:
                yield RenderError(result.message, hint=result.hint)

    def _client(self, name: str, max_pending: int, **options: Any) -> JobClient:
        return JobClient(
            queue=self._queue, storage=self._storage, name=name, max_pending=max_pending,
            on_submit=self._local_workers.check, **options,
        )  # fmt: skip

    def _may_fetch(self, request: JobRequest) -> bool:
        try:
            return self._host_delays.acquire(request.url)
        except BadURL:
            return True  # Let the worker report the error.

    def _may_retry(self, request: JobRequest, error: ErrorRecord) -> bool:
        if error.retry_after:
            self._host_delays.delay(request.url, error.retry_after)
        return error.is_transient
