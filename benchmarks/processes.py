"""Processes and what they hold."""

from __future__ import annotations

import threading
from pathlib import Path


class Peak:
    """The most memory that a process and its children held, looked at ten times a second."""

    def __init__(self, pid: int) -> None:
        self._pid, self._most, self._ended = pid, 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(0.1):
            self._most = max(self._most, sum(map(held, tree(self._pid))))

    def stop(self) -> float:
        """Return the most seen, in megabytes."""
        self._ended.set()
        self._thread.join()
        return self._most


def tree(pid: int) -> list[int]:
    """Return a process and all below it."""
    found = [pid]
    for one in found:
        try:
            tasks = Path(f"/proc/{one}/task").iterdir()
            found += (int(each) for t in tasks for each in (t / "children").read_text().split())
        except OSError:
            continue  # it ended
    return found


def held(pid: int) -> float:
    """Return the megabytes a process holds, pages shared with others in part (PSS)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0  # it ended
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000
