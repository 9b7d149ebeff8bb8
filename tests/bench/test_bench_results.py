"""Figures quoted from the benchmarks match their results, and every benchmark can be run."""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from functools import partial
from pathlib import Path

import pytest

from benchmarks import faults
from benchmarks.printers import missing_paragraphs, print_page
from benchmarks.protocol import Row, run_alone
from benchmarks.report import BEGIN, END, QUOTED, report, summary
from benchmarks.suite import SUITE
from tests.bench.fakes import complete, missing
from tests.support.jobs import wait_until

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(file.stem for file in (ROOT / "benchmarks").glob("[!_]*.py"))
RESULTS = json.loads((ROOT / "benchmarks/results.json").read_text())


def module(name: str):
    if name in {"train", "train_parts"}:
        pytest.importorskip("lightgbm")
    return importlib.import_module(f"benchmarks.{name}")


def test_the_report_matches_the_results() -> None:
    assert (ROOT / "benchmarks/RESULTS.md").read_text() == report(RESULTS)


def test_every_plot_exists() -> None:
    for name in RESULTS["plots"]:
        assert (ROOT / f"benchmarks/plots/{name}.png").read_bytes().startswith(b"\x89PNG")


def test_readme_quotes_figures_of_the_report() -> None:
    readme, written = ((ROOT / name).read_text() for name in ("README.md", "benchmarks/RESULTS.md"))
    assert summary(RESULTS) in readme
    quoted = re.findall(
        r"\| ([\d.,]+)(?: times)? (?=\|)", readme.partition(BEGIN)[2].partition(END)[0]
    )
    assert quoted
    assert [figure for figure in quoted if figure not in written] == []


#: A score as it is printed: three digits.
FIGURE = re.compile(r"(?<![\d.])0?\.\d{3}\b(?!\.\d)")


@pytest.mark.parametrize("name", sorted(file.name for file in (ROOT / "docs").glob("*.md")))
def test_documents_quote_no_other_scores(name: str) -> None:
    """Check all documents but the model card, which quotes the output of the training."""
    if name in {"model-card.md", "api.md"}:
        return
    written = (ROOT / "benchmarks/RESULTS.md").read_text()
    quoted = FIGURE.findall((ROOT / "docs" / name).read_text())
    assert [figure for figure in quoted if figure.removeprefix("0") not in written] == []


def test_quoted_figures_are_measured() -> None:
    known = {benchmark.name for benchmark in SUITE}
    assert {quoted.benchmark for quoted in QUOTED} <= known


@pytest.mark.parametrize("name", MODULES)
def test_modules_that_measure_are_in_the_suite(name: str) -> None:
    assert hasattr(module(name), "rows") is (name in {benchmark.name for benchmark in SUITE})


@pytest.mark.parametrize("name", MODULES)
def test_every_command_line_has_help(name: str, monkeypatch, capsys) -> None:
    benchmark = module(name)
    main = getattr(benchmark, "main", partial(run_alone, getattr(benchmark, "rows", None)))
    if not (hasattr(benchmark, "main") or hasattr(benchmark, "rows")):
        return
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage:")


def test_a_benchmark_run_alone_prints_its_figures(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["complete", "--quick"])
    run_alone(complete.rows)
    run_alone(missing.rows)
    assert capsys.readouterr().out.splitlines() == [
        "webprint: pages lost: 0, goal ≤ 0",
        "webprint: time: 1 s, n 7, ratio 0.4, goal ≤ 0.5",
        "percollate: time: not measured: not installed",
        "not measured: the corpus is not available",
    ]


@pytest.mark.slow
def test_no_print_is_lost_to_a_locked_database(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["faults", "--kills", "1", "--only", "locked"])
    assert faults.main() == 0
    assert "lost: 0" in capsys.readouterr().out


def test_a_paragraph_is_missing_without_half_of_its_runs() -> None:
    article = "The boats came in at four\nand the quay was full of people\nby Ann"
    pdf = "2 The boats came in at\nfour. The quay was empty by Ann"
    assert missing_paragraphs(pdf, article) == 1 / 2
    assert missing_paragraphs(article, article) == 0


def test_a_program_leaves_no_process_behind(tmp_path) -> None:
    sleeper = f"sleep 600 & echo $! > {tmp_path}/pid"
    assert print_page(["sh", "-c", sleeper], tmp_path / "out.pdf", "text", os.environ) is None
    pid = int((tmp_path / "pid").read_text())
    status = Path(f"/proc/{pid}/status")
    wait_until(lambda: not status.exists() or "State:\tZ" in status.read_text())


def test_programs_are_compared_in_readers_units() -> None:
    rows = [
        Row("ours", "words of the article printed", 0.9876).to_dict(),
        Row("ours", "size, median", 81.4, "kB").to_dict(),
        Row("ours", "time, median", note="not measured: the machine was busy").to_dict(),
    ]
    numbers = summary({"benchmarks": {"printers": {"rows": rows}}})
    unknown = "not measured"
    assert f"| ours | 98.8% | {unknown} | {unknown} | {unknown} | 81 kB | {unknown} |" in numbers
