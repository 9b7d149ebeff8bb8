"""Access to internals of DBOS.

Because of this module, ``pyproject.toml`` pins DBOS to one minor version.
"""

from __future__ import annotations

import logging
from typing import Any

from dbos import DBOS, DBOSClient
from dbos._dbos import _get_or_create_dbos_registry
from dbos._serialization import DefaultSerializer


def refuse_pickles() -> None:
    """Refuse to read pickled data from a job database.

    DBOS unpickles every row that says it is pickled, whatever serializer is configured, and a
    pickle can execute anything.
    """
    DefaultSerializer.deserialize = _refuse_pickle  # type: ignore[assignment, method-assign]


def _refuse_pickle(_self: object, _data: str) -> Any:
    raise TypeError("the job database holds pickled data, which webprint does not read")


def register_queue(name: str, concurrency: int, polling_interval: float = 1.0) -> Any:
    """Register a queue in this process only; the public function does so for all."""
    return _get_or_create_dbos_registry()._register_internal_queue(
        name, worker_concurrency=concurrency, polling_interval_sec=polling_interval
    )


def active_workflows(dbos: DBOS) -> set[str]:
    return {*dbos._active_workflows_set.activeList()}


def requeue(client: DBOSClient, job_id: str, executor: str, queue: str) -> bool:
    """Requeue a workflow of an executor that is gone; return False if it does not own it."""
    return client._sys_db.reenqueue_for_recovery(job_id, [executor], queue)


def stop_dequeuing(dbos: DBOS) -> None:
    """Start no more workflows; ``DBOS.destroy()`` would wait for all threads."""
    for event in dbos.background_thread_stop_events:
        event.set()


def is_about_workflow(record: logging.LogRecord) -> bool:
    """Return whether a log record is about a workflow that failed, not about the database."""
    return record.filename == "_core.py"
