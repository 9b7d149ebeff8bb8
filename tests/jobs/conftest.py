"""Job tables in real databases, and supervisors in processes of their own."""

import shutil
import time

import pytest

from printer.jobs.queue import JobQueue
from tests.support.job_workers import RedisServer, WorkerProcess
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
    made = JobQueue(database)
    yield made
    made.disconnect()


@pytest.fixture
def sqlite_table(tmp_path):
    """An empty job table in SQLite."""
    made = JobQueue(str(tmp_path / "jobs.sqlite"))
    yield made
    made.disconnect()


@pytest.fixture
def redis_server(tmp_path):
    """A Redis server started for a test."""
    pytest.importorskip("celery")
    if not shutil.which("redis-server"):
        pytest.skip("Redis is not installed")
    server = RedisServer(tmp_path)
    yield server
    server.kill()


@pytest.fixture
def keep(tmp_path):
    """Start a supervisor; what is still running at the end is killed."""
    started = []

    def start(database=str(tmp_path / "jobs.sqlite"), storage=str(tmp_path / "prints"), **limits):
        worker = WorkerProcess(database, storage, tmp_path / "log", **limits)
        started.append(worker)
        return worker

    yield start
    for worker in started:
        if worker.process.poll() is None:
            worker.kill()


class Engine:
    """A job table, and ``keep`` to start workers for it: embedded, or called by Celery."""

    def __init__(self, table, keep, kills):
        self.table, self.keep, self.kills = table, keep, kills


@pytest.fixture(params=["sqlite", "postgresql and celery"])
def engine(request, tmp_path, keep):
    """Each of the two ways in which prints are made."""
    if request.param == "sqlite":
        database, workers = str(tmp_path / "jobs.sqlite"), keep
    else:
        broker = request.getfixturevalue("redis_server").url
        database = request.getfixturevalue("fresh_postgres")
        senders = []

        def workers(**limits):
            if not senders:
                senders.append(keep(database, celery=(broker, "send"), **limits))
            return keep(database, celery=(broker, "answer"), **limits)

    table = JobQueue(database)
    # Celery takes seconds to start.
    yield Engine(table, workers, kills=(6, 4) if request.param == "sqlite" else (2, 1))
    table.disconnect()
