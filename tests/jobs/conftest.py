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
from pathlib import Path

import pytest

from printer.jobs.table import JobTable

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


class Keeper:
    """A supervisor as a process; ``kill`` is kill -9."""

    def __init__(self, database, storage, log, **limits):
        self.log = log
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, KEEPER, database, storage, json.dumps(limits)],
                stderr=errors,
                env={**os.environ, "PYTHONPATH": str(KEEPER.parents[2])},
            )

    def workers(self):
        from printer.jobs.process import children

        return list(children(self.process.pid))

    def kill(self):
        self.process.kill()
        self.process.wait()

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
