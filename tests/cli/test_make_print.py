"""`make print` passes its variables on unchanged: neither make nor a shell interprets them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: Stands in for the installed command, and writes the arguments it got.
RECORD = """#!/bin/sh
printf '%s\\0' "$@" > arguments
"""


@pytest.fixture
def make_print(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / ".venv/bin").mkdir(parents=True)
    for name in ("Makefile", "scripts/print"):
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("pyproject.toml", "constraints.txt", "scripts/setup"):
        (tmp_path / name).write_text("")
    (tmp_path / ".venv/.use").write_text("")
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    webprint = tmp_path / ".venv/bin/webprint"
    webprint.write_text(RECORD)
    webprint.chmod(0o755)

    def run(*variables, **environment):
        ran = subprocess.run(
            ["make", "print", *variables],
            cwd=tmp_path,
            env={**os.environ, "MAKEFLAGS": "", **environment},
            capture_output=True,
            text=True,
        )
        recorded = tmp_path / "arguments"
        assert not (tmp_path / "pwn").exists()
        return ran, recorded.read_text().split("\0")[:-1] if recorded.exists() else None

    return run


@pytest.mark.parametrize(
    "url",
    [
        "http://h.test/story?`touch pwn`",
        "http://h.test/$(touch pwn)",
        "http://h.test/$(shell touch pwn)",
        "http://h.test/?$filter=a&$${HOME}&b=$HOME",
        "http://h.test/a&b;touch pwn",
        'http://h.test/it\'s "quoted" and blank',
        "http://h.test/back\\slash#part",
        "-o",
    ],
)
def test_nothing_in_the_variables_is_expanded(make_print, url):
    title = url.replace("\\", "\\\\").replace('"', '\\"')
    ran, arguments = make_print(f"URL={url}", f'OPTIONS=--title "{title}"', OUT=url)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert arguments == ["--title", url, "-o", url, "--", url]


def test_a_missing_address_and_a_missing_quote_are_one_line(make_print):
    ran, arguments = make_print()
    assert arguments is None
    assert ran.stderr.startswith("usage: make print URL=https://...")
    ran, arguments = make_print("URL=http://h.test/", "OPTIONS=--title 'open")
    assert arguments is None
    assert ran.stderr.startswith("make print: OPTIONS: no closing quotation")
