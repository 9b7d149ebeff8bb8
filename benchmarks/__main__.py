"""Measure everything: `python -m benchmarks [--quick] [--budget MINUTES] [NAME ...]`.

Writes results.json, RESULTS.md and plots beside this file, and the figures that README.md quotes.
With names, only those benchmarks are run, and the other results are kept.  `--quick` measures a
fixed sample and writes nothing.  It fails if, twice in a row, a figure is below its floor in
floors.toml, a ratio is more than twice the one in results.json, or a benchmark fails.  Benchmarks
skipped for lack of time, programs or pages, and goals not reached, are reported but are no failure.
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
from .regression_check import complaints, told
from .report import Results, quoted_in, report
from .runner import ROOT, Outcome, run_all
from .suite import SUITE, Benchmark

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
#: The budget, in minutes, from which nothing is left out.
WHOLE = 90


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks, write or compare the results, and return the exit code."""
    asked = _asked(arguments)
    effort = _effort(asked)
    names = asked.names or [each.name for each in SUITE if each.quick or not asked.quick]
    suite = [each for each in SUITE if each.name in names]
    began = time.monotonic()
    before = machine()
    outcomes = _run(suite, effort, asked.budget)
    recorded = json.loads(RESULTS.read_text()) if RESULTS.exists() else None
    if asked.quick:
        outcomes = _retried(outcomes, recorded, effort, asked.budget)
        for line in told(outcomes, recorded):
            print(line)
    else:
        write(asked.out, outcomes, effort, before, recorded if asked.names else None)
    print(f"{time.monotonic() - began:.0f} s in all")
    failures = list(complaints(outcomes, recorded if asked.quick else None))
    for failure in failures:
        print(failure)
    return int(bool(failures))


def _run(suite: Sequence[Benchmark], effort: Effort, minutes: float | None) -> list[Outcome]:
    ends = time.monotonic() + 60 * minutes if minutes else None
    return run_all(suite, effort, ends, lambda line: print(line, flush=True))


def _retried(
    outcomes: Sequence[Outcome], recorded: Results | None, effort: Effort, minutes: float | None
) -> list[Outcome]:
    """Repeat the benchmarks with complaints, in case the machine was busy."""
    wrong = [each.benchmark for each in outcomes if any(complaints([each], recorded))]
    if not wrong:
        return list(outcomes)
    for complaint in complaints(outcomes, recorded):
        print(f"to be measured again: {complaint}", flush=True)
    again = {each.benchmark.name: each for each in _run(wrong, effort, minutes)}
    return [again.get(each.benchmark.name, each) for each in outcomes]


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=(__doc__ or "").splitlines()[0]
    )
    known = [each.name for each in SUITE]
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    parser.add_argument("--quick", action="store_true", help="a fixed sample; writes nothing")
    parser.add_argument("--budget", type=float, help=f"minutes to keep to; {WHOLE} do for all")
    parser.add_argument("--step", type=int, help="read every so many-th page of the corpus")
    parser.add_argument("--choices", type=Path, default="", help="the choices out of fold, as"
                        " `benchmarks.train --report --save` left them")  # fmt: skip
    parser.add_argument("--out", type=Path, default=HERE, help="the folder to write to")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.names) - set(known):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    return asked


def _effort(asked: argparse.Namespace) -> Effort:
    short = bool(asked.budget) and asked.budget < WHOLE
    step = asked.step or (3 if short else 1)
    choices = str(asked.choices.resolve()) if asked.choices else ""
    return Effort(asked.quick, short, step, choices)


def drawn(
    results: Mapping[str, Any], folder: Path, kept: Mapping[str, Any] | None = None
) -> list[str]:
    """Draw the plots and return their names; without matplotlib those of ``kept`` stay."""
    try:
        from .plots import draw

        return draw(results, folder)
    except ImportError:
        print("matplotlib is not installed, so nothing was drawn: pip install --group bench")
        return list(kept["plots"]) if kept else []


def write(
    out: Path,
    outcomes: Sequence[Outcome],
    effort: Effort,
    machine: Mapping[str, str],
    kept: Mapping[str, Any] | None,
) -> None:
    """Write results.json, RESULTS.md, plots, and README.md's figures if it is beside them."""
    date = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"
    done = {"date": date, "short": effort.short or effort.step > 1}
    done["processor"] = machine.get("processor", "")
    found = {each.benchmark.name: each.to_dict() | done for each in outcomes}
    together = {**(kept["benchmarks"] if kept else {}), **found}
    results: dict[str, Any] = {
        "date": date,
        # Most figures of a run of some benchmarks are of the machine of an earlier one.
        "machine": dict(kept["machine"] if kept else machine),
        "versions": {**(kept["versions"] if kept else {}), **versions()},
        "benchmarks": {each.name: together[each.name] for each in SUITE if each.name in together},
    }
    out.mkdir(parents=True, exist_ok=True)
    results["plots"] = drawn(results, out / "plots", kept)
    (out / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    (out / "RESULTS.md").write_text(report(results))
    if out == HERE:
        readme = ROOT / "README.md"
        readme.write_text(quoted_in(readme.read_text(), results))
    print(f"written: {out / 'RESULTS.md'}")


if __name__ == "__main__":
    # Exit normally on SIGTERM, so that child processes are ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
