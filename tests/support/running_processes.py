"""Find the processes that tests leave behind."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from printer.processes import process_tree
from tests.support.processes import kill

#: Environment variables: pytest's name of the running test, and whose processes they are.
_TEST, _MARK = "PYTEST_CURRENT_TEST", "TESTED_BY"

#: The seconds that processes have to end after a signal.
_PATIENCE = 10.0


@contextmanager
def watched(folder: Path) -> Iterator[None]:
    """Fail if a process is left at the end, and say which test started it.

    This process and all that are started have a temporary folder, which is removed at the end.
    """
    before = {name: os.environ.get(name) for name in (_MARK, "TMPDIR")}
    os.environ |= {_MARK: str(os.getpid()), "TMPDIR": str(folder)}
    tempfile.tempdir = None
    try:
        yield
        left = _end_processes()
        assert not left, "\n".join(left)
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        tempfile.tempdir = None
        shutil.rmtree(folder, ignore_errors=True)


def _end_processes() -> list[str]:
    """Kill the processes that do not end by themselves, and return a line for each."""
    deadline = time.monotonic() + _PATIENCE
    while (left := dict(_find_processes())) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in left:
        kill(pid)
    return list(left.values())


def _find_processes() -> Iterator[tuple[int, str]]:
    """Yield the processes started here that are still running, with any parent."""
    below = set(process_tree(os.getpid())[1:])
    for folder in Path("/proc").glob("[0-9]*"):
        pid = int(folder.name)
        with suppress(OSError):  # It ended, or belongs to another user.
            environment = dict(
                entry.partition("=")[::2]
                for entry in _read(folder / "environ").split("\0")
                if entry.startswith((_TEST, _MARK))
            )
            if environment.get(_MARK) != str(os.getpid()) and pid not in below:
                continue
            command = " ".join(_read(folder / "cmdline").split("\0"))
            if command and "multiprocessing.resource_tracker" not in command:
                test = environment.get(_TEST, "an unknown test")
                yield pid, f"{test} left process {pid} running: {command[:200]}"


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")
