"""The process that keeps the others: hands jobs to workers, holds them to their limits.

It has one thread and never waits for a worker.  When it dies, all below it die with it; when one
of them dies, its job is put back and another takes its place.
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

from ..errors import JobsError, RenderError
from .handler import told
from .models import FINISHED, Lease
from .queue import CRASH_FAULTS, KILL_FAULTS, JobQueue
from .storage import Storage
from .worker_process import (
    Closeable,
    Handler,
    WorkerExit,
    WorkerProcess,
    become_subreaper,
    fork,
    kill_orphans,
    kill_tree,
    memory_usage,
)


def apply_retention(table: JobQueue, storage: Storage, keep: float) -> None:
    """Forget jobs that have been over for ``keep`` seconds, and delete what no job refers to."""
    while gone := table.delete_older_than(keep):
        for job in gone:
            storage.delete(job)
    # The storage is asked first: what is put there afterwards belongs to a job that is known by
    # the time the table is asked.
    found = storage.names()
    known = table.attempts()
    for job in found:
        if job not in known:
            storage.delete(job)
            continue
        state, attempt = known[job]
        if state in FINISHED:
            for name in storage.names(job):
                if name not in ("0", str(attempt)):  # What revisions are made from is in 0.
                    storage.delete(f"{job}/{name}")


#: The clock may go so many seconds off the steady one, as it is corrected all the time; after it
#: was set it is believed again when it has gone evenly for so long.
_DRIFT, _EVENLY = 60.0, 86_400.0


def _since_boot() -> float:
    """Return the seconds since the machine was started, those that it slept among them."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@dataclass(slots=True)
class ClockGuard:
    """Compares the time of day with one that nobody can set, each time that it is looked at."""

    wall_clock: Callable[[], float] = time.time
    monotonic_clock: Callable[[], float] = _since_boot
    _begins: float | None = None  # the time of day when the steady one was nought
    _set: float | None = None  # when it was seen to be set, by the steady one

    def check(self) -> None:
        """Note whether the clock was set since the last look."""
        steady = self.monotonic_clock()
        begins = self.wall_clock() - steady
        if self._begins is not None and abs(begins - self._begins) > _DRIFT:
            self._set = steady
        self._begins = begins

    @property
    def is_reliable(self) -> bool:
        """Whether it was not set while it was looked at, or not for a day."""
        return self._set is None or self.monotonic_clock() - self._set > _EVENLY


@dataclass(slots=True)
class _Seen:
    mark: tuple[int, int]
    silence: float = 0.0


@dataclass(slots=True)
class LeaseMonitor:
    """Finds jobs whose worker has been silent for longer than ``lease`` seconds.

    Workers raise a job's beat; the watch measures with its own monotonic clock how long it has
    seen the same one, so clocks that jump or differ between machines change nothing.  A pause
    between two looks counts for ``look`` seconds at most: while nobody could reach the table, no
    worker could raise its beat either.
    """

    timeout: float = 15.0
    interval: float = 3.0
    _seen: dict[str, _Seen] = field(default_factory=dict, repr=False)
    _last: float | None = None

    def expired(
        self, running: Iterable[tuple[str, int, int]], now: float
    ) -> list[tuple[str, int, int]]:
        """Return the jobs (id, attempt, beat) to take back, having looked at all of them."""
        passed = 0.0 if self._last is None else min(now - self._last, 2 * self.interval)
        self._last = now
        before, self._seen = self._seen, {}
        over = []
        for job, attempt, beat in running:
            known = before.get(job)
            if known is None or known.mark != (attempt, beat):
                self._seen[job] = _Seen((attempt, beat))
                continue
            known.silence += passed
            self._seen[job] = known
            if known.silence >= self.timeout:
                over.append((job, attempt, beat))
        return over


BUSY_LOOK = 0.1  # Seconds between two looks at time and memory while something is printed.
IDLE_LOOK = 1.0  # Seconds between two looks for jobs that came without a call.
BEAT = 3.0
STEP_BEAT = 0.3
CLEAN = 600.0
LONGEST_REST = 60.0
GRACE = 5.0
START = 0.2  # Seconds between two starts of workers.
DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What workers may use: ``seconds`` and ``memory`` (bytes) for a job, ``jobs`` in their life.

    A worker that holds more than half the memory after a job is replaced as well.  ``keep`` is how
    many seconds results stay, ``lease`` after how many silent ones a job is taken back.
    """

    workers: int = 2
    seconds: float = 120.0
    memory: int = 2_000_000_000
    jobs_per_worker: int = 100
    retention: float = 30 * DAY
    lease: float = 15.0


@dataclass(slots=True)
class ManagedProcess:
    """Another process to keep running; ``name`` is what people call it."""

    run: Callable[[], None]
    name: str = "the web server"
    pid: int = 0
    next_start: float = 0.0


@dataclass(slots=True)
class Supervisor:
    """Keeps workers and companions until it is told to stop by SIGTERM or SIGINT.

    ``calls`` is the reading end of a pipe: a byte in it says that a job has come.  ``say`` is told
    what a person who runs the server should know.  ``prepare`` is called once before the first
    worker is forked: what it loads, all of them have.
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
    _children: list[WorkerProcess] = field(default_factory=list)
    _owed: list[Callable[[], object]] = field(default_factory=list)
    _due: dict[str, float] = field(default_factory=dict)
    _waiting: bool = True
    _rest: float = 0.0
    _cleaner: int = 0
    _stopping: bool = False
    _allowed: float = math.inf
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _watch: LeaseMonitor = field(default_factory=LeaseMonitor)
    _clock: ClockGuard = field(default_factory=ClockGuard)

    @property
    def name(self) -> str:
        """What the table calls this process, for people."""
        return f"{platform.node()}:{os.getpid()}"

    def run(self) -> None:
        """Work until told to stop; jobs that are not done by then are put back."""
        become_subreaper()
        self._watch.timeout = self.limits.lease
        self._due["clean"] = time.monotonic() + GRACE
        woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for readable in filter(None, (woken, self.wakeup)):
            os.set_blocking(readable, False)
            self._selector.register(readable, selectors.EVENT_READ)
        try:
            while not self._stopping:
                self._round()
        finally:
            self._end()
            signal.set_wakeup_fd(-1)
            for each in (woken, wake):
                os.close(each)

    def run_one(self) -> None:
        """Run the next job to its end; return at once if none is queued.

        For :mod:`printer.jobs.celery_bridge`, where leases and retention are watched elsewhere.
        """
        if not self._due:
            become_subreaper()
            self._due = {"watch": math.inf, "clean": math.inf}
        self._allowed, self._waiting = 1, True
        while True:
            self._round(0.01)
            at_work = any(child.lease for child in self._children)
            if self._children and not at_work and not self._owed:
                return

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def _round(self, idle: float = IDLE_LOOK / 2) -> None:
        self._clock.check()
        self._keep_companions()
        self._keep_children()
        busy = any(child.lease for child in self._children)
        for key, _ in self._selector.select(BUSY_LOOK if busy or self._owed else idle):
            if isinstance(key.fileobj, WorkerProcess):
                self._hear(key.fileobj)
            else:
                with suppress(BlockingIOError):
                    os.read(key.fd, 4096)
                self._waiting = True
        if self._is_due("limits", BUSY_LOOK):
            for child in [child for child in self._children if child.lease]:
                self._hold_to_limits(child)
        if self._cleaner and os.waitpid(self._cleaner, os.WNOHANG)[0]:
            self._cleaner = 0
        self._talk_to_table()

    # Workers

    def _keep_children(self) -> None:
        if len(self._children) < self.limits.workers and self._is_due("start", START):
            if self.preload:
                self.preload()
                self.preload = None
            self.queue.disconnect()
            child = WorkerProcess(self.handler, [*self._held_files(), *self.inherited_files])
            self._children.append(child)
            self._selector.register(child, selectors.EVENT_READ)

    def _hear(self, child: WorkerProcess) -> None:
        try:
            for message in child.messages():
                self._heard(child, message)
        except EOFError:
            if child not in self._children:
                return
            ending = self._discard(child)
            if child.lease is None and self._is_due("complain", 30.0):
                self.log(f"a worker ended: {ending.reason}")
            if child.lease:
                self.log(f"a worker ended in the midst of job {child.lease.id}: {ending.reason}")
                fault = f"the process that worked on it ended ({ending.reason})"
                blame = KILL_FAULTS if ending.killed else CRASH_FAULTS
                self._owe(partial(self.queue.release, child.lease, fault, blame))

    def _heard(self, child: WorkerProcess, message: dict[str, Any]) -> None:
        claim = child.lease
        if claim is None:
            return
        if "step" in message:
            step = str(message["step"])
            child.step = step if step.isidentifier() and step.isascii() else ""
            self._due["beat"] = min(self._due.get("beat", 0.0), time.monotonic() + STEP_BEAT)
            return
        child.lease = None
        self._waiting = True
        if "done" in message:
            self._rest = 0.0
            self._owe(partial(self.queue.finish, claim, message["done"]))
        elif "failed" in message:
            self._owe(partial(self.queue.fail, claim, message["failed"]))
        elif "ended" in message:
            self._owe(partial(self.queue.release, claim, str(message["ended"])))
        else:
            self._put_back(claim, str(message.get("put_back", "")))
        if (
            child.jobs >= self.limits.jobs_per_worker
            or memory_usage(child.pid) > self.limits.memory / 2
        ):
            self._discard(child)

    def _put_back(self, claim: Lease, reason: str) -> None:
        """Return a job that found no room for its result, and take no more for a while."""
        self._rest = min(max(2 * self._rest, 1.0), LONGEST_REST)
        self._due["claim"] = time.monotonic() + self._rest
        self.log(f"{reason}; trying again in {self._rest:g} s")
        self._owe(partial(self.queue.release, claim))

    def _hold_to_limits(self, child: WorkerProcess) -> None:
        claim, limits = child.lease, self.limits
        if claim is None:
            return
        over = ""
        if time.monotonic() - child.started > limits.seconds:
            over = f"the print took longer than {limits.seconds:g} seconds"
        elif memory_usage(child.pid) > limits.memory:
            over = f"the print needed more than {limits.memory / 1e6:g} MB of memory"
        if over:
            self.log(f"job {claim.id} was ended: {over}")
            self._discard(child)
            self._owe(partial(self.queue.fail, claim, told(RenderError(over))))

    def _discard(self, child: WorkerProcess) -> WorkerExit:
        """End a worker, unless that was done; return how it ended."""
        if child not in self._children:
            return WorkerExit("")
        self._selector.unregister(child)
        self._children.remove(child)
        ending = child.stop()
        kill_orphans(self._known())
        return ending

    def _known(self) -> set[int]:
        kept = {child.pid for child in self._children} | {each.pid for each in self.processes}
        return kept | {self._cleaner}

    # The table

    def _talk_to_table(self) -> None:
        """Write what happened and take new jobs; if that fails, it is tried again in a moment."""
        if not self._is_due("table", 0.0):
            return
        try:
            while self._owed:
                self._owed[0]()
                self._owed.pop(0)
            if self._is_due("beat", BEAT):
                self._beat()
            if self._is_due("watch", self._watch.interval):
                self._take_back()
            self._take_jobs()
            if self._is_due("clean", CLEAN):
                self._clean()
        except JobsError as error:
            self._due["table"] = time.monotonic() + 1.0
            if self._is_due("complain", 30.0):
                self.log(str(error))

    def _owe(self, write: Callable[[], object]) -> None:
        """Remember something to write: it is written in order, however long that takes."""
        self._owed.append(write)

    def _beat(self) -> None:
        held = {c.lease.id: (c.lease.attempt, c.step) for c in self._children if c.lease}
        lost = self.queue.heartbeat(held) if held else set()
        for child in [c for c in self._children if c.lease and c.lease.id in lost]:
            self._discard(child)

    def _take_back(self) -> None:
        for job, attempt, beat in self._watch.expired(self.queue.list_running(), time.monotonic()):
            if self.queue.expire(job, attempt, beat):
                self.log(f"job {job} was taken back from a worker that is gone")
                self._waiting = True

    def _take_jobs(self) -> None:
        if self._is_due("look", IDLE_LOOK):
            self._waiting = True
        if self._due.get("claim", 0.0) > time.monotonic():
            return
        for child in [child for child in self._children if child.lease is None]:
            if not self._waiting or not self._allowed:
                return
            claim = self.queue.lease(self.name)
            if claim is None:
                self._waiting = False
                return
            self._allowed -= 1
            try:
                child.send(claim)
            except OSError:
                self._discard(child)
                self._owe(partial(self.queue.release, claim))

    def _clean(self) -> None:
        """Let a process of its own delete what is not kept: a distant storage may take long.

        Nothing is, while the clock tells how old things are no better than those who set it.
        """
        if self._cleaner or not self._clock.is_reliable:
            return
        self.queue.disconnect()
        self._cleaner = fork(
            partial(self._run_cleaner, [*self._held_files(), *self.inherited_files])
        )

    def _run_cleaner(self, files: Sequence[Closeable]) -> None:
        for each in files:
            each.close()
        apply_retention(self.queue, self.storage, self.limits.retention)

    # Beginning and end

    def _keep_companions(self) -> None:
        for each in self.processes:
            if each.pid and os.waitpid(each.pid, os.WNOHANG)[0]:
                self.log(f"{each.name} ended and is started again")
                each.pid, each.next_start = 0, time.monotonic() + 1.0
            if not each.pid and time.monotonic() >= each.next_start:
                self.queue.disconnect()
                each.pid = fork(partial(self._run_companion, each))

    def _run_companion(self, companion: ManagedProcess) -> None:
        for each in self._held_files():
            each.close()
        companion.run()

    def _held_files(self) -> list[Closeable]:
        """Return what a fork carries over and only this process may use."""
        return [self._selector, *self._children]

    def _end(self) -> None:
        for each in self.processes:
            if each.pid:
                os.kill(each.pid, signal.SIGTERM)
        for child in list(self._children):
            claim = child.lease
            self._discard(child)
            if claim:
                self._owe(partial(self.queue.release, claim))
        with suppress(JobsError):
            for write in self._owed:
                write()
        deadline = time.monotonic() + GRACE
        for each in self.processes:
            while each.pid and not os.waitpid(each.pid, os.WNOHANG)[0]:
                if time.monotonic() > deadline:
                    kill_tree(each.pid)
                time.sleep(0.02)
        self._selector.close()

    def _is_due(self, what: str, every: float) -> bool:
        """Say whether it is time for something again, and count from now when it is."""
        now = time.monotonic()
        if now < self._due.get(what, 0.0):
            return False
        self._due[what] = now + every
        return True
