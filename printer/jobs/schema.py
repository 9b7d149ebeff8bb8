"""The tables, and how a database is opened: SQLite with a write-ahead log, or PostgreSQL."""

from __future__ import annotations

import json
from pathlib import Path
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
    create_engine,
    event,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError

from ..errors import JobsError, UsageError
from ..sqlite import write_ahead

#: Seconds a statement waits for others that hold the database.
PATIENCE = 5.0

VERSION = 1

#: The execution option of connections that only read.
READING = "reading"

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


def open_engine(database: str, *, durable: bool = True) -> Engine:
    """Open a database, by URL or as the path of an SQLite file.

    What is written to SQLite waits for the disk when it is ``durable``; else it is lost when power
    is, though not with the process, and what others write durably afterwards takes it along.

    Raises :class:`UsageError` for a URL that cannot be read or names another kind of database.
    """
    try:
        url = make_url(database) if "://" in database else URL.create("sqlite", database=database)
    except (SQLAlchemyError, ValueError) as error:
        raise UsageError("--database is not the address of a database") from error
    if url.get_backend_name() == "postgresql":
        timeout = f"-c lock_timeout={int(PATIENCE * 1000)}"
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            connect_args={"connect_timeout": int(PATIENCE), "options": timeout},
        )
    if url.get_backend_name() != "sqlite" or not url.database:
        raise UsageError("--database takes the path of an SQLite file or a postgresql:// address")
    return _sqlite(url, "FULL" if durable else "NORMAL")


def _sqlite(url: URL, synchronous: str) -> Engine:
    path = Path(str(url.database))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise JobsError(f"the folder {path.parent} cannot be made: {error.strerror}") from error
    engine = create_engine(url, connect_args={"timeout": PATIENCE, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        # SQLAlchemy begins transactions itself, below; the driver's own way begins them late.
        connection.isolation_level = None
        write_ahead(connection, PATIENCE)
        for setting in (f"synchronous = {synchronous}", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {setting}").close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A transaction that reads first and writes then would fail if another wrote in between.
        reading = connection.get_execution_options().get(READING)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine


def make_tables(engine: Engine) -> None:
    """Make the tables unless they are there; safe when several processes do it at once."""
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
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
