"""Find what tests leave behind: processes, and the folders of browsers."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.processes import kill, process_tree

#: Environment variables: pytest's name of the running test, and whose processes they are.
_TEST, _MARK = "PYTEST_CURRENT_TEST", "TESTED_BY"

#: Seconds in which processes that were told to end may do so.
_PATIENCE = 10.0

#: Folders that browsers remove when they are closed.
_BROWSERS = ("playwright", "org.chromium", ".org.chromium")


class Leftovers:
    """The processes that tests start, wherever they end up, and their temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mark = f"{os.getpid()}"
        self._seen: dict[str, str] = {}

    def note_folders(self, test: str) -> None:
        """Note which test made the folders that are new."""
        for entry in self.folder.iterdir():
            self._seen.setdefault(entry.name, test)

    def find(self) -> list[str]:
        """End the processes that are left, and return a line for each and for each folder."""
        deadline = time.monotonic() + _PATIENCE
        while (left := dict(self._processes())) and time.monotonic() < deadline:
            time.sleep(0.05)
        for pid in left:
            kill(pid)
        self.note_folders("an unknown test")
        folders = [
            f"{test} left the folder {name}"
            for name, test in self._seen.items()
            if name.startswith(_BROWSERS) and (self.folder / name).exists()
        ]
        return [*left.values(), *folders]

    def _processes(self) -> Iterator[tuple[int, str]]:
        """Yield the processes that are still running, and who started them."""
        below = set(process_tree(os.getpid())[1:])
        for folder in Path("/proc").glob("[0-9]*"):
            pid = int(folder.name)
            with suppress(OSError):  # It ended, or is another user's.
                environment = dict(
                    entry.partition("=")[::2]
                    for entry in _read(folder / "environ").split("\0")
                    if entry.startswith((_TEST, _MARK))
                )
                if environment.get(_MARK) != self._mark and pid not in below:
                    continue
                command = " ".join(_read(folder / "cmdline").split("\0"))
                if command and "multiprocessing.resource_tracker" not in command:
                    test = environment.get(_TEST, "an unknown test")
                    yield pid, f"{test} left process {pid} running: {command[:200]}"


@contextmanager
def watched(folder: Path) -> Iterator[Leftovers]:
    """Mark the processes that are started, and give them and this one a temporary folder."""
    leftovers = Leftovers(folder)
    before = {name: os.environ.get(name) for name in (_MARK, "TMPDIR")}
    os.environ |= {_MARK: leftovers._mark, "TMPDIR": str(folder)}
    tempfile.tempdir = None
    try:
        yield leftovers
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        tempfile.tempdir = None
        shutil.rmtree(folder, ignore_errors=True)


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")
