"""The job queue: submit, read, change and delete jobs, which are durable DBOS workflows.

The system tables of DBOS are the source of truth: a job is accepted when its workflow is
committed, and done when the execution that owns the workflow records its result; results of other
executions are rejected.  :mod:`printer.jobs.engine` runs the workflows.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import threading
import time
import zlib
from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from dbos import DBOS, DBOSClient, Serializer, WorkflowStatus
from dbos import error as dbos_error
from sqlalchemy import Connection, case, column, func, inspect, select, table
from sqlalchemy.engine import URL
from sqlalchemy.exc import DataError, SQLAlchemyError

from ..db import decompress, open_engine, read_only, sqlite_path, translate_db_errors
from ..errors import ErrorRecord, JobsError
from . import FINISHED, STATES, Job, JobRequest, State, dbos_internals

APPLICATION = "webprint"
#: The names of the workflows, and of their queues.
PRINT = "print"
DIGEST = "digest"
QUEUES = {PRINT: "prints", DIGEST: "digests"}
KINDS = tuple(QUEUES)

#: The step of a job whose result cannot be stored now.
NO_ROOM = "no_room"

MAX_QUEUED = 10_000

#: The maximum number of executions of a job that may be lost with their process or machine.
MAX_DISPATCHES = 20

# The first and the last priority of a class of jobs; lower runs first
_INTERACTIVE = (1, 999_999_999)
_BACKGROUND = (1_000_000_000, 2_147_483_647)

_RESERVE_BYTES = 1_000_000

_MAX_TIME = 1e11  # of a job, in seconds since 1970

_MAX_ATTEMPT = 1_000_000_000

_MAX_PAGES = 100_000  # of a result: its page on the print server shows each of them

#: The types of the values in a result.
_RESULT_TYPES: Mapping[str, type] = {
    "title": str, "site": str, "language": str, "format": str, "obstacle": str, "complete": bool,
    "pages": int, "pictures": int, "bytes": int, "articles": int, "attempt": int, "warnings": list,
}  # fmt: skip

_MAX_EXPIRED = 1_000

_STATUSES: dict[State, tuple[str, ...]] = {
    "queued": ("ENQUEUED", "DELAYED"),
    "running": ("PENDING",),
    "done": ("SUCCESS",),
    "failed": ("ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"),
    "cancelled": ("CANCELLED",),
}
_STATES = {status: state for state, statuses in _STATUSES.items() for status in statuses}

logging.getLogger("dbos").addHandler(logging.NullHandler())  # Else it writes to stderr.
dbos_internals.refuse_pickles()


class KeyReused(JobsError):
    """An idempotency key came with a different request."""


class QueueFull(JobsError):
    """Too many jobs are queued."""


class JobFailed(Exception):
    """The outcome of a workflow whose print failed."""

    def __init__(self, record: ErrorRecord) -> None:
        super().__init__(record.message)
        self.record = record


class Revision(NamedTuple):
    """A job as last revised: the number of its attempt, its options, and its edit."""

    number: int
    options: Mapping[str, Any]
    edit: bytes | None


@dataclass(slots=True)
class _Submission:
    """A request to be committed; ``is_new`` or ``error`` is set when it was."""

    job_id: str
    request: JobRequest
    sender: str
    background: bool
    created: float
    is_new: bool | None = None
    error: Exception | None = None


class PlainSerializer(Serializer):
    """Stores plain data as JSON in ASCII, which every database stores unchanged.

    Unlike with the default serializer of DBOS, data from the database cannot execute code.
    """

    def name(self) -> str:
        return "webprint_json"

    def serialize(self, data: Any) -> str:
        if isinstance(data, JobFailed):
            data = {"failed": data.record.to_dict()}
        elif isinstance(data, Exception):
            text = f"internal error: {type(data).__name__}: {data}"
            data = {"failed": ErrorRecord(text[:400]).to_dict()}
        return json.dumps(data)

    def deserialize(self, serialized_data: str) -> Any:
        """Decode what :meth:`serialize` returned."""
        data = json.loads(serialized_data)
        if isinstance(data, dict) and data.keys() == {"failed"}:
            return JobFailed(ErrorRecord.from_dict(data["failed"]))
        return data


class JobQueue:
    """The jobs in a database; thread-safe, but not usable across a fork (see :meth:`disconnect`).

    ``database`` is an SQLite path or a PostgreSQL URL.  Every method raises :class:`JobsError` if
    it cannot be used.  Nothing has been written then, unless the response of a server was lost.
    """

    def __init__(self, database: str) -> None:
        self.engine = open_engine(database)
        schema = None if self.engine.dialect.name == "sqlite" else "dbos"
        names = ("workflow_uuid", "status", "name", "queue_name", "priority", "authenticated_user",
                 "executor_id")  # fmt: skip
        self._table = table("workflow_status", *map(column, names), schema=schema)
        with _db_errors():
            with self.engine.connect() as connection:  # Also creates the file and its log.
                connection.exec_driver_sql("SELECT 1")
            DBOS.migrate(system_url(database))
        self._waiting: deque[_Submission] = deque()
        self._write_lock = threading.Lock()
        self._reserve = _make_reserve(database)
        self._client = self._open_client(read=False)
        self._reader = self._open_client(read=True)

    def _open_client(self, *, read: bool) -> DBOSClient:
        return DBOSClient(
            system_database_engine=self.engine.execution_options(read_only=read),
            serializer=PlainSerializer(), application_name=APPLICATION, lazy=True,
            retry_connection_errors=False,
        )  # fmt: skip

    def disconnect(self) -> None:
        """Close all connections; later calls open new ones."""
        self.engine.dispose()

    def submit(
        self, request: JobRequest, key: str = "", *, sender: str = "", background: bool = False
    ) -> tuple[Job, bool]:
        """Accept a request; return its job, and whether it is new.

        With the ``key`` of an earlier request, return the job of that request.  Senders take turns;
        background jobs run after all others.  Raise :class:`KeyReused` or :class:`QueueFull`.
        """
        job_id = secrets.token_hex(10)
        if key:
            job_id = job_id_for_key(key)
            if duplicate := self._find_duplicate(job_id, request):
                return duplicate, False
        created = round(time.time(), 3)
        submission = _Submission(job_id, request, sender[:200], background, created)
        self._waiting.append(submission)
        with self._write_lock:
            if submission.is_new is None and submission.error is None:
                self._commit([self._waiting.popleft() for _ in range(len(self._waiting))])
        if submission.error:
            raise submission.error
        if submission.is_new:
            return Job(
                job_id, "queued", request.public_url, dict(request.options), created=created
            ), True
        if duplicate := self._find_duplicate(job_id, request):  # Two threads sent the same key.
            return duplicate, False
        raise JobsError("the job was not accepted: one with its key was just deleted")

    def submit_digest(self, name: str, slot: float) -> str:
        """Queue the issue of a digest for a slot, once; return the id of its job."""
        job_id = job_id_for_key(f"digest {name} {slot}")
        sender = f"digest {name}"
        attributes = {"url": sender, "slot": slot, "created": round(time.time(), 3)}
        with _db_errors(), suppress(dbos_error.DBOSWorkflowIDInUseError):
            self._client.enqueue(
                {
                    "workflow_name": DIGEST, "queue_name": QUEUES[DIGEST], "workflow_id": job_id,
                    "workflow_id_reuse_policy": "reject", "attributes": attributes,
                    "authenticated_user": sender,
                },
                name, slot,
            )  # fmt: skip
        return job_id

    def slots(self, name: str) -> dict[float, str]:
        """Return the ids of a digest's jobs by the slot for which they were queued."""
        with _db_errors():
            statuses = self._list(STATES, (DIGEST,), user=[f"digest {name}"], load_output=False)
        return {_typed(_attributes(job), "slot", 0.0): job.workflow_id for job in statuses}

    def _find_duplicate(self, job_id: str, request: JobRequest) -> Job | None:
        """Return the job of an identical request with the same key; raise :class:`KeyReused`."""
        with _db_errors():
            for status in self._find([job_id]):
                if _attributes(status).get("fingerprint") != request.fingerprint:
                    raise KeyReused("this idempotency key was used for another request")
                return self._make_job(status)
        return None

    def _commit(self, submissions: Sequence[_Submission]) -> None:
        """Commit submissions in one transaction, which waits for the disk only once."""
        try:
            with _db_errors(), self.engine.begin() as connection:
                for submission in submissions:
                    try:
                        self._enqueue(connection, submission)
                        submission.is_new = True
                    except dbos_error.DBOSWorkflowIDInUseError:
                        submission.is_new = False
                    except QueueFull as error:
                        submission.error = error
        except Exception as error:  # noqa: BLE001 - each of the submitting threads raises it
            if len(submissions) > 1 and isinstance(error.__cause__, DataError):
                for submission in submissions:
                    self._commit([submission])  # The database rejects the data of one of them.
                return
            for submission in submissions:
                submission.error = error

    def _enqueue(self, connection: Connection, submission: _Submission) -> None:
        request, options = submission.request, dict(submission.request.options)
        attributes = {
            "url": request.public_url, "options": options, "fingerprint": request.fingerprint,
            "created": submission.created,
        }  # fmt: skip
        self._client.enqueue_in_transaction(
            connection,
            {
                "workflow_name": PRINT, "queue_name": QUEUES[PRINT],
                "workflow_id": submission.job_id, "workflow_id_reuse_policy": "reject",
                "attributes": attributes,
                "priority": self._priority(connection, submission.sender, submission.background),
                "authenticated_user": submission.sender,
            },
            request.url, options, {name: pack(data) for name, data in request.parts.items()},
        )  # fmt: skip

    def _priority(self, connection: Connection, sender: str, background: bool) -> int:
        """Return a sender's next start time, by start-time fair queueing, as the priority."""
        first, last = _BACKGROUND if background else _INTERACTIVE
        rows, priority = self._table, self._table.c.priority
        in_class = priority.between(first, last)
        from_sender = in_class & (rows.c.authenticated_user == sender)
        lowest, highest = case((in_class, priority)), case((from_sender, priority))
        query = select(func.count(), func.min(lowest), func.max(highest))
        queued = query.where(rows.c.queue_name == QUEUES[PRINT], rows.c.status == "ENQUEUED")
        count, first_queued, last_of_sender = connection.execute(queued).one()
        if count >= MAX_QUEUED:
            raise QueueFull(f"{MAX_QUEUED} jobs are waiting already")
        return max(first_queued or first, (last_of_sender or 0) + 1)

    def get(self, job_id: str) -> Job | None:
        return self.get_many([job_id]).get(job_id)

    def get_many(self, ids: Sequence[str]) -> dict[str, Job]:
        with _db_errors():
            return {status.workflow_id: self._make_job(status) for status in self._find(ids)}

    def list_recent(
        self, limit: int = 20, states: Sequence[State] = STATES, kinds: Sequence[str] = (PRINT,)
    ) -> list[Job]:
        with _db_errors():
            jobs = map(self._make_job, self._list(states, kinds, limit=limit, sort_desc=True))
            return sorted(jobs, key=lambda job: job.created, reverse=True)

    def next_queued(self) -> Job | None:
        """Return the job that has waited longest."""
        with _db_errors():
            return next(map(self._make_job, self._list(("queued",), limit=1)), None)

    def count_by_state(self) -> dict[State, int]:
        rows = self._table
        query = select(rows.c.status, func.count()).where(rows.c.name == PRINT)
        counts = dict.fromkeys(STATES, 0)
        with _db_errors(), read_only(self.engine) as connection:
            for status, count in connection.execute(query.group_by(rows.c.status)):
                counts[_STATES.get(status, "failed")] += count
        return counts

    def executions(self, kind: str) -> list[tuple[str, str]]:
        """Return the ids of the running jobs of a kind, each with the id of its engine."""
        rows = self._table
        query = select(rows.c.workflow_uuid, rows.c.executor_id)
        running = query.where(rows.c.status == "PENDING", rows.c.name == kind)
        with _db_errors(), read_only(self.engine) as connection:
            return [(job_id, executor) for job_id, executor in connection.execute(running)]

    def requeue(self, job_id: str, executor: str, kind: str = PRINT) -> bool:
        """Requeue a job that its engine no longer runs; return False if another engine has it."""
        with _db_errors():
            return dbos_internals.requeue(self._client, job_id, executor, QUEUES[kind])

    def cancel(self, job_id: str) -> bool:
        """Cancel a queued or running job; return False if there is no such job."""
        job = self.get(job_id)
        if job is None or job.state in FINISHED:
            return False
        with _db_errors():
            self._client.cancel_workflow(job_id)
        return (job := self.get(job_id)) is not None and job.state == "cancelled"

    def retry(self, job_id: str) -> bool:
        return self._rewind(job_id, ("failed", "cancelled"))

    def revise(self, job_id: str, options: Mapping[str, Any], edit: bytes) -> bool:
        """Requeue a done or failed job with an edit; return False if there is no such job."""
        changes = {"options": dict(options), "edit": pack(edit)}
        return self._rewind(job_id, ("done", "failed"), changes)

    def _rewind(
        self, job_id: str, states: Sequence[State], changes: Mapping[str, Any] | None = None
    ) -> bool:
        """Restart a workflow from its beginning; return False if it is in no such state."""
        with _db_errors():
            statuses = [status for status in self._find([job_id]) if status.name == PRINT]
            if not statuses or (job := self._make_job(statuses[0])).state not in states:
                return False
            # The number of the attempt distinguishes the executions of both runs.
            attributes = {**_attributes(statuses[0]), "attempts": job.attempt, "step": ""}
            attributes |= changes or {}
            if changes:
                attributes["result"] = dict(job.result)
            self._client.update_workflow_attributes(job_id, attributes)
            try:
                self._client.rewind_workflow(job_id, queue_name=QUEUES[PRINT])
            except dbos_error.DBOSException:
                return False  # Its state has changed in the meantime.
            return True

    def annotate(self, job_id: str, **values: str) -> None:
        """Record the ``step`` of a running job, or the ``file`` that a batch writes."""
        with _db_errors():
            self._client.update_workflow_attributes(job_id, values, merge=True)

    def revision(self, job_id: str) -> Revision | None:
        """Return the current revision of a job, None if there is no such job."""
        with _db_errors():
            for status in self._find([job_id]):
                job, edit = self._make_job(status), _attributes(status).get("edit")
                return Revision(job.attempt, job.options, unpack(edit) if edit else None)
        return None

    def delete(self, job_id: str) -> bool:
        """Delete a job in any state, even on a full disk; return False if there is no such job."""
        with _db_errors():
            if not self._find([job_id]):
                return False
            try:
                self._client.delete_workflow(job_id)
            except SQLAlchemyError:
                if self._reserve is None or not self._reserve.exists():
                    raise
                self._reserve.unlink()
                self._client.delete_workflow(job_id)
        return True

    def list_older_than(self, seconds: float) -> list[str]:
        """Return jobs both created and finished ``seconds`` ago, as clocks may have been wrong."""
        since = datetime.fromtimestamp(time.time() - seconds, UTC).isoformat()
        with _db_errors():
            statuses = self._list(FINISHED, completed_before=since, end_time=since,
                             limit=_MAX_EXPIRED, load_output=False)  # fmt: skip
        return [status.workflow_id for status in statuses]

    def legacy_job_ids(self) -> set[str]:
        """Return the ids of jobs from versions before DBOS, whose results must not be deleted."""
        with _db_errors(), read_only(self.engine) as connection:
            if not inspect(connection).has_table("jobs"):
                return set()
            return set(connection.execute(select(table("jobs", column("id")))).scalars())

    def _find(self, ids: Sequence[str]) -> list[WorkflowStatus]:
        if not ids:
            return []
        return self._read(workflow_ids=list(ids), name=list(KINDS))

    def _list(
        self, states: Sequence[State], kinds: Sequence[str] = (PRINT,), **query: Any
    ) -> list[WorkflowStatus]:
        statuses = [status for state in states for status in _STATUSES[state]]
        return self._read(name=list(kinds), status=statuses, **query)

    def _read(self, **query: Any) -> list[WorkflowStatus]:
        try:
            return self._reader.list_workflows(load_input=False, **query)
        except (ValueError, RecursionError) as error:  # Attributes that are not JSON.
            raise JobsError("the job database holds a damaged value") from error

    def _make_job(self, status: WorkflowStatus) -> Job:
        # Others may have written to the database: what has another type counts as missing.
        attributes = _attributes(status)
        state = _STATES.get(status.status, "failed")
        created = _typed(attributes, "created", 0.0)
        created = created if 0.0 <= created < _MAX_TIME else 0.0
        # "attempts" counts those before the last request.
        attempt = _typed(attributes, "attempts", 0) + (status.recovery_attempts or 0)
        return Job(
            id=status.workflow_id, state=state, url=_typed(attributes, "url", ""),
            options=_typed(attributes, "options", {}),
            attempt=attempt if 0 <= attempt < _MAX_ATTEMPT else 0,
            step=_typed(attributes, "step", "") if state == "running" else "",
            result=_typed_result(status.output or attributes.get("result")),
            error=_job_error(status) if state == "failed" else None,
            file=_typed(attributes, "file", ""), created=created,
            started=_to_seconds(status.dequeued_at, created),
            finished=_to_seconds(status.completed_at, created) if state in FINISHED else None,
        )  # fmt: skip


def _attributes(status: WorkflowStatus) -> dict[str, Any]:
    return status.attributes if isinstance(status.attributes, dict) else {}


def _typed(attributes: Mapping[str, Any], name: str, default: Any) -> Any:
    """Return an attribute, or the default if it has another type."""
    value = attributes.get(name)
    if isinstance(default, float) and isinstance(value, int) and abs(value) < 2**63:
        value = float(value)
    return value if isinstance(value, type(default)) else default


def _typed_result(result: Any) -> dict[str, Any]:
    """Return a result without values of wrong types and impossible numbers."""
    return {k: v for k, v in result.items() if _is_typed(k, v)} if isinstance(result, dict) else {}


def _is_typed(name: str, value: Any) -> bool:
    if type(value) is not _RESULT_TYPES.get(name, type(value)):  # True is an int, but no number
        return False
    if isinstance(value, list):
        return all(isinstance(text, str) for text in value)
    limit = _MAX_PAGES if name == "pages" else 2**63
    return not isinstance(value, int) or 0 <= value <= limit


def job_id_for_key(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:20]


def _make_reserve(database: str) -> Path | None:
    """Create a file to delete when the disk is full, so that there is space to delete jobs."""
    path = sqlite_path(database)
    if path is None:
        return None
    reserve = path.with_name(f"{path.name}.reserve")
    with suppress(OSError), reserve.open("xb") as file:
        os.posix_fallocate(file.fileno(), 0, _RESERVE_BYTES)
    return reserve


def system_url(database: str) -> str:
    if "://" in database:
        return database
    return URL.create("sqlite", database=database).render_as_string()


def pack(data: bytes) -> str:
    return b64encode(zlib.compress(data, 1)).decode()


def unpack(text: str) -> bytes:
    """Return what :func:`pack` packed; raise :class:`JobsError`."""
    try:
        data = b64decode(text)
    except (TypeError, ValueError) as error:
        raise JobsError("the job database holds a damaged value") from error
    return decompress(data)


def _to_seconds(milliseconds: int | None, created: float) -> float | None:
    """Convert a time of DBOS, which SQLite rounds down to full seconds, to seconds."""
    if not isinstance(milliseconds, int) or not 0 <= milliseconds < _MAX_TIME * 1000:
        return None
    return max(milliseconds / 1000, created)


def _job_error(status: WorkflowStatus) -> ErrorRecord:
    if isinstance(status.error, JobFailed):
        return status.error.record
    if status.status not in _STATES:
        return ErrorRecord("the job database has it in an unknown state")
    return ErrorRecord(f"stopped after its worker was lost {MAX_DISPATCHES} times")


def _db_errors() -> AbstractContextManager[None]:
    return translate_db_errors(
        "the job database cannot be reached",
        "Accepted jobs are not lost; try again later",
    )
