"""Process control on Linux; elsewhere there are no descendants and no memory to see."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36
_PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")
_libc = ctypes.CDLL(None)


def _prctl(option: int, value: int | bytes) -> None:
    if sys.platform == "linux":
        _libc.prctl(option, value, 0, 0, 0)


def become_subreaper() -> None:
    """Adopt the orphans of all descendant processes, so that they can be reaped."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Kill this process when the parent process with the given PID ends."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # The parent died before the call above.


def set_process_name(name: str) -> None:
    """Set the name of this process in lists of processes; only 15 bytes count."""
    _prctl(_PR_SET_NAME, name.encode())


def child_pids(pid: int) -> Iterator[int]:
    # psutil would read the whole process table, several times per second.
    with suppress(OSError):  # The process has ended in the meantime.
        for thread in Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, (thread / "children").read_text().split())


def process_tree(pid: int) -> list[int]:
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
    for member in process_tree(pid):
        with suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)


def kill_orphans(spared: Collection[int] = ()) -> None:
    """Kill and reap all children of this process except the spared ones."""
    for pid in list(child_pids(os.getpid())):
        if pid not in spared:
            kill_tree(pid)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
