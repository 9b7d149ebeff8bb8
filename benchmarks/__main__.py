"""Measure everything: `python -m benchmarks [--quick] [--budget MINUTES] [NAME ...]`.

Writes results.json, RESULTS.md and plots beside this file, and the figures that README.md quotes.
With names, only those benchmarks are run, and the other results are kept; `times` are those that
run alone, `scores` all others.  `--quick` measures a fixed sample and writes nothing.  It fails if,
twice in a row, a figure is below its floor in floors.toml, a ratio is more than twice the one in
results.json, or a benchmark fails.  Benchmarks skipped for lack of time, programs or pages, and
goals not reached, are reported but are no failure.
"""

from __future__ import annotations

import argparse
import datetime
import json
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .machine import machine, versions
from .protocol import Effort
from .regression_check import comparison, complaints
from .report import Results, report, update_readme
from .runner import ROOT, Outcome, run_all
from .suite import SUITE, Benchmark

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
#: The smallest budget, in minutes, with which everything is measured.
FULL_BUDGET = 90


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks, write or compare the results, and return the exit code."""
    options = _parse(arguments)
    effort = _effort(options)
    suite = _select(options)
    start = time.monotonic()
    before = machine()
    outcomes = _run(suite, effort, options.budget)
    recorded = json.loads(RESULTS.read_text()) if RESULTS.exists() else None
    if options.quick:
        outcomes = _retried(outcomes, recorded, effort, options.budget)
        for line in comparison(outcomes, recorded):
            print(line)
    else:
        write(options.out, outcomes, effort, before, recorded if options.names else None)
    print(f"{time.monotonic() - start:.0f} s in all")
    failures = list(complaints(outcomes, recorded if options.quick else None))
    for failure in failures:
        print(failure)
    return int(bool(failures))


def _select(options: argparse.Namespace) -> list[Benchmark]:
    """Return the benchmarks to run; a name runs its benchmark even if that is not a quick one."""
    names = options.names or ["times", "scores"]
    return [
        benchmark
        for benchmark in SUITE
        if benchmark.name in names
        or (_group(benchmark) in names and (benchmark.quick or not options.quick))
    ]


def _group(benchmark: Benchmark) -> str:
    return "times" if benchmark.alone else "scores"


def _run(suite: Sequence[Benchmark], effort: Effort, minutes: float | None) -> list[Outcome]:
    deadline = time.monotonic() + 60 * minutes if minutes else None
    return run_all(suite, effort, deadline, lambda line: print(line, flush=True))


def _retried(
    outcomes: Sequence[Outcome], recorded: Results | None, effort: Effort, minutes: float | None
) -> list[Outcome]:
    """Repeat the benchmarks with complaints, in case the machine was busy."""
    repeated = [outcome.benchmark for outcome in outcomes if any(complaints([outcome], recorded))]
    if not repeated:
        return list(outcomes)
    for complaint in complaints(outcomes, recorded):
        print(f"measuring again: {complaint}", flush=True)
    outcomes_by_name = {
        outcome.benchmark.name: outcome for outcome in _run(repeated, effort, minutes)
    }
    return [outcomes_by_name.get(outcome.benchmark.name, outcome) for outcome in outcomes]


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=(__doc__ or "").splitlines()[0]
    )
    choices = ["times", "scores", *(benchmark.name for benchmark in SUITE)]
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(choices))
    parser.add_argument(
        "--quick", action="store_true", help="measure a fixed sample, write nothing"
    )
    parser.add_argument(
        "--budget", type=float, help=f"time limit in minutes; {FULL_BUDGET} run everything"
    )
    parser.add_argument("--step", type=int, metavar="N", help="read one page of the corpus in N")
    parser.add_argument("--choices", type=Path, help="the out-of-fold choices saved"
                        " by `benchmarks.train --report --save`")  # fmt: skip
    parser.add_argument("--out", type=Path, default=HERE, help="the folder to write to")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(choices):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    return options


def _effort(options: argparse.Namespace) -> Effort:
    short = bool(options.budget) and options.budget < FULL_BUDGET
    step = options.step or (3 if short else 1)
    choices = str(options.choices.resolve()) if options.choices else ""
    return Effort(options.quick, short, step, choices)


def draw_plots(
    results: Mapping[str, Any], folder: Path, previous: Mapping[str, Any] | None = None
) -> list[str]:
    """Draw the plots and return their names; without matplotlib return the ``previous`` ones."""
    try:
        from .plots import draw

        return draw(results, folder)
    except ImportError:
        print("matplotlib is not installed, so nothing was drawn: pip install --group bench")
        return list(previous["plots"]) if previous else []


def write(
    out: Path,
    outcomes: Sequence[Outcome],
    effort: Effort,
    machine: Mapping[str, str],
    previous: Mapping[str, Any] | None,
) -> None:
    """Write results.json, RESULTS.md, plots, and README.md's figures if it is beside them."""
    date = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"
    measured = {"date": date, "short": effort.short or effort.step > 1}
    measured["processor"] = machine.get("processor", "")
    outcomes_by_name = {
        outcome.benchmark.name: outcome.to_dict() | measured for outcome in outcomes
    }
    merged = {**(previous["benchmarks"] if previous else {}), **outcomes_by_name}
    results: dict[str, Any] = {
        "date": date,
        # Most figures of a run of some benchmarks are of the machine of an earlier one.
        "machine": dict(previous["machine"] if previous else machine),
        "versions": {**(previous["versions"] if previous else {}), **versions()},
        "benchmarks": {
            benchmark.name: merged[benchmark.name]
            for benchmark in SUITE
            if benchmark.name in merged
        },
    }
    out.mkdir(parents=True, exist_ok=True)
    results["plots"] = draw_plots(results, out / "plots", previous)
    (out / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    (out / "RESULTS.md").write_text(report(results))
    if out == HERE:
        readme = ROOT / "README.md"
        readme.write_text(update_readme(readme.read_text(), results))
    print(f"written: {out / 'RESULTS.md'}")


if __name__ == "__main__":
    # Exit normally on SIGTERM, so that child processes are ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
