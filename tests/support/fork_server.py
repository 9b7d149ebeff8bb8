"""Run tests in forked children of a warm process, under hard limits.

The modules that tests need are imported once; then every test costs only a fork.  The process reads calls from
standard input and writes their outcomes to standard output, pickled.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import importlib.util
import os
import pickle
import resource
import select
import signal
import subprocess
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Self

#: The limits of a test: seconds of processor time, bytes of memory, seconds of the clock.  The last
#: is for endless waits, and generous, as the machine may be busy.
CPU, MEMORY, TIMEOUT = 10, 1_000_000_000, 120

ROOT = Path(__file__).parents[2]

#: Modules that tests need, imported once.
PRELOADED = (
    "markdown_it", "pikepdf", "pypdfium2", "weasyprint", "printer.digest.feeds",
    "printer.export", "printer.render.book", "printer.render.completeness",
    "printer.render.pdf.impose", "printer.render.weasy.engine", "printer.server.routes.api",
    "printer.site_rules",
)  # fmt: skip


@dataclass(frozen=True)
class Call:
    """A test to run: a function in a file, its arguments and its environment."""

    file: str
    name: str
    arguments: dict[str, Any]
    environment: dict[str, str]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a test: its failure ('' when it passed), seconds, peak memory in bytes."""

    failure: str
    cpu: float
    peak: int


class ForkServer:
    """The client; a context manager that ends its processes on exit."""

    def __init__(self) -> None:
        # Give numpy one thread: threads do not survive a fork, and each reserves memory.
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from tests.support.fork_server import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def run(self, call: Call) -> Outcome:
        """Run one test."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump(call, self._process.stdin)
        self._process.stdin.flush()
        outcome = pickle.load(self._process.stdout)
        assert isinstance(outcome, Outcome)
        return outcome


def serve() -> None:
    """Run the calls on standard input until it ends."""
    for name in PRELOADED:
        importlib.import_module(name)
    ours = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # Redirect what a test prints.
    _print_once()
    modules: dict[str, ModuleType] = {}
    while True:
        try:
            call = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        if call.file not in modules:
            modules[call.file] = _load(call.file)
        pickle.dump(_run_forked(call, modules[call.file]), ours)
        ours.flush()


def _print_once() -> None:
    """Print a page, so that no child has to load what printing needs.

    Another process lays it out: a copy of a process that used Pango could not.
    """
    from printer import PrintOptions, extract
    from printer.render import worker_pool
    from printer.render.context import render_html
    from tests.support.hostile_pages import check_pdf, hostile_page, print_page

    worker_pool.load_weasyprint()
    worker_pool.may_have_used_pango = lambda: False

    check_pdf(print_page(hostile_page()))
    for format_ in ("html", "epub", "markdown", "json"):
        print_page(hostile_page(), format=format_)
    render_html([extract(hostile_page())], {}, PrintOptions())
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(60)
    # Freeze objects, so that garbage collection in children does not copy their pages.
    gc.collect()
    gc.freeze()


def _load(file: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _run_forked(call: Call, module: ModuleType) -> Outcome:
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reads)
        _run_child(call, module, writes)
    os.close(writes)
    output = b""
    late = False
    end = time.monotonic() + TIMEOUT
    while select.select([reads], [], [], max(0.0, end - time.monotonic()))[0]:
        piece = os.read(reads, 65536)
        if not piece:
            break
        output += piece
    else:
        late = True
    os.close(reads)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)  # and its child processes
    _, status, used = os.wait4(pid, 0)
    fault = output.decode("utf-8", "replace")
    if late:
        fault = f"it did not end within {TIMEOUT} s"
    elif fault == "passed":
        fault = ""
    elif not fault:
        code = os.waitstatus_to_exitcode(status)
        why = signal.Signals(-code).name if code < 0 else f"status {code}"
        fault = f"its process ended: {why}"
    return Outcome(fault, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def _run_child(call: Call, module: ModuleType, writes: int) -> None:
    """Run a test and write its outcome; never returns."""
    output = "it could not be started"
    try:
        os.setpgid(0, 0)
        os.environ.clear()
        os.environ.update(call.environment)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU + 2))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # Write a traceback at the limit of processor time.
        faulthandler.register(signal.SIGXCPU, file=writes, chain=True)
        getattr(module, call.name)(**call.arguments)
        output = "passed"
    except BaseException as error:  # noqa: BLE001 - reported to the test
        report = traceback.TracebackException.from_exception(error)
        output = "".join(report.format())[-4000:]
    finally:
        os.write(writes, output.encode("utf-8", "replace"))
        os._exit(0)
