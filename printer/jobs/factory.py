"""The job queue, its storage and its workers, created from settings."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import BinaryIO

from ..db import sqlite_path
from ..errors import JobsError
from ..settings import Settings, data_folder
from .engine import PrintEngine
from .handler import JobHandler
from .queue import PRINT, JobQueue
from .storage import Storage, open_storage
from .worker_process import DAY, Closeable, Limits, ManagedProcess, fork, run_processes

_LOCK_SECONDS = 3.0  # in which what an owner of a database left behind has ended


def database_of(settings: Settings) -> str:
    """Return the path or URL of the jobs' database."""
    return settings.database or str(data_folder() / "jobs.sqlite")


def open_queue(settings: Settings, *, durable: bool = True) -> JobQueue:
    """Open the job queue; for ``durable`` see :func:`~printer.db.open_engine`."""
    return JobQueue(database_of(settings), durable=durable)


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


@contextmanager
def lock_database(settings: Settings, kind: str = PRINT) -> Iterator[None]:
    """Lock an SQLite file for the engine of a kind of jobs; PostgreSQL has any number of engines.

    Raises:
        JobsError: another process has the file.
    """
    path = sqlite_path(database_of(settings))
    with _lock(path, kind) if path else nullcontext():
        yield


def _lock(path: Path, kind: str) -> BinaryIO:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    suffix = "lock" if kind == PRINT else f"{kind}.lock"
    lock = path.with_name(f"{path.name}.{suffix}").open("ab")
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except OSError:
            if time.monotonic() > deadline:
                lock.close()
                what = "jobs" if kind == PRINT else f"{kind}s"
                raise JobsError(
                    f"another webprint prints the {what} in {path}",
                    hint="Is one running? For several, give --database postgresql://...",
                ) from None
        time.sleep(0.05)


def run_engine(settings: Settings, allow_private: bool = False) -> None:
    """Run the engine of the jobs until SIGTERM or SIGINT; what it stores is for its user alone."""
    os.umask(0o077)
    PrintEngine(
        database=database_of(settings),
        storage=open_result_storage(settings),
        handler=JobHandler(settings, storage_location(settings), allow_private),
        limits=worker_limits(settings),
        log=_log,
    ).run()


def run(
    settings: Settings,
    *,
    allow_private: bool = False,
    processes: Sequence[ManagedProcess] = (),
    private_files: Sequence[Closeable] = (),
) -> None:
    """Run an engine and other processes until SIGTERM or SIGINT; see :func:`lock_database`.

    The engine closes ``private_files``, which belong to the others.
    """

    def engine() -> None:
        for file in private_files:
            file.close()
        run_engine(settings, allow_private)

    run_processes([*processes, ManagedProcess(engine, "the process that prints")], _log)


def run_worker(settings: Settings) -> None:
    """Run the jobs of a server on another machine until SIGTERM or SIGINT."""
    with lock_database(settings):
        open_queue(settings).disconnect()
        run(settings)


class LocalWorkers:
    """An engine in a separate process that ends with this one."""

    def __init__(self) -> None:
        self._pid = 0
        self._locks = ExitStack()

    def start(self, settings: Settings, private_files: Sequence[Closeable] = ()) -> None:
        """Start the engine, which closes ``private_files``; this process must have one thread."""
        if self._pid:
            return
        self._locks.enter_context(lock_database(settings))

        def engine() -> None:
            for file in private_files:
                file.close()
            run_engine(settings, allow_private=True)

        self._pid = fork(engine)

    def check(self) -> None:
        """Raise :class:`JobsError` if the process died."""
        if self._pid and os.waitpid(self._pid, os.WNOHANG)[0]:
            self._pid = 0
            raise JobsError("the process that runs the workers died", hint="Run it again")

    def close(self) -> None:
        """Stop the engine."""
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGTERM)
            os.waitpid(self._pid, 0)
            self._pid = 0
        self._locks.close()


def _log(line: str) -> None:
    print(f"webprint: {line}", file=sys.stderr, flush=True)
