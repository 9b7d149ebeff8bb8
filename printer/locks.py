"""Locks between processes that change the same files."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOCK_SECONDS = 10.0
_LOCK_RETRY_SECONDS = 0.02


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Create a folder of this user if there is none, and let no other process change its files.

    Raise :class:`OSError`, also if another process keeps the folder.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                reason = "another program keeps its folder locked"
                raise TimeoutError(errno.ETIMEDOUT, reason) from None
        except OSError:  # The file system locks no folders.
            return
        time.sleep(_LOCK_RETRY_SECONDS)
