"""The API reference matches the docstrings, and names everything that programs import."""

import importlib.util
from pathlib import Path

import printer
from printer.cli.app import app

ROOT = Path(__file__).parent.parent.parent


def reference():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "scripts/api_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_current():
    assert (ROOT / "docs/api.md").read_text() == reference().reference(), "make api"


def test_the_manual_page_is_current():
    manual = reference().manual_page(app, printer.__version__)
    assert (ROOT / "docs/webprint.1").read_text() == manual, "make api"


def test_it_names_all_that_is_exported():
    page = reference().reference()
    documented = {line[5:-1] for line in page.splitlines() if line.startswith("### `")}
    assert set(printer.__all__) <= documented
