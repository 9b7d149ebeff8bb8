"""Print a list: submit its addresses as jobs, collect the results in a folder, and report.

The jobs record the progress: the id of each is derived from its address, so that a later run finds
it.  A job is submitted only when the delay of its host has passed, so that all workers together
respect the delay.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from .backoff import Backoff
from .crawl.store import MAX_DELAY, HostDelays
from .db import sqlite_path
from .errors import BadURL, ErrorRecord, JobsError, NoArticle, OutputError, UsageError
from .files import Closing, atomic_write, lock_file, os_errors
from .jobs import FINISHED, Job, JobRequest
from .jobs.engine import LocalWorkers, open_result_storage
from .jobs.queue import JobQueue, QueueFull, job_id_for_key
from .jobs.storage import PDF
from .options import BatchOptions
from .settings import Settings
from .text import file_name, numbered, quantity
from .urls import normalize_url, origin_of, strip_userinfo, url_key

STATE_FOLDER = ".webprint"
STATE_FILE = "jobs.sqlite"
REPORT_TEXT = "report.txt"
REPORT_JSON = "report.json"

_POLL_INTERVAL = 0.1
_JOBS_PER_LOCAL_WORKER = 3
_MAX_REMOTE_JOBS = 100

_REPORTED = ("title", "pages", "pictures", "bytes", "warnings")


@dataclass(slots=True, eq=False)
class BatchItem:
    """An address of the list.

    ``key`` identifies its job.  ``name`` is the file it was printed to, or '' until it is known;
    ``result`` describes the print.
    """

    line: int
    url: str
    key: str = ""
    host: str = ""
    state: Literal["waiting", "sent", "done", "failed"] = "waiting"
    tries: int = 0
    due: float = 0.0
    name: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    error: ErrorRecord | None = None

    @property
    def job_id(self) -> str:
        return job_id_for_key(self.key)


class BatchRunner(Closing):
    """Prints a list, as line numbers and addresses, to a folder, which it locks."""

    def __init__(
        self,
        folder: Path,
        pages: Iterable[tuple[int, str]],
        settings: Settings,
        options: BatchOptions,
    ) -> None:
        self._folder, self._options = folder, options
        #: Called with each finished item.
        self.on_finished: Callable[[BatchItem], None] = lambda _: None
        shared = bool(settings.database)
        state = folder / STATE_FOLDER
        with os_errors(UsageError, f"the folder {folder} cannot be created"):
            state.mkdir(parents=True, exist_ok=True)
        try:
            self._lock = lock_file(state / "lock")
        except BlockingIOError as error:
            message = f"another process is printing to {folder}"
            raise UsageError(message, hint="Wait for it, or stop it") from error
        self._settings = settings.model_copy(update={
            "database": settings.database or str(state / STATE_FILE),
            "storage": settings.storage or str(state / "prints"),
        })  # fmt: skip
        self._local = settings.workers or (0 if shared else os.cpu_count() or 1)
        self._workers = LocalWorkers()
        with ExitStack() as opened:
            opened.enter_context(self._lock)
            self._queue = JobQueue(self._settings.database)
            opened.callback(self._queue.disconnect)
            self._storage = open_result_storage(self._settings)
            #: The addresses in the order of the list, and how many more are repetitions.
            self.items, self.repeated = _parse_list(pages, _batch_id(folder) if shared else "")
            for job_id in _recall_results(self.items, folder, options, self._queue):
                self._queue.delete(job_id)
            opened.pop_all()
        self._names = {item.name.lower() for item in self.items}

    def close(self) -> None:
        self._workers.close()
        self._queue.disconnect()
        self._lock.close()

    @property
    def unfinished(self) -> int:
        return sum(item.state in ("waiting", "sent") for item in self.items)

    @property
    def failed(self) -> list[BatchItem]:
        return [item for item in self.items if item.state == "failed"]

    def start(self) -> None:
        """Start the local workers, while this process has one thread."""
        if self._local and self.unfinished:
            self._queue.disconnect()
            settings = self._settings.model_copy(update={"workers": self._local})
            self._workers.start(settings, [self._lock])

    def run(self) -> None:
        """Print the remaining items; after an interruption, a later run continues."""
        self.start()
        delays = HostDelays(self._settings.database, self._options.delay)
        waiting: dict[str, deque[BatchItem]] = {}  # by host
        for item in self.items:
            if item.state == "waiting":
                waiting.setdefault(item.host, deque()).append(item)
        submitted = [item for item in self.items if item.state == "sent"]
        try:
            while waiting or submitted:
                jobs = self._queue.get_many([item.job_id for item in submitted])
                for item in submitted:
                    self._collect(item, jobs.get(item.job_id), delays)
                    if item.state == "waiting":
                        waiting.setdefault(item.host, deque()).append(item)
                submitted = [item for item in submitted if item.state == "sent"]
                submitted += self._submit(waiting, len(submitted), delays)
                self._workers.check()
                time.sleep(_POLL_INTERVAL)
        finally:
            delays.close()

    def _collect(self, item: BatchItem, job: Job | None, delays: HostDelays) -> None:
        if job is None:
            item.state = "waiting"
        elif job.state not in FINISHED:
            return
        elif error := _failure(job):
            self._fail(item, error, delays)
        elif (pdf := self._storage.get(f"{job.result_folder}/{PDF}")) is None:
            self._queue.delete(job.id)
            item.state = "waiting"
            if not job.file:  # Otherwise, the file that an earlier run wrote was deleted.
                self._fail(item, ErrorRecord("its PDF is not in the storage of results"), delays)
        else:
            item.name = job.file or self._free_name(job.title)
            self._names.add(item.name.lower())
            # Recorded before it is written, so that it is written once.
            self._queue.annotate(job.id, file=item.name)
            _write(self._folder / item.name, pdf)
            item.state, item.result, item.error = "done", job.result, None
            self.on_finished(item)
            with suppress(JobsError):  # Retention deletes it later.
                self._storage.delete(job.id)

    def _fail(self, item: BatchItem, error: ErrorRecord, delays: HostDelays) -> None:
        if error.retry_after:
            delays.delay(item.url, error.retry_after)
        item.tries, item.error = item.tries + 1, error
        if error.is_transient and item.tries < self._options.max_tries:
            backoff = Backoff(self._options.retry_delay, MAX_DELAY)
            item.due = time.monotonic() + backoff.delay(item.tries, at_least=error.retry_after)
            item.state = "waiting"
        else:
            item.state = "failed"
            self.on_finished(item)

    def _submit(
        self, waiting: dict[str, deque[BatchItem]], pending: int, delays: HostDelays
    ) -> list[BatchItem]:
        limit = self._local * _JOBS_PER_LOCAL_WORKER if self._local else _MAX_REMOTE_JOBS
        submitted: list[BatchItem] = []
        if not waiting or pending >= limit:
            return submitted
        late = delays.waiting_hosts()
        hosts = deque(host for host in waiting if host not in late)
        while hosts and pending + len(submitted) < limit:
            items = waiting[host := hosts.popleft()]
            item = items[0]
            if item.due > time.monotonic() or not delays.acquire(item.url):
                continue
            if not (item.tries and self._queue.retry(item.job_id)):
                chosen = {**self._options.chosen, "format": "pdf"}
                request = JobRequest(normalize_url(item.url), chosen)
                sender = str(self._folder)
                try:
                    self._queue.submit(request, item.key, sender=sender, background=True)
                except QueueFull:
                    break
            item.state = "sent"
            submitted.append(items.popleft())
            if items:
                hosts.append(host)
            else:
                del waiting[host]
        return submitted

    def _free_name(self, title: str) -> str:
        names = (f"{stem}.pdf" for stem in numbered(file_name(title), " "))
        return next(
            name
            for name in names
            if name.lower() not in self._names and not (self._folder / name).exists()
        )

    def write_reports(self) -> None:
        """Write the reports on all items: as text, and as JSON, which a later run reads."""
        counts = Counter(item.state for item in self.items)
        report = {
            "counts": {
                "listed": len(self.items) + self.repeated, "repeated": self.repeated,
                "printed": counts["done"], "failed": counts["failed"],
                "not printed": counts["waiting"] + counts["sent"],
            },
            "failures": dict(self.failure_reasons()),
            "pages": [_page_report(item) for item in self.items],
        }  # fmt: skip
        text = json.dumps(report, ensure_ascii=False, indent=1)
        _write(self._folder / REPORT_JSON, f"{text}\n")
        _write(self._folder / REPORT_TEXT, "".join(f"{line}\n" for line in self._report_lines()))

    def _report_lines(self) -> Iterator[str]:
        """Yield the failures by reason with their lines, then what was printed."""
        yield from (self.summary(), "")
        for reason, number in self.failure_reasons():
            failed = [item for item in self.failed if _failure_reason(item) == reason]
            yield f"{number} failed: {reason}"
            yield from (f"    line {item.line}: {item.url}" for item in failed)
            if failed[0].error and failed[0].error.hint:
                yield f"    {failed[0].error.hint}"
            yield ""
        for item in self.items:
            if item.state == "done":
                yield f"{item.name}: {quantity(item.result.get('pages', 0), 'page')}, {item.url}"

    def summary(self) -> str:
        printed = sum(item.state == "done" for item in self.items)
        counts = (
            (len(self.failed), "failed"),
            (self.unfinished, "not printed yet"),
            (self.repeated, "listed more than once"),
        )
        parts = [f"{number} {name}" for number, name in counts if number]
        return ", ".join([f"{printed} of {len(self.items)} printed", *parts])

    def failure_reasons(self) -> list[tuple[str, int]]:
        return Counter(map(_failure_reason, self.failed)).most_common()


def _parse_list(pages: Iterable[tuple[int, str]], batch_id: str) -> tuple[list[BatchItem], int]:
    """Return the addresses of a list, each once, and the number of repetitions."""
    items: dict[str, BatchItem] = {}
    count = 0
    for line, url in pages:
        count += 1
        try:
            normalized = normalize_url(url)
        except BadURL as error:
            record = ErrorRecord.of(error)
            public = strip_userinfo(url)
            items.setdefault(f"bad {url}", BatchItem(line, public, state="failed", error=record))
        else:
            key = f"batch {batch_id} {url_key(normalized)}"
            items.setdefault(key, BatchItem(line, url, key, origin_of(normalized).netloc))
    return list(items.values()), count - len(items)


def _recall_results(
    items: Sequence[BatchItem], folder: Path, options: BatchOptions, queue: JobQueue
) -> list[str]:
    """Update items with the results of earlier runs; return the ids of the jobs to restart."""
    waiting = [item for item in items if item.state == "waiting"]
    jobs: dict[str, Job] = {}
    for start in range(0, len(waiting), 500):
        jobs |= queue.get_many([item.job_id for item in waiting[start : start + 500]])
    reported, outdated = _read_report(folder), []
    for item in waiting:
        job, page = jobs.get(item.job_id), reported.get(item.url, {})
        if job is None:
            # The report has prints whose jobs were deleted by retention.
            if page and (folder / str(page.get("file"))).is_file():
                item.state, item.name, item.result = "done", str(page["file"]), page
        elif job.state == "done" and job.file and (folder / job.file).exists():
            item.state, item.name, item.result = "done", job.file, job.result
        elif job.state not in FINISHED or (error := _failure(job)) is None:
            item.state = "sent"
        elif error.is_transient and job.attempt < options.max_tries:
            item.tries = job.attempt
        elif options.no_retry:
            item.state, item.tries, item.error = "failed", job.attempt, error
        else:
            outdated.append(job.id)
    return outdated


def planned_items(
    folder: Path, pages: Iterable[tuple[int, str]], settings: Settings, options: BatchOptions
) -> list[BatchItem]:
    """Return the items of a list with their state in a folder, without changing anything.

    Only a PostgreSQL database gets the tables that it lacks.
    """
    items, _ = _parse_list(pages, _batch_id(folder) if settings.database else "")
    state = sqlite_path(settings.database or str(folder / STATE_FOLDER / STATE_FILE))
    with TemporaryDirectory() as temporary:
        copy = Path(temporary) / STATE_FILE
        if state and state.exists():
            read_only = f"{state.absolute().as_uri()}?mode=ro"
            try:
                with (
                    closing(sqlite3.connect(read_only, uri=True)) as source,
                    closing(sqlite3.connect(copy)) as target,
                ):
                    source.backup(target)
            except sqlite3.Error as error:
                raise JobsError(f"{state} cannot be read: {error}") from error
        queue = JobQueue(str(copy) if state else settings.database)
        try:
            _recall_results(items, folder, options, queue)
        finally:
            queue.disconnect()
    return items


def _batch_id(folder: Path) -> str:
    """Return an id that distinguishes this folder from other batches in a shared database."""
    place = f"{os.uname().nodename} {folder.resolve()}"
    return hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def _read_report(folder: Path) -> dict[str, dict[str, Any]]:
    try:
        pages = json.loads((folder / REPORT_JSON).read_bytes())["pages"]
        return {page["url"]: page for page in pages if page["state"] == "done"}
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return {}


def _failure(job: Job) -> ErrorRecord | None:
    """Return why a finished job has no print, or None if it has one."""
    if job.state == "done":
        obstacle = job.result.get("obstacle")
        return ErrorRecord.of(NoArticle.behind(obstacle)) if obstacle else None
    return job.error or ErrorRecord("its job was cancelled")


def _write(path: Path, data: bytes | str) -> None:
    with os_errors(OutputError, f"{path} cannot be written"):
        atomic_write(path, data)


def _page_report(item: BatchItem) -> dict[str, Any]:
    page: dict[str, Any] = {"line": item.line, "url": item.url, "state": item.state}
    if item.state == "done":
        page |= {"file": item.name} | {key: item.result.get(key) for key in _REPORTED}
    if item.error:
        page |= {"tries": item.tries, "error": item.error.to_dict()}
    return page


def _failure_reason(item: BatchItem) -> str:
    return item.error.message if item.error else "unknown reason"
