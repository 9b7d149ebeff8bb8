"""Tests in forked children of the warm process, under hard limits."""

from __future__ import annotations

import faulthandler
import importlib.util
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.support.warm_programs import WarmPrograms

#: The limits of a test: seconds of processor time, bytes of memory, seconds of the clock.  The last
#: is for endless waits, and generous, as the machine may be busy.
CPU, MEMORY, TIMEOUT = 10, 1_000_000_000, 120


def run_limited(warm: WarmPrograms, file: Path, name: str, arguments: dict[str, Any]) -> str:
    """Run a test, a function in a file, and return its failure, '' if it passed."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
        call = Path(folder) / "call"
        call.write_bytes(pickle.dumps((file, name, arguments)))
        program = "tests.support.limited_tests:main"
        process = warm.start(program, call, stdout=output, stderr=output)
        try:
            code = process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            return f"it did not end within {TIMEOUT} s"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # and its child processes
        output.seek(0)
        printed = output.read().decode("utf-8", "replace")[-4000:]
    if code < 0:
        printed += f"\nits process ended: {signal.Signals(-code).name}"
    return printed if code else ""


def main() -> None:
    """Run the test that the file ``sys.argv[1]`` names."""
    file, name, arguments = pickle.loads(Path(sys.argv[1]).read_bytes())
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU + 2))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Write a traceback at the limit of processor time.
    faulthandler.register(signal.SIGXCPU, chain=True)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    getattr(module, name)(**arguments)
