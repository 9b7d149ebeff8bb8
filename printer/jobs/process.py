"""Processes of Linux: forked, tied to their parent, measured and ended with all they started."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

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
