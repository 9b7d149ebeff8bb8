"""Tools for the fault benchmarks: processes to kill, servers, feeds, mailbox, inspection."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.support.jobs import closing_queue
from tests.support.postgres import PostgresServer, find_programs
from tests.support.web_server import Hit, Reply, WebServer

from .protocol import Unavailable

#: More jobs than any fault leaves.
MOST_JOBS = 100_000

ROOT = Path(__file__).resolve().parent.parent

#: The command line as an installed program would run it.
WEBPRINT = (sys.executable, "-c", "from printer.cli import main; main()")


@dataclass(frozen=True)
class FaultOutcome:
    """The result of one kind of fault: counts of items accepted, lost, repeated and half-written.

    ``unsure`` counts deliveries that did not arrive but are accounted for: their process was killed
    while sending, and the log says that they may have arrived.
    """

    fault: str
    times: int
    accepted: int
    lost: int
    twice: int
    half: int
    seconds: float
    remark: str = ""
    unsure: int = 0


def seconds_since(began: float) -> float:
    return round(time.monotonic() - began, 1)


def environment() -> dict[str, str]:
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}


def forked(act: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            act()
            os._exit(0)
        finally:
            os._exit(1)
    return pid


def over(home: Path, database: str = "") -> dict[str, str] | None:
    from printer.jobs.queue import KINDS, JobQueue

    files = (home / ".local/share/webprint/jobs.sqlite", home / "webprint/jobs.sqlite")
    for place in [database] if database else files:
        if database or Path(place).exists():
            with closing_queue(JobQueue(str(place))) as queue:
                jobs = queue.list_recent(MOST_JOBS, kinds=KINDS)
                states = {job.id: job.state for job in jobs}
            return None if {"queued", "running"} & set(states.values()) else states
    return None


def result(server: Any, print_id: str) -> bytes:
    return bytes(server.client.get(f"/api/prints/{print_id}/pdf").content)


def error(server: Any, print_id: str) -> str:
    details = server.client.get(f"/api/prints/{print_id}").json().get("error") or {}
    return str(details.get("message", details) if isinstance(details, dict) else details)


def is_pdf(data: bytes) -> bool:
    return data.startswith(b"%PDF") and data.rstrip().endswith(b"%%EOF")


def count_leftovers(folder: Path) -> int:
    """Count the temporary files that were left behind."""
    return sum(1 for path in folder.glob("*") if path.name.startswith(".") and path.is_file())


def feed(url: str, number: int, published: datetime) -> str:
    """Return a feed of one article, with invented words that no other article has."""
    dice = random.Random(number)
    words = ["".join(dice.choices("bdfklmnprst", k=2)) + dice.choice("aeiou") for _ in range(300)]
    text = "".join(f"<p>{' '.join(dice.choices(words, k=60)).capitalize()}.</p>" for _ in range(6))
    return (
        f"<rss version='2.0'><channel><title>F</title><item><title>{words[0]} {words[1]}</title>"
        f"<link>{url}/{number}</link><pubDate>{published:%a, %d %b %Y %H:%M:%S} +0000</pubDate>"
        f"<description><![CDATA[{text}]]></description></item></channel></rss>"
    )


class Refusing(Iterator[str]):
    """The responses of a mail server: some refusals for each issue, then '' to accept it."""

    KINDS = ("451", "554", "hang up", "hang up after", "busy")

    def __init__(self, dice: random.Random) -> None:
        self.done = 0
        self._dice, self._left = dice, 0

    def begin(self, most: int) -> None:
        """Start the next issue, to be refused from one to ``most`` times."""
        self._left = self._dice.randint(1, most)

    def __next__(self) -> str:
        if self._left == 0:
            return ""
        self._left -= 1
        self.done += 1
        return self._dice.choice(self.KINDS)


@contextmanager
def mailbox(record: Callable[[str], None], faults: Iterator[str] | None = None) -> Iterator[str]:
    """Run a mail server on loopback; ``taken`` gets the day from each subject."""
    from email import message_from_bytes

    from aiosmtpd.controller import Controller

    class Box:
        async def handle_MAIL(  # noqa: N802
            self, server: Any, _: Any, envelope: Any, address: str, __: Any
        ) -> str:
            self.fault = next(faults) if faults else ""
            if self.fault == "hang up":
                server.transport.close()
            envelope.mail_from = address
            return "250 OK"

        async def handle_DATA(self, server: Any, _: Any, envelope: Any) -> str:  # noqa: N802
            if self.fault in ("451", "554"):
                return f"{self.fault} no"
            record(str(message_from_bytes(envelope.content)["Subject"])[-10:])
            if self.fault == "hang up after":
                server.transport.close()
            return "250 taken"

        async def handle_QUIT(self, *_: Any) -> str:  # noqa: N802
            return "421 busy" if self.fault == "busy" else "221 bye"

    class Office(Controller):
        server: Any

        def _trigger_server(self) -> None:
            self.port = self.server.sockets[0].getsockname()[1]
            super()._trigger_server()

    controller = Office(Box(), hostname="127.0.0.1", port=0, data_size_limit=10**8)
    controller.start()
    try:
        yield f"smtp://127.0.0.1:{controller.port}"
    finally:
        controller.stop()


@contextmanager
def webhook(record: Callable[[str], None]) -> Iterator[str]:
    """Run a webhook on loopback; ``record`` gets the day of each digest."""

    def hear(hit: Hit) -> Reply:
        record(str(json.loads(hit.body)["date"])[:10])
        return Reply(status=204)

    with WebServer() as web:
        yield web.add("/", hear)


def postgres_server() -> PostgresServer:
    """Return a private PostgreSQL server to kill."""
    programs = find_programs()
    if programs is None:
        raise Unavailable("PostgreSQL is not installed")
    return PostgresServer(programs)
