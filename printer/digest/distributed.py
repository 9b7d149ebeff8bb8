"""Digests on several machines: workers fetch, extract and render; this process merges the PDF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from ..capture import Capture
from ..crawl.store import HostDelays
from ..errors import BadURL, ErrorRecord, RenderError, UsageError, WebprintError
from ..jobs.factory import LocalWorkers, open_result_storage
from ..jobs.models import JobRequest
from ..jobs.queue import JobQueue
from ..jobs.remote_tasks import (
    DOCUMENT_PART,
    READ_PART,
    TASK_RESULT,
    JobClient,
    dump_document,
    load_page,
    load_rendered,
)
from ..jobs.validation import REQUEST_OPTIONS
from ..pipeline import ExtractedPage
from ..render.context import Document
from ..render.weasy.engine import RenderedPdf
from ..settings import Settings
from .selection import Candidate

#: The seconds between two requests to a host, by any workers.
HOST_DELAY = 1.0

#: The most pending pages and documents; the latter contain their pictures.
_MAX_PAGES, _MAX_DOCUMENTS = 100, 24


class RemoteWorkers:
    """Fetches, extracts and renders in the workers of a job queue; a context manager.

    Create it before any thread, as an engine is forked here if the settings ask for ``workers``.
    ``chosen`` names the settings to send with each page, and ``delay`` is the number of seconds
    between two requests to a host.
    """

    def __init__(
        self, settings: Settings, chosen: Iterable[str] = (), *, delay: float = HOST_DELAY
    ) -> None:
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
        self._host_delays = HostDelays(settings.database, delay)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers of this machine, and close the database."""
        self._local_workers.close()
        self._host_delays.close()
        self._queue.disconnect()

    def pages(
        self, candidates: Sequence[Candidate], run: str
    ) -> Iterator[ExtractedPage | Capture | WebprintError]:
        """Yield the extracted page or the error of each candidate, in order.

        A page that was already captured is yielded unchanged.  ``run`` names the issue; pages read
        for another issue are not reused.
        """
        client = self._client(f"read {run}", _MAX_PAGES)
        client.may_submit = self._may_fetch
        client.may_retry = self._may_retry
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
        """Do nothing, as the workers are already running."""
        del pages

    def render(self, document: Document) -> RenderedPdf:
        (outcome,) = self.render_all([document])
        if isinstance(outcome, RenderError):
            raise outcome
        return outcome

    def render_all(self, documents: Iterable[Document]) -> Iterator[RenderedPdf | RenderError]:
        """Render documents in parallel; yield the result or error of each, in order."""
        parts = ({DOCUMENT_PART: dump_document(document)} for document in documents)
        client = self._client("lay out", _MAX_DOCUMENTS)
        for result in client.results(JobRequest("", {}, part) for part in parts):
            if isinstance(result, bytes):
                yield load_rendered(result)
            else:
                yield RenderError(result.message, hint=result.hint)

    def _client(self, name: str, max_pending: int) -> JobClient:
        return JobClient(
            queue=self._queue, storage=self._storage, name=name, file=TASK_RESULT,
            max_pending=max_pending, on_submit=self._local_workers.check,
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
