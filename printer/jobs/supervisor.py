"""The supervisor: a single-threaded process that assigns jobs to workers and limits them.

When it dies, all processes below it die with it; when one of them dies, its job is requeued and the
process is replaced.
"""

from __future__ import annotations

import math
import os
import platform
import selectors
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..errors import ErrorRecord, JobsError, RenderError
from ..worker_process import WorkerCrashed, WorkerError
from .models import FINISHED, Lease
from .queue import CRASH_FAULTS, KILL_FAULTS, JobQueue
from .storage import Storage
from .worker_process import (
    Closeable,
    Handler,
    JobWorker,
    become_subreaper,
    fork,
    kill_orphans,
    kill_tree,
    memory_usage,
)

DAY = 86_400.0

#: The seconds between two checks of time and memory limits, and two polls of an idle queue.
_LIMITS_INTERVAL, _POLL_INTERVAL = 0.1, 1.0
_HEARTBEAT_INTERVAL, _RETENTION_INTERVAL, _LOG_INTERVAL = 3.0, 600.0, 30.0
_STEP_DELAY = 0.3  # until a new step is written to the table
_START_INTERVAL = 0.2  # between two starts of workers
_MAX_PAUSE = 60.0  # while results cannot be stored
_STOP_SECONDS = 5.0

#: The seconds that the wall clock may drift, and those for which it is distrusted after a jump.
_MAX_DRIFT, _DISTRUST_SECONDS = 60.0, DAY


@dataclass(slots=True)
class LeaseMonitor:
    """Finds leases without a heartbeat for ``timeout`` seconds.

    Time is measured by the monitor's own monotonic clock, so that jumps of wall clocks and
    differences between machines do not matter.  A gap between two checks counts as two intervals at
    most: while the table is unavailable, no worker can send heartbeats either.
    """

    timeout: float = 15.0
    interval: float = 3.0
    _silences: dict[tuple[str, int, int], float] = field(default_factory=dict, repr=False)
    _last: float | None = None

    def expired(
        self, running: Iterable[tuple[str, int, int]], now: float
    ) -> list[tuple[str, int, int]]:
        """Return the expired ones of all running jobs, as (id, attempt, heartbeat count)."""
        passed = 0.0 if self._last is None else min(now - self._last, 2 * self.interval)
        self._last, known = now, self._silences
        self._silences = {row: known[row] + passed if row in known else 0.0 for row in running}
        return [row for row, silence in self._silences.items() if silence >= self.timeout]


def _boot_time() -> float:
    """Return the seconds since boot, including suspension."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@dataclass(slots=True)
class ClockGuard:
    """Detects jumps of the wall clock, so that retention is paused after one."""

    wall_clock: Callable[[], float] = time.time
    monotonic_clock: Callable[[], float] = _boot_time
    _offset: float | None = None
    _jumped: float | None = None  # on the monotonic clock

    def check(self) -> None:
        """Compare the clocks with the last check."""
        now = self.monotonic_clock()
        offset = self.wall_clock() - now
        if self._offset is not None and abs(offset - self._offset) > _MAX_DRIFT:
            self._jumped = now
        self._offset = offset

    @property
    def is_reliable(self) -> bool:
        """Whether the clock has not jumped within the last day."""
        return self._jumped is None or self.monotonic_clock() - self._jumped > _DISTRUST_SECONDS


def apply_retention(queue: JobQueue, storage: Storage, seconds: float) -> None:
    """Delete jobs that finished at least ``seconds`` ago, and results of no known job."""
    while deleted := queue.delete_older_than(seconds):
        for job_id in deleted:
            storage.delete(job_id)
    # List the storage first, so that newer results belong to jobs that the table has.
    stored = storage.names()
    known = queue.attempts()
    for job_id in stored:
        if job_id not in known:
            storage.delete(job_id)
            continue
        state, attempt = known[job_id]
        if state in FINISHED:
            for name in storage.names(job_id):
                if name not in ("0", str(attempt)):  # 0 holds the snapshot for revisions.
                    storage.delete(f"{job_id}/{name}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of workers, and of leases and results.

    A job may use ``seconds`` of time and ``memory`` bytes.  A worker is replaced after
    ``jobs_per_worker`` jobs, or if it uses more than half of the memory after one.  Results are
    deleted after ``retention`` seconds; a lease expires after ``lease`` seconds without heartbeat.
    """

    workers: int = 2
    seconds: float = 120.0
    memory: int = 2_000_000_000
    jobs_per_worker: int = 100
    retention: float = 30 * DAY
    lease: float = 15.0


@dataclass(slots=True)
class ManagedProcess:
    """Another process to keep running; ``name`` is for log messages."""

    run: Callable[[], None]
    name: str = "the web server"
    pid: int = 0
    next_start: float = 0.0


@dataclass(slots=True)
class Supervisor:
    """Runs workers and managed processes until SIGTERM or SIGINT.

    ``wakeup`` is the reading end of a pipe; a byte means that a job was queued.  ``preload`` is
    called once before the first worker is forked.  ``inherited_files`` are closed in workers.
    """

    queue: JobQueue
    storage: Storage
    handler: Handler
    limits: Limits = field(default_factory=Limits)
    processes: Sequence[ManagedProcess] = ()
    wakeup: int | None = None
    inherited_files: Sequence[Closeable] = ()
    log: Callable[[str], None] = print
    preload: Callable[[], None] | None = None
    _workers: list[JobWorker] = field(default_factory=list)
    _writes: list[Callable[[], object]] = field(default_factory=list)
    _timers: dict[str, float] = field(default_factory=dict)
    _may_have_jobs: bool = True
    _max_leases: float = math.inf
    _pause: float = 0.0
    _retention_pid: int = 0
    _stopping: bool = False
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _leases: LeaseMonitor = field(default_factory=LeaseMonitor)
    _clock: ClockGuard = field(default_factory=ClockGuard)

    def run(self) -> None:
        """Run until stopped; unfinished jobs are requeued."""
        become_subreaper()
        self._leases.timeout = self.limits.lease
        self._timers["retention"] = time.monotonic() + _STOP_SECONDS
        signalled, signal_end = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(signal_end, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for readable in filter(None, (signalled, self.wakeup)):
            os.set_blocking(readable, False)
            self._selector.register(readable, selectors.EVENT_READ)
        try:
            while not self._stopping:
                self._tick()
        finally:
            self._shut_down()
            signal.set_wakeup_fd(-1)
            for descriptor in (signalled, signal_end):
                os.close(descriptor)

    def run_one(self) -> None:
        """Run the next job to its end; return at once if none is queued.

        For :mod:`printer.jobs.celery_bridge`, where leases and retention are watched elsewhere.
        """
        if not self._timers:
            become_subreaper()
            self._timers = {"leases": math.inf, "retention": math.inf}
        self._max_leases, self._may_have_jobs = 1, True
        while True:
            self._tick(0.01)
            if self._workers and not self._busy_workers() and not self._writes:
                return

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def _busy_workers(self) -> list[JobWorker]:
        return [worker for worker in self._workers if worker.lease]

    def _tick(self, idle_seconds: float = _POLL_INTERVAL / 2) -> None:
        self._clock.check()
        self._start_processes()
        self._start_worker()
        active = self._writes or self._busy_workers()
        for key, _ in self._selector.select(_LIMITS_INTERVAL if active else idle_seconds):
            if isinstance(key.data, JobWorker):
                self._read_messages(key.data)
            else:
                with suppress(BlockingIOError):
                    os.read(key.fd, 4096)
                self._may_have_jobs = True
        if self._is_due("limits", _LIMITS_INTERVAL):
            for worker in self._busy_workers():
                self._enforce_limits(worker)
        if self._retention_pid and os.waitpid(self._retention_pid, os.WNOHANG)[0]:
            self._retention_pid = 0
        self._sync_queue()

    # Workers

    def _start_worker(self) -> None:
        if len(self._workers) < self.limits.workers and self._is_due("start", _START_INTERVAL):
            if self.preload:
                self.preload()
                self.preload = None
            self.queue.disconnect()
            worker = JobWorker(self.handler, [*self._private_files(), *self.inherited_files])
            self._workers.append(worker)
            self._selector.register(worker.descriptor, selectors.EVENT_READ, worker)

    def _read_messages(self, worker: JobWorker) -> None:
        try:
            while worker in self._workers and (message := worker.receive(deadline=0.0)):
                is_outcome, value = message
                if is_outcome:
                    self._handle_outcome(worker, value if isinstance(value, dict) else {})
                else:
                    worker.step = _checked_step(value)
                    due = time.monotonic() + _STEP_DELAY
                    self._timers["heartbeat"] = min(self._timers.get("heartbeat", 0.0), due)
        except WorkerError as error:
            lease = worker.lease
            self._remove_worker(worker)
            if lease:
                self.log(f"a worker died during job {lease.id}: {error}")
                killed = isinstance(error, WorkerCrashed) and error.killed
                faults = KILL_FAULTS if killed else CRASH_FAULTS
                fault = f"the process that worked on it died ({error})"
                self._write_later(partial(self.queue.release, lease, fault, faults))
            elif self._is_due("log", _LOG_INTERVAL):
                self.log(f"a worker died: {error}")

    def _handle_outcome(self, worker: JobWorker, outcome: dict[str, Any]) -> None:
        lease, worker.lease = worker.lease, None
        self._may_have_jobs = True
        if lease is None:
            return
        if isinstance(result := outcome.get("done"), dict):
            self._pause = 0.0
            self._write_later(partial(self.queue.finish, lease, result))
        elif isinstance(error := outcome.get("failed"), dict):
            self._write_later(partial(self.queue.fail, lease, ErrorRecord.from_dict(error)))
        elif "process_died" in outcome:
            self._write_later(partial(self.queue.release, lease, str(outcome["process_died"])))
        else:
            self._back_off(lease, str(outcome.get("not_stored", "")))
        worn_out = worker.calls >= self.limits.jobs_per_worker
        if worn_out or memory_usage(worker.pid) > self.limits.memory / 2:
            self._remove_worker(worker)

    def _back_off(self, lease: Lease, reason: str) -> None:
        """Requeue a job whose result could not be stored, and lease no others for a while."""
        self._pause = min(max(2 * self._pause, 1.0), _MAX_PAUSE)
        self._timers["lease"] = time.monotonic() + self._pause
        self.log(f"{reason}; trying again in {self._pause:g} s")
        self._write_later(partial(self.queue.release, lease))

    def _enforce_limits(self, worker: JobWorker) -> None:
        lease, limits = worker.lease, self.limits
        if time.monotonic() - worker.started > limits.seconds:
            reason = f"the print took longer than {limits.seconds:g} seconds"
        elif memory_usage(worker.pid) > limits.memory:
            reason = f"the print needed more than {limits.memory / 1e6:g} MB of memory"
        else:
            return
        if lease is not None:
            self.log(f"job {lease.id} was stopped: {reason}")
            self._remove_worker(worker)
            error = ErrorRecord.of(RenderError(reason))
            self._write_later(partial(self.queue.fail, lease, error))

    def _remove_worker(self, worker: JobWorker) -> None:
        self._selector.unregister(worker.descriptor)
        self._workers.remove(worker)
        worker.close()
        pids = {worker.pid for worker in self._workers} | {p.pid for p in self.processes}
        kill_orphans(pids | {self._retention_pid})

    # The queue

    def _sync_queue(self) -> None:
        """Write pending changes and lease jobs; retry later if the queue is unavailable."""
        if not self._is_due("sync", 0.0):
            return
        try:
            while self._writes:
                self._writes[0]()
                self._writes.pop(0)
            if self._is_due("heartbeat", _HEARTBEAT_INTERVAL):
                self._send_heartbeats()
            if self._is_due("leases", self._leases.interval):
                self._expire_leases()
            self._lease_jobs()
            if self._is_due("retention", _RETENTION_INTERVAL):
                self._start_retention()
        except JobsError as error:
            self._timers["sync"] = time.monotonic() + 1.0
            if self._is_due("log", _LOG_INTERVAL):
                self.log(str(error))

    def _write_later(self, write: Callable[[], object]) -> None:
        """Schedule a write to the queue; writes are done in order, and retried on failure."""
        self._writes.append(write)

    def _send_heartbeats(self) -> None:
        leased = {w.lease.id: (w.lease.attempt, w.step) for w in self._workers if w.lease}
        lost = self.queue.heartbeat(leased) if leased else set()
        for worker in self._busy_workers():
            if worker.lease and worker.lease.id in lost:
                self._remove_worker(worker)

    def _expire_leases(self) -> None:
        for job_id, attempt, beat in self._leases.expired(
            self.queue.list_running(), time.monotonic()
        ):
            if self.queue.expire(job_id, attempt, beat):
                self.log(f"job {job_id} was taken back from a worker that is gone")
                self._may_have_jobs = True

    def _lease_jobs(self) -> None:
        if self._is_due("poll", _POLL_INTERVAL):
            self._may_have_jobs = True
        if self._timers.get("lease", 0.0) > time.monotonic():
            return
        for worker in [worker for worker in self._workers if worker.lease is None]:
            if not self._may_have_jobs or not self._max_leases:
                return
            lease = self.queue.lease(f"{platform.node()}:{os.getpid()}")
            if lease is None:
                self._may_have_jobs = False
                return
            self._max_leases -= 1
            try:
                worker.assign(lease)
            except WorkerError:
                self._remove_worker(worker)
                self._write_later(partial(self.queue.release, lease))

    def _start_retention(self) -> None:
        """Delete old results in a separate process, as remote storage may be slow.

        Skipped while the wall clock is unreliable.
        """
        if not self._retention_pid and self._clock.is_reliable:
            self.queue.disconnect()
            delete = partial(apply_retention, self.queue, self.storage, self.limits.retention)
            files = [*self._private_files(), *self.inherited_files]
            self._retention_pid = fork(partial(_run_without, files, delete))

    # Other processes

    def _start_processes(self) -> None:
        for process in self.processes:
            if process.pid and os.waitpid(process.pid, os.WNOHANG)[0]:
                self.log(f"{process.name} ended and is started again")
                process.pid, process.next_start = 0, time.monotonic() + 1.0
            if not process.pid and time.monotonic() >= process.next_start:
                self.queue.disconnect()
                process.pid = fork(partial(_run_without, self._private_files(), process.run))

    def _private_files(self) -> list[Closeable]:
        """Return the files and connections that a forked process must close."""
        return [self._selector, *map(_Connection, self._workers)]

    def _shut_down(self) -> None:
        for process in self.processes:
            if process.pid:
                os.kill(process.pid, signal.SIGTERM)
        for worker in list(self._workers):
            if worker.lease:
                self._write_later(partial(self.queue.release, worker.lease))
            self._remove_worker(worker)
        with suppress(JobsError):
            for write in self._writes:
                write()
        deadline = time.monotonic() + _STOP_SECONDS
        for process in self.processes:
            while process.pid and not os.waitpid(process.pid, os.WNOHANG)[0]:
                if time.monotonic() > deadline:
                    kill_tree(process.pid)
                time.sleep(0.02)
        self._selector.close()

    def _is_due(self, timer: str, interval: float) -> bool:
        """Return whether a timer has expired; restart it if so."""
        now = time.monotonic()
        if now < self._timers.get(timer, 0.0):
            return False
        self._timers[timer] = now + interval
        return True


def _checked_step(value: object) -> str:
    is_step = isinstance(value, str) and value.isidentifier() and value.isascii()
    return str(value) if is_step else ""


@dataclass(frozen=True, slots=True)
class _Connection:
    """A worker's connection, which forked processes close without ending the worker."""

    worker: JobWorker

    def close(self) -> None:
        self.worker.disown()


def _run_without(files: Sequence[Closeable], run: Callable[[], None]) -> None:
    for file in files:
        file.close()
    run()
