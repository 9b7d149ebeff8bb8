"""Break what is at work, again and again, and see whether anything is lost or done twice.

usage: python -m benchmarks.faults [--kills N] [--seed N] [--only NAME...]

Processes are killed (kill -9) at random moments, N times each: of a print server, including its
browsers; of a batch and its workers (both also on PostgreSQL); of a crawl; of a digest delivered
to a folder, by mail and to a webhook (see fault_kills.py).  Disks are full, folders are read-only,
a database is locked, clocks jump, PostgreSQL is killed and restarted, a mail server refuses and
hangs up, clients and sites never finish (see fault_conditions.py).  Everything accepted must be
delivered once and complete.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from . import fault_conditions, fault_kills
from .fault_tools import FaultOutcome
from .protocol import Effort, Row, Unavailable

SCENES: dict[str, Callable[[int, random.Random, Path], FaultOutcome]] = {
    "prints": fault_kills.prints,
    "batches": fault_kills.batches,
    "prints-postgresql": partial(fault_kills.on_postgresql, fault_kills.prints),
    "batches-postgresql": partial(fault_kills.on_postgresql, fault_kills.batches),
    "crawls": fault_kills.crawls,
    "digests": fault_kills.digests,
    "disks": fault_conditions.full_disks,
    "folders": fault_conditions.read_only,
    "locked": fault_conditions.locked,
    "clocks": fault_conditions.clocks,
    "postgresql": fault_conditions.postgresql,
    "mail": fault_conditions.refusing,
    "peers": fault_conditions.slow_peers,
    "sites": fault_conditions.slow_sites,
}


def broken(
    kills: int, seed: int = 1, only: tuple[str, ...] = ()
) -> Iterator[tuple[str, FaultOutcome | str]]:
    """Yield the result of each fault, or what it lacks to run; a seed repeats the moments."""
    for name in only or tuple(SCENES):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_DATA_HOME"] = os.environ["XDG_CACHE_HOME"] = folder
            try:
                yield name, SCENES[name](kills, random.Random(f"{seed} {name}"), Path(folder))
            except Unavailable as error:
                yield name, str(error)


def rows(effort: Effort) -> Iterator[Row]:
    """Measure for the runner."""
    for name, came in broken(effort.of(100, 25, 2)):
        if isinstance(came, str):
            yield Row(f"faults: {name}", "lost", note=came)
            continue
        told = f"{came.fault}, {came.times} times" + (f" ({came.remark})" if came.remark else "")
        yield Row(told, "lost", came.lost, n=came.accepted, goal="≤ 0")
        if came.unsure:
            yield Row(told, "in doubt, told, and not sent again", came.unsure, n=came.accepted)
        yield Row(told, "done twice", came.twice, n=came.accepted, goal="≤ 0")
        yield Row(told, "left half-written", came.half, n=came.accepted, goal="≤ 0")


def main() -> int:
    """Print the result of each fault; return 1 if any is not sound."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=list(SCENES), default=[])
    asked = parser.parse_args()
    found = []
    print("times  accepted  lost  twice  half   seconds  fault")
    for name, row in broken(asked.kills, asked.seed, tuple(asked.only)):
        if isinstance(row, str):
            print(f"{name}: {row}")
            continue
        found.append(row)
        print(
            f"{row.times:5}  {row.accepted:8}  {row.lost:4}  {row.twice:5}  {row.half:4}"
            f"  {row.seconds:8.1f}  {row.fault} ({row.remark})"
            + (f", {row.unsure} in doubt and told" if row.unsure else ""),
            flush=True,
        )
    return 0 if all(row.sound for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
