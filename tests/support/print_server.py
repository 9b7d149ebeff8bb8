"""A print server in a separate process."""

import os
import re
import subprocess
import sys
from functools import cached_property
from pathlib import Path

import httpx2

from printer.processes import kill_tree
from printer.server.security import COOKIE
from tests.support.jobs import wait_until
from tests.support.processes import end_with_parent

ROOT = Path(__file__).parents[2]


class PrintServer:
    """A running ``webprint serve``: a program that is started, or a warm one."""

    def __init__(self, home, *options, warm=None):
        self.home = home
        self.log = home / "log"
        prefixes = ("XDG_", "WEBPRINT_")  # Variables that would change its settings.
        env = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
        before = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            context = {"env": {**env, "HOME": str(home), "PYTHONPATH": str(ROOT)}, "cwd": home}
            if warm is not None:
                self.process = warm.start(
                    "printer.cli:main", "serve", *options, stderr=log, **context
                )
            else:
                code = "from printer.cli import main; main()"
                self.process = subprocess.Popen(
                    [sys.executable, "-c", code, "serve", *options],
                    stderr=log, preexec_fn=end_with_parent, **context,
                )  # fmt: skip
        try:
            self.url, self.token = wait_until(lambda: self.find_url(before))
        except BaseException:
            self.stop()
            raise
        self.port = int(self.url.rpartition(":")[2])
        self.url = f"http://127.0.0.1:{self.port}"
        self.client = httpx2.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {self.token}"}, timeout=60,
            trust_env=False,
        )  # fmt: skip

    @cached_property
    def cookie(self):
        """The Cookie header of a signed-in browser."""
        with self.anonymous_client() as client:
            client.post("/enter", data={"token": self.token})
            return f"{COOKIE}={client.cookies[COOKIE]}"

    def log_text(self):
        return self.log.read_text()

    def find_url(self, start):
        """Return its address and token from what it has logged since then."""
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended: {self.log_text()[start:]}")
        matches = re.findall(r"open (http://\S+)/\?token=(\S+)", self.log_text()[start:])
        return matches[-1] if matches else None

    def anonymous_client(self, **headers):
        """Return a client without the token."""
        return httpx2.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False)

    def submit(self, **order):
        headers = {"Idempotency-Key": order.pop("key")} if "key" in order else {}
        return self.client.post("/api/prints", json=order, headers=headers)

    def wait_finished(self, print_id, seconds=180):
        def over():
            job = self.client.get(f"/api/prints/{print_id}").raise_for_status().json()
            return job if job["state"] in ("done", "failed", "cancelled") else None

        return wait_until(over, seconds)

    def close(self):
        self.client.close()
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                kill_tree(self.process.pid)
                self.process.wait()
