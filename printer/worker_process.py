"""A child process that calls functions, one at a time, within limits of time and memory.

The parent never waits without a deadline: not while the child starts, not while a request is
written, not while the child works, and not while an answer is read.  A call that does not return
says why: :class:`WorkerTimeout`, :class:`WorkerOutOfMemory` or :class:`WorkerCrashed`.

Requests are pickled and name functions of importable modules.  Answers are pickled too, unless the
child handles hostile data: answers of an *untrusted* worker are JSON of a limited size.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import resource
import select
import signal
import socket
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from . import GC_THRESHOLDS
from .files import Closing

#: The longest answer of an untrusted worker, in bytes.
MAX_UNTRUSTED_BYTES = 64_000_000

#: Seconds between checks that the parent still exists.
_WATCH_SECONDS = 1.0

#: Seconds that :meth:`WorkerProcess.start` may take.
START_SECONDS = 10.0

#: Seconds that a child has to exit by itself after it closed its connection.
EXIT_SECONDS = 1.0

# The kinds of frames, each of which is a header (its kind and its length) and its content
_CALL = b"c"
_MESSAGE = b"m"
_RESULT = b"r"
_EXCEPTION = b"x"
_FAILURE = b"f"
_OUT_OF_MEMORY = b"o"
_HEADER = struct.Struct(">cQ")


class WorkerError(Exception):
    """A call did not return."""


class WorkerTimeout(WorkerError):
    """The deadline passed; the process was killed."""


class WorkerOutOfMemory(WorkerError):
    """The process reached its memory limit, or the system killed it for lack of memory."""


class WorkerCrashed(WorkerError):
    """The process exited during a call; ``killed`` means by a signal that a user may have sent."""

    def __init__(self, reason: str, *, killed: bool = False) -> None:
        super().__init__(reason)
        self.killed = killed


class WorkerClosed(WorkerError):
    """The worker was closed during a call."""


class WorkerFailed(WorkerError):
    """The function raised an exception, or returned a value, that cannot be sent to the parent."""


@dataclass(frozen=True, slots=True)
class _Setup:
    """What a child needs to know before its first call."""

    prepare: Callable[[], None] | None
    memory_limit: int
    trusted: bool


class WorkerProcess(Closing):
    """A process that calls functions of modules, started when it is first needed.

    A context manager that kills the process on exit.  It runs one call at a time; ``close`` may be
    called from any thread.

    The child calls ``prepare`` first; unless forked, this must be a function of a module.  It may
    allocate ``memory_limit`` bytes of private memory (0: no limit), and is replaced after
    ``max_calls`` (0: never).  If it is ``trusted``, its answers are unpickled; else they are JSON.
    """

    def __init__(
        self,
        prepare: Callable[[], None] | None = None,
        *,
        memory_limit: int = 0,
        max_calls: int = 0,
        trusted: bool = True,
    ) -> None:
        self.pid = 0
        self.calls = 0
        self._setup = _Setup(prepare, memory_limit, trusted)
        self._max_calls = max_calls
        self._channel: _Channel | None = None
        self._oom_kills = 0
        self._is_busy = False
        self._lock = threading.RLock()
        self._pid_lock = threading.Lock()

    def fork(self) -> None:
        """Start the process as a copy of this one, which must have no other threads."""
        parent_socket, child_socket = socket.socketpair()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            parent_socket.close()
            _serve(_Channel(child_socket), self._setup)
        child_socket.close()
        self.pid, self.calls, self._channel = pid, 0, _Channel(parent_socket)

    def start(self) -> None:
        """Start the process as a new program unless it is running; thread-safe."""
        self._open(time.monotonic() + START_SECONDS)

    def _open(self, deadline: float) -> None:
        if self.pid and self._channel is not None:
            return
        parent_socket, child_socket = socket.socketpair()
        try:
            with child_socket:
                pid = self.launch(child_socket)
        except BaseException:
            parent_socket.close()
            raise
        self.pid, self.calls, self._channel = pid, 0, _Channel(parent_socket)
        self._send(pickle.dumps(self._setup), deadline)

    def _send(self, request: bytes, deadline: float) -> None:
        self._oom_kills = _count_oom_kills()
        try:
            if self._channel is None:
                raise WorkerClosed("the worker was closed")
            self._channel.send(_CALL, request, deadline)
        except TimeoutError as error:
            self.close()
            raise WorkerTimeout("the request could not be written in time") from error
        except OSError as error:
            raise self._reap() from error

    def launch(self, connection: socket.socket) -> int:
        """Start a process that calls :func:`serve` for a connection; return its pid."""
        descriptor = connection.fileno()
        code = (
            "import sys; sys.path[:] = sys.argv[2:];"
            f" from {__name__} import serve; serve(int(sys.argv[1]))"
        )
        return os.posix_spawn(
            sys.executable,
            [sys.executable, "-c", code, str(descriptor), *sys.path],
            os.environ,
            # Duplicated onto itself, which makes it inheritable in the child alone.
            file_actions=[(os.POSIX_SPAWN_DUP2, descriptor, descriptor)],
        )

    def call(
        self,
        function: Callable[..., Any],
        *args: object,
        timeout: float,
        retry: bool = False,
        on_message: Callable[[Any], None] | None = None,
    ) -> Any:
        """Return ``function(*args)``, of a module, as evaluated in the process; raise what it does.

        The timeout is for the whole call, including the start of the process and transfers;
        :class:`WorkerError` means that it did not return.  ``retry`` calls once more if the process
        crashes; ``on_message`` receives each value that the function passes to :func:`notify`.
        """
        deadline = time.monotonic() + timeout
        with self._lock:
            try:
                return self._call(function, args, deadline, on_message)
            except WorkerCrashed:
                if not retry:
                    raise
                return self._call(function, args, deadline, on_message)

    def _call(
        self,
        function: Callable[..., Any],
        args: tuple[object, ...],
        deadline: float,
        on_message: Callable[[Any], None] | None,
    ) -> Any:
        self.submit(function, *args, deadline=deadline)
        while True:
            message = self.receive(deadline)
            if message is None:
                self.close()
                raise WorkerTimeout("the process took too long")
            is_result, value = message
            if is_result:
                if self._max_calls and self.calls >= self._max_calls:
                    self.close()
                return value
            if on_message is not None:
                on_message(value)

    def submit(self, function: Callable[..., Any], *args: object, deadline: float) -> None:
        """Send a call, before a deadline on the monotonic clock; its answer is for ``receive``."""
        request = pickle.dumps((function, args))
        if self._is_busy:
            self.close()  # A call was interrupted, and its answer not read.
        self._open(deadline)
        self._is_busy = True
        self.calls += 1
        self._send(request, deadline)

    def receive(self, deadline: float) -> tuple[bool, Any] | None:
        """Return the next message of the process, or None if there is none before the deadline.

        The flag is true for the result of the call, false for a value from :func:`notify`.  A
        deadline in the past returns only what has already arrived.  Raises as :meth:`call`.
        """
        channel = self._channel
        if channel is None:
            raise WorkerClosed("the worker was closed")
        trusted = self._setup.trusted
        try:
            kind, body = channel.receive(deadline, 0 if trusted else MAX_UNTRUSTED_BYTES)
        except TimeoutError:
            return None
        except (EOFError, OSError) as error:
            raise self._reap() from error
        self._is_busy = kind == _MESSAGE
        if kind == _FAILURE:
            raise WorkerFailed(body.decode("utf-8", "replace")[:400])
        if kind == _OUT_OF_MEMORY:
            self.close()
            raise WorkerOutOfMemory("the process reached its memory limit")
        if trusted:
            value = pickle.loads(body)  # noqa: S301 - our own process
            if kind == _EXCEPTION:
                raise value
            return kind == _RESULT, value
        try:
            if kind in (_MESSAGE, _RESULT):
                return kind == _RESULT, json.loads(body)
        except (ValueError, RecursionError):
            pass
        self.close()
        raise WorkerCrashed("the process sent an invalid answer")

    def _reap(self) -> WorkerError:
        """Reap a process that closed its connection; return the error that says how it ended."""
        pid = self._take_pid()
        if not pid:
            return WorkerClosed("the worker was closed")
        deadline = time.monotonic() + EXIT_SECONDS
        while (ended := os.waitpid(pid, os.WNOHANG)) == (0, 0):
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.005)
        self._close_channel()
        status = ended[1]
        if not os.WIFSIGNALED(status):
            return WorkerCrashed(f"the process exited with code {os.WEXITSTATUS(status)}")
        name = signal.Signals(os.WTERMSIG(status)).name
        if name == "SIGKILL" and _count_oom_kills() > self._oom_kills:
            return WorkerOutOfMemory("the machine was out of memory")
        killed = name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")
        return WorkerCrashed(f"the process was ended by {name}", killed=killed)

    def close(self) -> None:
        """Kill the process, whatever it is doing."""
        if pid := self._take_pid():
            self.kill(pid)
            os.waitpid(pid, 0)
        self._close_channel()

    def kill(self, pid: int) -> None:
        """Kill the process; override this if it has children of its own."""
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def _take_pid(self) -> int:
        """Return the process id to the first caller, which reaps the process; then 0."""
        with self._pid_lock:
            pid, self.pid, self._is_busy = self.pid, 0, False
        return pid

    def _close_channel(self) -> None:
        # A thread waiting for an answer notices the end of the process and releases the lock.
        with self._lock:
            if self._channel is not None and not self.pid:
                self._channel.close()
                self._channel = None


def notify(value: object) -> None:
    """Send a value to the ``on_message`` of the running call; outside a worker do nothing."""
    if _child is not None:
        _child.send(_MESSAGE, value)


class _Channel:
    """Frames over a socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._received = bytearray()

    def close(self) -> None:
        self._socket.close()

    def send(self, kind: bytes, body: bytes, deadline: float | None = None) -> None:
        if deadline is not None and deadline <= time.monotonic():
            raise TimeoutError
        for data in (_HEADER.pack(kind, len(body)), body):
            # The time-out of sendall is for all of the data.
            self._socket.settimeout(
                None if deadline is None else max(0.001, deadline - time.monotonic())
            )
            self._socket.sendall(data)

    def receive(self, deadline: float | None = None, limit: int = 0) -> tuple[bytes, bytes]:
        """Return the next frame, of at most ``limit`` bytes (0: any size).

        Raise TimeoutError at the deadline, EOFError at the end of the connection.
        """
        poll = select.poll()  # which, unlike select(), takes any number of descriptors
        poll.register(self._socket, select.POLLIN)
        while True:
            if len(self._received) >= _HEADER.size:
                kind, size = _HEADER.unpack_from(self._received)
                if limit and size > limit:
                    raise EOFError
                end = _HEADER.size + size
                if len(self._received) >= end:
                    body = bytes(memoryview(self._received)[_HEADER.size : end])
                    del self._received[:end]
                    return kind, body
            remaining = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not poll.poll(None if remaining is None else remaining * 1000):
                raise TimeoutError
            data = self._socket.recv(1 << 20)
            if not data:
                raise EOFError
            self._received += data


class _Child:
    """The child's side of the connection."""

    def __init__(self, channel: _Channel, *, trusted: bool) -> None:
        self._channel, self._trusted = channel, trusted
        self._lock = threading.Lock()
        self._parent = os.getppid()

    def send(self, kind: bytes, value: object) -> None:
        error = value if isinstance(value, Exception) and kind == _EXCEPTION else None
        try:
            if self._trusted:
                body = pickle.dumps(value)
                if error is not None:
                    pickle.loads(body)  # noqa: S301 - what was just pickled
            elif error is not None:
                raise error
            else:
                body = json.dumps(value).encode()
        except MemoryError:
            raise
        except Exception as reason:  # noqa: BLE001 - whatever the value's own code raises
            error = error or reason
            text = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            kind, body = _FAILURE, text.encode("utf-8", "replace")
        with self._lock:
            self._channel.send(kind, body)

    def watch(self) -> None:
        """Exit when the parent does, even during a call."""
        while os.getppid() == self._parent:
            time.sleep(_WATCH_SECONDS)
        os._exit(1)


_child: _Child | None = None


def serve(descriptor: int) -> NoReturn:
    """Answer calls on an inherited socket, in a program started for this purpose."""
    try:
        channel = _Channel(socket.socket(fileno=descriptor))
        setup: _Setup = pickle.loads(channel.receive()[1])  # noqa: S301 - from our parent
    except (EOFError, OSError):
        os._exit(1)
    _serve(channel, setup)


def _serve(channel: _Channel, setup: _Setup) -> NoReturn:
    """Answer calls until the connection is closed; never return to the caller."""
    global _child
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # An interrupt is for the parent.
        gc.set_threshold(*GC_THRESHOLDS)
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if setup.memory_limit and not 0 <= soft <= setup.memory_limit:
            resource.setrlimit(resource.RLIMIT_DATA, (setup.memory_limit, hard))
        child = _child = _Child(channel, trusted=setup.trusted)
        threading.Thread(target=child.watch, daemon=True).start()
        if setup.prepare:
            setup.prepare()
        while True:
            function, args = pickle.loads(channel.receive()[1])  # noqa: S301 - from our parent
            try:
                child.send(_RESULT, function(*args))
            except MemoryError:
                channel.send(_OUT_OF_MEMORY, b"")
                os._exit(1)
            except Exception as error:  # noqa: BLE001 - the parent decides what to do
                child.send(_EXCEPTION, error)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        os._exit(0)
    except BaseException:  # noqa: BLE001 - report why this process ends
        traceback.print_exc()
    finally:
        # Whatever went wrong, a forked copy must not continue as the original program.
        os._exit(1)


def _count_oom_kills() -> int:
    """Return how many processes the kernel has killed for lack of memory, 0 if unknown."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0
