"""Job workers and a Redis server as processes that may be killed."""

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from tests.support.processes import kill_tree, process_tree

ROOT = Path(__file__).parents[2]
MODULE = "tests.support.job_worker_process"


class RedisServer:
    """A Redis server; it stores nothing on disk."""

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


class WorkerProcess:
    """A supervisor of job workers as a process; ``kill`` is kill -9.

    With ``celery``, a broker's URL and "send" or "answer", it is the one end of Celery instead.
    """

    def __init__(self, database, storage, log, celery=(), **limits):
        self.log = log
        self.celery = bool(celery)
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", MODULE, database, storage, json.dumps(limits), *celery],
                stderr=errors,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )

    def workers(self):
        """Return the ids of the processes that print; Celery's own are their parents."""
        below = _children(self.process.pid)
        deeper = [child for pid in below for child in _children(pid)] if self.celery else []
        return deeper or below

    def kill(self):
        """Kill it, and what Celery leaves behind when it is killed."""
        below = process_tree(self.process.pid)[1:] if self.celery else []
        self.process.kill()
        self.process.wait()
        for pid in below:
            kill_tree(pid)

    def stop(self):
        self.process.terminate()
        return self.process.wait(15)

    def output(self):
        return self.log.read_text()


def _children(pid):
    pids = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            pids += map(int, (task / "children").read_text().split())
    return pids
