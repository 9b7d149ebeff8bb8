"""Process trees of Linux and their memory."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path


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


def process_tree(pid: int) -> list[int]:
    """Return the ids of a process and of all its descendants."""
    pids = [pid]
    for parent in pids:
        try:
            tasks = Path(f"/proc/{parent}/task").iterdir()
            pids += (int(child) for t in tasks for child in (t / "children").read_text().split())
        except OSError:
            continue  # it ended
    return pids


def kill(pid: int) -> bool:
    """Kill a process; return whether it was there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def kill_tree(pid: int) -> None:
    """Kill a process and all its descendants."""
    for member in process_tree(pid):
        with suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)


def megabytes(pid: int) -> float:
    """Return the memory of a process, pages shared with others in part (PSS)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0  # it ended
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000
