"""Run the command ``webprint`` in forked children of a process that has loaded everything.

A test of a command then costs a fork instead of a start.  Programs run it by a small program that
passes on its arguments, environment, working directory and standard streams.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]

#: Modules that most commands load.
_LOADED = (
    "printer.cli.app", "printer.cli.print", "printer.export",
    "printer.render.book", "printer.render.pdf.impose",
)  # fmt: skip

#: The program; it skips the site module to start fast.
_PROGRAM = """#!{python} -IS
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
call = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [len(call).to_bytes(4, "big")], [0, 1, 2])
server.sendall(call)
sys.exit(server.recv(1)[0])
"""


class WarmCommand:
    """The forking process, which runs one command at a time; a context manager that ends it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._address = f"{self._folder.name}/socket"
        code = f"from tests.support.warm_command import serve; serve({self._address!r})"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # No numpy threads, as they do not survive a fork.
            env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=30)
        self._folder.cleanup()

    def write_program(self, path: Path) -> None:
        """Write the program that runs a command in it."""
        path.write_text(_PROGRAM.format(python=sys.executable, address=self._address))
        path.chmod(0o755)


def serve(address: str) -> None:
    """Run the requested commands until standard input is closed."""
    for name in _LOADED:
        importlib.import_module(name)
    from printer import extract
    from printer.render_stage import render_specimen
    from tests.support.story_page import story_page

    extract(story_page())
    render_specimen()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while listener in select.select([listener, sys.stdin], [], [])[0]:
            with listener.accept()[0] as connection:
                connection.sendall(bytes([_run_forked(connection)]))


def _run_forked(connection: socket.socket) -> int:
    """Run a command and return its exit code."""
    size, streams, *_ = socket.recv_fds(connection, 4, 3)
    call = b""
    while len(call) < int.from_bytes(size, "big"):
        call += connection.recv(1_000_000)
    pid = os.fork()
    if pid == 0:
        _run(json.loads(call), streams)
    for stream in streams:
        os.close(stream)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256


def _run(call: tuple[list[str], str, dict[str, str]], streams: list[int]) -> None:
    """Become the command; never returns."""
    from printer.cli import main

    try:
        arguments, folder, environment = call
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None
        sys.argv = ["webprint", *arguments]
        main()
    finally:
        os._exit(1)
