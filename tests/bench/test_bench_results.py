"""What is quoted of the benchmarks is what they printed, and each of them can be run."""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path

import pytest

from benchmarks.report import BEGIN, END, QUOTED, report, summary
from benchmarks.suite import SUITE

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(file.stem for file in (ROOT / "benchmarks").glob("[!_]*.py"))
RESULTS = json.loads((ROOT / "benchmarks/results.json").read_text())


def module(name: str):
    if name in {"train", "train_parts"}:
        pytest.importorskip("lightgbm")
    return importlib.import_module(f"benchmarks.{name}")


def test_the_report_is_made_of_the_results() -> None:
    assert (ROOT / "benchmarks/RESULTS.md").read_text() == report(RESULTS)


def test_every_plot_is_there() -> None:
    for name in RESULTS["plots"]:
        assert (ROOT / f"benchmarks/plots/{name}.png").read_bytes().startswith(b"\x89PNG")


def test_readme_quotes_what_the_report_says() -> None:
    readme, written = ((ROOT / name).read_text() for name in ("README.md", "benchmarks/RESULTS.md"))
    assert summary(RESULTS) in readme
    quoted = re.findall(
        r"\| ([\d.,]+)(?: times)? (?=\|)", readme.partition(BEGIN)[2].partition(END)[0]
    )
    assert quoted
    assert [figure for figure in quoted if figure not in written] == []


#: What is scored, as it is printed: three digits.
FIGURE = re.compile(r"(?<![\d.])0?\.\d{3}\b(?!\.\d)")


@pytest.mark.parametrize("name", sorted(file.name for file in (ROOT / "docs").glob("*.md")))
def test_documents_quote_no_other_scores(name: str) -> None:
    """The model card tells of the training, and quotes what that printed."""
    if name in {"model-card.md", "api.md"}:
        return
    written = (ROOT / "benchmarks/RESULTS.md").read_text()
    quoted = FIGURE.findall((ROOT / "docs" / name).read_text())
    assert [figure for figure in quoted if figure.removeprefix("0") not in written] == []


def test_what_is_quoted_is_measured() -> None:
    known = {each.name for each in SUITE}
    assert {quoted.benchmark for quoted in QUOTED} <= known


@pytest.mark.parametrize("name", MODULES)
def test_a_module_that_measures_is_run_with_the_others(name: str) -> None:
    assert hasattr(module(name), "rows") is (name in {each.name for each in SUITE})


@pytest.mark.parametrize("name", MODULES)
def test_a_command_line_tells_its_options(name: str, monkeypatch, capsys) -> None:
    main = getattr(module(name), "main", None)
    if main is None or name == "runner_child":
        return
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage:")
