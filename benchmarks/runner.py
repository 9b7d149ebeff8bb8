"""Run benchmarks, each in a new process with a time limit.

The process is `python -m benchmarks.runner MODULE EFFORT FILE`.  It writes rows to FILE, one line
of JSON each, as soon as they are measured, so that they survive a later failure or stop.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from printer.processes import process_tree

from .protocol import Effort, Row, Unavailable
from .suite import Benchmark

ROOT = Path(__file__).resolve().parents[1]
#: The time limit of a benchmark, as a multiple of its usual duration: alone, and beside others.
PATIENCE, SHARED_PATIENCE = 3, 6
#: The seconds of budget that must be left to start a benchmark, and the seconds it has to exit.
_WORTH, _GRACE = 20, 10


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a benchmark; ``trouble`` says what is missing and why."""

    benchmark: Benchmark
    rows: tuple[Row, ...] = ()
    seconds: float = 0.0
    trouble: str = ""
    failed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain data, for JSON."""
        return {
            "title": self.benchmark.title,
            "wide": self.benchmark.wide,
            "seconds": round(self.seconds, 1),
            "trouble": self.trouble,
            "failed": self.failed,
            "rows": [row.to_dict() for row in self.rows],
        }


def run_all(
    suite: Iterable[Benchmark],
    effort: Effort,
    deadline: float | None = None,
    report: Callable[[str], None] = print,
) -> list[Outcome]:
    """Run the benchmarks marked ``alone`` one after another, then the others two at a time.

    At ``deadline`` (of the monotonic clock) those running are stopped, and no more started.
    """
    benchmarks = list(suite)
    with tempfile.TemporaryDirectory(prefix="webprint-bench-") as folder:

        def run_one(benchmark: Benchmark) -> Outcome:
            outcome = run(benchmark, effort, Path(folder), deadline)
            word = outcome.trouble or f"{len(outcome.rows)} figures"
            report(f"{outcome.seconds:6.0f} s  {benchmark.name}: {word}")
            return outcome

        outcomes = {
            benchmark.name: run_one(benchmark) for benchmark in benchmarks if benchmark.alone
        }
        # Start with the longest, so that both processors finish at about the same time.
        shared = sorted(
            (benchmark for benchmark in benchmarks if not benchmark.alone),
            key=lambda benchmark: -benchmark.seconds,
        )
        with ThreadPoolExecutor(min(2, len(os.sched_getaffinity(0)))) as pool:
            outcomes |= {outcome.benchmark.name: outcome for outcome in pool.map(run_one, shared)}
    return [outcomes[benchmark.name] for benchmark in benchmarks]


def run(
    benchmark: Benchmark, effort: Effort, folder: Path, deadline: float | None = None
) -> Outcome:
    """Run one benchmark in a new process."""
    patience = PATIENCE if benchmark.alone else SHARED_PATIENCE
    limit = float(patience * benchmark.seconds)
    seconds_left = limit if deadline is None else deadline - time.monotonic()
    if deadline is not None and seconds_left < _WORTH:
        return Outcome(benchmark, trouble="not started: the time budget was used up")
    rows_file, log = folder / f"{benchmark.name}.jsonl", folder / f"{benchmark.name}.log"
    rows_file.touch()
    module = benchmark.name if "." in benchmark.name else f"benchmarks.{benchmark.name}"
    command = [
        sys.executable,
        "-m",
        "benchmarks.runner",
        module,
        json.dumps(asdict(effort)),
        str(rows_file),
    ]
    start = time.monotonic()
    with log.open("wb") as output, subprocess.Popen(
        command, cwd=ROOT, env=_environment(folder), stdin=subprocess.DEVNULL, stdout=output,
        stderr=subprocess.STDOUT, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            process.wait(min(limit, seconds_left))
            stopped = False
        except subprocess.TimeoutExpired:
            stopped = True
        finally:
            _end(process)
    seconds = time.monotonic() - start
    rows, trouble, failed = _read(rows_file)
    if stopped and seconds_left < limit:
        trouble = f"stopped after {seconds:.0f} s: the time budget was used up"
    elif stopped:
        trouble, failed = f"stopped after {seconds:.0f} s", True
    elif process.returncode and not failed:
        trouble, failed = f"ended with code {process.returncode}", True
    if failed:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
        sys.stderr.write("\n".join([f"--- {benchmark.name}: {trouble}", *lines, ""]))
    return Outcome(benchmark, tuple(rows), seconds, trouble, failed)


def _environment(folder: Path) -> Mapping[str, str]:
    """Return an environment without the user's settings, caches or cookies."""
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith("WEBPRINT_")
    }
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    environment.setdefault("PLAYWRIGHT_BROWSERS_PATH", str(cache / "ms-playwright"))
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        environment[f"XDG_{name}_HOME"] = str(folder / name.lower())
    return environment


def _end(process: subprocess.Popen[bytes]) -> None:
    """Interrupt a process so that it can clean up, then kill what is left of its tree."""
    if process.poll() is not None:
        return
    started = process_tree(process.pid)
    process.send_signal(signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    for pid in {*started, *process_tree(process.pid)} if process.poll() is None else started[1:]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _read(file: Path) -> tuple[list[Row], str, bool]:
    rows, trouble, failed = [], "", False
    for entry in _lines(file):
        if "row" in entry:
            rows.append(Row(**entry["row"]))
        failed |= "failed" in entry
        trouble = entry.get("failed") or entry.get("missing") or trouble
    return rows, trouble, failed


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        with suppress(json.JSONDecodeError):  # A killed process may leave half a line.
            yield json.loads(line)


def measure(name: str, effort: str, rows_file: str) -> None:
    """Run a benchmark in this process, and write its rows."""
    options = Effort(**json.loads(effort))
    with Path(rows_file).open("a", encoding="utf-8") as file:

        def write_entry(**entry: Any) -> None:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
            file.flush()

        try:
            for row in importlib.import_module(name).rows(options):
                write_entry(row=row.to_dict())
        except Unavailable as missing:
            write_entry(missing=str(missing))
        except Exception as error:
            write_entry(failed=f"{type(error).__name__}: {error}")
            raise


if __name__ == "__main__":
    measure(*sys.argv[1:])
