"""Print a list: submit its addresses as jobs, collect the results in a folder, and report.

Few items are in the job table at a time: each is submitted when its host may be asked again, so
that the delay of a host is kept whichever worker prints.  The key of a job is made from its address
and the number of the attempt, so that it cannot be submitted twice.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Self

from ..backoff import Backoff
from ..crawl.store import MAX_DELAY, HostDelays
from ..errors import ErrorRecord, JobsError, NoArticle, UsageError
from ..jobs.factory import LocalWorkers, open_result_storage
from ..jobs.handler import PDF
from ..jobs.models import FINISHED, Job, JobRequest
from ..jobs.queue import JobQueue, QueueFull
from ..settings import Settings
from ..urls import normalize_url
from . import BatchOptions
from .store import STATE_FILE, STATE_FOLDER, BatchItem, BatchStore

_POLL_INTERVAL = 0.1
_JOBS_PER_LOCAL_WORKER = 3
_MAX_REMOTE_JOBS = 100

_REPORTED = ("title", "pages", "pictures", "bytes", "warnings")


class BatchRunner:
    """Prints a list to a folder, which it locks; a context manager.

    Args:
        folder: the output folder.
        settings: the settings of the prints and of the job queue.
        options: how the list is printed.
        name: makes a file name from a title.
        write: writes a file atomically.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        options: BatchOptions,
        *,
        name: Callable[[str], str],
        write: Callable[[Path, bytes], None],
    ) -> None:
        self._folder, self._options = folder, options
        self._name, self._write = name, write
        #: Called with each finished item.
        self.on_finished: Callable[[BatchItem], None] = lambda _: None
        self._shared = bool(settings.database)
        state = folder / STATE_FOLDER
        try:
            state.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"the folder {folder} cannot be made: {error.strerror}") from error
        self._lock = _lock(state / "lock")
        self._settings = settings.model_copy(update={
            "database": settings.database or str(state / "jobs.sqlite"),
            "storage": settings.storage or str(state / "prints"),
        })  # fmt: skip
        self._local = settings.workers or (0 if self._shared else os.cpu_count() or 1)
        self._workers = LocalWorkers()
        self.store = BatchStore(state / STATE_FILE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.close()
        self.store.close()
        self._lock.close()

    def start(self) -> None:
        """Start the local workers, while this process has one thread."""
        if self._local and any(self.store.items("waiting", "sent")):
            settings = self._settings.model_copy(update={"workers": self._local})
            self._workers.start(settings, [self._lock])

    def run(self) -> None:
        """Print the remaining items; after an interruption, a later run continues."""
        self.start()
        queue = JobQueue(self._settings.database)
        delays = HostDelays(self._settings.database, self._options.delay)
        storage = open_result_storage(self._settings)
        try:
            while True:
                submitted = list(self.store.items("sent"))
                for item in submitted:
                    job = queue.get(item.job)
                    pdf = None
                    if job is not None and job.state == "done":
                        pdf = storage.get(f"{job.result_folder}/{PDF}")
                    self._collect(item, job, pdf, delays)
                    if job is not None and job.state in FINISHED:
                        queue.delete(job.id)
                        with suppress(JobsError):  # Retention deletes it later.
                            storage.delete(job.id)
                working = self._submit(queue, delays) or submitted
                if not working and self.store.next_due() is None:
                    return
                self._workers.check()
                time.sleep(_POLL_INTERVAL)
        finally:
            delays.close()
            queue.disconnect()

    def _collect(
        self, item: BatchItem, job: Job | None, pdf: bytes | None, delays: HostDelays
    ) -> None:
        """Update an item from its job; ``pdf`` is the result if it is done."""
        if job is not None and job.state in ("failed", "cancelled"):
            self._fail(item, job.error or ErrorRecord("its job was cancelled"), delays)
        elif job is None or (job.state == "done" and pdf is None):
            self.store.mark_waiting(item)
        elif pdf is not None and (obstacle := job.result.get("obstacle")):
            self._fail(item, ErrorRecord.of(NoArticle.behind(obstacle)), delays)
        elif pdf is not None:
            name = self.store.assign_name(item, self._name(job.title or "article"), self._folder)
            self._write(self._folder / name, pdf)
            self.store.mark_done(item, job.result)
            self.on_finished(item)

    def _fail(self, item: BatchItem, error: ErrorRecord, delays: HostDelays) -> None:
        if error.retry_after:
            delays.delay(item.url, error.retry_after)
        if error.is_transient and item.tries + 1 < self._options.max_tries:
            backoff = Backoff(self._options.retry_delay, MAX_DELAY)
            delay = backoff.delay(item.tries + 1, at_least=error.retry_after)
            self.store.mark_failed(item, error, delay)
        else:
            self.store.mark_failed(item, error, None)
            self.on_finished(item)

    def _submit(self, queue: JobQueue, delays: HostDelays) -> int:
        """Submit items whose hosts may be asked; return their number."""
        limit = self._local * _JOBS_PER_LOCAL_WORKER if self._local else _MAX_REMOTE_JOBS
        room = limit - len(list(self.store.items("sent")))
        submitted = 0
        for item in self.store.due(room, delays.waiting_hosts()) if room > 0 else ():
            url = normalize_url(item.url)
            if not delays.acquire(url):
                continue
            try:
                request = JobRequest(url, dict(self._options.chosen))
                job, _ = queue.submit(
                    request, self._key(item), sender=str(self._folder), background=True
                )
            except QueueFull:
                break
            self.store.mark_submitted(item, job.id)
            submitted += 1
        return submitted

    def _key(self, item: BatchItem) -> str:
        """Return the idempotency key of the current attempt to print an item to this folder."""
        place = f"{os.uname().nodename} {self._folder.resolve()}"
        return f"batch {hashlib.sha256(place.encode()).hexdigest()[:24]} {item.seq} {item.tries}"


def _lock(path: Path) -> BinaryIO:
    """Lock a file until it is closed or this process ends."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise UsageError(
            f"another process prints to {path.parent.parent}", hint="Wait for it, or stop it"
        ) from error
    return file


def report_json(items: Sequence[BatchItem], repeated: int) -> str:
    """Return the report as JSON."""
    counts = Counter(item.state for item in items)
    report = {
        "counts": {
            "listed": len(items) + repeated, "repeated": repeated,
            "printed": counts["done"], "failed": counts["failed"],
            "not printed": counts["waiting"] + counts["sent"],
        },
        "failures": dict(failure_reasons(items)),
        "pages": [_page_report(item) for item in items],
    }  # fmt: skip
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"


def _page_report(item: BatchItem) -> dict[str, Any]:
    page: dict[str, Any] = {"line": item.line, "url": item.url, "state": item.state}
    if item.state == "done":
        page |= {"file": item.name} | {key: item.result.get(key) for key in _REPORTED}
    if item.error:
        page |= {"tries": item.tries, "error": item.error.to_dict()}
    return page


def report_text(items: Sequence[BatchItem], repeated: int) -> str:
    """Return the report as text: failures by reason with their lines, then what was printed."""
    lines = [summarize(items, repeated), ""]
    for reason, count in failure_reasons(items):
        failed = [item for item in items if item.state == "failed" and _reason(item) == reason]
        lines.append(f"{count} failed: {reason}")
        lines += [f"    line {item.line}: {item.url}" for item in failed]
        hint = failed[0].error.hint if failed[0].error else ""
        lines += [f"    {hint}", ""] if hint else [""]
    for item in items:
        if item.state == "done":
            pages = item.result.get("pages", 0)
            lines.append(f"{item.name}: {pages} page{'' if pages == 1 else 's'}, {item.url}")
    return "\n".join(lines) + "\n"


def summarize(items: Sequence[BatchItem], repeated: int) -> str:
    """Return the report as one line."""
    counts = Counter(item.state for item in items)
    unfinished = counts["waiting"] + counts["sent"]
    parts = [f"{counts['done']} of {len(items)} printed"]
    if counts["failed"]:
        parts.append(f"{counts['failed']} failed")
    if unfinished:
        parts.append(f"{unfinished} not printed yet")
    if repeated:
        parts.append(f"{repeated} listed more than once")
    return ", ".join(parts)


def failure_reasons(items: Sequence[BatchItem]) -> list[tuple[str, int]]:
    """Return the reasons for failures and their counts, the most frequent first."""
    return Counter(_reason(item) for item in items if item.state == "failed").most_common()


def _reason(item: BatchItem) -> str:
    return item.error.message if item.error else "unknown reason"
