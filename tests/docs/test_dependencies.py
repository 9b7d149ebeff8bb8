"""Every dependency is pinned, and documented with its purpose, license and version."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DOC = (ROOT / "docs/dependencies.md").read_text()
PINS = dict(
    line.lower().split("==")
    for line in (ROOT / "constraints.txt").read_text().splitlines()
    if "==" in line
)


def names(requirements):
    return {re.match(r"[\w.-]+", requirement)[0].lower() for requirement in requirements}


RUN = names(PROJECT["project"]["dependencies"]).union(
    *map(names, PROJECT["project"]["optional-dependencies"].values())
)
GROUPS = {name: names(PROJECT["dependency-groups"][name]) for name in ("test", "lint")}


@pytest.mark.parametrize("name", sorted(RUN.union(*GROUPS.values())))
def test_every_dependency_is_documented(name):
    assert re.search(rf"\b{re.escape(name)}\b", DOC), f"{name} is not in docs/dependencies.md"


@pytest.mark.parametrize("name", sorted((RUN - {"spacy"}).union(*GROUPS.values())))
def test_it_is_pinned(name):
    assert name in PINS, f"{name} is not in constraints.txt"


def test_documented_versions_are_those_pinned():
    for line in DOC.splitlines():
        if line.startswith("| ") and not line.startswith("| package"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            versions = re.sub(r"\([^)]*\)|\s", "", cells[3]).split(",")
            known = [PINS[name] for name in re.findall(r"[a-z0-9.-]+", cells[0]) if name in PINS]
            assert versions == known, line
