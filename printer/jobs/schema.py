"""The tables of jobs."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import (
    Column,
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
)

from ..db.engine import advisory_lock
from ..errors import JobsError

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
