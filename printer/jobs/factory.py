"""The job queue, its storage and its workers, created from settings."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from ..errors import JobsError
from ..settings import Settings, data_folder
from .celery_bridge import CallSender, make_celery, run_celery_worker
from .handler import JobHandler, preload
from .queue import JobQueue
from .storage import Storage, open_storage
from .supervisor import DAY, Limits, ManagedProcess, Supervisor
from .worker_process import Closeable, fork


def open_queue(settings: Settings, *, durable: bool = True) -> JobQueue:
    """Open the job table; for ``durable`` see :func:`~printer.db.engine.open_engine`."""
    return JobQueue(settings.database or str(data_folder() / "jobs.sqlite"), durable=durable)


def storage_location(settings: Settings) -> str:
    """Return the folder or URL of the results."""
    return settings.storage or str(data_folder() / "prints")


def open_result_storage(settings: Settings) -> Storage:
    """Open the storage of the results."""
    return open_storage(storage_location(settings))


def worker_limits(settings: Settings) -> Limits:
    """Return the limits of workers."""
    return Limits(
        workers=settings.workers or os.cpu_count() or 1,
        seconds=settings.time_limit,
        memory=settings.memory_limit * 1_000_000,
        retention=settings.keep_days * DAY,
    )


def supervise(
    settings: Settings,
    *,
    allow_private: bool = False,
    processes: Sequence[ManagedProcess] = (),
    wakeup: int | None = None,
    inherited_files: Sequence[Closeable] = (),
) -> None:
    """Run a :class:`Supervisor` until SIGTERM or SIGINT.

    With a message broker, Celery workers run the jobs, and this process sends them calls.
    """
    # A write lost in a power failure only means that a print is made again.
    queue, limits = open_queue(settings, durable=False), worker_limits(settings)
    if settings.broker:
        make_celery(settings.broker, limits)
        sender = CallSender(settings.broker, limits, queue, _log)
        processes = [*processes, ManagedProcess(sender.run, "what calls the workers")]
        limits = replace(limits, workers=0)
    Supervisor(
        queue=queue,
        storage=open_result_storage(settings),
        handler=JobHandler(settings, storage_location(settings), allow_private),
        limits=limits,
        processes=processes,
        wakeup=wakeup,
        inherited_files=inherited_files,
        log=_log,
        preload=preload,
    ).run()


def run_worker(settings: Settings) -> None:
    """Run the jobs of a server on another machine until SIGTERM or SIGINT."""
    if not settings.broker:
        supervise(settings)
        return
    preload()
    run_celery_worker(
        settings.broker,
        partial(open_queue, settings),
        partial(open_result_storage, settings),
        JobHandler(settings, storage_location(settings)),
        worker_limits(settings),
        _log,
    )


class LocalWorkers:
    """Workers in a separate process that ends with this one."""

    def __init__(self) -> None:
        self._pid, self._wakeup = 0, -1

    def start(self, settings: Settings, private_files: Sequence[Closeable] = ()) -> None:
        """Start the workers, which close ``private_files``; this process must have one thread."""
        if self._pid:
            return
        wakeup, self._wakeup = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

        def run() -> None:
            for file in private_files:
                file.close()
            supervise(settings, allow_private=True, wakeup=wakeup)

        self._pid = fork(run)
        os.close(wakeup)

    def wake(self) -> None:
        """Announce that a job was queued."""
        if self._wakeup >= 0:
            with suppress(BlockingIOError, BrokenPipeError):
                os.write(self._wakeup, b".")

    def check(self) -> None:
        """Raise :class:`JobsError` if the process died."""
        if self._pid and os.waitpid(self._pid, os.WNOHANG)[0]:
            self._pid = 0
            raise JobsError("the process that runs the workers died", hint="Run it again")

    def close(self) -> None:
        """Stop the workers."""
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGTERM)
            os.waitpid(self._pid, 0)
            self._pid = 0
        if self._wakeup >= 0:
            os.close(self._wakeup)
            self._wakeup = -1


def _log(line: str) -> None:
    print(f"webprint: {line}", file=sys.stderr, flush=True)
