"""Distribute tests to processes: those of a file that share a fixture of it go to the same one."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

import pytest
from _pytest.assertion import rewrite
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).parents[2]

_MODULE_FIXTURE = re.compile(r'@pytest\.fixture\([^@]*?scope="module".*?\)\s+def (\w+)', re.DOTALL)


class FixtureScheduling(LoadScopeScheduling):
    """Give each test to any process, but all tests of a file with a fixture of the module to one.

    Else servers and browsers of modules would be started once in every process.
    """

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def scope_of(nodeid: str) -> str:
    """Return what is given to one process: the file of a test, or the test."""
    path = nodeid.partition("::")[0]
    return path if shares_fixture(ROOT / path) else nodeid


@cache
def shares_fixture(file: Path) -> bool:
    """Return whether tests of a file use a fixture made once for it, here or in a conftest.py."""
    text = file.read_text()
    if _MODULE_FIXTURE.search(text):
        return True
    names = [name for folder in file.parents for name in _fixtures(folder / "conftest.py")]
    return bool(names) and bool(re.search(rf"\b(?:{'|'.join(names)})\b", text))


@cache
def _fixtures(conftest: Path) -> list[str]:
    inside = conftest.is_relative_to(ROOT / "tests") and conftest.is_file()
    return _MODULE_FIXTURE.findall(conftest.read_text()) if inside else []


def rewrite_share(config: pytest.Config) -> None:
    """Rewrite the assertions of this process's share of the files, for all processes.

    Else each process would rewrite all of them in a fresh checkout, which takes ten seconds.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None or sys.dont_write_bytecode:
        return
    folders = [ROOT / argument for argument in config.args if Path(argument).is_dir()]
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    for file in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        cached = rewrite.get_cache_dir(file) / f"{file.stem}{rewrite.PYC_TAIL}"
        if rewrite.try_makedirs(cached.parent) and rewrite._read_pyc(file, cached) is None:
            digest, code = rewrite._rewrite_test(file, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, digest, cached)
