"""Tasks: parts of a larger job that workers run, such as reading a page or rendering a document.

Only plain data is exchanged: workers process untrusted pages, and neither they nor the storage may
execute code in the process that requested the task.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias

from .. import serial
from ..article import Article, from_data, to_data
from ..backoff import Backoff
from ..capture import PageSource
from ..errors import ErrorRecord, JobsError
from ..output import CompletenessReport, ExtractedPage
from ..selection import PictureDecision
from ..text import count
from . import Job, JobRequest
from .queue import JobQueue, QueueFull
from .storage import Storage

#: The part of a request to read its page.
READ_PART = "read"
#: The part that holds the document to render.
DOCUMENT_PART = "document"

TASK_RESULT = "task.json"

_POLL_INTERVAL = 0.1
#: The seconds without progress after which a request fails.
TIMEOUT = 900.0
MAX_TRIES = 3
BACKOFF = Backoff(5.0)

#: The requested file or an error.
TaskResult: TypeAlias = bytes | ErrorRecord

#: The fields of an :class:`ExtractedPage`, with the article's blocks as data.
_PageValues: TypeAlias = tuple[
    Article, tuple[dict[str, Any], ...], PageSource, bytes, tuple[PictureDecision, ...], str, str,
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

    Jobs are keyed by the content of their requests, so that a restarted client finds its jobs.

    Args:
        name: the prefix of the jobs' keys.
        may_submit: whether to submit a request now.
        may_retry: whether to try a request that failed with an error again.
        on_submit: called after each submission.
    """

    queue: JobQueue
    storage: Storage
    name: str
    max_pending: int = 100
    may_submit: Callable[[JobRequest], bool] = lambda _: True
    may_retry: Callable[[JobRequest, ErrorRecord], bool] = lambda _request, _error: False
    on_submit: Callable[[], None] = lambda: None

    def results(self, requests: Iterable[JobRequest]) -> Iterator[TaskResult]:
        """Yield the result of each request, in order; raise :class:`JobsError`."""
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
                elif time.monotonic() - last > TIMEOUT:
                    raise JobsError(
                        f"no worker has finished anything for {count(TIMEOUT, 'second')}",
                        hint="Start a worker with 'webprint worker'",
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
        """Collect finished tasks and submit waiting ones; return whether any changed."""
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
            task.result = self.storage.get(f"{job.result_folder}/{TASK_RESULT}")
        if task.result is None:
            ended = "result is not in the storage" if job.state == "done" else "job was cancelled"
            error = job.error or ErrorRecord(f"its {ended}")
            task.tries += 1
            if task.tries >= MAX_TRIES or not self.may_retry(task.request, error):
                task.result = error
            task.due = time.monotonic() + BACKOFF.delay(task.tries)
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


def dump_page(page: ExtractedPage) -> bytes:
    article = replace(page.article, blocks=())
    blocks = tuple(map(to_data, page.article.blocks))
    values = (article, blocks, page.source, page.html, page.pictures, page.kind, page.canonical)
    return serial.dump(_PageValues, (*values, page.losses))


def load_page(data: bytes) -> ExtractedPage:
    article, blocks, *values = load_result(_PageValues, data)
    try:
        return ExtractedPage(replace(article, blocks=tuple(map(from_data, blocks))), *values)
    except ValueError as error:
        raise JobsError("the page that a worker read cannot be decoded") from error


def load_result(type_: Any, data: bytes) -> Any:
    try:
        return serial.load(type_, data)
    except ValueError as error:
        raise JobsError("the data exchanged with a worker cannot be decoded") from error
