"""The job table and its workers, as the settings ask for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ..settings import Settings, data_folder
from .celery_bridge import Sender, answer_calls, make_celery
from .handler import Labour, preload
from .queue import JobTable
from .storage import Storage, open_storage
from .supervisor import DAY, Companion, Limits, Supervisor
from .worker_process import Closeable


def open_table(settings: Settings, *, durable: bool = True) -> JobTable:
    """Open the job table; for ``durable`` see :class:`JobTable`."""
    return JobTable(settings.database or str(data_folder() / "jobs.sqlite"), durable=durable)


def place(settings: Settings) -> str:
    """Return where results are stored."""
    return settings.storage or str(data_folder() / "prints")


def storage(settings: Settings) -> Storage:
    """Open the store of results."""
    return open_storage(place(settings))


def limits(settings: Settings) -> Limits:
    """Return what workers may use."""
    return Limits(
        workers=settings.workers or os.cpu_count() or 1,
        seconds=settings.time_limit,
        memory=settings.memory_limit * 1_000_000,
        keep=settings.keep_days * DAY,
    )


def supervise(
    settings: Settings,
    *,
    private: bool = False,
    companions: Sequence[Companion] = (),
    calls: int | None = None,
    inherited: Sequence[Closeable] = (),
) -> None:
    """Work until told to stop by SIGTERM or SIGINT (see :class:`Supervisor`).

    With a message broker the work is done by those it calls, and calls are sent for it.
    """
    # What workers write can be lost with the machine's power alone, and then a print is made again.
    table, may = open_table(settings, durable=False), limits(settings)
    if settings.broker:
        make_celery(settings.broker, may)
        sender = Sender(settings.broker, may, table, _say)
        companions = [*companions, Companion(sender.run, "what calls the workers")]
        may = replace(may, workers=0)
    Supervisor(
        table=table,
        storage=storage(settings),
        labour=Labour(settings, place(settings), private),
        limits=may,
        companions=companions,
        calls=calls,
        inherited=inherited,
        say=_say,
        prepare=preload,
    ).run()


def work(settings: Settings) -> None:
    """Work on what is asked of a server elsewhere until told to stop."""
    if not settings.broker:
        supervise(settings)
        return
    preload()
    answer_calls(
        settings.broker,
        partial(open_table, settings),
        partial(storage, settings),
        Labour(settings, place(settings)),
        limits(settings),
        _say,
    )


def _say(line: str) -> None:
    print(f"webprint: {line}", file=sys.stderr, flush=True)
