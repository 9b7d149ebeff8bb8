"""Programs run in forked children of a process that has loaded everything.

For tests of what programs do, not of how they start: they cost a fork instead of a start, which is
some seconds of processor time for a print server.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

from tests.support.processes import end_with_parent

ROOT = Path(__file__).parents[2]

#: The command ``webprint`` as a file, without the site module, as it is to start soon.
_COMMAND = """#!{python} -IS
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
call = json.dumps(["printer.cli:main", sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [len(call).to_bytes(4, "big")], [0, 1, 2])
server.sendall(call)
answers = server.makefile()
answers.readline()
sys.exit(int(answers.readline()) % 256)
"""


class WarmProcess:
    """A running program; as :class:`subprocess.Popen`, but no child of this process."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._answers = connection.makefile()
        self.returncode: int | None = None
        self.pid = int(self._answers.readline())

    def poll(self) -> int | None:
        """Return the exit code if the program ended."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the program ends, and return its exit code, negative for a signal."""
        if self.returncode is None:
            with selectors.DefaultSelector() as selector:
                selector.register(self._connection, selectors.EVENT_READ)
                if not selector.select(timeout):
                    raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
            self.returncode = int(self._answers.readline())
            self._answers.close()
            self._connection.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the program ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Tell the program to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the program."""
        self.send_signal(signal.SIGKILL)


class WarmPrograms:
    """The process that forks, started when it is first needed; a context manager that ends it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._address = f"{self._folder.name}/socket"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.communicate(timeout=60)
        self._folder.cleanup()

    def _begin(self) -> None:
        if self._process is not None:
            return
        code = f"from tests.support.warm_programs import serve; serve({self._address!r})"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # No threads of numpy's, which have no part in a fork.
            env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"

    def start(
        self,
        function: str,
        *arguments: object,
        cwd: Path | str = ".",
        env: Mapping[str, str] | None = None,
        stdout: IO[bytes] | None = None,
        stderr: IO[bytes] | None = None,
    ) -> WarmProcess:
        """Start a program: ``module:function``, which finds its arguments in ``sys.argv``."""
        self._begin()
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self._address)
        words = [str(argument) for argument in arguments]
        call = json.dumps([function, words, str(Path(cwd).resolve()), dict(env or os.environ)])
        with Path(os.devnull).open("rb") as nothing:
            streams = [nothing.fileno(), stdout.fileno() if stdout else 1]
            streams += [stderr.fileno() if stderr else 2]
            size = len(call.encode()).to_bytes(4, "big")
            socket.send_fds(connection, [size], streams)
            connection.sendall(call.encode())
            return WarmProcess(connection)

    def run(
        self, *arguments: object, cwd: Path | str = ".", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run the command ``webprint`` to its end."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = self.start(
                "printer.cli:main", *arguments, cwd=cwd, env=env, stdout=out, stderr=err
            )
            try:
                process.wait(240)
            finally:
                process.kill()
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode())
        words = [str(argument) for argument in arguments]
        return subprocess.CompletedProcess(words, process.wait(), *texts)

    def write_command(self, path: Path) -> None:
        """Write the command ``webprint`` to a file that other programs may call."""
        self._begin()
        path.write_text(_COMMAND.format(python=sys.executable, address=self._address))
        path.chmod(0o755)


def run_file() -> None:
    """Run the Python program in the file ``sys.argv[1]``."""
    runpy.run_path(sys.argv[1], run_name="__main__")


def serve(address: str) -> None:
    """Run the programs that are asked for until standard input is closed."""
    _load()
    server = _Server(address)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while server.serve_once():
        pass


def _load() -> None:
    import printer
    from printer import PrintOptions, extract
    from printer.render import worker_pool
    from tests.support.documents import render_html
    from tests.support.story_page import story_page

    # No page is laid out: of a process that used Pango, no copy could do that.
    worker_pool.load_weasyprint()
    worker_pool.may_have_used_pango = lambda: False
    modules = (module.name for module in pkgutil.walk_packages(printer.__path__, "printer."))
    for name in (*modules, "markdown_it", "pikepdf", "pypdfium2", "pytest"):
        if not name.endswith(".__main__"):
            importlib.import_module(name)
    render_html([extract(story_page())], {}, PrintOptions())
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(60)
    # No child collects garbage in what is here, which would copy it.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*printer.GC_THRESHOLDS)


class _Server:
    """The listening socket, and the connections and processes of running programs."""

    def __init__(self, address: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(address)
        self._listener.listen()
        self._running: dict[int, tuple[int, socket.socket]] = {}  # by the descriptor of a process
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(sys.stdin, selectors.EVENT_READ)

    def serve_once(self) -> bool:
        """Start a program or tell that one ended; return whether to go on."""
        for key, _ in self._selector.select():
            if key.fileobj is sys.stdin:
                return False
            if key.fileobj is self._listener:
                self._start(self._listener.accept()[0])
            else:
                self._tell(key.fd)
        return True

    def _start(self, connection: socket.socket) -> None:
        size, streams, *_ = socket.recv_fds(connection, 4, 3)
        call = b""
        while len(call) < int.from_bytes(size, "big"):
            call += connection.recv(1_000_000)
        pid = os.fork()
        if pid == 0:
            try:
                self._close(connection)
                _become(json.loads(call), streams)
            finally:
                os._exit(1)
        for stream in streams:
            os.close(stream)
        connection.sendall(b"%d\n" % pid)
        descriptor = os.pidfd_open(pid)
        self._running[descriptor] = pid, connection
        self._selector.register(descriptor, selectors.EVENT_READ)

    def _close(self, connection: socket.socket) -> None:
        self._selector.close()
        self._listener.close()
        connection.close()
        for descriptor, (_, other) in self._running.items():
            os.close(descriptor)
            other.close()

    def _tell(self, descriptor: int) -> None:
        self._selector.unregister(descriptor)
        pid, connection = self._running.pop(descriptor)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(descriptor)
        with suppress(OSError):  # Whoever asked for it is gone.
            connection.sendall(b"%d\n" % code)
        connection.close()


def _become(call: tuple[str, list[str], str, dict[str, str]], streams: list[int]) -> None:
    """Run a program as if it had been started; never returns."""
    function, arguments, folder, environment = call
    end_with_parent()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    sys.argv = ["webprint", *arguments]
    module, _, name = function.partition(":")
    code: object = 1
    try:
        getattr(importlib.import_module(module), name)()
        code = 0
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001 - a forked copy must not go on as the original does
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))
