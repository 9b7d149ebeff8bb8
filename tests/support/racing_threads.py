"""Threads that run while others do, and are switched as often as possible."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def racing_threads(work: Callable[[], None], count: int = 4) -> Iterator[list[threading.Thread]]:
    """Call ``work`` in several threads at once; wait for them at the end."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=work) for _ in range(count)]
    try:
        for thread in threads:
            thread.start()
        yield threads
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
