"""The job table and its workers, as the settings ask for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ..settings import Settings, data_folder
from .celery_bridge import CallSender, make_celery, run_celery_worker
from .handler import JobHandler, preload
from .queue import JobQueue
from .storage import Storage, open_storage
from .supervisor import DAY, Limits, ManagedProcess, Supervisor
from .worker_process import Closeable


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
