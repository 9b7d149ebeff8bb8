"""What faults are made with: processes to kill, feeds, a mailbox, and a look at what is left."""

from __future__ import annotations

import importlib.util
import os
import random
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Came:
    """What came of one kind of fault: what was accepted, lost, done twice, left half-written."""

    fault: str
    times: int
    accepted: int
    lost: int
    twice: int
    half: int
    seconds: float
    remark: str = ""

    @property
    def sound(self) -> bool:
        """Whether nothing was lost, done twice or left half-written."""
        return not (self.lost or self.twice or self.half)


def since(began: float) -> float:
    return round(time.monotonic() - began, 1)


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"faults_{path.parent.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def environment() -> dict[str, str]:
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}


def killed(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def forked(act: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            act()
            os._exit(0)
        finally:
            os._exit(1)
    return pid


def over(home: Path) -> dict[str, str] | None:
    import sqlite3

    for place in (home / ".local/share/webprint/jobs.sqlite", home / "webprint/jobs.sqlite"):
        if place.exists():
            with closing(sqlite3.connect(place)) as connection:
                found = dict(connection.execute("SELECT id, state FROM jobs").fetchall())
            return None if {"queued", "running"} & set(found.values()) else found
    return None


def result(server: Any, print_id: str) -> bytes:
    return bytes(server.client.get(f"/api/prints/{print_id}/pdf").content)


def error(server: Any, print_id: str) -> str:
    told = server.client.get(f"/api/prints/{print_id}").json().get("error") or {}
    return str(told.get("message", told) if isinstance(told, dict) else told)


def is_pdf(data: bytes) -> bool:
    return data.startswith(b"%PDF") and data.rstrip().endswith(b"%%EOF")


def left(folder: Path) -> int:
    """Count the parts of files that nobody will finish."""
    return sum(1 for path in folder.glob("*") if path.name.startswith(".") and path.is_file())


def tables(text: str) -> dict[str, Any]:
    from printer import toml

    return toml.parse(text)


def feed(url: str, number: int, when: datetime) -> str:
    """Return a feed of one article, whose words are like those of no other."""
    dice = random.Random(number)
    words = ["".join(dice.choices("bdfklmnprst", k=2)) + dice.choice("aeiou") for _ in range(300)]
    text = "".join(f"<p>{' '.join(dice.choices(words, k=60)).capitalize()}.</p>" for _ in range(6))
    return (
        f"<rss version='2.0'><channel><title>F</title><item><title>{words[0]} {words[1]}</title>"
        f"<link>{url}/{number}</link><pubDate>{when:%a, %d %b %Y %H:%M:%S} +0000</pubDate>"
        f"<description><![CDATA[{text}]]></description></item></channel></rss>"
    )


@contextmanager
def mailbox(sent: Counter[str]) -> Iterator[str]:
    """Take mail at an address of loopback, counted by the day in its subject."""
    from email import message_from_bytes

    from aiosmtpd.controller import Controller

    class Box:
        async def handle_DATA(self, _: Any, __: Any, envelope: Any) -> str:  # noqa: N802
            sent[str(message_from_bytes(envelope.content)["Subject"])[-10:]] += 1
            return "250 taken"

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(Box(), "127.0.0.1", port, data_size_limit=10**8)
    controller.start()
    try:
        yield f"smtp://127.0.0.1:{port}"
    finally:
        controller.stop()
