"""Job queues in real databases, and engines in separate processes."""

import time
from functools import partial

import pytest

from printer.jobs.queue import JobQueue
from tests.support.job_workers import WorkerProcess
from tests.support.postgres import PostgresServer, find_programs


@pytest.fixture(scope="session")
def postgres():
    """The address of a PostgreSQL server started for these tests."""
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    with PostgresServer(programs) as server:
        yield server.url


@pytest.fixture
def fresh_postgres(postgres):
    """The address of an empty database."""
    import psycopg

    name = f"t{time.monotonic_ns()}"
    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield f"{postgres}/{name}"
    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    """The address of an empty database, of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "jobs.sqlite")
    return request.getfixturevalue("fresh_postgres")


@pytest.fixture
def table(database):
    """An empty job table, in each kind of database."""
    queue = JobQueue(database)
    yield queue
    queue.disconnect()


@pytest.fixture
def sqlite_table(tmp_path):
    """An empty job table in SQLite."""
    queue = JobQueue(str(tmp_path / "jobs.sqlite"))
    yield queue
    queue.disconnect()


@pytest.fixture
def keep(tmp_path, warm):
    """Start an engine; what is still running at the end is killed."""
    started = []

    def start(database=str(tmp_path / "jobs.sqlite"), storage=str(tmp_path / "prints"), **limits):
        worker = WorkerProcess(warm, database, storage, tmp_path / "log", **limits)
        started.append(worker)
        return worker

    yield start
    for worker in started:
        if worker.process.poll() is None:
            worker.kill()


class Engine:
    """A job table, and ``keep`` to start engines for it."""

    def __init__(self, table, keep, count):
        self.table, self.keep, self.count = table, keep, count


@pytest.fixture
def engine(database, table, keep):
    """The jobs in each kind of database; only PostgreSQL has several engines."""
    return Engine(table, partial(keep, database), count=2 if "://" in database else 1)
