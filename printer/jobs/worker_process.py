"""A worker process, seen from its parent: given one job at a time, killable at any moment.

What a child says is read as data, bounded, and without waiting for it: it handles strangers'
pages, and its parent must not depend on its good will.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import struct
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias

from .models import JobRequest, Lease

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")
_libc = ctypes.CDLL(None)


def fork(run: Callable[[], None], *, nice: int = 0) -> int:
    """Run a function in a forked process that is killed when its parent dies; return its id.

    To be called while the process has one thread.
    """
    parent = os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == parent:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            os.nice(nice)
            run()
            code = 0
    except BaseException:  # noqa: BLE001 - this copy of the program must not go on as the other does
        traceback.print_exc()
    finally:
        os._exit(code)


def raise_oom_score() -> None:
    """Ask the system to end this process first when memory runs out."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("800")


def oom_kill_count() -> int:
    """Return how many processes the system has ended for want of memory; 0 where it is untold."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0


def become_subreaper() -> None:
    """Become the parent of what processes below leave behind when they end."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def child_pids(pid: int) -> Iterator[int]:
    """Yield the ids of a process's children."""
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, (thread / "children").read_text().split())
    except OSError:
        return  # It ended in the meantime.


def process_tree(pid: int) -> list[int]:
    """Return a process and all below it."""
    found = [pid]
    for each in found:
        found.extend(child for child in child_pids(each) if child not in found)
    return found


def memory_usage(pid: int) -> int:
    """Return the bytes of memory that a process and all below it have for themselves."""
    total = 0
    for each in process_tree(pid):
        with suppress(OSError, ValueError, IndexError):
            _, resident, shared, *_ = Path(f"/proc/{each}/statm").read_text().split()
            total += (int(resident) - int(shared)) * _PAGE_SIZE
    return total


def kill_tree(pid: int) -> None:
    """Kill a process and all below it."""
    for each in process_tree(pid):
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def kill_orphans(known: set[int]) -> None:
    """Kill and reap this process's children that are none of the known ones."""
    for pid in list(child_pids(os.getpid())):
        if pid not in known:
            kill_tree(pid)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


Message: TypeAlias = dict[str, Any]
Handler: TypeAlias = Callable[[Lease, Callable[[str], None]], Message]

_LONGEST = 1_000_000
_SEND_SECONDS = 20
NICENESS = 10  # So that the server answers while all processors print.


@dataclass(frozen=True, slots=True)
class WorkerExit:
    """How a process ended, and whether it was ``killed`` by what need not be its own doing."""

    reason: str
    killed: bool = False


class Closeable(Protocol):
    """Anything that holds a file."""

    def close(self) -> None:
        """Let it go."""


class WorkerProcess:
    """A forked worker; ``inherited`` is what the fork carries over and the worker must not hold."""

    def __init__(self, labour: Handler, inherited: Iterable[Closeable] = ()) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", _SEND_SECONDS, 0)
        )

        def run() -> None:
            for each in (self._socket, *inherited):
                each.close()
            raise_oom_score()
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            _serve(theirs, labour)

        self.pid = fork(run, nice=NICENESS)
        theirs.close()
        self.lease: Lease | None = None
        self.step = ""
        self.started = time.monotonic()
        self.jobs = 0
        self._unread = b""
        self._out_of_memory = 0

    def fileno(self) -> int:
        """Return what to wait on for messages."""
        return self._socket.fileno()

    def send(self, claim: Lease) -> None:
        """Hand over a job; raises OSError when the process is not there to take it."""
        self.lease, self.step, self.started = claim, "", time.monotonic()
        self.jobs += 1
        self._out_of_memory = oom_kill_count()
        request = claim.request
        head = {
            "id": claim.id, "attempt": claim.attempt, "url": request.url,
            "options": dict(request.options),
            "parts": [[name, len(data)] for name, data in request.parts.items()],
        }  # fmt: skip
        self._socket.sendall(json.dumps(head).encode() + b"\n")
        for data in request.parts.values():
            self._socket.sendall(data)

    def messages(self) -> Iterator[Message]:
        """Yield what the process has said by now; raises EOFError when it will say no more."""
        while True:
            try:
                said = self._socket.recv(65536, socket.MSG_DONTWAIT)
            except BlockingIOError:
                break
            except OSError:
                said = b""
            self._unread += said
            if not said or len(self._unread) > _LONGEST:
                yield from self._whole()
                raise EOFError
        yield from self._whole()

    def _whole(self) -> Iterator[Message]:
        *lines, self._unread = self._unread.split(b"\n")
        for line in lines:
            with suppress(ValueError):
                message = json.loads(line)
                if isinstance(message, dict):
                    yield message

    def stop(self) -> WorkerExit:
        """End the process with all it started; return how it had ended if it already had."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            kill_tree(self.pid)
            _, status = os.waitpid(self.pid, 0)
        self._socket.close()
        if not os.WIFSIGNALED(status):
            return WorkerExit(f"code {os.WEXITSTATUS(status)}")
        name = signal.Signals(os.WTERMSIG(status)).name
        if name == "SIGKILL" and oom_kill_count() > self._out_of_memory:
            return WorkerExit("the machine was out of memory")
        return WorkerExit(
            f"signal {name}", killed=name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")
        )

    def close(self) -> None:
        """Let go of the socket; for copies of this object on the other side of a fork."""
        self._socket.close()


def _serve(talk: socket.socket, labour: Handler) -> None:
    """Do the jobs that come until no more can."""

    def say(message: Message) -> None:
        talk.sendall(json.dumps(message).encode() + b"\n")

    with talk.makefile("rb") as incoming:
        while (claim := _receive(incoming)) is not None:
            say(labour(claim, lambda step: say({"step": step})))


def _receive(incoming: BinaryIO) -> Lease | None:
    line = incoming.readline()
    if not line.endswith(b"\n"):
        return None
    head = json.loads(line)
    parts = {name: incoming.read(size) for name, size in head["parts"]}
    return Lease(head["id"], head["attempt"], JobRequest(head["url"], head["options"], parts))
