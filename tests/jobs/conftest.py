"""Job tables in real databases, and supervisors in processes of their own."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from printer.jobs.process import children, tree
from printer.jobs.queue import JobTable

KEEPER = Path(__file__).parent / "keeper.py"


def programs():
    """The folder of PostgreSQL's programs, None when it is not installed."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    return next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


@pytest.fixture(scope="session")
def postgres():
    """The address of a PostgreSQL server started for these tests."""
    where = programs()
    if where is None:
        pytest.skip("PostgreSQL is not installed")
    # It will not run as root, and other users may not see pytest's folders.
    folder = Path(tempfile.mkdtemp(prefix="webprint-test-"))
    as_other = {"user": "nobody"} if os.getuid() == 0 else {}
    if as_other:
        shutil.chown(folder, "nobody")
    data = folder / "data"
    run = {"cwd": "/", "stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT, **as_other}
    subprocess.run(
        [where / "initdb", "-D", data, "-A", "trust", "-U", "webprint", "-E", "UTF8", "--no-sync"],
        check=True,
        **run,
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [where / "postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", "", "-F"],
        **run,
    )
    import psycopg

    for _ in range(200):
        try:
            psycopg.connect(f"postgresql://webprint@127.0.0.1:{port}/postgres").close()
            break
        except psycopg.OperationalError:
            time.sleep(0.05)
    yield f"postgresql://webprint@127.0.0.1:{port}"
    server.send_signal(signal.SIGINT)
    server.wait(10)
    shutil.rmtree(folder)


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
    made = JobTable(database)
    yield made
    made.disconnect()


@pytest.fixture
def sqlite_table(tmp_path):
    """An empty job table in SQLite."""
    made = JobTable(str(tmp_path / "jobs.sqlite"))
    yield made
    made.disconnect()


class Redis:
    """A Redis server; it keeps nothing when it is killed."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self.start()

    def start(self):
        import redis

        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""],
            cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT,
        )  # fmt: skip
        with redis.Redis(port=self.port) as client:
            for _ in range(200):
                try:
                    client.ping()
                    return
                except redis.exceptions.ConnectionError:
                    time.sleep(0.05)

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def redis_server(tmp_path):
    """A Redis server started for a test."""
    pytest.importorskip("celery")
    if not shutil.which("redis-server"):
        pytest.skip("Redis is not installed")
    server = Redis(tmp_path)
    yield server
    server.kill()


class Keeper:
    """A supervisor as a process; ``kill`` is kill -9.

    One that is ``called`` is a Celery worker instead.
    """

    def __init__(self, database, storage, log, called=(), **limits):
        self.log = log
        self.called = bool(called)
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, KEEPER, database, storage, json.dumps(limits), *called],
                stderr=errors,
                env={**os.environ, "PYTHONPATH": str(KEEPER.parents[2])},
            )

    def workers(self):
        """The processes that print; those of Celery have them below once they were called."""
        below = list(children(self.process.pid))
        deeper = [each for one in below for each in children(one)] if self.called else []
        return deeper or below

    def kill(self):
        """Kill it, and what Celery leaves behind when it is killed."""
        below = tree(self.process.pid) if self.called else []
        self.process.kill()
        self.process.wait()
        for pid in below:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def stop(self):
        self.process.terminate()
        return self.process.wait(15)

    def said(self):
        return self.log.read_text()


@pytest.fixture
def keep(tmp_path):
    """Start a supervisor; what is still running at the end is killed."""
    started = []

    def start(database=str(tmp_path / "jobs.sqlite"), storage=str(tmp_path / "prints"), **limits):
        keeper = Keeper(database, storage, tmp_path / "log", **limits)
        started.append(keeper)
        return keeper

    yield start
    for keeper in started:
        if keeper.process.poll() is None:
            keeper.kill()


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
                senders.append(keep(database, called=(broker, "send"), **limits))
            return keep(database, called=(broker, "answer"), **limits)

    table = JobTable(database)
    # Celery takes seconds to start.
    yield Engine(table, workers, kills=(6, 4) if request.param == "sqlite" else (2, 1))
    table.disconnect()
