"""Process trees on Linux, and their memory."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from contextlib import suppress
from pathlib import Path

from printer.processes import process_tree

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def end_with_parent() -> None:
    """Have the kernel end this process when its parent ends, however it ends (``preexec_fn``)."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


class PeakMemory:
    """Samples the memory of a process and its descendants ten times a second."""

    def __init__(self, pid: int) -> None:
        self._pid, self._peak, self._ended = pid, 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(0.1):
            self._peak = max(self._peak, sum(map(megabytes, process_tree(self._pid))))

    def stop(self) -> float:
        """Return the peak in megabytes."""
        self._ended.set()
        self._thread.join()
        return self._peak


def name(pid: int) -> str:
    """Return the name of a process, or '' if it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def kill(pid: int) -> bool:
    """Kill a process; return whether it existed."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def megabytes(pid: int) -> float:
    """Return the memory of a process, with shared pages counted in part (PSS)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0  # it ended
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000
