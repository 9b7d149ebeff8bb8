"""Functions for worker processes: slow, large, greedy, dying."""

from __future__ import annotations

import os
import signal
import time

from printer import worker_process
from printer.errors import HTTPStatusError
from printer.worker_process import notify


def sleep(seconds: float = 20.0) -> None:
    """Sleep; as a preparation, start slowly."""
    time.sleep(seconds)


def send_half_an_answer() -> None:
    """Send only the beginning of a long frame."""
    child = worker_process._child
    assert child is not None
    child._channel._socket.sendall(worker_process._HEADER.pack(b"r", 1000) + b"begun")
    time.sleep(20)


def take_memory(size: int) -> int:
    """Allocate this many bytes."""
    return len(bytearray(size))


def die_once(marker: str) -> str:
    """Kill this process on the first call with a marker."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return "survived"
    os.kill(os.getpid(), signal.SIGKILL)
    return "not reached"


def raise_not_found() -> None:
    """Raise an error with an additional field."""
    raise HTTPStatusError("not found", status=404)


def raise_unpicklable() -> None:
    """Raise an exception that no other process can load."""

    class LocalError(Exception):
        pass

    raise LocalError("only here")


def count_to(last: int, pause: float = 0.0) -> int:
    """Send the numbers up to one as messages; return the last."""
    for number in range(1, last + 1):
        time.sleep(pause)
        notify(number)
    return last
