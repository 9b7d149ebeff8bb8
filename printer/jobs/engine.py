"""The engine: a process that runs jobs as DBOS workflows, and prints in worker processes.

    submit -> queued workflow -> engine -> worker process -> storage -> outcome of the workflow

DBOS records outcomes, resumes unfinished workflows, and rejects the outcome of an execution that
no longer owns its workflow.  It opens no port and sends no telemetry.
"""

from __future__ import annotations

import errno
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
from ..files import lock_file, os_errors
from ..settings import Settings, data_folder
from ..worker_process import WorkerCrashed, WorkerError
from . import EDIT_PART, FINISHED, Attempt, JobRequest, dbos_internals
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

#: The weight of a crash or a lack of memory in a job's worker.
CRASH_FAULTS = 4
#: The weight of a worker that was killed.
KILL_FAULTS = 1
#: The total weight at which the job fails: five crashes or twenty kills.
MAX_FAULTS = 20

#: The version of the workflows; an engine resumes only those of its own version.
_VERSION = "1"

# Seconds between two polls for queued jobs, two checks of running ones, and so on
_POLL_INTERVAL = 0.2
_CHECK_INTERVAL = 0.5
_RETENTION_INTERVAL = 600.0
_LOG_INTERVAL = 30.0
_LOST_SECONDS = 5.0  # after which a job that no thread runs is requeued
_MAX_DRIFT = 60.0  # of the wall clock between two checks
_LOCK_SECONDS = 3.0  # to wait for the processes of a database's previous owner to end
_STORAGE_BACKOFF = Backoff(1.0, 60.0)
_JOBS_AT_A_TIME = 500  # that retention compares with the storage


def preload() -> None:
    """Import the libraries for printing before workers are forked, without starting threads."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # The first print that needs a missing library reports it.
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
        # Workers load their libraries while the queue is opened; forking needs a single thread.
        self._workers = WorkerPool(self.handler, self.limits, self.preload)
        self._workers.start()
        self._queue = JobQueue(self.database)
        self._executor = WorkflowExecutor(
            self._queue, self.database, PRINT, self.log, self.limits.peer_timeout
        )
        # Workers that print five pages per second would otherwise idle a tenth of the time,
        # waiting for the next poll.
        self._executor.start(self._print, 2 * self.limits.workers + 2)
        threading.Thread(target=self._apply_retention, daemon=True).start()
        while not self._stopping.wait(_CHECK_INTERVAL):
            self._workers.reap()
            running = list(self._running.items())
            owned_ids = self._executor.check()
            for job_id, cancelled in running:
                if owned_ids is not None and job_id not in owned_ids:
                    cancelled.set()  # It was cancelled, deleted, or taken over by another engine.
        self._executor.stop_dequeuing()
        self._workers.close()
        time.sleep(2 * _POLL_INTERVAL)
        self._executor.requeue_all()

    def _print(self, url: str, options: dict[str, Any], parts: dict[str, str]) -> Any:
        job_id = str(DBOS.workflow_id)
        request = JobRequest(url, options, {name: unpack(parts[name]) for name in parts})
        if previous_run := self._running.get(job_id):
            previous_run.set()  # The job was requeued before its cancellation was noticed.
        cancelled = self._running[job_id] = threading.Event()
        try:
            return self._run_attempt(job_id, request, cancelled)
        finally:
            if self._running.get(job_id) is cancelled:
                del self._running[job_id]

    def _run_attempt(
        self, job_id: str, request: JobRequest, cancelled: threading.Event
    ) -> dict[str, Any]:
        """Run a job, again if its worker dies or the storage is full; raise :class:`JobFailed`."""
        attempt = self._get_attempt(job_id, request, cancelled)
        faults, refusals = 0, 0
        while True:
            weight = CRASH_FAULTS
            try:
                outcome = self._workers.run(attempt, partial(self._publish, job_id), cancelled)
            except WorkerError as error:
                self.log(f"a worker died during job {job_id}: {error}")
                if isinstance(error, WorkerCrashed) and error.killed:
                    weight = KILL_FAULTS
                outcome = {"process_died": f"the process that worked on it died ({error})"}
            match outcome:
                case {"done": dict(result)}:  # Its files stay where this attempt stored them.
                    return {**result, "attempt": attempt.number}
                case {"failed": dict(record)}:
                    raise JobFailed(ErrorRecord.from_dict(record))
                case {"not_stored": str(reason)}:
                    refusals += 1
                    pause = _STORAGE_BACKOFF.delay(refusals)
                    self.log(f"{reason}; trying again in {pause:g} s")
                    self._publish(job_id, NO_ROOM)
                    self._pause(pause, cancelled)
                case _:
                    faults += weight
                    if faults >= MAX_FAULTS:
                        reason = outcome.get("process_died", "its worker gave no valid outcome")
                        message = f"stopped after its worker failed too often: {reason}"
                        raise JobFailed(ErrorRecord(message))

    def _publish(self, job_id: str, step: str) -> None:
        """Publish the step of a job; ignore errors, so that even a full disk does not stop it."""
        with suppress(JobsError):
            self._queue.annotate(job_id, step=step)

    def _get_attempt(self, job_id: str, request: JobRequest, cancelled: threading.Event) -> Attempt:
        """Return the current attempt of a job, with changes since its first request."""
        while True:
            try:
                revision = self._queue.revision(job_id)
            except JobsError as error:
                self._executor.log_throttled(str(error))
                self._pause(1.0, cancelled)
                continue
            if revision is None:
                raise Abandoned
            edit = {} if revision.edit is None else {EDIT_PART: revision.edit}
            changed = JobRequest(request.url, revision.options, {**request.parts, **edit})
            return Attempt(job_id, revision.number, changed)

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
                self._executor.log_throttled(str(error))


class WorkflowExecutor:
    """Runs the workflows of one kind in threads; there can be only one in a process.

    An SQLite file permits one executor per kind.  PostgreSQL permits any number: others resume the
    workflows of an executor that is lost.
    """

    def __init__(
        self, queue: JobQueue, database: str, kind: str, log: Callable[[str], None],
        peer_timeout: float = 10.0,
    ) -> None:  # fmt: skip
        self._queue, self._database, self._kind, self._log = queue, database, kind, log
        self._peers, self._name = None, "local" if kind == PRINT else f"local {kind}"
        if queue.engine.dialect.name == "postgresql":
            self._peers = _Peers(database, peer_timeout)
            self._name = self._peers.name
        self._lost: dict[str, float] = {}
        self._last_log = float("-inf")

    def start(self, workflow: Callable[..., Any], concurrency: int) -> None:
        """Resume unfinished workflows and run up to ``concurrency`` at a time."""
        self.requeue_all()  # DBOS would do it, but polls its own queue only once a second.
        logger = logging.getLogger("dbos")
        logger.addHandler(_DatabaseLog(self.log_throttled))
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
        """Requeue lost workflows of this executor and of others that are gone.

        Return the ids of the workflows that this executor runs, or None if the database cannot be
        read.
        """
        try:
            executions = self._queue.executions(self._kind)
            owned_ids = {job_id for job_id, executor in executions if executor == self._name}
            # A full disk can end an execution before it records an outcome.
            now, active = time.monotonic(), dbos_internals.active_workflows(self._dbos)
            self._lost = {job_id: self._lost.get(job_id, now) for job_id in owned_ids - active}
            for job_id, since in self._lost.items():
                if now - since > _LOST_SECONDS:
                    self._requeue(job_id, self._name)
            if self._peers:
                lost = self._peers.find_lost({executor for _, executor in executions})
                for job_id, executor in executions:
                    if executor in lost:
                        self._requeue(job_id, executor)
            return owned_ids
        except (JobsError, psycopg.Error) as error:
            self.log_throttled(" ".join(str(error).split())[:300])
            return None

    def stop_dequeuing(self) -> None:
        dbos_internals.stop_dequeuing(self._dbos)

    def _requeue(self, job_id: str, executor: str) -> None:
        if self._queue.requeue(job_id, executor, self._kind):
            self._log(f"job {job_id} was requeued, as its worker is gone")

    def requeue_all(self) -> None:
        """Requeue all workflows of this executor; call it only while none of them runs."""
        with suppress(JobsError):  # Those that remain are requeued by check().
            for job_id, executor in self._queue.executions(self._kind):
                if executor == self._name:
                    self._queue.requeue(job_id, executor, self._kind)

    def log_throttled(self, line: str) -> None:
        """Log a line unless another was logged recently."""
        now = time.monotonic()
        if now - self._last_log >= _LOG_INTERVAL:
            self._last_log = now
            self._log(line)


def _boot_time() -> float:
    """Return the seconds since boot, including suspension."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class ClockGuard:
    """Detects jumps of the wall clock, after which the age of results is unreliable for a day."""

    def __init__(
        self,
        wall_clock: Callable[[], float] = time.time,
        steady_clock: Callable[[], float] = _boot_time,
    ) -> None:
        self._wall_clock, self._steady_clock = wall_clock, steady_clock
        self._offset, self._distrusted_until = wall_clock() - steady_clock(), float("-inf")

    def is_reliable(self) -> bool:
        """Return whether the wall clock has not jumped since the last call, nor in the last day."""
        now = self._steady_clock()
        offset, previous = self._wall_clock() - now, self._offset
        self._offset = offset
        if abs(offset - previous) > _MAX_DRIFT:
            self._distrusted_until = now + DAY
        return now >= self._distrusted_until


class _DatabaseLog(logging.Handler):
    """Logs the messages of DBOS about the database, without those about failed prints."""

    def __init__(self, log: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        if not dbos_internals.is_about_workflow(record):
            self._log(" ".join(record.getMessage().split())[:300])


class _Peers:
    """Detects engines on a PostgreSQL server that are no longer alive.

    Each engine holds an advisory lock, which the server releases when the connection ends.  An
    engine is lost if its lock has been free for ``peer_timeout`` seconds; until then, it may
    acquire the lock again, for instance after a restart of the server.
    """

    def __init__(self, database: str, peer_timeout: float) -> None:
        self._lock = secrets.randbits(62)
        self.name = f"{platform.node()}:{os.getpid()}:{self._lock}"
        self._database, self._peer_timeout = database.replace("+psycopg", ""), peer_timeout
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

    def find_lost(self, names: set[str]) -> set[str]:
        connection, now = self._connect(), time.monotonic()
        unlocked = set()
        for name in names - {self.name}:
            lock = name.rpartition(":")[2]
            query = "SELECT pg_try_advisory_lock(%s)"
            row = connection.execute(query, [int(lock)]).fetchone() if lock.isdigit() else (True,)
            if row and row[0]:
                unlocked.add(name)
                if lock.isdigit():
                    connection.execute("SELECT pg_advisory_unlock(%s)", [int(lock)])
        self._free_since = {name: self._free_since.get(name, now) for name in unlocked}
        return {name for name in unlocked if now - self._free_since[name] >= self._peer_timeout}


def apply_retention(queue: JobQueue, storage: Storage, seconds: float) -> None:
    """Delete jobs that finished at least ``seconds`` ago, and results without a job."""
    while expired_ids := queue.list_older_than(seconds):
        for job_id in expired_ids:  # Delete files first, to free space on a full disk.
            with suppress(ValueError):  # Others wrote the row: its id is not a key.
                storage.delete(job_id)
            queue.delete(job_id)
    # List the storage first, so that every result in the list has its job in the queue.
    stored, legacy_ids = storage.names(), queue.legacy_job_ids()
    for start in range(0, len(stored), _JOBS_AT_A_TIME):
        job_ids = {*stored[start : start + _JOBS_AT_A_TIME]} - legacy_ids
        jobs = queue.get_many([*job_ids])
        for job_id in job_ids - jobs.keys():
            storage.delete(job_id)
        for job in jobs.values():
            # The folder 0 holds the snapshot for revisions.
            current = ("0", job.result_folder.rpartition("/")[2])
            for name in storage.names(job.id) if job.state in FINISHED else ():
                if name not in current:
                    storage.delete(f"{job.id}/{name}")


def database_location(settings: Settings) -> str:
    return settings.database or str(data_folder() / "jobs.sqlite")


def open_queue(settings: Settings) -> JobQueue:
    return JobQueue(database_location(settings))


def storage_location(settings: Settings) -> str:
    return settings.storage or str(data_folder() / "prints")


def open_result_storage(settings: Settings) -> Storage:
    return Storage(storage_location(settings))


@contextmanager
def lock_database(settings: Settings, kind: str = PRINT) -> Iterator[None]:
    """Lock an SQLite file for one engine per kind of job; raise :class:`JobsError` if locked."""
    path = sqlite_path(database_location(settings))
    with _lock(path, kind) if path else nullcontext():
        yield


def _lock(path: Path, kind: str) -> BinaryIO:
    suffix = "lock" if kind == PRINT else f"{kind}.lock"
    with os_errors(JobsError, f"the database {path} cannot be used", "Name a file with --database"):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        try:
            return lock_file(path.with_name(f"{path.name}.{suffix}"), _LOCK_SECONDS)
        except BlockingIOError:
            raise JobsError(
                f"another webprint process is using {path}",
                hint="Stop it, or share a PostgreSQL database: --database postgresql://...",
            ) from None


def _run_job(
    settings: Settings, storage: str, allow_private: bool, attempt: Attempt,
    notify: Callable[[str], None],
) -> dict[str, Any]:  # fmt: skip
    """Run a job; call this in a worker, the only process that loads the printing libraries."""
    from .handler import JobHandler

    return JobHandler(settings, storage, allow_private)(attempt, notify)


def run_engine(
    settings: Settings, allow_private: bool, private_files: Sequence[OpenFile] = ()
) -> None:
    """Run the engine of the jobs until SIGTERM or SIGINT.

    Only its user can read the files it stores.  ``private_files``, which belong to other processes,
    are closed.
    """
    for file in private_files:
        file.close()
    os.umask(0o077)
    PrintEngine(
        database=database_location(settings),
        storage=open_result_storage(settings),
        handler=partial(_run_job, settings, storage_location(settings), allow_private),
        limits=Limits(
            workers=settings.workers or os.cpu_count() or 1,
            seconds=settings.time_limit,
            memory=settings.memory_limit * 1_000_000,
            retention=settings.keep_days * DAY,
        ),
        log=log_to_stderr,
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
    run_processes([*processes, ManagedProcess(engine, "the process that prints")], log_to_stderr)


def run_worker(settings: Settings) -> None:
    with lock_database(settings):
        open_queue(settings).disconnect()
        check_storage(storage_location(settings))
        log_to_stderr("the worker is running; press Ctrl+C to stop it")
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
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGTERM)
            os.waitpid(self._pid, 0)
            self._pid = 0
        self._locks.close()


def log_to_stderr(line: str) -> None:
    print(f"webprint: {line}", file=sys.stderr, flush=True)
