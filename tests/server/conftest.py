"""Print servers as processes of their own."""

import io
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from jobs_help import until
from PIL import Image
from stories import story
from strict import STRICT_BUT_PICTURES
from webserver import Reply, WebServer

ROOT = Path(__file__).parents[2]


class Server:
    """A running ``webprint serve``."""

    def __init__(self, home, *options):
        self.home = home
        self.log = home / "log"
        own = ("XDG_", "WEBPRINT_")  # What would change its settings.
        env = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        before = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", "from printer.cli import main; main()", "serve", *options],
                env={**env, "HOME": str(home), "PYTHONPATH": str(ROOT)},
                stderr=log,
                cwd=home,
            )
        try:
            self.url, self.token = until(lambda: self.where(before))
        except BaseException:
            self.end()
            raise
        self.port = int(self.url.rpartition(":")[2])
        self.url = f"http://127.0.0.1:{self.port}"
        self.client = httpx2.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {self.token}"}, timeout=60,
            trust_env=False,
        )  # fmt: skip

    def said(self):
        return self.log.read_text()

    def where(self, begin):
        """What it said since then of its address and its token."""
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended: {self.said()[begin:]}")
        found = re.findall(r"open (http://\S+)/\?token=(\S+)", self.said()[begin:])
        return found[-1] if found else None

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
        self.end()

    def end(self):
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


def png(side=400):
    """A picture with something to see in it."""
    made = io.BytesIO()
    noise = random.Random(side).randbytes(side * side * 3 // 100)
    small = Image.frombytes("RGB", (side // 10, side // 10), noise)
    small.resize((side, side), Image.Resampling.BICUBIC).save(made, "PNG")
    return made.getvalue()


@pytest.fixture(scope="module")
def members():
    """A site whose page and pictures are for those with a cookie; their address is private."""
    with WebServer("127.0.0.2") as web:

        def asks(reply):
            return lambda hit: (
                reply if "who=me" in hit.headers.get("cookie", "") else Reply("Log in", 403)
            )

        figures = "<figure><img src=/a.png><figcaption>The quay</figcaption></figure>"
        figures += (
            "<figure><img src=/b.png srcset='/b.png 400w, /wide.png 900w' sizes=400px></figure>"
        )
        page = story("For members", figures)
        web.add("/members", asks(Reply(page)))
        web.add("/strict", asks(Reply(page, headers=tuple(STRICT_BUT_PICTURES.items()))))
        for name, side in (("a", 400), ("b", 400), ("wide", 900)):
            web.add(f"/{name}.png", asks(Reply(png(side), media_type="image/png")))
        yield web
