"""Worker processes that run print jobs, and the supervision of processes."""

from __future__ import annotations

import errno
import fcntl
import gc
import itertools
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Any, BinaryIO, TypeAlias

from .. import worker_process
from ..backoff import Backoff
from ..errors import ErrorRecord, RenderError, WebprintError
from ..processes import (
    become_subreaper,
    child_pids,
    die_with_parent,
    kill_orphans,
    kill_tree,
    memory_usage,
    set_process_name,
)
from ..text import quantity
from . import Attempt

OpenFile: TypeAlias = BinaryIO | socket.socket

#: Runs a job, given its attempt and a function that reports progress; returns plain data.
Handler: TypeAlias = Callable[[Attempt, Callable[[str], None]], dict[str, Any]]

TEMPORARY_PREFIX = "webprint-worker-"

WORKER_NAME = "print worker"

#: The niceness of workers, so that the server responds while all processors print.
NICENESS = 10

DAY = 86_400.0

_CHECK_INTERVAL = 0.1
_SEND_SECONDS = 60.0
_STEP_INTERVAL = 1.0  # before the first report of a step, and between reports
_START_BACKOFF = Backoff(1.0, 30.0)  # while no process can be started
_STOP_SECONDS = 8.0
_RESTART_BACKOFF = Backoff(0.5, 60.0)
#: How long a process must run for its start to count as successful.
_START_SECONDS = 10.0
#: The errors of starting a worker while the system has no resources for a process.
_START_ERRORS = (OSError, worker_process.WorkerError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of workers, and of results.

    A job may take ``seconds`` of time and ``memory`` bytes.  A worker is replaced after
    ``jobs_per_worker`` jobs, or if it uses more than half of the memory after a job.  Results are
    deleted after ``retention`` seconds.  An engine that has not been connected to the database for
    ``peer_timeout`` seconds counts as lost, and others run its jobs.
    """

    workers: int = 2
    seconds: float = 120.0
    memory: int = 2_000_000_000
    jobs_per_worker: int = 100
    retention: float = 30 * DAY
    peer_timeout: float = 10.0


class Abandoned(BaseException):
    """The job was cancelled or taken over; nothing may be recorded, not even a failure."""


class _ForkServer:
    """A process that loads libraries once and forks workers as its caller's children.

    The caller must be a subreaper with one thread.
    """

    def __init__(self, preload: Callable[[], None]) -> None:
        self._lock = threading.Lock()
        self._socket, server_socket = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.pid = fork(partial(_fork_workers, server_socket, os.getpid(), preload))
        server_socket.close()

    def fork(self, connection: socket.socket) -> int:
        """Fork a worker for a connection; return its pid, or 0 if the fork server died."""
        try:
            with self._lock:
                socket.send_fds(self._socket, [b"f"], [connection.fileno()])
                pid = int(self._socket.recv(32) or 0)
                if pid > 0:
                    self._socket.recv(1)  # Now it is a child of this process.
        except ConnectionError:
            return 0
        if pid < 0:
            raise OSError(-pid, os.strerror(-pid))
        return pid


def _fork_workers(requests: socket.socket, parent: int, preload: Callable[[], None]) -> None:
    """Fork a worker for each request; send its pid, or the negative number of the error."""
    # A worker that ends slowly must not hold the database lock when the engine is restarted.
    os.closerange(3, requests.fileno())
    os.closerange(requests.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
    set_process_name("fork server")
    preload()
    gc.freeze()  # Garbage collection would copy the shared memory.
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, 1, 1)
        if not message:
            return
        try:
            # Fork twice, so that the parent adopts and reaps the worker.
            if not (intermediate := os.fork()):
                if worker := os.fork():
                    requests.send(b"%d" % worker)
                    os._exit(0)
                requests.close()
                # Requests arrive after the adoption; if it fails, the connection is closed.
                worker_process.serve(descriptors[0])
            if os.waitpid(intermediate, 0)[1]:
                raise OSError(errno.EAGAIN, "")
            requests.send(b"+")
        except OSError as error:
            if os.getppid() != parent:
                os._exit(1)  # The intermediate process; its parent replies.
            requests.send(b"-%d" % (error.errno or errno.EAGAIN))
        os.close(descriptors[0])


class _Worker(worker_process.WorkerProcess):
    """A process for one job at a time, whose messages are JSON, as pages are untrusted."""

    def __init__(self, preload: Callable[[], None], fork_server: _ForkServer) -> None:
        super().__init__(partial(_prepare, os.getpid(), preload), trusted=False)
        self._fork_server = fork_server

    def launch(self, connection: socket.socket) -> int:
        """Start the process as a copy of the fork server, or as a new program without one."""
        return self._fork_server.fork(connection) or super().launch(connection)

    def kill(self, pid: int) -> None:
        kill_tree(pid)


@dataclass(slots=True)
class WorkerPool:
    """Worker processes that run jobs for threads, within limits of time and memory.

    Each calls ``preload`` first.  The calling process must have no other children.
    """

    handler: Handler
    limits: Limits
    preload: Callable[[], None]
    _idle: LifoQueue[_Worker] = field(default_factory=LifoQueue)
    _workers: list[_Worker] = field(default_factory=list)
    _pids: dict[int, int] = field(default_factory=dict)  # by the id of the worker
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closing: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        """Start the processes; the calling process must have one thread."""
        become_subreaper()
        delete_leftovers()
        fork_server = _ForkServer(self.preload)
        self._pids[0] = fork_server.pid
        for _ in range(self.limits.workers):
            self._workers.append(worker := _Worker(self.preload, fork_server))
            self._idle.put(worker)
        threading.Thread(target=self._start_all, daemon=True).start()

    def _start_all(self) -> None:
        for worker in self._workers:
            with suppress(*_START_ERRORS, Abandoned):  # The next job tries again.
                self._start(worker)

    def run(
        self, attempt: Attempt, notify: Callable[[str], None], cancelled: threading.Event
    ) -> dict[str, Any]:
        """Run a job and return its outcome; raise :class:`Abandoned` or :class:`WorkerError`."""
        worker: _Worker | None = None
        while worker is None:
            self._check_cancelled(cancelled)
            with suppress(Empty):
                worker = self._idle.get(timeout=_CHECK_INTERVAL)
        try:
            return self._run_in_worker(worker, attempt, notify, cancelled)
        except BaseException:
            self._stop(worker)
            self._check_cancelled(cancelled)
            raise
        finally:
            self._idle.put(worker)

    def _check_cancelled(self, cancelled: threading.Event) -> None:
        if self._closing.is_set() or cancelled.is_set():
            raise Abandoned

    def _run_in_worker(
        self, worker: _Worker, attempt: Attempt, notify: Callable[[str], None],
        cancelled: threading.Event,
    ) -> dict[str, Any]:  # fmt: skip
        self._start_when_possible(worker, cancelled)
        step, notified = "", (started := time.monotonic())
        worker.submit(_run_handler, self.handler, attempt, deadline=started + _SEND_SECONDS)
        while True:
            message = worker.receive(time.monotonic() + _CHECK_INTERVAL)
            self._check_cancelled(cancelled)
            if message and message[0]:
                too_large = memory_usage(worker.pid) > self.limits.memory / 2
                if too_large or worker.calls >= self.limits.jobs_per_worker:
                    self._stop(worker)
                return message[1] if isinstance(message[1], dict) else {}
            if message:  # The worker is not trusted: a step is an identifier.
                step = str(message[1])[:40]
                step = step if step.isidentifier() and step.isascii() else ""
            if step and time.monotonic() - notified >= _STEP_INTERVAL:
                notify(step)
                step, notified = "", time.monotonic()
            seconds = time.monotonic() - started
            if not message and (reason := self._find_exceeded_limit(worker, seconds)):
                self._stop(worker)
                return {"failed": ErrorRecord.of(RenderError(reason)).to_dict()}

    def _find_exceeded_limit(self, worker: _Worker, seconds: float) -> str:
        """Describe the limit that a job exceeds; return '' if there is none."""
        if seconds > self.limits.seconds:
            return f"the print took longer than {quantity(self.limits.seconds, 'second')}"
        if memory_usage(worker.pid) > self.limits.memory:
            return f"the print needed more than {self.limits.memory / 1e6:g} MB of memory"
        return ""

    def _start_when_possible(self, worker: _Worker, cancelled: threading.Event) -> None:
        """Start a worker; wait while the system has no resources for a process."""
        for failures in itertools.count(1):
            try:
                self._start(worker)
                return
            except _START_ERRORS:
                if self._closing.wait(_START_BACKOFF.delay(failures)) or cancelled.is_set():
                    raise Abandoned from None

    def _start(self, worker: _Worker) -> None:
        with self._lock:
            if self._closing.is_set():
                raise Abandoned
            worker.start()
            self._pids[id(worker)] = worker.pid

    def _stop(self, worker: _Worker) -> None:
        """Kill a worker and its descendants, and restart it for the next job."""
        with self._lock:  # Otherwise, another thread might reap it as an orphan.
            worker.close()
            self._pids.pop(id(worker), None)
            kill_orphans({*self._pids.values()})
        delete_leftovers()
        with suppress(*_START_ERRORS, Abandoned):  # The next job tries again.
            self._start(worker)

    def reap(self) -> None:
        """Reap the processes that workers left behind when they ended."""
        with self._lock:
            for pid in {*child_pids(os.getpid())} - {*self._pids.values()}:
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)

    def close(self) -> None:
        """Kill all workers; the threads that wait for them get :class:`Abandoned`."""
        self._closing.set()
        with self._lock:
            for worker in self._workers:
                worker.close()
            kill_orphans()
        delete_leftovers()


def _run_handler(handler: Handler, attempt: Attempt) -> dict[str, Any]:
    return handler(attempt, worker_process.notify)


def _prepare(parent: int, preload: Callable[[], None]) -> None:
    die_with_parent(parent)
    set_process_name(WORKER_NAME)
    os.nice(NICENESS)
    with suppress(OSError):  # If memory runs out, the kernel kills this process first.
        Path("/proc/self/oom_score_adj").write_text("800")
    tempfile.tempdir = os.environ["TMPDIR"] = _make_temporary_folder()
    preload()


def _make_temporary_folder() -> str:
    """Make a folder for the temporary files of this process, locked until it ends."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX))
        with suppress(FileNotFoundError):  # It was deleted before it was locked.
            fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX)
            if folder.is_dir():
                return str(folder)


def delete_leftovers() -> None:
    """Delete the temporary files of killed workers, such as browser profiles."""
    for folder in Path(tempfile.gettempdir()).glob(f"{TEMPORARY_PREFIX}*"):
        with suppress(OSError):  # Its worker is running, or belongs to another user.
            # A pipe of another user would never open.
            descriptor = os.open(folder, os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(descriptor)


@dataclass(slots=True)
class ManagedProcess:
    """A process to keep running; ``name`` is for log messages."""

    run: Callable[[], None]
    name: str
    pid: int = 0
    next_start: float = 0.0
    started: float = 0.0
    failures: int = 0


def run_processes(processes: Sequence[ManagedProcess], log: Callable[[str], None]) -> None:
    """Run functions in forked processes until SIGTERM or SIGINT; restart those that end.

    They die with the calling process, which must have only one thread.
    """
    become_subreaper()
    stopping: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: stopping.append(number))
    while not stopping:
        for process in processes:
            ended, status = os.waitpid(process.pid, os.WNOHANG) if process.pid else (0, 0)
            if ended:
                log(f"{process.name} ended and is started again")
                now = time.monotonic()
                # A process that was killed can run; one that exits at its start may fail again.
                failed_early = os.WIFEXITED(status) and now - process.started < _START_SECONDS
                process.failures = process.failures + 1 if failed_early else 1
                process.pid, process.next_start = 0, now + _RESTART_BACKOFF.delay(process.failures)
                kill_orphans({other.pid for other in processes})
            if not process.pid and time.monotonic() >= process.next_start:
                process.pid, process.started = fork(process.run), time.monotonic()
        time.sleep(0.1)
    deadline = time.monotonic() + _STOP_SECONDS
    for process in processes:
        if process.pid:
            os.kill(process.pid, signal.SIGTERM)
    for process in processes:
        while process.pid and not os.waitpid(process.pid, os.WNOHANG)[0]:
            if time.monotonic() > deadline:
                kill_tree(process.pid)
            time.sleep(0.02)
    kill_orphans()


def fork(run: Callable[[], None]) -> int:
    """Run a function in a forked process that is killed when its parent dies; return its pid.

    The calling process must have only one thread.
    """
    parent = os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        die_with_parent(parent)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        run()
        code = 0
    except WebprintError as error:
        print(f"webprint: {error}", file=sys.stderr)
    except BaseException:  # noqa: BLE001 - a forked copy must not continue the original's code
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
