"""The job table and its workers, as the settings ask for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ..config import Settings
from .child import Closeable
from .storage import Storage, open_storage
from .supervisor import DAY, Companion, Limits, Supervisor
from .table import JobTable
from .work import Labour


def data_folder() -> Path:
    """Return the folder in which prints are kept unless the settings name another place."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share"
    return Path(home) / "webprint"


def open_table(settings: Settings) -> JobTable:
    """Open the job table."""
    return JobTable(settings.database or str(data_folder() / "jobs.sqlite"))


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
    """Work until told to stop by SIGTERM or SIGINT (see :class:`Supervisor`)."""
    Supervisor(
        table=open_table(settings),
        storage=storage(settings),
        labour=Labour(settings, place(settings), private),
        limits=limits(settings),
        companions=companions,
        calls=calls,
        inherited=inherited,
        say=_say,
    ).run()


def _say(line: str) -> None:
    print(f"webprint: {line}", file=sys.stderr, flush=True)
