"""Worker processes that print jobs, and process control on Linux."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from .. import worker_process
from .models import Lease

#: Runs a job, given its lease and a function to report progress; returns plain data.
Handler: TypeAlias = Callable[[Lease, Callable[[str], None]], dict[str, Any]]

#: The niceness of workers, so that the server responds while all processors print.
NICENESS = 10

_SEND_SECONDS = 20.0
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")
_libc = ctypes.CDLL(None)


class Closeable(Protocol):
    """An object that holds an open file."""

    def close(self) -> None:
        """Close the file."""


class JobWorker(worker_process.WorkerProcess):
    """A forked worker that handles one job at a time.

    It handles untrusted pages, so its messages are JSON: steps as strings, the outcome as a dict.
    ``inherited`` are open files that the fork must close.
    """

    def __init__(self, handler: Handler, inherited: Iterable[Closeable] = ()) -> None:
        self._handler = handler
        self.lease: Lease | None = None
        self.step = ""
        self.started = time.monotonic()
        parent = os.getpid()

        def prepare() -> None:
            for file in inherited:
                file.close()
            _detach_signals(parent, NICENESS)
            with suppress(OSError):  # If memory runs out, this process is killed first.
                Path("/proc/self/oom_score_adj").write_text("800")
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

        super().__init__(prepare, trusted=False)
        self.fork()
        self.descriptor = self.fileno()

    def assign(self, lease: Lease) -> None:
        """Send a job; raises :class:`~printer.worker_process.WorkerError`."""
        self.lease, self.step, self.started = lease, "", time.monotonic()
        self.submit(_handle, self._handler, lease, deadline=self.started + _SEND_SECONDS)

    def kill(self, pid: int) -> None:
        """Kill the process and its descendants."""
        kill_tree(pid)


def _handle(handler: Handler, lease: Lease) -> dict[str, Any]:
    return handler(lease, worker_process.notify)


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
        _detach_signals(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        run()
        code = 0
    except BaseException:  # noqa: BLE001 - a forked copy must not go on as the original does
        traceback.print_exc()
    finally:
        os._exit(code)


def _detach_signals(parent: int, niceness: int = 0) -> None:
    """Reset the signal handlers of the parent process, and die with it."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # The parent died before the call above.
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.nice(niceness)


def become_subreaper() -> None:
    """Adopt the orphans of all descendant processes."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def child_pids(pid: int) -> Iterator[int]:
    """Yield the pids of a process's children."""
    # psutil would read the whole process table, several times per second.
    with suppress(OSError):  # The process has ended in the meantime.
        for thread in Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, (thread / "children").read_text().split())


def process_tree(pid: int) -> list[int]:
    """Return the pids of a process and its descendants."""
    pids = [pid]
    for parent in pids:
        pids.extend(child for child in child_pids(parent) if child not in pids)
    return pids


def memory_usage(pid: int) -> int:
    """Return the private memory of a process and its descendants, in bytes."""
    total = 0
    for member in process_tree(pid):
        with suppress(OSError, ValueError, IndexError):
            _, resident, shared, *_ = Path(f"/proc/{member}/statm").read_text().split()
            total += (int(resident) - int(shared)) * _PAGE_SIZE
    return total


def kill_tree(pid: int) -> None:
    """Kill a process and its descendants."""
    for member in process_tree(pid):
        with suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)


def kill_orphans(known: set[int]) -> None:
    """Kill and reap all children of this process except the known ones."""
    for pid in list(child_pids(os.getpid())):
        if pid not in known:
            kill_tree(pid)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
