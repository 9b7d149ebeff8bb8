"""The runner of benchmarks: one process per benchmark, with a time limit and isolated failures."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks.protocol import Effort, Row
from benchmarks.regression_check import complaints
from benchmarks.report import report, rows_of
from benchmarks.runner import Outcome, run, run_all
from benchmarks.suite import Benchmark


def is_running(pid: object) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def fake(name: str, **more: object) -> Benchmark:
    return Benchmark(f"tests.bench.fakes.{name}", name, **{"seconds": 60, **more})


def test_rows_are_returned_as_yielded(tmp_path: Path) -> None:
    outcome = run(fake("complete"), Effort(short=True), tmp_path)
    assert (outcome.trouble, outcome.failed) == ("", False)
    assert outcome.rows == (
        Row("webprint", "pages lost", 0, goal="≤ 0"),
        Row("webprint", "time", 2.0, "s", n=7, ratio=0.4, goal="≤ 0.5"),
        Row("percollate", "time", note="not measured: not installed"),
    )
    assert [row.met for row in outcome.rows] == [True, True, None]


def test_a_failure_keeps_its_rows_and_stops_no_other(capsys) -> None:
    lines: list[str] = []
    suite = [fake("broken", alone=True), fake("missing"), fake("complete"), fake("gone")]
    broken, missing, complete, killed = run_all(suite, Effort(), report=lines.append)
    assert broken.failed
    assert broken.trouble == "RuntimeError: the meadow is under water"
    assert broken.rows == (Row("webprint", "time", 1.5, "s"),)
    assert (missing.failed, missing.rows) == (False, ())
    assert missing.trouble == "not measured: the corpus is not available"
    assert len(complete.rows) == 3
    assert (killed.failed, killed.trouble) == (True, "ended with code -9")
    assert len(lines) == 4
    assert "test_bench_runner" not in capsys.readouterr().err


def test_a_stuck_benchmark_is_stopped_with_its_child_processes(tmp_path: Path) -> None:
    outcome = run(fake("stuck", seconds=2, alone=True), Effort(), tmp_path)
    assert outcome.failed
    assert outcome.trouble.startswith("stopped after")
    until = time.monotonic() + 60
    while any(is_running(row.value) for row in outcome.rows):
        assert time.monotonic() < until, f"{outcome.rows} still runs"
        time.sleep(0.05)


def test_no_benchmark_starts_after_the_time_budget_is_used_up(tmp_path: Path) -> None:
    outcome = run(fake("complete"), Effort(), tmp_path, deadline=0.0)
    assert outcome.trouble == "not started: the time budget was used up"
    assert not outcome.rows


def test_a_benchmark_stopped_by_the_budget_has_not_failed(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("benchmarks.runner._WORTH", 0)
    outcome = run(fake("stuck"), Effort(), tmp_path, deadline=time.monotonic() + 3)
    assert not outcome.failed
    assert outcome.trouble.endswith("the time budget was used up")


def test_bad_figures_are_measured_again(monkeypatch, capsys) -> None:
    suite = [fake("complete", quick=True), fake("missing", quick=True)]
    bad = Outcome(suite[0], (Row("webprint", "time", 2.0, ratio=9.0),))
    good = Outcome(suite[0], (Row("webprint", "time", 2.0, ratio=0.6),))
    left = Outcome(suite[1], trouble="not measured: the corpus is not available")
    before = Outcome(suite[0], (Row("webprint", "time", 2.0, ratio=0.5),)).to_dict()
    recorded = {"benchmarks": {suite[0].name: before}}
    monkeypatch.setattr(command, "SUITE", suite)
    monkeypatch.setattr(command.json, "loads", lambda _: recorded)
    for second, ends in ((good, 0), (bad, 1)):
        runs = iter([[bad, left], [second]])
        suites = []
        monkeypatch.setattr(
            command,
            "run_all",
            lambda suite, *_, runs=runs, suites=suites: suites.append(suite) or next(runs),
        )
        assert command.main(["--quick"]) == ends
        output = capsys.readouterr().out
        assert suites == [suite, suite[:1]]
        assert "measuring again" in output
        assert f"ratio {second.rows[0].ratio:.2f}, 0.50 recorded" in output
        assert "missing: not measured: the corpus is not available" in output


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        (Row("a", "time", 1.0, ratio=0.9), False),
        (Row("a", "time", 1.0, ratio=1.1), True),
        (Row("a", "other time", 1.0, ratio=9.0), False),
        (Row("a", "pinned", 0.8, goal="≥ 0.9", pinned=True), True),
        (Row("a", "pinned", 0.9, goal="≥ 0.9", pinned=True), False),
        (Row("a", "not pinned", 0.8, goal="≥ 0.9"), False),
    ],
)
def test_low_floors_and_doubled_ratios_are_failures(row: Row, wrong: bool) -> None:
    before = Outcome(fake("complete"), (Row("a", "time", 2.0, ratio=0.5),)).to_dict()
    recorded = {"benchmarks": {fake("complete").name: before}}
    outcome = Outcome(fake("complete"), (row,))
    assert bool(list(complaints([outcome], recorded))) is wrong
    assert list(complaints([Outcome(fake("complete"), failed=True)], None))


def test_written_results_can_be_read_again(tmp_path: Path, monkeypatch) -> None:
    suite = [fake("complete", wide=True), fake("broken"), fake("missing")]
    monkeypatch.setattr(command, "SUITE", suite)
    outcomes = [
        Outcome(suite[0], (Row("ours | others", "word F1", 0.88, n=3),), 1.0),
        Outcome(suite[1], (Row("a", "time", 0.5, "s", goal="≤ 0.4"),), 1.0, "it\nbroke", True),
        Outcome(suite[2], trouble="not measured: the corpus is not available"),
    ]
    command.write(tmp_path, outcomes, Effort(short=True, step=3), {"cores": "2"}, None)
    results = json.loads((tmp_path / "results.json").read_text())
    written = (tmp_path / "RESULTS.md").read_text()
    assert written == report(results)
    assert rows_of(results["benchmarks"][suite[0].name]) == list(outcomes[0].rows)
    for text in ("ours \\| others | 0.880", "**Failed**, so the table is incomplete: it broke", "**no**",
                 "not measured: the corpus is not available", "fewer runs and pages"):  # fmt: skip
        assert text in written
    # A later run of one benchmark keeps the others.
    again = [Outcome(suite[2], (Row("b", "pages", 7),), 1.0)]
    command.write(tmp_path, again, Effort(), {"cores": "2"}, results)
    later = json.loads((tmp_path / "results.json").read_text())["benchmarks"]
    assert list(later) == [benchmark.name for benchmark in suite]
    assert later[suite[0].name] == results["benchmarks"][suite[0].name]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["--quick"], ["broken", "whole"]),
        (["--quick", "times"], ["broken"]),
        (["--quick", "scores"], ["whole"]),
        (["--quick", "missing", "times"], ["broken", "missing"]),
    ],
)
def test_benchmarks_are_chosen_by_name_and_by_group(monkeypatch, capsys, arguments, names) -> None:
    suite = [fake("broken", quick=True, alone=True), fake("whole", quick=True), fake("missing")]
    chosen = []
    monkeypatch.setattr(command, "SUITE", suite)
    monkeypatch.setattr(command, "run_all", lambda benchmarks, *_: chosen.extend(benchmarks) or [])
    assert command.main([word.replace("missing", suite[2].name) for word in arguments]) == 0
    assert [benchmark.name.rpartition(".")[2] for benchmark in chosen] == names
    assert "s in all" in capsys.readouterr().out
