"""The job table and its workers, as the settings ask for them."""

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
    """Open the job table; for ``durable`` see :class:`JobTable`."""
    return JobQueue(settings.database or str(data_folder() / "jobs.sqlite"), durable=durable)


def storage_location(settings: Settings) -> str:
    """Return where results are stored."""
    return settings.storage or str(data_folder() / "prints")


def open_result_storage(settings: Settings) -> Storage:
    """Open the store of results."""
    return open_storage(storage_location(settings))


def worker_limits(settings: Settings) -> Limits:
    """Return what workers may use."""
    return Limits(
        workers=settings.workers or os.cpu_count() or 1,
        seconds=settings.time_limit,
        memory=settings.memory_limit * 1_000_000,
        retention=settings.keep_days * DAY,
    )


def supervise(
    settings: Settings,
    *,
    private: bool = False,
    companions: Sequence[ManagedProcess] = (),
    calls: int | None = None,
    inherited: Sequence[Closeable] = (),
) -> None:
    """Work until told to stop by SIGTERM or SIGINT (see :class:`Supervisor`).

    With a message broker the work is done by those it calls, and calls are sent for it.
    """
    # What workers write can be lost with the machine's power alone, and then a print is made again.
    table, may = open_queue(settings, durable=False), worker_limits(settings)
    if settings.broker:
        make_celery(settings.broker, may)
        sender = CallSender(settings.broker, may, table, _say)
        companions = [*companions, ManagedProcess(sender.run, "what calls the workers")]
        may = replace(may, workers=0)
    Supervisor(
        queue=table,
        storage=open_result_storage(settings),
        handler=JobHandler(settings, storage_location(settings), private),
        limits=may,
        processes=companions,
        wakeup=calls,
        inherited_files=inherited,
        log=_say,
        preload=preload,
    ).run()


def run_worker(settings: Settings) -> None:
    """Work on what is asked of a server elsewhere until told to stop."""
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
        _say,
    )


def _say(line: str) -> None:
    print(f"webprint: {line}", file=sys.stderr, flush=True)


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

        self._pid = fork(keep)
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
