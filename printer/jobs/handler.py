"""The handler of jobs, which prints a page and stores the results.

Parts of a larger job come from elsewhere: pages to read, documents to render.  Only plain data is
exchanged for them: workers handle untrusted pages, and neither they nor the storage may make the
process that asked execute anything.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import ConfigDict, TypeAdapter, ValidationError

from ..article import Article, from_data, to_data
from ..backoff import Backoff
from ..capture import Capture, PageSource
from ..editing import Edit, Snapshot
from ..errors import ErrorRecord, JobsError, WebprintError
from ..options import ENDINGS, Format
from ..output import CompletenessReport, ExtractedPage, Picture, Result
from ..render.context import Document
from ..render.weasy.engine import RenderedPdf, render_pdf
from ..selection import PictureDecision
from ..settings import Settings
from ..text import count
from . import (
    BUNDLE_PART,
    EDIT_PART,
    PAGE_PART,
    Attempt,
    Job,
    JobRequest,
    merge_options,
    snapshot_key,
    validate_source,
)
from .queue import JobQueue, QueueFull
from .storage import Storage, StorageUnavailable, open_storage

if TYPE_CHECKING:
    from ..pipeline import Printer, ReadOutcome

    #: The page, its print, and the snapshot for revisions.
    Printed: TypeAlias = tuple[ExtractedPage, Result, Snapshot]

#: The files of a finished print.
PDF, ARTICLE = "article.pdf", "article.json"

#: The parts of a request that are not pictures.
_NO_PICTURES = (PAGE_PART, EDIT_PART, BUNDLE_PART)

_MAX_WARNINGS = 50
_MAX_LENGTH = 400


@dataclass(frozen=True, slots=True)
class JobHandler:
    """Runs jobs with the settings of a server.

    ``storage`` receives the results.  ``allow_private`` permits requests for pages on private
    addresses, which is safe if everybody who can send requests uses this machine.
    """

    settings: Settings
    storage: str
    allow_private: bool = False

    def __call__(self, attempt: Attempt, notify: Callable[[str], None]) -> dict[str, Any]:
        """Run a job and return its outcome, a dict with one of these keys.

        ``done`` describes the result; ``failed`` is an :class:`ErrorRecord` as a dict.  With
        ``not_stored``, why the storage is unavailable, and ``process_died``, which helper process
        ended, the job must be tried again.
        """
        try:
            return {"done": self._run(attempt, open_storage(self.storage), notify)}
        except StorageUnavailable as error:
            return {"not_stored": str(error)}
        except WebprintError as error:
            if error.process_died:
                return {"process_died": str(error)}
            return {"failed": ErrorRecord.of(error).to_dict()}
        except MemoryError:
            return {
                "failed": ErrorRecord("the print needs more memory than is available").to_dict()
            }
        except Exception as error:  # noqa: BLE001 - a bug, reported like any other failure
            message = f"internal error: {type(error).__name__}: {error}"
            return {"failed": ErrorRecord(message[:_MAX_LENGTH]).to_dict()}

    def _run(
        self, attempt: Attempt, storage: Storage, notify: Callable[[str], None]
    ) -> Mapping[str, Any]:
        request = attempt.request
        if DOCUMENT_PART in request.parts or READ_PART in request.parts:
            return self._run_task(attempt, storage, notify)
        if request.bundle:
            return self._print_bundle(attempt, storage, notify)
        if EDIT_PART in request.parts:
            page, result, snapshot = self._revise(attempt, storage, notify)
        else:
            page, result, snapshot = self._print(request, notify)
        notify("store")
        files = {f"{attempt.result_folder}/{name}": v for name, v in _files(page, result)}
        storage.put_all({**files, snapshot_key(attempt.id): snapshot.dump()})
        return _summary(page, result)

    def _run_task(
        self, attempt: Attempt, storage: Storage, notify: Callable[[str], None]
    ) -> Mapping[str, Any]:
        """Run a part of a larger job of another machine."""
        request = attempt.request
        if DOCUMENT_PART in request.parts:
            notify("print")
            data, pages = render_document(request.parts[DOCUMENT_PART])
            summary: dict[str, Any] = {"pages": pages}
        else:
            with self._printer(replace(request, parts={}), notify) as printer:
                page = printer.read(request.url)
            data = dump_page(page)
            summary = {"title": page.article.title[:_MAX_LENGTH]}
        notify("store")
        storage.put(f"{attempt.result_folder}/{TASK_RESULT}", data)
        return summary

    def _print_bundle(
        self, attempt: Attempt, storage: Storage, notify: Callable[[str], None]
    ) -> Mapping[str, Any]:
        """Print several pages into one file, which cannot be edited."""
        request = attempt.request
        pages: list[ExtractedPage] = []

        def collect(outcomes: Iterable[ReadOutcome]) -> Iterator[ReadOutcome]:
            for source, outcome in outcomes:
                if isinstance(outcome, WebprintError) and outcome.process_died:
                    raise outcome
                if not isinstance(outcome, WebprintError):
                    pages.append(outcome)
                yield source, outcome

        with self._printer(request, notify) as printer:
            result = printer.render_outcomes(collect(printer.read_all(request.bundle)))
        notify("store")
        left_out = [
            f"{page.url} was left out: {page.error.message}"
            for page in result.outcomes
            if page.error
        ]
        result = replace(result, warnings=(*left_out, *result.warnings))
        articles = [page.article.to_dict() for page in pages]
        text = "\n".join(f"{page.article.title}\n{page.article.text}" for page in pages)
        title = str(request.options.get("title") or result.title)
        about = {"title": title, "text": text, "articles": articles}
        files = {
            result_file(result.format): result.data,
            ARTICLE: json.dumps(about, ensure_ascii=False).encode("utf-8", "replace"),
        }
        storage.put_all({f"{attempt.result_folder}/{name}": data for name, data in files.items()})
        summary = {**_summary(pages[0], result), "title": title[:_MAX_LENGTH]}
        return {**summary, "articles": len(pages)}

    def _print(self, request: JobRequest, notify: Callable[[str], None]) -> Printed:
        html = request.parts.get(PAGE_PART)
        source = request.url if html is None else _capture(html, request.url)
        pictures: dict[str, Picture] = {}
        with self._printer(request, notify, pictures) as printer:
            page = printer.read(source)
            result = printer.render([page])
        article = replace(page.article, blocks=())
        snapshot = Snapshot(article, page.blocks, Capture(page.html, page.source))
        return page, result, snapshot.with_pictures(pictures)

    def _revise(self, attempt: Attempt, storage: Storage, notify: Callable[[str], None]) -> Printed:
        """Print an edited article again from its snapshot."""
        data = storage.get(snapshot_key(attempt.id))
        if data is None:
            raise WebprintError("the data stored for editing this print is gone")
        snapshot = Snapshot.load(data)
        edit = Edit.load(attempt.request.parts[EDIT_PART])
        capture = snapshot.capture
        page = ExtractedPage(snapshot.apply(edit), capture.describe(), capture.body)
        pictures = dict(snapshot.pictures)
        with self._printer(attempt.request, notify, pictures) as printer:
            result = printer.render([page])
        return page, result, snapshot.with_pictures(pictures)

    def _printer(
        self,
        request: JobRequest,
        notify: Callable[[str], None],
        pictures: dict[str, Picture] | None = None,
    ) -> Printer:
        """Return a printer for a request; with ``pictures``, its prints can be edited."""
        from ..pipeline import Printer

        validate_source(request)
        # A page that was sent may not name private addresses: its pictures came with it.
        may_be_private = self.allow_private and PAGE_PART not in request.parts
        return Printer.from_settings(
            merge_options(self.settings, request.options),
            user_urls=(request.bundle or (request.url,)) if may_be_private else (),
            files={k: v for k, v in request.parts.items() if k not in _NO_PICTURES},
            notify=lambda _, step: notify(step),
            editable=pictures is not None,
            picture_cache=pictures,
        )


def _capture(html: bytes, url: str) -> Capture:
    """Return the capture of a page sent by a browser, in UTF-8 and after its scripts ran."""
    now = datetime.now(UTC)
    source = PageSource(url, url, "text/html", "utf-8", fetched=now, method="browser")
    return Capture(html, source)


def _summary(page: ExtractedPage, result: Result) -> Mapping[str, Any]:
    return {
        "title": result.title[:_MAX_LENGTH],
        "site": page.article.site[:_MAX_LENGTH],
        "language": page.article.language[:_MAX_LENGTH],
        "pages": result.pages,
        "pictures": result.pictures,
        "format": result.format,
        "bytes": len(result.data),
        "complete": result.complete,
        "obstacle": page.article.obstacle,
        "warnings": [warning[:_MAX_LENGTH] for warning in result.warnings[:_MAX_WARNINGS]],
    }


def _files(page: ExtractedPage, result: Result) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a print by name."""
    article = json.dumps(page.article.to_dict(), ensure_ascii=False)
    yield result_file(result.format), result.data
    yield ARTICLE, article.encode("utf-8", "replace")


def result_file(format_: Format) -> str:
    """Return the file name of a print in a format."""
    return PDF if format_ == "pdf" else f"print{ENDINGS[format_][0]}"


#: The parts of a request that select a task: reading its page, rendering a document.
READ_PART, DOCUMENT_PART = "read", "document"

#: The file name of a task's result.
TASK_RESULT = "share.json"

#: The seconds between two polls of the queue.
_POLL_INTERVAL = 0.1

#: The requested file, or the error.
TaskResult: TypeAlias = bytes | ErrorRecord

#: The fields of an :class:`ExtractedPage`, with the article's blocks as data.
_PageValues: TypeAlias = tuple[
    dict[str, Any], PageSource, bytes, tuple[PictureDecision, ...], str, str,
    tuple[CompletenessReport, ...],
]  # fmt: skip


@dataclass(slots=True)
class _Task:
    request: JobRequest
    job_id: str = ""
    tries: int = 0
    due: float = 0.0
    result: TaskResult | None = None


@dataclass(slots=True, kw_only=True)
class JobClient:
    """Submits requests to workers, ``max_pending`` at a time, and collects their results.

    Jobs are keyed by the content of their requests, so that a client that is killed and restarted
    gets the same jobs.

    Args:
        name: the prefix of the jobs' keys.
        file: the name of the result file to return.
        max_tries: the attempts per request, the second after ``retry_delay`` seconds, which double.
        may_submit: whether a request may be submitted now.
        may_retry: whether a failed request may succeed later.
        on_submit: called after submitting requests.
        timeout: the seconds without a finished request after which to raise :class:`JobsError`.
    """

    queue: JobQueue
    storage: Storage
    name: str
    file: str
    max_pending: int = 100
    max_tries: int = 3
    retry_delay: float = 5.0
    may_submit: Callable[[JobRequest], bool] = lambda _: True
    may_retry: Callable[[JobRequest, ErrorRecord], bool] = lambda _request, _error: False
    on_submit: Callable[[], None] = lambda: None
    timeout: float = 900.0

    def results(self, requests: Iterable[JobRequest]) -> Iterator[TaskResult]:
        """Yield the result of each request, in order; raises :class:`JobsError`."""
        tasks = map(_Task, requests)
        pending: deque[_Task] = deque()
        last = time.monotonic()
        try:
            while True:
                pending.extend(islice(tasks, self.max_pending - len(pending)))
                if not pending:
                    return
                if self._poll(pending):
                    last = time.monotonic()
                elif time.monotonic() - last > self.timeout:
                    raise JobsError(
                        f"no worker has finished anything for {count(self.timeout, 'second')}",
                        hint="Start some with 'webprint worker'",
                    )
                if pending[0].result is None:
                    time.sleep(_POLL_INTERVAL)
                while pending and pending[0].result is not None:
                    yield pending.popleft().result  # type: ignore[misc]
        finally:
            for task in pending:
                if task.job_id:
                    self._delete(task.job_id)

    def _poll(self, tasks: Iterable[_Task]) -> bool:
        """Collect finished tasks and submit permitted ones; return whether there were any."""
        unfinished = [task for task in tasks if task.result is None]
        jobs = self.queue.get_many([task.job_id for task in unfinished if task.job_id])
        for task in unfinished:
            if task.job_id:
                self._collect(task, jobs.get(task.job_id))
        waiting = [task for task in unfinished if not task.job_id and task.result is None]
        submitted = [self._submit(task) for task in waiting]
        if any(submitted):
            self.on_submit()
        return any(submitted) or any(task.result is not None for task in unfinished)

    def _collect(self, task: _Task, job: Job | None) -> None:
        if job is not None and job.state in ("queued", "running"):
            return
        task.job_id = ""  # A deleted job is submitted again.
        if job is None:
            return
        if job.state == "done":
            task.result = self.storage.get(f"{job.result_folder}/{self.file}")
        if task.result is None:
            ended = "result is not in the storage" if job.state == "done" else "job was cancelled"
            error = job.error or ErrorRecord(f"its {ended}")
            task.tries += 1
            if task.tries >= self.max_tries or not self.may_retry(task.request, error):
                task.result = error
            task.due = time.monotonic() + Backoff(self.retry_delay).delay(task.tries)
        self._delete(job.id)

    def _delete(self, job_id: str) -> None:
        self.queue.delete(job_id)
        with suppress(JobsError):  # Retention deletes it later.
            self.storage.delete(job_id)

    def _submit(self, task: _Task) -> bool:
        if time.monotonic() < task.due or not self.may_submit(task.request):
            return False
        key = f"{self.name} {task.request.fingerprint} {task.tries}"
        try:
            job, _ = self.queue.submit(task.request, key, sender=self.name, background=True)
        except QueueFull:
            return False
        task.job_id = job.id
        return True


def dump_document(document: Document) -> bytes:
    """Encode a document for a worker."""
    return _dump(Document, document)


def render_document(document: bytes) -> tuple[bytes, int]:
    """Render an encoded document; return the encoded result and the number of pages."""
    rendered = render_pdf(_load(Document, document))
    return _dump(RenderedPdf, rendered), rendered.pages


def load_rendered(data: bytes) -> RenderedPdf:
    """Decode what :func:`render_document` returned; raises :class:`JobsError`."""
    rendered: RenderedPdf = _load(RenderedPdf, data)
    return rendered


def dump_page(page: ExtractedPage) -> bytes:
    """Encode an extracted page."""
    article = {field.name: getattr(page.article, field.name) for field in fields(Article)}
    article |= {name: [*map(to_data, article[name])] for name in ("blocks", "key")}
    values = (article, page.source, page.html, page.pictures, page.kind, page.canonical)
    return _dump(_PageValues, (*values, page.losses))


def load_page(data: bytes) -> ExtractedPage:
    """Decode an extracted page; raises :class:`JobsError`."""
    article, *values = _load(_PageValues, data)
    try:
        for name in ("blocks", "key"):
            article[name] = tuple(map(from_data, article[name]))
        for name in ("warnings", "keywords"):
            article[name] = tuple(map(str, article[name]))
        return ExtractedPage(Article(**article), *values)
    except (KeyError, TypeError, ValueError) as error:
        raise JobsError("the page that a worker read cannot be decoded") from error


@cache
def _adapter(type_: Any) -> TypeAdapter[Any]:
    base64 = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
    return TypeAdapter(tuple[type_], config=base64)


def _dump(type_: Any, value: object) -> bytes:
    return _adapter(type_).dump_json((value,))


def _load(type_: Any, data: bytes) -> Any:
    try:
        return _adapter(type_).validate_json(data)[0]
    except ValidationError as error:
        raise JobsError("the data exchanged with a worker cannot be decoded") from error
