"""The process that keeps workers for a command, or calls those that are elsewhere."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress

from ..errors import JobsError
from ..settings import Settings
from . import process
from .factory import supervise
from .worker_process import Closeable


class LocalWorkers:
    """Workers of this machine that end with the process they work for."""

    def __init__(self) -> None:
        self._pid, self._call = 0, -1

    def start(self, settings: Settings, own: Sequence[Closeable] = ()) -> None:
        """Start as many workers as the settings say; to be called while there is one thread.

        What is this process's ``own`` is closed on their side.
        """
        if self._pid:
            return
        called, self._call = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

        def keep() -> None:
            for each in own:
                each.close()
            supervise(settings, private=True, calls=called)

        self._pid = process.fork(keep)
        os.close(called)

    def wake(self) -> None:
        """Say that a job has come."""
        if self._call >= 0:
            with suppress(BlockingIOError, BrokenPipeError):
                os.write(self._call, b".")

    def check(self) -> None:
        """Raise :class:`JobsError` when the workers that were started are no more."""
        if self._pid and os.waitpid(self._pid, os.WNOHANG)[0]:
            self._pid = 0
            raise JobsError("the process that keeps the workers ended", hint="Run it again")

    def close(self) -> None:
        """End the workers."""
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGTERM)
            os.waitpid(self._pid, 0)
            self._pid = 0
        if self._call >= 0:
            os.close(self._call)
            self._call = -1
