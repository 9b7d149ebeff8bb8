"""The addresses of a list and how far each has come, in a database beside the files."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
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

from ..crawl import url_key
from ..crawl.scope import netloc_of
from ..db.engine import open_engine, translate_db_errors
from ..errors import BadURL, UsageError
from ..urls import normalize_url

State = Literal["waiting", "sent", "done", "failed"]

#: Bytes of a list, and characters of a line, that are read.
MOST_LIST, _LONGEST_LINE = 100_000_000, 8_000
#: Hosts that are passed over in one look; those beyond them are found unready one by one.
_MOST_HOSTS = 5_000

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
    """An address of the list: where it stands in it, and what came of it.

    ``name`` is the file it was printed to ('' until it is known), ``told`` what the print is like,
    ``error`` why there is none.
    """

    seq: int
    line: int
    url: str
    state: State
    job: str
    tries: int
    name: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] = field(default_factory=dict)


def read_list(data: bytes) -> list[tuple[int, str]]:
    """Return the addresses of a list and their line numbers; blank lines and # comments are none.

    Raises :class:`UsageError` for a list that is too long.
    """
    if len(data) > MOST_LIST:
        raise UsageError(f"the list is longer than {MOST_LIST // 1_000_000} MB")
    lines = data.decode("utf-8-sig", "replace").splitlines()
    numbered = ((number, line.strip()[:_LONGEST_LINE]) for number, line in enumerate(lines, 1))
    return [(number, line) for number, line in numbered if line and not line.startswith("#")]


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

    def import_list(self, listed: Iterable[tuple[int, str]], folder: Path, *, again: bool) -> int:
        """Take in a list; return how many of its addresses stand in it more than once.

        What was done stays done as long as its file is there; what failed is tried ``again``, or
        stays failed.  What the list no longer names is left out.
        """
        entries: dict[str, tuple[int, str, str, Mapping[str, Any]]] = {}
        count = 0
        for line, url in listed:
            count += 1
            try:
                whole = normalize_url(url)
                entries.setdefault(url_key(whole), (line, url, netloc_of(whole), {}))
            except BadURL as fault:
                key = "bad " + hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()
                entries.setdefault(key, (line, url, "", _error(fault)))
        with self._write() as connection:
            connection.execute(update(_items).values(line=0))
            known = {row.mark: row for row in connection.execute(select(_items))}
            for key, (line, url, host, error) in entries.items():
                if (row := known.get(key)) is None:
                    state = "failed" if error else "waiting"
                    connection.execute(_items.insert().values(
                        mark=key, line=line, url=url, host=host, state=state,
                        error=json.dumps(error),
                    ))  # fmt: skip
                    continue
                values: dict[str, Any] = {"line": line}
                lost = row.state == "done" and not (folder / row.name).exists()
                if lost or (row.state == "failed" and again and row.host):
                    values |= {"state": "waiting", "tries": 0, "due": 0.0, "error": "{}"}
                connection.execute(update(_items).where(_items.c.seq == row.seq).values(**values))
        return count - len(entries)

    def items(self, *states: State) -> Iterator[BatchItem]:
        """Yield the items of the list in its order, those in some states or all."""
        wanted = select(_items).where(_items.c.line > 0).order_by(_items.c.line)
        if states:
            wanted = wanted.where(_items.c.state.in_(states))
        with self._write() as connection:
            rows = connection.execute(wanted).all()
        yield from map(_item, rows)

    def due(self, limit: int, unready: Iterable[str]) -> list[BatchItem]:
        """Return items to be sent now, in the order of the list, none of an unready host."""
        wanted = (
            select(_items)
            .where(_items.c.line > 0, _items.c.state == "waiting", _items.c.due <= self._clock())
            .where(_items.c.host.not_in(sorted(unready)[:_MOST_HOSTS]))
            .order_by(_items.c.tries, _items.c.line)
            .limit(limit)
        )
        with self._write() as connection:
            return [_item(row) for row in connection.execute(wanted)]

    def next_due(self) -> float | None:
        """Return the seconds until an item that waits may be sent, None when none waits."""
        soonest = select(func.min(_items.c.due)).where(
            _items.c.line > 0, _items.c.state == "waiting"
        )
        with self._write() as connection:
            due = connection.execute(soonest).scalar()
        return None if due is None else max(0.0, float(due) - self._clock())

    def mark_submitted(self, item: BatchItem, job: str) -> None:
        """Note under which job an item is printed."""
        self._set(item, state="sent", job=job)

    def assign_name(self, item: BatchItem, wanted: str, folder: Path) -> str:
        """Return the file name of an item, chosen once: a name that no other item or file has."""
        if item.name:
            return item.name
        with self._write() as connection:
            number = 1
            while True:
                name = f"{wanted}.pdf" if number == 1 else f"{wanted} {number}.pdf"
                used = select(_items.c.seq).where(func.lower(_items.c.name) == name.lower())
                taken = connection.execute(used).first() or (folder / name).exists()
                if not taken:
                    break
                number += 1
            connection.execute(update(_items).where(_items.c.seq == item.seq).values(name=name))
        return name

    def mark_done(self, item: BatchItem, told: Mapping[str, Any]) -> None:
        """Note that an item's file is there."""
        self._set(item, state="done", told=json.dumps(dict(told)), error="{}")

    def mark_failed(self, item: BatchItem, error: Mapping[str, Any], rest: float | None) -> None:
        """Note that an item failed; it waits for ``rest`` seconds, or for good with None."""
        state, due = ("failed", 0.0) if rest is None else ("waiting", self._clock() + rest)
        tries = item.tries + 1
        self._set(item, state=state, due=due, tries=tries, error=json.dumps(dict(error)))

    def mark_waiting(self, item: BatchItem) -> None:
        """Let an item wait again whose job is not there any more."""
        self._set(item, state="waiting", job="")

    def _set(self, item: BatchItem, **values: Any) -> None:
        with self._write() as connection:
            connection.execute(update(_items).where(_items.c.seq == item.seq).values(**values))

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        told = translate_db_errors("the state of the list cannot be kept")
        with told, self._engine.begin() as connection:
            yield connection


def _item(row: Any) -> BatchItem:
    return BatchItem(
        row.seq, row.line, row.url, row.state, row.job, row.tries, row.name or "",
        json.loads(row.told), json.loads(row.error),
    )  # fmt: skip


def _error(error: BadURL) -> dict[str, Any]:
    return {
        "kind": type(error).__name__, "message": error.message, "hint": error.hint,
        "code": error.exit_code,
    }  # fmt: skip
