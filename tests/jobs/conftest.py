"""Job queues in real databases, and engines in separate processes."""

import time
from contextlib import contextmanager
from functools import partial
from shutil import copyfile

import pytest

from printer.jobs.queue import JobQueue
from tests.support.job_workers import WorkerProcess
from tests.support.jobs import closing_queue
from tests.support.postgres import PostgresServer, find_programs


@pytest.fixture(scope="session")
def postgres():
    """The address of a PostgreSQL server started for these tests."""
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    with PostgresServer(programs) as server:
        yield server.url


@contextmanager
def new_database(server, template="template1"):
    """Create a database in a PostgreSQL server, as a copy of another, and drop it at the end."""
    import psycopg

    name = f"t{time.monotonic_ns()}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        yield f"{server}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def fresh_postgres(postgres):
    """The address of an empty database."""
    with new_database(postgres) as address:
        yield address


@pytest.fixture(scope="session")
def postgres_with_tables(postgres):
    """The name of a database with the tables of jobs, to be copied."""
    with new_database(postgres) as address:
        JobQueue(address).disconnect()
        yield address.rpartition("/")[2]


@pytest.fixture(scope="session")
def sqlite_with_tables(tmp_path_factory):
    """A database with the tables of jobs, to be copied."""
    file = tmp_path_factory.mktemp("tables") / "jobs.sqlite"
    JobQueue(str(file)).disconnect()
    assert not file.with_name("jobs.sqlite-wal").exists(), "all is in the file"
    return file


@pytest.fixture
def sqlite(sqlite_with_tables, tmp_path):
    """The address of an SQLite database without jobs."""
    return str(copyfile(sqlite_with_tables, tmp_path / "jobs.sqlite"))


@pytest.fixture
def postgresql(postgres, postgres_with_tables):
    """The address of a PostgreSQL database without jobs."""
    with new_database(postgres, postgres_with_tables) as address:
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request):
    """The address of a database without jobs, of each kind."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def queue(database):
    """An empty job queue, in each kind of database."""
    with closing_queue(JobQueue(database)) as opened:
        yield opened


@pytest.fixture
def sqlite_queue(sqlite):
    """An empty job queue in SQLite."""
    with closing_queue(JobQueue(sqlite)) as opened:
        yield opened


@pytest.fixture
def start_engine(tmp_path, warm):
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
    """A job queue, and ``start`` to start engines for it."""

    def __init__(self, queue, start, count):
        self.queue, self.start, self.count = queue, start, count


@pytest.fixture
def engine(database, queue, start_engine):
    """The jobs in each kind of database; only PostgreSQL has several engines."""
    return Engine(queue, partial(start_engine, database), count=2 if "://" in database else 1)
