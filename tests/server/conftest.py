"""Print servers as processes of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from jobs_help import until

ROOT = Path(__file__).parents[2]


class Server:
    """A running ``webprint serve``."""

    def __init__(self, home, *options):
        self.home = home
        self.log = home / "log"
        env = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        before = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", "from printer.cli import main; main()", "serve", *options],
                env={**env, "HOME": str(home), "PYTHONPATH": str(ROOT)},
                stderr=log,
                cwd=home,
            )
        found = until(lambda: re.findall(r"open (http://\S+)/\?token=(\S+)", self.said()[before:]))
        self.url, self.token = found[-1]
        self.port = int(self.url.rpartition(":")[2])
        self.url = f"http://127.0.0.1:{self.port}"
        self.client = httpx2.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {self.token}"}, timeout=60,
            trust_env=False,
        )  # fmt: skip

    def said(self):
        return self.log.read_text()

    def bare(self, **headers):
        """A client that does not know the token."""
        return httpx2.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False)

    def order(self, **order):
        headers = {"Idempotency-Key": order.pop("key")} if "key" in order else {}
        return self.client.post("/api/prints", json=order, headers=headers)

    def finished(self, print_id, seconds=60):
        def over():
            job = self.client.get(f"/api/prints/{print_id}").raise_for_status().json()
            return job if job["state"] in ("done", "failed", "cancelled") else None

        return until(over, seconds)

    def close(self):
        self.client.close()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server shared by the tests of a file."""
    made = Server(tmp_path_factory.mktemp("server"), "--port", "0", "--render", "never")
    yield made
    made.close()


@pytest.fixture
def serve(tmp_path):
    """Start a server; those started in one test share a home."""
    started = []

    def start(*options):
        made = Server(tmp_path, "--port", "0", "--render", "never", *options)
        started.append(made)
        return made

    yield start
    for made in started:
        made.close()
