"""The job table: requests, leases and results.

The table is the source of truth.  A job is accepted when its row is committed, and done when the
attempt that holds the lease reports it; reports of other attempts are refused.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    case,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from ..db.engine import advisory_lock, open_engine, read_only, translate_db_errors
from ..errors import ErrorRecord, JobsError
from .models import EDIT_PART, FINISHED, STATES, Job, JobRequest, Lease, State

#: Faults counted when a job's worker crashes or runs out of memory, and when it is killed or lost;
#: and the sum at which a job is given up, reached by five of the former or twenty of the latter.
CRASH_FAULTS, KILL_FAULTS, MAX_FAULTS = 4, 1, 20

#: The most queued jobs.
MAX_QUEUED = 10_000

#: The version of the tables.
VERSION = 1

_SCHEMA_LOCK = 0x77656270  # a PostgreSQL advisory lock

_metadata = MetaData()

jobs = Table(
    "jobs",
    _metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", String(40), nullable=False, unique=True),
    Column("key", String(200), unique=True),
    Column("digest", String(64), nullable=False),
    Column("state", String(10), nullable=False),
    Column("url", Text, nullable=False),
    Column("options", Text, nullable=False),
    Column("attempt", Integer, nullable=False, default=0),
    Column("beat", Integer, nullable=False, default=0),
    Column("faults", Integer, nullable=False, default=0),
    Column("worker", String(200), nullable=False, default=""),
    Column("step", String(40), nullable=False, default=""),
    Column("result", Text, nullable=False, default="{}"),
    Column("error", Text, nullable=False, default="{}"),
    Column("created", Float, nullable=False),
    Column("started", Float),
    Column("finished", Float),
    Index("jobs_by_state", "state", "seq"),
    sqlite_autoincrement=True,
)

parts = Table(
    "parts",
    _metadata,
    Column("job", String(40), ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

_about = Table("about", _metadata, Column("version", Integer, nullable=False))

_JOB_COLUMNS = [c for c in jobs.c if c.name not in ("seq", "key", "digest", "beat", "worker")]
_QUEUED = jobs.c.state == "queued"


class KeyReused(JobsError):
    """An idempotency key came with a different request."""


class QueueFull(JobsError):
    """Too many jobs are queued."""


class JobQueue:
    """The job table; shared by threads, not across a fork (see :meth:`disconnect`).

    Every method raises :class:`JobsError` if the database cannot be used; nothing was then written,
    unless the response of a server was lost.

    Args:
        database: an SQLite path or a PostgreSQL URL.
        durable: see :func:`~printer.db.engine.open_engine`.
        clock: the wall clock, for the times shown to people.
    """

    def __init__(
        self, database: str, *, durable: bool = True, clock: Callable[[], float] = time.time
    ) -> None:
        self._engine = open_engine(database, durable=durable)
        self._clock = clock
        # SQLite makes all writers but one sleep and retry: let threads wait for a lock instead.
        is_sqlite = self._engine.dialect.name == "sqlite"
        self._write_lock = threading.Lock() if is_sqlite else nullcontext()
        with _db_errors():
            _create_tables(self._engine)

    def disconnect(self) -> None:
        """Close all connections; later calls open new ones."""
        self._engine.dispose()

    def submit(self, request: JobRequest, key: str = "") -> tuple[Job, bool]:
        """Accept a request; return its job, and whether it is new.

        With the ``key`` of an earlier request, return the job of that request.

        Raises:
            KeyReused: the earlier request was different.
            QueueFull: too many jobs are queued.
        """
        packed = {name: zlib.compress(data, 1) for name, data in request.parts.items()}
        for _ in range(2):
            with suppress(IntegrityError), self._write() as connection:
                return self._submit(connection, request, key, packed)
            # Another process committed the same key at this moment.
        raise JobsError("the job was not accepted: its key is in use by another process")

    def _submit(
        self, connection: Connection, request: JobRequest, key: str, packed: Mapping[str, bytes]
    ) -> tuple[Job, bool]:
        digest = request.fingerprint
        if key:
            query = select(*_JOB_COLUMNS, jobs.c.digest).where(jobs.c.key == key)
            earlier = connection.execute(query).first()
            if earlier is not None:
                if earlier.digest != digest:
                    raise KeyReused("this idempotency key was used for another request")
                return _job(earlier), False
        if _count(connection, _QUEUED) >= MAX_QUEUED:
            raise QueueFull(f"{MAX_QUEUED} jobs are waiting already")
        job_id, created = secrets.token_hex(10), self._clock()
        connection.execute(jobs.insert().values(
            id=job_id, key=key or None, digest=digest, state="queued", url=request.url,
            options=_dump(request.options), created=created,
        ))  # fmt: skip
        if packed:
            rows = [{"job": job_id, "name": name, "data": data} for name, data in packed.items()]
            connection.execute(parts.insert(), rows)
        return Job(job_id, "queued", request.url, dict(request.options), created=created), True

    def get(self, job_id: str) -> Job | None:
        """Return a job."""
        with self._read() as connection:
            row = connection.execute(_by_id(job_id)).first()
        return _job(row) if row else None

    def get_many(self, ids: Sequence[str]) -> dict[str, Job]:
        """Return the jobs that exist, by id."""
        query = select(*_JOB_COLUMNS).where(jobs.c.id.in_(ids))
        with self._read() as connection:
            return {row.id: _job(row) for row in connection.execute(query)} if ids else {}

    def list_recent(self, limit: int = 20, states: Sequence[State] = STATES) -> list[Job]:
        """Return the newest jobs, the newest first."""
        query = select(*_JOB_COLUMNS).where(jobs.c.state.in_(states))
        with self._read() as connection:
            rows = connection.execute(query.order_by(jobs.c.seq.desc()).limit(limit))
            return [_job(row) for row in rows]

    def next_queued(self) -> Job | None:
        """Return the job that will be leased next."""
        with self._read() as connection:
            row = connection.execute(_first_queued()).first()
        return _job(row) if row else None

    def count_by_state(self) -> dict[State, int]:
        """Return the number of jobs in each state."""
        with self._read() as connection:
            rows = connection.execute(select(jobs.c.state, func.count()).group_by(jobs.c.state))
            counts = {row[0]: int(row[1]) for row in rows}
        return {state: counts.get(state, 0) for state in STATES}

    def count_queued(self) -> int:
        """Return the number of queued jobs."""
        with self._read() as connection:
            return _count(connection, _QUEUED)

    def lease(self, worker: str) -> Lease | None:
        """Lease the oldest queued job; ``worker`` is a readable name."""
        with self._write() as connection:
            query = _first_queued().with_for_update(skip_locked=True)
            row = connection.execute(query).first()
            if row is None:
                return None
            attempt = row.attempt + 1
            connection.execute(update(jobs).where(jobs.c.id == row.id).values(
                state="running", attempt=attempt, beat=0, step="",
                worker=worker[:200], started=self._clock(),
            ))  # fmt: skip
            query = select(parts.c.name, parts.c.data).where(parts.c.job == row.id)
            data = {name: zlib.decompress(packed) for name, packed in connection.execute(query)}
            return Lease(row.id, attempt, JobRequest(row.url, json.loads(row.options), data))

    def heartbeat(self, leased: Mapping[str, tuple[int, str]]) -> set[str]:
        """Renew leases, given as attempt and step by job id; return the ids of lost ones.

        A lease is lost when its job was cancelled, deleted or leased again.
        """
        lost = set()
        with self._write() as connection:
            for job_id, (attempt, step) in leased.items():
                renewal = update(jobs).values(beat=jobs.c.beat + 1, step=step[:40])
                if connection.execute(_if_leased(renewal, job_id, attempt)).rowcount == 0:
                    lost.add(job_id)
        return lost

    def finish(self, lease: Lease, result: Mapping[str, Any]) -> bool:
        """Mark a job as done; return False if the lease was lost."""
        return self._end(lease, "done", result=_dump(result))

    def fail(self, lease: Lease, error: ErrorRecord) -> bool:
        """Mark a job as failed; return False if the lease was lost."""
        return self._end(lease, "failed", error=_dump(error.to_dict()))

    def _end(self, lease: Lease, state: State, **values: Any) -> bool:
        values |= {"state": state, "step": "", "finished": self._clock()}
        return self._execute(_if_leased(update(jobs).values(**values), lease.id, lease.attempt))

    def release(self, lease: Lease, fault: str = "", faults: int = CRASH_FAULTS) -> bool:
        """Requeue a job; a ``fault`` of its worker adds ``faults`` to those of the job."""
        return self._execute(_if_leased(self._requeue(fault, faults), lease.id, lease.attempt))

    def list_running(self) -> list[tuple[str, int, int]]:
        """Return id, attempt and heartbeat count of all leased jobs."""
        query = select(jobs.c.id, jobs.c.attempt, jobs.c.beat).where(jobs.c.state == "running")
        with self._read() as connection:
            return [(row.id, row.attempt, row.beat) for row in connection.execute(query)]

    def expire(self, job_id: str, attempt: int, beat: int) -> bool:
        """Requeue a job whose worker is lost, unless there was a heartbeat since ``beat``."""
        requeue = self._requeue("the process that worked on it was lost", KILL_FAULTS)
        return self._execute(_if_leased(requeue, job_id, attempt).where(jobs.c.beat == beat))

    def attempts(self) -> dict[str, tuple[State, int]]:
        """Return state and attempt of every job by id."""
        with self._read() as connection:
            rows = connection.execute(select(jobs.c.id, jobs.c.state, jobs.c.attempt))
            return {row.id: (row.state, row.attempt) for row in rows}

    def _requeue(self, fault: str, faults: int) -> Any:
        if not fault:
            return update(jobs).values(state="queued", step="")
        give_up = jobs.c.faults + faults >= MAX_FAULTS
        error = ErrorRecord(f"given up, having lost its worker too often: {fault}")
        return update(jobs).values(
            state=case((give_up, "failed"), else_="queued"),
            error=case((give_up, _dump(error.to_dict())), else_=jobs.c.error),
            finished=case((give_up, self._clock()), else_=None),
            faults=jobs.c.faults + faults,
            step="",
        )

    def cancel(self, job_id: str) -> bool:
        """Cancel a queued or running job; return False if there is none."""
        cancelled = update(jobs).values(state="cancelled", step="", finished=self._clock())
        unfinished = jobs.c.state.in_(("queued", "running"))
        return self._execute(cancelled.where(jobs.c.id == job_id, unfinished))

    def retry(self, job_id: str) -> bool:
        """Requeue a failed or cancelled job; return False if there is none."""
        requeued = update(jobs).values(
            state="queued", faults=0, error="{}", result="{}", finished=None, step=""
        )
        failed = jobs.c.state.in_(("failed", "cancelled"))
        return self._execute(requeued.where(jobs.c.id == job_id, failed))

    def revise(self, job_id: str, options: Mapping[str, Any], edit: bytes) -> bool:
        """Requeue a job that is done or failed, with an edit; return False if there is none."""
        requeued = update(jobs).values(
            state="queued", faults=0, error="{}", finished=None, step="", options=_dump(options)
        )
        with self._write() as connection:
            over = jobs.c.state.in_(("done", "failed"))
            if connection.execute(requeued.where(jobs.c.id == job_id, over)).rowcount != 1:
                return False
            connection.execute(delete(parts).where(_edit_of(job_id)))
            row = {"job": job_id, "name": EDIT_PART, "data": zlib.compress(edit, 1)}
            connection.execute(parts.insert(), [row])
        return True

    def get_edit(self, job_id: str) -> bytes | None:
        """Return the edit of a job, or None if it was not edited."""
        with self._read() as connection:
            data = connection.execute(select(parts.c.data).where(_edit_of(job_id))).scalar()
        return zlib.decompress(data) if data else None

    def delete(self, job_id: str) -> bool:
        """Delete a job in any state; return False if there is none."""
        return self._execute(delete(jobs).where(jobs.c.id == job_id))

    def delete_older_than(self, seconds: float) -> list[str]:
        """Delete jobs that finished at least ``seconds`` ago; return their ids.

        Jobs created later are kept even if a clock change made their finishing times old.
        """
        since = self._clock() - seconds
        old = jobs.c.state.in_(FINISHED) & (jobs.c.finished < since) & (jobs.c.created < since)
        with self._write() as connection:
            ids = list(connection.execute(select(jobs.c.id).where(old).limit(1000)).scalars())
            connection.execute(delete(jobs).where(jobs.c.id.in_(ids)))
        return ids

    def _execute(self, statement: Any) -> bool:
        """Execute a statement for one job; return whether it changed a row."""
        with self._write() as connection:
            return connection.execute(statement).rowcount == 1

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with self._write_lock, _db_errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with _db_errors(), read_only(self._engine) as connection:
            yield connection


def _db_errors() -> AbstractContextManager[None]:
    return translate_db_errors(
        "the job table cannot be used now",
        "Nothing that was accepted is lost; try again when it can be reached",
        passthrough=(IntegrityError,),  # handled in submit
    )


def _create_tables(engine: Engine) -> None:
    """Create the tables unless they exist; several processes may do so at once."""
    with engine.begin() as connection:
        advisory_lock(connection, _SCHEMA_LOCK)
        _metadata.create_all(connection)
        version = connection.execute(_about.select()).scalar()
        if version is None:
            connection.execute(_about.insert().values(version=VERSION))
    if version is not None and version != VERSION:
        raise JobsError(
            f"the job table is of version {version}, and this webprint works with {VERSION}",
            hint="Use the webprint that made it, or another --database",
        )


def _dump(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value))  # ASCII, which every database stores unchanged


def _by_id(job_id: str) -> Any:
    return select(*_JOB_COLUMNS).where(jobs.c.id == job_id)


def _first_queued() -> Any:
    return select(*_JOB_COLUMNS).where(_QUEUED).order_by(jobs.c.seq).limit(1)


def _edit_of(job_id: str) -> Any:
    return (parts.c.job == job_id) & (parts.c.name == EDIT_PART)


def _count(connection: Connection, condition: Any) -> int:
    return int(connection.execute(select(func.count()).where(condition)).scalar_one())


def _if_leased(statement: Any, job_id: str, attempt: int) -> Any:
    """Restrict a statement to a job that this attempt still leases."""
    running = jobs.c.state == "running"
    return statement.where(jobs.c.id == job_id, jobs.c.attempt == attempt, running)


def _job(row: Any) -> Job:
    error = json.loads(row.error)
    return Job(
        id=row.id, state=row.state, url=row.url, options=json.loads(row.options),
        attempt=row.attempt, faults=row.faults, step=row.step, result=json.loads(row.result),
        error=ErrorRecord.from_dict(error) if error else None,
        created=row.created, started=row.started, finished=row.finished,
    )  # fmt: skip
