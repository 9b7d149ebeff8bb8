"""A digest spread over the workers of several machines: they read and lay out, here it is bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

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
    TaskResult,
    dump_document,
    load_page,
    load_rendered,
)
from ..jobs.validation import REQUEST_OPTIONS
from ..pipeline import ExtractedPage
from ..render.context import Document
from ..render.weasy.engine import RenderedPdf
from ..settings import Settings
from .candidates import Candidate

#: Seconds that a host is left between two pages, whoever fetches them.
HOST_DELAY = 1.0

#: Pages and documents that are in the workers' hands at a time: documents hold their pictures.
_MAX_PAGES, _MAX_DOCUMENTS = 100, 24


class RemoteWorkers:
    """Has pages read and documents laid out by whoever works for a database; a context manager.

    To be made while there is one thread: with ``workers`` in the settings so many work here, with a
    ``broker`` Celery calls those elsewhere.  ``chosen`` names the settings that go with each page.
    """

    def __init__(
        self, settings: Settings, chosen: Iterable[str] = (), *, delay: float = HOST_DELAY
    ) -> None:
        if "://" not in settings.database or not settings.storage:
            raise UsageError(
                "--spread needs a place that the workers share",
                hint="Give --database postgresql://... and --storage",
            )
        self._options = {
            name: getattr(settings, name) for name in chosen if name in REQUEST_OPTIONS
        }
        self._keeper = LocalWorkers()
        if settings.workers or settings.broker:
            self._keeper.start(settings)
        self._table = JobQueue(settings.database)
        self._store = open_result_storage(settings)
        self._host_delays = HostDelays(settings.database, delay)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers of this machine, and close the database."""
        self._keeper.close()
        self._host_delays.close()
        self._table.disconnect()

    def pages(
        self, finds: Sequence[Candidate], run: str
    ) -> Iterator[ExtractedPage | Capture | WebprintError]:
        """Yield what each find's page says, the page itself where it is here, or what is amiss.

        ``run`` names the issue they are read for: what was read for another is not good enough.
        """
        handed = self._client(f"read {run}", _MAX_PAGES)
        handed.may_submit = self._may_fetch
        handed.may_retry = self._is_temporary
        absent = (find.url for find in finds if find.capture is None)
        outcomes = handed.results(
            JobRequest(url, self._options, {READ_PART: b""}) for url in absent
        )
        for find in finds:
            yield _reading(next(outcomes)) if find.capture is None else find.capture

    def start(self, pages: int = 1) -> None:
        """Do nothing: workers are started by those who run them."""
        del pages

    def render(self, document: Document) -> RenderedPdf:
        """Print a document."""
        (outcome,) = self.render_all([document])
        if isinstance(outcome, RenderError):
            raise outcome
        return outcome

    def render_all(self, documents: Iterable[Document]) -> Iterator[RenderedPdf | RenderError]:
        """Yield what came of documents, in their order, as presses do."""
        parts = ({DOCUMENT_PART: dump_document(document)} for document in documents)
        handed = self._client("lay out", _MAX_DOCUMENTS)
        for outcome in handed.results(JobRequest("", {}, part) for part in parts):
            yield load_rendered(outcome) if isinstance(outcome, bytes) else _error(outcome)

    def _client(self, name: str, most: int) -> JobClient:
        return JobClient(
            queue=self._table, storage=self._store, name=name, file=TASK_RESULT, max_pending=most,
            on_submit=self._wake_workers,
        )  # fmt: skip

    def _may_fetch(self, request: JobRequest) -> bool:
        try:
            return self._host_delays.acquire(request.url)
        except BadURL:
            return True  # Whoever reads it says what is wrong with it.

    def _is_temporary(self, request: JobRequest, error: ErrorRecord) -> bool:
        if error.retry_after:
            self._host_delays.delay(request.url, error.retry_after)
        return error.is_transient

    def _wake_workers(self) -> None:
        self._keeper.check()
        self._keeper.wake()


def _reading(outcome: TaskResult) -> ExtractedPage | WebprintError:
    return load_page(outcome) if isinstance(outcome, bytes) else _error(outcome, WebprintError)


def _error(outcome: ErrorRecord, kind: Any = RenderError) -> Any:
    return kind(outcome.message, hint=outcome.hint)
