"""Cause faults again and again, and count what is lost or done twice.

    python -m benchmarks.faults [--kills N] [--only NAME...]

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
from collections.abc import Callable, Iterable, Iterator
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


def rows(effort: Effort) -> Iterator[Row]:
    return _rows(effort.of(100, 25, 2), SCENES)


def _rows(kills: int, names: Iterable[str]) -> Iterator[Row]:
    """Yield the result of each fault, or why it cannot be caused here."""
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_DATA_HOME"] = os.environ["XDG_CACHE_HOME"] = folder
            try:
                outcome = SCENES[name](kills, random.Random(f"1 {name}"), Path(folder))
            except Unavailable as error:
                yield Row(f"faults: {name}", "lost", note=str(error))
                continue
        subject = f"{outcome.fault}, {outcome.times} times" + (
            f" ({outcome.remark})" if outcome.remark else ""
        )
        yield Row(subject, "lost", outcome.lost, n=outcome.accepted, goal="≤ 0")
        if outcome.unsure:
            yield Row(
                subject, "in doubt, told, and not sent again", outcome.unsure, n=outcome.accepted
            )
        yield Row(subject, "done twice", outcome.twice, n=outcome.accepted, goal="≤ 0")
        yield Row(subject, "left half-written", outcome.half, n=outcome.accepted, goal="≤ 0")


def main() -> int:
    """Print the results; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--only", nargs="*", choices=list(SCENES), default=list(SCENES))
    options = parser.parse_args()
    missed = False
    for row in _rows(options.kills, options.only):
        print(row, flush=True)
        missed |= row.met is False
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
