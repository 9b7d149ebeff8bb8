"""A private PostgreSQL server, which tests can kill and restart."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from printer.processes import kill_tree
from tests.support.processes import end_with_parent


def find_programs():
    """Return the folder of PostgreSQL's programs, or None if it is not installed."""
    initdb = shutil.which("initdb")
    if initdb:
        return Path(initdb).parent
    return next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


class PostgresServer:
    """A server in a new folder on a free port of loopback; ``url`` names no database."""

    def __init__(self, programs):
        # It refuses to run as root, and other users may not read pytest's folders.
        self._folder = Path(tempfile.mkdtemp(prefix="webprint-test-", dir="/tmp"))
        other_user = {"user": "nobody"} if os.getuid() == 0 else {}
        if other_user:
            shutil.chown(self._folder, "nobody")
        data = self._folder / "data"
        self._options = {
            "cwd": "/", "stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT,
            "preexec_fn": end_with_parent, **other_user,
        }  # fmt: skip
        initdb = [programs / "initdb", "-D", data, "-A", "trust", "-U", "webprint", "-E", "UTF8"]
        subprocess.run([*initdb, "--no-sync"], check=True, **self._options)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"postgresql://webprint@127.0.0.1:{port}"
        self._command = [programs / "postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port),
                         "-k", "", "-F"]  # fmt: skip
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(60)
        with suppress(OSError):
            shutil.rmtree(self._folder)

    def start(self):
        """Start the server and wait until it answers."""
        import psycopg

        self._process = subprocess.Popen(self._command, **self._options)
        for _ in range(1200):
            if self._process.poll() is not None:  # A killed server's shared memory is still in use.
                self._process = subprocess.Popen(self._command, **self._options)
            try:
                psycopg.connect(f"{self.url}/postgres").close()
                return
            except psycopg.OperationalError:
                time.sleep(0.05)
        raise RuntimeError("PostgreSQL does not start")

    def kill(self):
        """Kill all processes of the server, as a power cut would."""
        kill_tree(self._process.pid)
        self._process.wait()
