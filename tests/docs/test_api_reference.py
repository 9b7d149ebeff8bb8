"""The API reference is what the docstrings say, and names all that a program imports."""

import importlib.util
from pathlib import Path

import printer

ROOT = Path(__file__).parent.parent.parent


def reference():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "scripts/api_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.reference()


def test_it_is_current():
    assert (ROOT / "docs/api.md").read_text() == reference(), "make api"


def test_it_names_all_that_is_exported():
    documented = {line[5:-1] for line in reference().splitlines() if line.startswith("### `")}
    assert set(printer.__all__) <= documented
