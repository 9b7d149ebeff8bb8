"""The job table: what was asked for, who works on it, and what came of it."""

from __future__ import annotations

import json
import secrets
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

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
    Row,
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
from ..errors import JobsError
from .models import EDIT_PART, FINISHED, STATES, Job, JobRequest, Lease, State

MAX_BATCH = 50  # Asked for in one transaction.

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


@dataclass(slots=True, eq=False)
class Pending(Generic[Asked, Answer]):
    """What one thread asks for, and what came of it: ``answer`` or ``error``."""

    request: Asked
    result: Answer | None = None
    error: Exception | None = None
    done: bool = False
    event: threading.Event = field(default_factory=threading.Event)


class GroupCommit(Generic[Asked, Answer]):
    """Gathers wishes; ``write`` fulfils many, setting each one's answer or error.

    When ``write`` itself raises, none of them came true and all are told so.
    """

    def __init__(self, write: Callable[[Sequence[Pending[Asked, Answer]]], None]) -> None:
        self._write = write
        self._waiting: deque[Pending[Asked, Answer]] = deque()
        self._guard = threading.Lock()
        self._writing = False

    def submit(self, asked: Asked) -> Answer:
        """Ask for something; returns when it is written, or raises why it is not."""
        wish: Pending[Asked, Answer] = Pending(asked)
        with self._guard:
            self._waiting.append(wish)
            follows, self._writing = self._writing, True
        if follows:
            wish.event.wait()
        if not wish.done:
            self._fulfil()
        if wish.error is not None:
            raise wish.error
        return wish.result  # type: ignore[return-value]

    def _fulfil(self) -> None:
        """Write what gathered, our own wish first, and call whoever comes next to do the same."""
        with self._guard:
            wishes = [self._waiting.popleft() for _ in range(min(MAX_BATCH, len(self._waiting)))]
        try:
            self._write(wishes)
        except Exception as error:  # noqa: BLE001 - raised again in the threads that asked
            for wish in wishes:
                wish.error = error
        finally:
            with self._guard:
                self._writing = bool(self._waiting)
                if self._waiting:
                    self._waiting[0].event.set()
            for wish in wishes:
                wish.done = True
                wish.event.set()


VERSION = 1

_LOCK = 0x77656270  # Of PostgreSQL's advisory locks, the one under which tables are made.

metadata = MetaData()

jobs = Table(
    "jobs",
    metadata,
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
    metadata,
    Column("job", String(40), ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

about = Table("about", metadata, Column("version", Integer, nullable=False))


def make_tables(engine: Engine) -> None:
    """Make the tables unless they are there; safe when several processes do it at once."""
    with engine.begin() as connection:
        advisory_lock(connection, _LOCK)
        metadata.create_all(connection)
        version = connection.execute(about.select()).scalar()
        if version is None:
            connection.execute(about.insert().values(version=VERSION))
    if version is not None and version != VERSION:
        raise JobsError(
            f"the job table is of version {version}, and this webprint works with {VERSION}",
            hint="Use the webprint that made it, or another --database",
        )


def dump(value: Any) -> str:
    """Write a value as it is kept in a column."""
    return json.dumps(value)  # In ASCII: no database has its own idea of a character of it.


#: How much is held against a job whose worker crashed or ran out of memory, and against one whose
#: worker was killed, as anybody may do, or lost with its machine; and at how much it is given up as
#: what ends them: after five of the first, twenty of the second.
CRASH_FAULTS, KILL_FAULTS, MAX_FAULTS = 4, 1, 20

#: Jobs that may wait at a time.
MAX_QUEUED = 10_000

_SHOWN = [c for c in jobs.c if c.name not in ("seq", "key", "digest", "beat", "worker")]


class KeyReused(JobsError):
    """An idempotency key came again with another request."""


class QueueFull(JobsError):
    """More jobs wait than the table takes."""


@dataclass(frozen=True, slots=True)
class _Order:
    """A request on its way into the table."""

    request: JobRequest
    key: str
    digest: str
    packed: Mapping[str, bytes]


class JobQueue:
    """Jobs in a database; to be shared by threads, not over a fork (see :meth:`disconnect`).

    ``clock`` tells the time of day for the columns that people read; for ``durable`` see
    :func:`~printer.db.engine.open_engine`.  Every method raises
    :class:`JobsError` when the database cannot be used; what was to be written is then not there,
    save that an answer lost on its way from a server leaves it unknown.
    """

    def __init__(
        self, database: str, *, durable: bool = True, clock: Callable[[], float] = time.time
    ) -> None:
        self._engine = open_engine(database, durable=durable)
        self._clock = clock
        # SQLite lets one write at a time and the others sleep and try again: threads of one process
        # had better stand in line.
        self._alone = self._engine.dialect.name == "sqlite"
        self._turn = threading.Lock() if self._alone else nullcontext()
        self._orders = GroupCommit(self._submit_all)
        with _told():
            make_tables(self._engine)

    def disconnect(self) -> None:
        """Close all connections; later calls open new ones."""
        self._engine.dispose()

    def submit(self, request: JobRequest, key: str = "") -> tuple[Job, bool]:
        """Accept a request; return its job, and whether that is new.

        A ``key`` that came before gives the job it made then; with another request it raises
        :class:`KeyReused`.  Raises :class:`QueueFull`.
        """
        packed = {name: zlib.compress(data, 1) for name, data in request.parts.items()}
        order = _Order(request, key, request.fingerprint, packed)
        for _ in range(2):
            try:
                return self._orders.submit(order)
            except IntegrityError:
                continue  # The same key was committed by another in this very moment.
        raise JobsError("the job was not accepted: its key is being used elsewhere")

    def _submit_all(self, wishes: Sequence[Pending[_Order, tuple[Job, bool]]]) -> None:
        """Accept several requests in one transaction; one that is refused costs itself alone."""
        waiting = select(func.count()).where(jobs.c.state == "queued")
        with self._write() as connection:
            room = MAX_QUEUED - connection.execute(waiting).scalar_one()
            for wish in wishes:
                try:
                    # Only a key can be taken meanwhile, and only where others can write too.
                    alone = self._alone or not wish.request.key
                    with nullcontext() if alone else connection.begin_nested():
                        wish.result = self._submit(connection, wish.request, room)
                    room -= wish.result[1]
                except (KeyReused, QueueFull, IntegrityError) as error:
                    wish.error = error

    def _submit(self, connection: Connection, order: _Order, room: int) -> tuple[Job, bool]:
        request, key, digest = order.request, order.key, order.digest
        if key:
            known = connection.execute(
                select(jobs.c.id, jobs.c.digest).where(jobs.c.key == key)
            ).first()
            if known is not None:
                if known.digest != digest:
                    raise KeyReused("this idempotency key was used for another request")
                return _job(connection.execute(_by_id(known.id)).one()), False
        if room <= 0:
            raise QueueFull(f"{MAX_QUEUED} jobs are waiting already")
        job, created = secrets.token_hex(10), self._clock()
        row = {
            "id": job,
            "key": key or None,
            "digest": digest,
            "state": "queued",
            "url": request.url,
            "options": dump(dict(request.options)),
            "created": created,
        }
        connection.execute(jobs.insert().values(**row))
        if order.packed:
            connection.execute(
                parts.insert(),
                [{"job": job, "name": name, "data": data} for name, data in order.packed.items()],
            )
        return Job(job, "queued", request.url, dict(request.options), created=created), True

    def get(self, job: str) -> Job | None:
        """Return a job."""
        with self._read() as connection:
            row = connection.execute(_by_id(job)).first()
        return _job(row) if row else None

    def get_many(self, ids: Sequence[str]) -> dict[str, Job]:
        """Return those jobs that there are, by their ids."""
        wanted = select(*_SHOWN).where(jobs.c.id.in_(ids))
        with self._read() as connection:
            return {row.id: _job(row) for row in connection.execute(wanted)} if ids else {}

    def list_recent(self, limit: int = 20, states: Sequence[State] = STATES) -> list[Job]:
        """Return the newest jobs, newest first."""
        wanted = select(*_SHOWN).where(jobs.c.state.in_(states))
        with self._read() as connection:
            rows = connection.execute(wanted.order_by(jobs.c.seq.desc()).limit(limit))
            return [_job(row) for row in rows]

    def next_queued(self) -> Job | None:
        """Return the job that is next to be worked on."""
        wanted = select(*_SHOWN).where(jobs.c.state == "queued").order_by(jobs.c.seq).limit(1)
        with self._read() as connection:
            row = connection.execute(wanted).first()
        return _job(row) if row else None

    def count_by_state(self) -> dict[State, int]:
        """Return how many jobs are in each state."""
        with self._read() as connection:
            rows = connection.execute(select(jobs.c.state, func.count()).group_by(jobs.c.state))
            found = {row[0]: int(row[1]) for row in rows}
        return {state: found.get(state, 0) for state in STATES}

    def count_queued(self) -> int:
        """Return how many jobs wait to be worked on."""
        wanted = select(func.count()).where(jobs.c.state == "queued")
        with self._read() as connection:
            return int(connection.execute(wanted).scalar_one())

    def lease(self, worker: str) -> Lease | None:
        """Take the oldest job that waits; ``worker`` is a name for people."""
        first = select(*_SHOWN).where(jobs.c.state == "queued").order_by(jobs.c.seq).limit(1)
        with self._write() as connection:
            row = connection.execute(first.with_for_update(skip_locked=True)).first()
            if row is None:
                return None
            attempt = row.attempt + 1
            connection.execute(
                update(jobs)
                .where(jobs.c.id == row.id)
                .values(
                    state="running", attempt=attempt, beat=0, step="",
                    worker=worker[:200], started=self._clock(),
                )
            )  # fmt: skip
            return Lease(row.id, attempt, _request(connection, row))

    def heartbeat(self, held: Mapping[str, tuple[int, str]]) -> set[str]:
        """Say that jobs are being worked on: attempt and step by id; return those no longer held.

        A job is lost to its attempt when it was cancelled, removed or taken by another.
        """
        lost = set()
        with self._write() as connection:
            for job, (attempt, step) in held.items():
                moved = update(jobs).values(beat=jobs.c.beat + 1, step=step[:40])
                if connection.execute(_held(moved, job, attempt)).rowcount == 0:
                    lost.add(job)
        return lost

    def finish(self, claim: Lease, result: Mapping[str, Any]) -> bool:
        """Say that a job is done; False when it was no longer this attempt's to finish."""
        return self._end(claim, "done", result=dump(dict(result)))

    def fail(self, claim: Lease, error: Mapping[str, Any]) -> bool:
        """Say that a job cannot be done; False when it was no longer this attempt's."""
        return self._end(claim, "failed", error=dump(dict(error)))

    def _end(self, claim: Lease, state: State, **values: Any) -> bool:
        ended = update(jobs).values(state=state, step="", finished=self._clock(), **values)
        with self._write() as connection:
            return connection.execute(_held(ended, claim.id, claim.attempt)).rowcount == 1

    def release(self, claim: Lease, fault: str = "", blame: int = CRASH_FAULTS) -> bool:
        """Put a job back; with a ``fault`` (its worker died) so much is held against the job."""
        back = self._back(fault, blame)
        with self._write() as connection:
            return connection.execute(_held(back, claim.id, claim.attempt)).rowcount == 1

    def list_running(self) -> list[tuple[str, int, int]]:
        """Return id, attempt and beat of all jobs that somebody works on."""
        wanted = select(jobs.c.id, jobs.c.attempt, jobs.c.beat).where(jobs.c.state == "running")
        with self._read() as connection:
            return [(row.id, row.attempt, row.beat) for row in connection.execute(wanted)]

    def expire(self, job: str, attempt: int, beat: int) -> bool:
        """Put back a job whose worker is lost, unless it gave a sign of life since ``beat``."""
        back = self._back("the process that worked on it was lost", KILL_FAULTS)
        with self._write() as connection:
            done = connection.execute(_held(back, job, attempt).where(jobs.c.beat == beat))
            return done.rowcount == 1

    def attempts(self) -> dict[str, tuple[State, int]]:
        """Return state and attempt of every job by its id."""
        with self._read() as connection:
            rows = connection.execute(select(jobs.c.id, jobs.c.state, jobs.c.attempt))
            return {row.id: (row.state, row.attempt) for row in rows}

    def _back(self, fault: str, blame: int) -> Any:
        if not fault:
            return update(jobs).values(state="queued", step="")
        spent = jobs.c.faults + blame >= MAX_FAULTS
        error = {"message": f"given up, having lost its worker too often: {fault}", "code": 1}
        return update(jobs).values(
            state=case((spent, "failed"), else_="queued"),
            error=case((spent, dump(error)), else_=jobs.c.error),
            finished=case((spent, self._clock()), else_=None),
            faults=jobs.c.faults + blame,
            step="",
        )

    def cancel(self, job: str) -> bool:
        """Stop a job that is not over; False when there is none."""
        stopped = update(jobs).values(state="cancelled", step="", finished=self._clock())
        with self._write() as connection:
            done = connection.execute(
                stopped.where(jobs.c.id == job, jobs.c.state.in_(("queued", "running")))
            )
            return done.rowcount == 1

    def retry(self, job: str) -> bool:
        """Let a job that failed or was cancelled wait again; False when there is none."""
        again = update(jobs).values(
            state="queued", faults=0, error="{}", result="{}", finished=None, step=""
        )
        with self._write() as connection:
            done = connection.execute(
                again.where(jobs.c.id == job, jobs.c.state.in_(("failed", "cancelled")))
            )
            return done.rowcount == 1

    def revise(self, job: str, options: Mapping[str, Any], edit: bytes) -> bool:
        """Let a job that is over be worked on again, as edited; False when there is none."""
        again = update(jobs).values(
            state="queued", faults=0, error="{}", finished=None, step="",
            options=dump(dict(options)),
        )  # fmt: skip
        with self._write() as connection:
            over = jobs.c.state.in_(("done", "failed"))
            if connection.execute(again.where(jobs.c.id == job, over)).rowcount != 1:
                return False
            mine = (parts.c.job == job) & (parts.c.name == EDIT_PART)
            connection.execute(delete(parts).where(mine))
            row = {"job": job, "name": EDIT_PART, "data": zlib.compress(edit, 1)}
            connection.execute(parts.insert(), [row])
        return True

    def get_edit(self, job: str) -> bytes | None:
        """Return what was changed of a job, None when nothing was."""
        wanted = select(parts.c.data).where((parts.c.job == job) & (parts.c.name == EDIT_PART))
        with self._read() as connection:
            data = connection.execute(wanted).scalar()
        return zlib.decompress(data) if data else None

    def delete(self, job: str) -> bool:
        """Forget a job, whatever its state."""
        with self._write() as connection:
            return connection.execute(delete(jobs).where(jobs.c.id == job)).rowcount == 1

    def delete_older_than(self, seconds: float) -> list[str]:
        """Forget jobs that have been over for so long; return their ids.

        One that was asked for later than it ended, as a clock that was set says, is not old.
        """
        since = self._clock() - seconds
        old = jobs.c.state.in_(FINISHED) & (jobs.c.finished < since) & (jobs.c.created < since)
        with self._write() as connection:
            ids = list(connection.execute(select(jobs.c.id).where(old).limit(1000)).scalars())
            connection.execute(delete(jobs).where(jobs.c.id.in_(ids)))
        return ids

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with self._turn, _told(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with _told(), read_only(self._engine) as connection:
            yield connection


def _told() -> AbstractContextManager[None]:
    return translate_db_errors(
        "the job table cannot be used now",
        "Nothing that was accepted is lost; try again when it can be reached",
        passthrough=(IntegrityError,),  # Of two with one key the second is told by the table.
    )


def _by_id(job: str) -> Any:
    return select(*_SHOWN).where(jobs.c.id == job)


def _held(statement: Any, job: str, attempt: int) -> Any:
    """Let a statement touch a job only as long as this attempt holds it."""
    return statement.where(
        jobs.c.id == job, jobs.c.attempt == attempt, jobs.c.state == "running"
    )  # fmt: skip


def _job(row: Row[Any]) -> Job:
    return Job(
        id=row.id, state=row.state, url=row.url, options=json.loads(row.options),
        attempt=row.attempt, faults=row.faults, step=row.step,
        result=json.loads(row.result), error=json.loads(row.error),
        created=row.created, started=row.started, finished=row.finished,
    )  # fmt: skip


def _request(connection: Connection, row: Row[Any]) -> JobRequest:
    found = connection.execute(select(parts.c.name, parts.c.data).where(parts.c.job == row.id))
    data = {part.name: zlib.decompress(part.data) for part in found}
    return JobRequest(row.url, json.loads(row.options), data)
