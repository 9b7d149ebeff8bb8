"""The items of a batch and their state, in an SQLite file beside the printed files."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    func,
    select,
    update,
)

from ..db.engine import open_engine, translate_db_errors
from ..errors import BadURL, ErrorRecord
from ..urls import normalize_url, origin_of, url_key

#: The folder for the state of a batch, inside its folder, and the file of its items.
STATE_FOLDER, STATE_FILE = ".webprint", "items.sqlite"

State = Literal["waiting", "sent", "done", "failed"]

#: The most hosts that a query excludes; others are checked one by one.
_MAX_EXCLUDED_HOSTS = 5_000

_metadata = MetaData()

_items = Table(
    "batch_items",
    _metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("mark", String(80), nullable=False, unique=True),
    Column("line", Integer, nullable=False),
    Column("url", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("state", String(10), nullable=False),
    Column("job", String(40), nullable=False, default=""),
    Column("tries", Integer, nullable=False, default=0),
    Column("due", Float, nullable=False, default=0.0),
    Column("name", Text, unique=True),
    Column("told", Text, nullable=False, default="{}"),
    Column("error", Text, nullable=False, default="{}"),
    Index("batch_items_next", "state", "tries", "line"),
)


@dataclass(frozen=True, slots=True)
class BatchItem:
    """An address of the list.

    ``job`` is the id of its current job, ``name`` the file it was printed to, or '' until it is
    known; ``result`` describes the print.
    """

    seq: int
    line: int
    url: str
    state: State
    job: str
    tries: int
    name: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    error: ErrorRecord | None = None


class BatchStore:
    """The items of one list, in an SQLite file that one process uses."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._engine = open_engine(str(path))
        self._clock = clock
        with self._write() as connection:
            _metadata.create_all(connection)

    def close(self) -> None:
        """Close the file."""
        self._engine.dispose()

    def import_list(
        self, lines: Iterable[tuple[int, str]], folder: Path, *, retry_failed: bool
    ) -> int:
        """Replace the list, given as line numbers and addresses; return the number of duplicates.

        Printed addresses stay done as long as their files exist.
        """
        entries: dict[str, tuple[int, str, str, ErrorRecord | None]] = {}
        count = 0
        for line, url in lines:
            count += 1
            try:
                normalized = normalize_url(url)
                entries.setdefault(
                    url_key(normalized), (line, url, origin_of(normalized).netloc, None)
                )
            except BadURL as invalid:
                key = "bad " + hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()
                entries.setdefault(key, (line, url, "", ErrorRecord.of(invalid)))
        with self._write() as connection:
            connection.execute(update(_items).values(line=0))
            known = {row.mark: row for row in connection.execute(select(_items))}
            for key, (line, url, host, error) in entries.items():
                if (row := known.get(key)) is None:
                    connection.execute(_items.insert().values(
                        mark=key, line=line, url=url, host=host,
                        state="failed" if error else "waiting", error=_dump_error(error),
                    ))  # fmt: skip
                    continue
                values: dict[str, Any] = {"line": line}
                missing = row.state == "done" and not (folder / row.name).exists()
                if missing or (row.state == "failed" and retry_failed and row.host):
                    values |= {"state": "waiting", "tries": 0, "due": 0.0, "error": "{}"}
                connection.execute(update(_items).where(_items.c.seq == row.seq).values(**values))
        return count - len(entries)

    def items(self, *states: State) -> Iterator[BatchItem]:
        """Yield the items in the order of the list, of all states or of some."""
        query = select(_items).where(_items.c.line > 0).order_by(_items.c.line)
        if states:
            query = query.where(_items.c.state.in_(states))
        with self._write() as connection:
            rows = connection.execute(query).all()
        yield from map(_item, rows)

    def get(self, seq: int) -> BatchItem:
        """Return an item in its present state."""
        with self._write() as connection:
            return _item(connection.execute(select(_items).where(_items.c.seq == seq)).one())

    def due(self, limit: int, excluded_hosts: Iterable[str]) -> list[BatchItem]:
        """Return items to submit now, in the order of the list."""
        query = (
            select(_items)
            .where(_items.c.line > 0, _items.c.state == "waiting", _items.c.due <= self._clock())
            .where(_items.c.host.not_in(sorted(excluded_hosts)[:_MAX_EXCLUDED_HOSTS]))
            .order_by(_items.c.tries, _items.c.line)
            .limit(limit)
        )
        with self._write() as connection:
            return [_item(row) for row in connection.execute(query)]

    def next_due(self) -> float | None:
        """Return the seconds until the next item may be submitted, or None if none is waiting."""
        query = select(func.min(_items.c.due)).where(_items.c.line > 0, _items.c.state == "waiting")
        with self._write() as connection:
            due = connection.execute(query).scalar()
        return None if due is None else max(0.0, float(due) - self._clock())

    def assign_name(self, item: BatchItem, stem: str, folder: Path) -> str:
        """Return the file name of an item, chosen once and unused."""
        if item.name:
            return item.name
        with self._write() as connection:
            number, name = 1, f"{stem}.pdf"
            while True:
                query = select(_items.c.seq).where(func.lower(_items.c.name) == name.lower())
                if not connection.execute(query).first() and not (folder / name).exists():
                    break
                number += 1
                name = f"{stem} {number}.pdf"
            connection.execute(update(_items).where(_items.c.seq == item.seq).values(name=name))
        return name

    def mark_submitted(self, item: BatchItem, job_id: str) -> None:
        """Record the job of an item."""
        self._update(item, state="sent", job=job_id)

    def mark_done(self, item: BatchItem, result: Mapping[str, Any]) -> None:
        """Record that an item's file was written."""
        self._update(item, state="done", told=json.dumps(dict(result)), error="{}")

    def mark_failed(self, item: BatchItem, error: ErrorRecord, delay: float | None) -> None:
        """Record a failure; the item is tried again after ``delay`` seconds, or never if None."""
        state, due = ("failed", 0.0) if delay is None else ("waiting", self._clock() + delay)
        self._update(item, state=state, due=due, tries=item.tries + 1, error=_dump_error(error))

    def mark_waiting(self, item: BatchItem) -> None:
        """Record that an item's job is gone."""
        self._update(item, state="waiting", job="")

    def _update(self, item: BatchItem, **values: Any) -> None:
        with self._write() as connection:
            connection.execute(update(_items).where(_items.c.seq == item.seq).values(**values))

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        errors = translate_db_errors("the state of the list cannot be stored")
        with errors, self._engine.begin() as connection:
            yield connection


def planned_items(
    folder: Path, lines: Iterable[tuple[int, str]], *, retry_failed: bool
) -> list[BatchItem]:
    """Return the items of a list as a run in a folder would find them, and change nothing."""
    path = folder / STATE_FOLDER / STATE_FILE
    with TemporaryDirectory() as temporary:
        copy = Path(temporary) / STATE_FILE
        errors = translate_db_errors("the state of the list cannot be read")
        if path.exists():
            connections = closing(sqlite3.connect(path)), closing(sqlite3.connect(copy))
            with errors, connections[0] as state, connections[1] as target:
                state.backup(target)
        with closing(BatchStore(copy)) as store:
            store.import_list(lines, folder, retry_failed=retry_failed)
            return list(store.items())


def _item(row: Any) -> BatchItem:
    error = json.loads(row.error)
    return BatchItem(
        row.seq, row.line, row.url, row.state, row.job, row.tries, row.name or "",
        json.loads(row.told), ErrorRecord.from_dict(error) if error else None,
    )  # fmt: skip


def _dump_error(error: ErrorRecord | None) -> str:
    return json.dumps(error.to_dict() if error else {})
