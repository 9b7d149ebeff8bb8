"""Who holds what: the names of workers, and what those leave behind that are no more.

A worker that was killed cannot give back what it had taken.  One of this machine is seen to be
gone at once; of others nothing is known, and what they hold is free when its time is over.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, select, update

from .schema import addresses, hosts


def name() -> str:
    """Return this process's name, which no other process ever has."""
    return f"{_place()} {os.getpid()} {_born(os.getpid())}"


def _place() -> str:
    """Return what tells this machine, as long as it runs, and this space of processes."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:18]
    return f"{platform.node()[:60]} {boot} {os.stat('/proc/self/ns/pid').st_ino}"  # noqa: PTH116


def _born(pid: int) -> str:
    """Return when a process began, in the kernel's ticks, '' when it is no more."""
    try:
        state, *more = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "" if state in "ZX" else more[18]
    except (OSError, ValueError, IndexError):
        return ""


def is_gone(worker: str) -> bool:
    """Tell whether a worker is known to have ended."""
    place, pid, born = worker.rsplit(" ", 2) if worker.count(" ") >= 2 else ("", "", "")
    return place == _place() and pid.isdecimal() and _born(int(pid)) != born


def release(connection: Connection, now: float, delay: float) -> None:
    """Give back what workers have taken that are known to have ended."""
    held = select(addresses.c.worker).where(addresses.c.state == "taken").distinct()
    kept = select(hosts.c.holder).where(hosts.c.holder != "").distinct()
    workers = {*connection.execute(held).scalars(), *connection.execute(kept).scalars()}
    for worker in filter(is_gone, workers):
        give_back(connection, worker, now, delay)


def give_back(connection: Connection, worker: str, now: float, delay: float) -> None:
    """Let what a worker has taken wait again, and its hosts be asked after their pause."""
    mine = update(addresses).where(addresses.c.worker == worker, addresses.c.state == "taken")
    connection.execute(mine.values(state="waiting", worker="", until=0.0))
    _rest(connection, hosts.c.holder == worker, now, delay)


def free(connection: Connection, names: Iterable[str], now: float, delay: float) -> None:
    """Let hosts that were asked be asked again after their pause."""
    _rest(connection, hosts.c.name.in_(list(names)), now, delay)


def rest(connection: Connection, host: str, until: float) -> None:
    """Leave a host alone until a time."""
    which = (hosts.c.name == host) & (hosts.c.next_at < until)
    connection.execute(update(hosts).where(which).values(next_at=until))


def _rest(connection: Connection, which: Any, now: float, delay: float) -> None:
    connection.execute(update(hosts).where(which).values(next_at=now + pause(delay), holder=""))


def pause(delay: float) -> ColumnElement[float]:
    """Return the seconds that a host is left: ``delay``, or those it asks for where they are more.

    What it asks for stands in its row.
    """
    return case((hosts.c.delay > delay, hosts.c.delay), else_=delay)
