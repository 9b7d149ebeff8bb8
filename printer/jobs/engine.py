"""The engine: a process that runs jobs as workflows of DBOS, and prints in worker processes.

    submit -> workflow, queued -> engine -> worker process -> storage -> outcome of the workflow

DBOS records what was done, takes up again what an engine left undone, and refuses the outcome of
an execution that no longer owns its workflow.  It listens on no port and sends nothing anywhere.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import platform
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import psycopg
from dbos import DBOS, DBOSConfig

from ..backoff import Backoff
from ..db import sqlite_path
from ..errors import ErrorRecord, JobsError
from ..files import os_errors
from ..settings import Settings, data_folder
from ..worker_process import WorkerCrashed, WorkerError
from . import FINISHED, Attempt, JobRequest, dbos_internals
from .print_workers import (
    DAY,
    Abandoned,
    Handler,
    Limits,
    ManagedProcess,
    OpenFile,
    WorkerPool,
    fork,
    run_processes,
)
from .queue import (
    APPLICATION,
    MAX_DISPATCHES,
    NO_ROOM,
    PRINT,
    QUEUES,
    JobFailed,
    JobQueue,
    PlainSerializer,
    system_url,
    unpack,
)
from .storage import Storage, check_storage

#: The weight of a fault when a job's worker crashes or runs out of memory, and when somebody kills
#: it, and the total weight at which a job is given up: that of five crashes or twenty kills.
CRASH_FAULTS, KILL_FAULTS, MAX_FAULTS = 4, 1, 20

#: The version of the workflows: an engine takes up only what its own version began.
_VERSION = "1"

#: The seconds between polls for queued jobs, and between checks of running ones.
_POLL_INTERVAL, _CHECK_INTERVAL = 0.2, 0.5
_RETENTION_INTERVAL, _LOG_INTERVAL = 600.0, 30.0
_LOST_SECONDS = 5.0  # after which a job that nobody runs is requeued
_MAX_DRIFT = 60.0  # of the wall clock between two looks at it
_LOCK_SECONDS = 3.0  # for the processes of an earlier owner of a database to end
_NO_ROOM = Backoff(1.0, 60.0)


def preload() -> None:
    """Import what printing needs before workers are forked; start no threads."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A missing library is reported by the first print that needs it.
    with suppress(ImportError, OSError):
        import PIL.Image  # noqa: F401
        import weasyprint  # noqa: F401
    with suppress(ImportError, OSError):
        from fsspec.implementations import local  # noqa: F401

        from .. import extract_stage, render_stage  # noqa: F401
        from ..fetch import cache  # noqa: F401
        from ..images import prepare  # noqa: F401
        from ..render import book  # noqa: F401
        from ..render.pdf import impose  # noqa: F401
        from ..render.weasy import tags  # noqa: F401
        from . import handler  # noqa: F401


@dataclass(slots=True)
class PrintEngine:
    """Runs the jobs of a database until SIGTERM or SIGINT; the only one in its process."""

    database: str
    storage: Storage
    handler: Handler
    limits: Limits = field(default_factory=Limits)
    log: Callable[[str], None] = print
    preload: Callable[[], None] = preload
    _queue: JobQueue = field(init=False)
    _workers: WorkerPool = field(init=False)
    _executor: WorkflowExecutor = field(init=False)
    _running: dict[str, threading.Event] = field(default_factory=dict)
    _stopping: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Run until stopped; unfinished jobs are requeued."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stopping.set())
        # Started first, while there is one thread; their libraries are loaded meanwhile.
        self._workers = WorkerPool(self.handler, self.limits, self.preload)
        self._workers.start()
        self._queue = JobQueue(self.database)
        self._executor = WorkflowExecutor(
            self._queue, self.database, PRINT, self.log, self.limits.patience
        )
        # As many jobs, and two, wait for a worker: with fewer, workers that print five pages a
        # second would be idle a tenth of the time until the next poll.
        self._executor.start(self._print, 2 * self.limits.workers + 2)
        threading.Thread(target=self._apply_retention, daemon=True).start()
        while not self._stopping.wait(_CHECK_INTERVAL):
            self._workers.reap()
            before = list(self._running.items())
            mine = self._executor.check()
            for job_id, cancelled in before:
                if mine is not None and job_id not in mine:
                    cancelled.set()  # It was cancelled or deleted, or is another engine's now.
        self._executor.stop_taking()
        self._workers.close()
        time.sleep(2 * _POLL_INTERVAL)
        self._executor.requeue_all()

    # One job, in a thread of DBOS

    def _print(self, url: str, options: dict[str, Any], parts: dict[str, str]) -> Any:
        job_id = str(DBOS.workflow_id)
        request = JobRequest(url, options, {name: unpack(parts[name]) for name in parts})
        if earlier := self._running.get(job_id):
            earlier.set()  # It was requested again before its end was noticed.
        cancelled = self._running[job_id] = threading.Event()
        try:
            outcome = self._attempt(job_id, request, cancelled)
        finally:
            if self._running.get(job_id) is cancelled:
                del self._running[job_id]
        if "done" not in outcome:
            raise JobFailed(ErrorRecord.from_dict(outcome["failed"]))
        return outcome["done"]

    def _attempt(
        self, job_id: str, request: JobRequest, cancelled: threading.Event
    ) -> dict[str, Any]:
        """Return the outcome of a job, trying again if its worker dies or there is no room."""
        attempt = self._describe(job_id, request, cancelled)
        faults, refusals = 0, 0
        while True:
            fault, weight = "", CRASH_FAULTS
            try:
                outcome = self._workers.run(attempt, partial(self._publish, job_id), cancelled)
            except WorkerError as error:
                self.log(f"a worker died during job {job_id}: {error}")
                fault = f"the process that worked on it died ({error})"
                if isinstance(error, WorkerCrashed) and error.killed:
                    weight = KILL_FAULTS
            else:
                if "done" in outcome:  # Its files stay where this attempt stored them.
                    return {"done": {**outcome["done"], "attempt": attempt.number}}
                if "failed" in outcome:
                    return outcome
                fault = str(outcome.get("process_died", ""))
            if not fault:
                refusals += 1
                pause = _NO_ROOM.delay(refusals)
                self.log(f"{outcome.get('not_stored')}; trying again in {pause:g} s")
                self._publish(job_id, NO_ROOM)
                self._pause(pause, cancelled)
            faults += weight if fault else 0
            if faults >= MAX_FAULTS:
                reason = f"given up, having lost its worker too often: {fault}"
                return {"failed": ErrorRecord(reason).to_dict()}

    def _publish(self, job_id: str, step: str) -> None:
        """Publish the step of a job; not even a full disk stops the job."""
        with suppress(JobsError):
            self._queue.annotate(job_id, step=step)

    def _describe(self, job_id: str, request: JobRequest, cancelled: threading.Event) -> Attempt:
        """Return the attempt at a job, with what was changed since it was first requested."""
        while True:
            try:
                found = self._queue.attempt(job_id)
            except JobsError as error:
                self._executor.log_sometimes(str(error))
                self._pause(1.0, cancelled)
                continue
            if found is None:
                raise Abandoned
            number, options, edit = found
            return Attempt(
                job_id, number, JobRequest(request.url, options, {**request.parts, **edit})
            )

    def _pause(self, seconds: float, cancelled: threading.Event) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if cancelled.wait(_CHECK_INTERVAL) or self._stopping.is_set():
                raise Abandoned

    def _apply_retention(self) -> None:
        clock = ClockGuard()
        while not self._stopping.wait(_RETENTION_INTERVAL):
            try:
                if clock.is_reliable():
                    apply_retention(self._queue, self.storage, self.limits.retention)
            except JobsError as error:
                self._executor.log_sometimes(str(error))


class WorkflowExecutor:
    """Runs the workflows of one kind in threads of this process, the only one of its process.

    On an SQLite file there is one for each kind; on PostgreSQL any number, of which the others take
    up what one that is lost left behind.
    """

    def __init__(
        self, queue: JobQueue, database: str, kind: str, log: Callable[[str], None],
        patience: float = 10.0,
    ) -> None:  # fmt: skip
        self._queue, self._database, self._kind, self._log = queue, database, kind, log
        self._peers, self._name = None, "local" if kind == PRINT else f"local {kind}"
        if queue.engine.dialect.name == "postgresql":
            self._peers = _Peers(database, patience)
            self._name = self._peers.name
        self._lost: dict[str, float] = {}
        self._last_log = float("-inf")

    def start(self, workflow: Callable[..., Any], concurrency: int) -> None:
        """Take up what this executor left undone, and run up to ``concurrency`` at a time."""
        self.requeue_all()  # DBOS would do it, but looks at its own queue once a second.
        logger = logging.getLogger("dbos")
        logger.addHandler(_DatabaseLog(self.log_sometimes))
        logger.propagate = False
        config: DBOSConfig = {
            "name": APPLICATION, "system_database_url": system_url(self._database),
            "application_version": _VERSION, "executor_id": self._name,
            "serializer": PlainSerializer(), "enable_otlp": False, "log_level": "WARNING",
        }  # fmt: skip
        self._dbos = DBOS(config=config)

        @DBOS.workflow(name=self._kind, max_recovery_attempts=MAX_DISPATCHES)
        def run(*args: Any) -> Any:
            return workflow(*args)

        dbos_internals.register_queue(QUEUES[self._kind], concurrency, _POLL_INTERVAL)
        DBOS.launch()

    def check(self) -> set[str] | None:
        """Take up again what was lost, here and with other executors.

        Return the ids of the workflows that this executor runs, None if they are not known now.
        """
        try:
            executions = self._queue.executions(self._kind)
            mine = {job_id for job_id, executor in executions if executor == self._name}
            # A full disk can end an execution before it recorded an outcome.
            now, active = time.monotonic(), dbos_internals.active_workflows(self._dbos)
            self._lost = {job_id: self._lost.get(job_id, now) for job_id in mine - active}
            for job_id, since in self._lost.items():
                if now - since > _LOST_SECONDS:
                    self._requeue(job_id, self._name)
            if self._peers:
                lost = self._peers.lost({executor for _, executor in executions})
                for job_id, executor in executions:
                    if executor in lost:
                        self._requeue(job_id, executor)
            return mine
        except (JobsError, psycopg.Error) as error:
            self.log_sometimes(" ".join(str(error).split())[:300])
            return None

    def stop_taking(self) -> None:
        """Take no other workflow."""
        dbos_internals.stop_taking(self._dbos)

    def _requeue(self, job_id: str, executor: str) -> None:
        if self._queue.requeue(job_id, executor):
            self._log(f"job {job_id} was requeued, as its worker is gone")

    def requeue_all(self) -> None:
        """Requeue the workflows of this executor, none of which it runs."""
        with suppress(JobsError):
            for job_id, executor in self._queue.executions(self._kind):
                if executor == self._name:
                    self._queue.requeue(job_id, executor)

    def log_sometimes(self, line: str) -> None:
        """Log a line unless another was logged a short time ago."""
        now = time.monotonic()
        if now - self._last_log >= _LOG_INTERVAL:
            self._last_log = now
            self._log(line)


def _boot_time() -> float:
    """Return the seconds since boot, including suspension."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class ClockGuard:
    """Notices that the wall clock was set, after which the age of results is unknown for a day."""

    def __init__(
        self,
        wall_clock: Callable[[], float] = time.time,
        steady_clock: Callable[[], float] = _boot_time,
    ) -> None:
        self._wall_clock, self._steady_clock = wall_clock, steady_clock
        self._offset, self._distrusted_until = wall_clock() - steady_clock(), float("-inf")

    def is_reliable(self) -> bool:
        """Compare the clocks with the last call, and return whether the day is known."""
        now = self._steady_clock()
        offset, before = self._wall_clock() - now, self._offset
        self._offset = offset
        if abs(offset - before) > _MAX_DRIFT:
            self._distrusted_until = now + DAY
        return now >= self._distrusted_until


class _DatabaseLog(logging.Handler):
    """Logs what DBOS says of the database, not of failed prints."""

    def __init__(self, log: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        if not dbos_internals.is_about_workflow(record):
            self._log(" ".join(record.getMessage().split())[:300])


class _Peers:
    """Tells which engines on a PostgreSQL server are alive.

    Each holds an advisory lock, which the server releases when its connection ends.  An engine is
    lost if nobody has held its lock for ``patience`` seconds: those after a restart of the server
    take theirs again.
    """

    def __init__(self, database: str, patience: float) -> None:
        self._lock = secrets.randbits(62)
        self.name = f"{platform.node()}:{os.getpid()}:{self._lock}"
        self._database, self._patience = database.replace("+psycopg", ""), patience
        self._connection: psycopg.Connection[Any] | None = None
        self._free_since: dict[str, float] = {}
        self._connect()

    def _connect(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(
                self._database, autocommit=True, connect_timeout=5, keepalives_idle=5,
                keepalives_interval=2, keepalives_count=3, tcp_user_timeout=10_000,
                options="-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2"
                " -c tcp_keepalives_count=3",
            )  # fmt: skip
            self._connection.execute("SELECT pg_advisory_lock(%s)", [self._lock])
        return self._connection

    def lost(self, names: set[str]) -> set[str]:
        """Return which of the engines are lost."""
        connection, now = self._connect(), time.monotonic()
        free = set()
        for name in names - {self.name}:
            lock = name.rpartition(":")[2]
            query = "SELECT pg_try_advisory_lock(%s)"
            row = connection.execute(query, [int(lock)]).fetchone() if lock.isdigit() else (True,)
            if row and row[0]:
                free.add(name)
                if lock.isdigit():
                    connection.execute("SELECT pg_advisory_unlock(%s)", [int(lock)])
        self._free_since = {name: self._free_since.get(name, now) for name in free}
        return {name for name in free if now - self._free_since[name] >= self._patience}


def apply_retention(queue: JobQueue, storage: Storage, seconds: float) -> None:
    """Delete jobs that finished at least ``seconds`` ago, and results of no known job."""
    while old := queue.older_than(seconds):
        for job_id in old:  # Files first, so that a full disk gets room.
            storage.delete(job_id)
            queue.delete(job_id)
    # List the storage first, so that newer results belong to jobs that are known.
    stored = storage.names()
    known, earlier = queue.attempts(), queue.earlier_jobs()
    for job_id in stored:
        if job_id in earlier:
            continue
        if job_id not in known:
            storage.delete(job_id)
            continue
        state, attempt = known[job_id]
        if state in FINISHED:
            for name in storage.names(job_id):
                if name not in ("0", str(attempt)):  # 0 holds the snapshot for revisions.
                    storage.delete(f"{job_id}/{name}")


def database_of(settings: Settings) -> str:
    """Return the path or URL of the jobs' database."""
    return settings.database or str(data_folder() / "jobs.sqlite")


def open_queue(settings: Settings) -> JobQueue:
    return JobQueue(database_of(settings))


def storage_location(settings: Settings) -> str:
    """Return the folder or URL of the results."""
    return settings.storage or str(data_folder() / "prints")


def open_result_storage(settings: Settings) -> Storage:
    return Storage(storage_location(settings))


@contextmanager
def lock_database(settings: Settings, kind: str = PRINT) -> Iterator[None]:
    """Lock an SQLite file for one engine per kind of job; raises :class:`JobsError`."""
    path = sqlite_path(database_of(settings))
    with _lock(path, kind) if path else nullcontext():
        yield


def _lock(path: Path, kind: str) -> BinaryIO:
    suffix = "lock" if kind == PRINT else f"{kind}.lock"
    with os_errors(JobsError, f"the database {path} cannot be used", "Name a file with --database"):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        lock = path.with_name(f"{path.name}.{suffix}").open("ab")
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except OSError:
            if time.monotonic() > deadline:
                lock.close()
                what = "jobs" if kind == PRINT else f"{kind}s"
                raise JobsError(
                    f"another webprint process is printing the {what} in {path}",
                    hint="Is one running? For several, give --database postgresql://...",
                ) from None
        time.sleep(0.05)


def _run_job(
    settings: Settings, storage: str, allow_private: bool, attempt: Attempt,
    notify: Callable[[str], None],
) -> dict[str, Any]:  # fmt: skip
    """Run a job in a worker, the only process that loads what printing needs."""
    from .handler import JobHandler

    return JobHandler(settings, storage, allow_private)(attempt, notify)


def run_engine(
    settings: Settings, allow_private: bool, private_files: Sequence[OpenFile] = ()
) -> None:
    """Run the engine of the jobs until SIGTERM or SIGINT.

    What it stores is for its user alone; ``private_files``, which belong to other processes, are
    closed.
    """
    for file in private_files:
        file.close()
    os.umask(0o077)
    PrintEngine(
        database=database_of(settings),
        storage=open_result_storage(settings),
        handler=partial(_run_job, settings, storage_location(settings), allow_private),
        limits=Limits(
            workers=settings.workers or os.cpu_count() or 1,
            seconds=settings.time_limit,
            memory=settings.memory_limit * 1_000_000,
            retention=settings.keep_days * DAY,
        ),
        log=_log,
    ).run()


def run(
    settings: Settings,
    *,
    allow_private: bool = False,
    processes: Sequence[ManagedProcess] = (),
    private_files: Sequence[OpenFile] = (),
) -> None:
    """Run an engine and other processes until SIGTERM or SIGINT; see :func:`lock_database`."""
    engine = partial(run_engine, settings, allow_private, private_files)
    run_processes([*processes, ManagedProcess(engine, "the process that prints")], _log)


def run_worker(settings: Settings) -> None:
    """Run the jobs of a server on another machine until SIGTERM or SIGINT."""
    with lock_database(settings):
        open_queue(settings).disconnect()
        check_storage(storage_location(settings))
        print("webprint: the worker is running; press Ctrl+C to stop it", file=sys.stderr)
        run(settings)


class LocalWorkers:
    """An engine in a separate process that ends with this one."""

    def __init__(self) -> None:
        self._pid = 0
        self._locks = ExitStack()

    def start(self, settings: Settings, private_files: Sequence[OpenFile] = ()) -> None:
        """Start the engine, which closes ``private_files``; this process must have one thread."""
        if self._pid:
            return
        self._locks.enter_context(lock_database(settings))
        self._pid = fork(partial(run_engine, settings, True, private_files))

    def check(self) -> None:
        """Raise :class:`JobsError` if the process died."""
        if self._pid and os.waitpid(self._pid, os.WNOHANG)[0]:
            self._pid = 0
            raise JobsError("the process that runs the workers died", hint="Run it again")

    def close(self) -> None:
        """Stop the engine."""
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGTERM)
            os.waitpid(self._pid, 0)
            self._pid = 0
        self._locks.close()


def _log(line: str) -> None:
    print(f"webprint: {line}", file=sys.stderr, flush=True)
