"""A list printed: addresses handed to the engine as jobs, results brought into a folder.

The engine's table holds few jobs of the list at a time: one is submitted when its host may be asked
again, so that each host's pause holds whichever worker prints, on this machine or another.  A job
is named by its address and the number of the try, so that submitting it twice makes one.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Self

from ..crawl.store import MAX_DELAY, HostDelays
from ..errors import JobsError, UsageError
from ..fetch.errors import is_transient, retry_after
from ..jobs.factory import LocalWorkers, open_result_storage
from ..jobs.handler import PDF
from ..jobs.models import FINISHED, Job, JobRequest, Lease, result_folder
from ..jobs.queue import JobQueue, QueueFull
from ..settings import Settings
from ..urls import normalize_url
from . import BatchOptions
from .store import BatchItem, BatchStore

#: The folder of the state, in the one for the files.
STATE = ".webprint"

#: Seconds between two looks at what the workers have done.
_LOOK = 0.1

#: Jobs at a time, for each worker here and for workers elsewhere.
_AHEAD, _AHEAD_ELSEWHERE = 3, 100


def _nothing(item: BatchItem) -> None:
    del item


class BatchRunner:
    """Prints a list to a folder; a context manager that owns the folder while it is open.

    ``name`` makes a file name of a title, ``write`` writes a file whole or not at all, ``tell`` is
    told of every item that is over.
    """

    def __init__(
        self,
        place: Path,
        settings: Settings,
        options: BatchOptions,
        *,
        name: Callable[[str], str],
        write: Callable[[Path, bytes], None],
        tell: Callable[[BatchItem], None] = _nothing,
    ) -> None:
        self.place = place
        self.options = options
        self._name, self._write, self.tell = name, write, tell
        self._shared = bool(settings.database)
        state = place / STATE
        try:
            state.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"the folder {place} cannot be made: {error.strerror}") from error
        self._lock = _locked(state / "lock")
        self._settings = settings.model_copy(update={
            "database": settings.database or str(state / "jobs.sqlite"),
            "storage": settings.storage or str(state / "prints"),
        })  # fmt: skip
        self._embedded = settings.workers or (0 if self._shared else os.cpu_count() or 1)
        self._keeper = LocalWorkers()
        self.store = BatchStore(state / "items.sqlite")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._keeper.close()
        self.store.close()
        self._lock.close()

    def start(self) -> None:
        """Start the workers of this machine; to be called while there is one thread."""
        wanted = self._embedded or self._settings.broker  # That is what calls workers elsewhere.
        if wanted and any(self.store.items("waiting", "sent")):
            if not self._shared:
                self._put_back_jobs()
            workers = self._settings.model_copy(update={"workers": self._embedded})
            # The folder is this process's alone: the lock ends with it.
            self._keeper.start(workers, [self._lock])

    def run(self) -> None:
        """Print what is not done yet; what was done is kept when this is broken off."""
        self.start()
        table = JobQueue(self._settings.database)
        pauses = HostDelays(self._settings.database, self.options.delay)
        try:
            self._go(table, pauses)
        finally:
            pauses.close()
            table.disconnect()

    def _go(self, table: JobQueue, pauses: HostDelays) -> None:
        store = open_result_storage(self._settings)
        most = self._embedded * _AHEAD if self._embedded else _AHEAD_ELSEWHERE
        while True:
            held = list(self.store.items("sent"))
            for item in held:
                job = table.get(item.job)
                if job is None:
                    self.store.mark_waiting(item)
                elif job.state == "cancelled":
                    self._fail(item, {"message": "its job was cancelled", "code": 1})
                elif job.state == "done":
                    self._keep(item, job, store.get(f"{result_folder(job.id, job.attempt)}/{PDF}"))
                elif job.state == "failed":
                    self._fail(item, job.error)
                    if after := retry_after(job.error):
                        pauses.delay(item.url, after)
                if job is not None and job.state in FINISHED:
                    table.delete(job.id)
                    with suppress(JobsError):  # The store is cleaned of it later.
                        store.delete(job.id)
            room = most - len(list(self.store.items("sent")))
            sent = self._send(table, pauses, room)
            if not sent and not held and self.store.next_due() is None:
                return
            self._keeper.check()
            time.sleep(_LOOK)

    def _send(self, table: JobQueue, pauses: HostDelays, room: int) -> int:
        """Submit items whose hosts may be asked, and say how many."""
        if room <= 0:
            return 0
        sent = 0
        for item in self.store.due(room, pauses.waiting_hosts()):
            url = normalize_url(item.url)
            if not pauses.acquire(url):
                continue
            try:
                job, _ = table.submit(JobRequest(url, dict(self.options.chosen)), self._key(item))
            except QueueFull:
                break
            self.store.mark_submitted(item, job.id)
            sent += 1
        if sent:
            self._keeper.wake()
        return sent

    def _key(self, item: BatchItem) -> str:
        """Return the name of one try to print an item to this folder."""
        run = hashlib.sha256(f"{os.uname().nodename} {self.place.resolve()}".encode()).hexdigest()
        return f"batch {run[:24]} {item.seq} {item.tries}"

    def _keep(self, item: BatchItem, job: Job, pdf: bytes | None) -> None:
        if pdf is None:
            self.store.mark_waiting(item)
            return
        name = self.store.assign_name(item, self._name(job.title or "article"), self.place)
        self._write(self.place / name, pdf)
        self.store.mark_done(item, job.result)
        self.tell(item)

    def _fail(self, item: BatchItem, error: Mapping[str, Any]) -> None:
        tries = item.tries + 1
        passing = is_transient(error)
        rest = max(self.options.retry_delay * 2.0**item.tries, retry_after(error))
        rest = min(rest, MAX_DELAY)
        over = not passing or tries >= self.options.max_tries
        self.store.mark_failed(item, error, None if over else rest)
        if over:
            self.tell(item)

    def _put_back_jobs(self) -> None:
        """Put back the jobs of workers that were killed: none other work for this folder."""
        table = JobQueue(self._settings.database)
        for job, attempt, _ in table.list_running():
            table.release(Lease(job, attempt, JobRequest("")))
        table.disconnect()


def _locked(path: Path) -> BinaryIO:
    """Hold a file so that no other process does; given up when this one ends, however it does."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise UsageError(
            f"another process prints to {path.parent.parent}", hint="Wait for it, or stop it"
        ) from error
    return file


_TELL_OF = ("title", "pages", "pictures", "bytes", "warnings")


def to_json(items: Sequence[BatchItem], repeated: int) -> str:
    """Return the report as data."""
    counts = Counter(item.state for item in items)
    report = {
        "counts": {
            "listed": len(items) + repeated, "repeated": repeated,
            "printed": counts["done"], "failed": counts["failed"],
            "not printed": counts["waiting"] + counts["sent"],
        },
        "failures": dict(reasons(items)),
        "pages": [_page(item) for item in items],
    }  # fmt: skip
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"


def to_text(items: Sequence[BatchItem], repeated: int) -> str:
    """Return the report for people: the failures by their reasons, then each with its line."""
    lines = [summary(items, repeated), ""]
    failed: dict[str, list[BatchItem]] = {}
    for item in items:
        if item.state == "failed":
            failed.setdefault(_reason(item), []).append(item)
    for reason, count in reasons(items):
        lines.append(f"{count} failed: {reason}")
        lines += [f"    line {item.line}: {item.url}" for item in failed[reason]]
        hint = str(failed[reason][0].error.get("hint", ""))
        lines += [f"    {hint}", ""] if hint else [""]
    lines += [f"{item.name}: {_pages(item)}, {item.url}" for item in items if item.state == "done"]
    return "\n".join(lines) + "\n"


def _pages(item: BatchItem) -> str:
    pages = item.result.get("pages", 0)
    return f"{pages} page{'' if pages == 1 else 's'}"


def summary(items: Sequence[BatchItem], repeated: int) -> str:
    """Return the report in a line."""
    counts = Counter(item.state for item in items)
    parts = [
        f"{counts['done']} of {len(items)} printed",
        f"{counts['failed']} failed" * bool(counts["failed"]),
        f"{counts['waiting'] + counts['sent']} not printed yet"
        * bool(counts["waiting"] + counts["sent"]),
        f"{repeated} stand in the list more than once" * bool(repeated),
    ]
    return ", ".join(filter(None, parts))


def reasons(items: Sequence[BatchItem]) -> list[tuple[str, int]]:
    """Return why pages failed, the most frequent reason first."""
    return Counter(_reason(item) for item in items if item.state == "failed").most_common()


def _reason(item: BatchItem) -> str:
    return str(item.error.get("message", "")) or "no reason is known"


def _page(item: BatchItem) -> dict[str, Any]:
    page: dict[str, Any] = {"line": item.line, "url": item.url, "state": item.state}
    if item.state == "done":
        page |= {"file": item.name} | {key: item.result.get(key) for key in _TELL_OF}
    if item.error:
        page |= {"tries": item.tries, "error": dict(item.error)}
    return page
