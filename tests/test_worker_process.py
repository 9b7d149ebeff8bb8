"""Worker processes: results of calls, and a distinct error for each kind of failure."""

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from printer import GC_THRESHOLDS
from printer.errors import HTTPStatusError
from printer.worker_process import (
    WorkerClosed,
    WorkerCrashed,
    WorkerFailed,
    WorkerOutOfMemory,
    WorkerProcess,
    WorkerTimeout,
)
from tests.support import worker_calls

PLENTY = 60.0


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    with WorkerProcess() as process:
        yield process


@contextmanager
def within(seconds: float) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


def test_one_process_answers_call_after_call(worker: WorkerProcess) -> None:
    assert worker.call(divmod, 7, 2, timeout=PLENTY) == (3, 1)
    assert worker.call(os.getpid, timeout=PLENTY) == worker.pid != os.getpid()
    assert len(worker.call(bytes, 30_000_000, timeout=PLENTY)) == 30_000_000
    assert worker.call(len, bytes(30_000_000), timeout=PLENTY) == 30_000_000


def test_exceptions_of_a_function_are_raised_in_the_parent(worker: WorkerProcess) -> None:
    with pytest.raises(ZeroDivisionError):
        worker.call(divmod, 1, 0, timeout=PLENTY)
    pid = worker.pid
    with pytest.raises(WorkerFailed, match="LocalError: only here"):
        worker.call(worker_calls.raise_unpicklable, timeout=PLENTY)
    assert worker.call(os.getpid, timeout=PLENTY) == pid


def test_an_error_of_ours_keeps_its_fields(worker: WorkerProcess) -> None:
    with pytest.raises(HTTPStatusError) as failure:
        worker.call(worker_calls.raise_not_found, timeout=PLENTY)
    assert failure.value.status == 404


@pytest.mark.parametrize("size", [0, 1_000_000], ids=["small", "large"])
def test_the_limit_holds_while_the_process_starts(size: int) -> None:
    with (
        WorkerProcess(worker_calls.sleep) as worker,
        within(15),
        pytest.raises(WorkerTimeout),
    ):
        worker.call(len, bytes(size), timeout=1.0)


def test_the_limit_holds_while_the_process_works(worker: WorkerProcess) -> None:
    with within(15), pytest.raises(WorkerTimeout):
        worker.call(worker_calls.sleep, timeout=1.0)
    assert worker.pid == 0
    assert worker.call(len, "next", timeout=PLENTY) == 4


def test_the_limit_holds_while_an_answer_is_read(worker: WorkerProcess) -> None:
    worker.start()
    with within(15), pytest.raises(WorkerTimeout):
        worker.call(worker_calls.send_half_an_answer, timeout=1.5)


def test_no_time_at_all(worker: WorkerProcess) -> None:
    with pytest.raises(WorkerTimeout):
        worker.call(len, "", timeout=0.0)


def test_too_much_memory_is_neither_a_crash_nor_a_lack_of_time() -> None:
    with WorkerProcess(memory_limit=300_000_000) as worker:
        assert worker.call(worker_calls.take_memory, 10_000_000, timeout=PLENTY) == 10_000_000
        with pytest.raises(WorkerOutOfMemory):
            worker.call(worker_calls.take_memory, 400_000_000, timeout=PLENTY)
        assert worker.call(worker_calls.take_memory, 10_000_000, timeout=PLENTY) == 10_000_000


def test_a_process_collects_garbage_as_seldom_as_the_command(worker: WorkerProcess) -> None:
    assert worker.call(gc.get_threshold, timeout=PLENTY) == GC_THRESHOLDS


def test_a_crash_says_how_the_process_ended(worker: WorkerProcess) -> None:
    with pytest.raises(WorkerCrashed, match="code 3") as crash:
        worker.call(os._exit, 3, timeout=PLENTY)
    assert not crash.value.killed
    with pytest.raises(WorkerCrashed, match="SIGSEGV") as crash:
        worker.call(signal.raise_signal, signal.SIGSEGV, timeout=PLENTY)
    assert not crash.value.killed
    with pytest.raises(WorkerCrashed, match="SIGKILL") as crash:
        worker.call(signal.raise_signal, signal.SIGKILL, timeout=PLENTY)
    assert crash.value.killed


class _DyingProcess(WorkerProcess):
    def launch(self, connection: socket.socket) -> int:
        del connection
        pid = os.posix_spawn("/bin/false", ["false"], os.environ)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        return pid


def test_a_process_that_ends_as_it_starts_has_crashed() -> None:
    with _DyingProcess() as worker:
        with pytest.raises(WorkerCrashed, match="code 1"):
            worker.call(os.getpid, timeout=PLENTY)
        with pytest.raises(WorkerCrashed, match="code 1"):
            worker.start()


class _FailingProcess(WorkerProcess):
    def launch(self, connection: socket.socket) -> int:
        raise BlockingIOError("there is no process left")


def test_a_process_that_cannot_start_leaves_no_connection() -> None:
    before = {*Path("/proc/self/fd").iterdir()}
    with _FailingProcess() as worker, pytest.raises(BlockingIOError) as failure:
        worker.start()
    assert {*Path("/proc/self/fd").iterdir()} == before, failure.traceback
    assert not worker.pid


def test_a_killed_process_is_replaced_once(worker: WorkerProcess, tmp_path: Path) -> None:
    marker = str(tmp_path / "killed")
    call = worker_calls.die_once
    assert worker.call(call, marker, timeout=PLENTY, retry=True) == "survived"
    worker.start()
    os.kill(worker.pid, signal.SIGKILL)
    assert worker.call(len, "idle when killed", timeout=PLENTY, retry=True) == 16
    with pytest.raises(WorkerCrashed):
        worker.call(os._exit, 1, timeout=PLENTY, retry=True)


def test_a_process_is_replaced_after_its_calls() -> None:
    with WorkerProcess(max_calls=2) as worker:
        pids = [worker.call(os.getpid, timeout=PLENTY) for _ in range(4)]
    assert pids[0] == pids[1] != pids[2] == pids[3]


def test_messages_arrive_in_order_before_the_result(worker: WorkerProcess) -> None:
    messages: list[int] = []
    result = worker.call(worker_calls.count_to, 3, timeout=PLENTY, on_message=messages.append)
    assert (messages, result) == ([1, 2, 3], 3)


def test_messages_before_a_time_out_are_not_lost(worker: WorkerProcess) -> None:
    worker.call(len, "started", timeout=PLENTY)
    messages: list[int] = []
    with pytest.raises(WorkerTimeout):
        worker.call(worker_calls.count_to, 90, 0.1, timeout=1.0, on_message=messages.append)
    assert messages[:3] == [1, 2, 3]


def test_the_answer_of_an_interrupted_call_is_not_taken_for_the_next(worker: WorkerProcess) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        worker.call(worker_calls.count_to, 1, timeout=PLENTY, on_message=interrupt)
    assert worker.call(len, "next", timeout=PLENTY) == 4


def test_a_call_is_submitted_and_its_messages_received(worker: WorkerProcess) -> None:
    worker.submit(worker_calls.count_to, 1, deadline=time.monotonic() + PLENTY)
    assert worker.receive(time.monotonic() + PLENTY) == (False, 1)
    assert worker.receive(time.monotonic() + PLENTY) == (True, 1)
    assert worker.receive(0.0) is None


def test_answers_of_an_untrusted_process_are_only_data() -> None:
    with WorkerProcess(trusted=False) as worker:
        assert worker.call(divmod, 7, 2, timeout=PLENTY) == [3, 1]
        with pytest.raises(WorkerFailed, match="JSON serializable"):
            worker.call(bytes, 3, timeout=PLENTY)
        with pytest.raises(WorkerFailed, match="ZeroDivisionError"):
            worker.call(divmod, 1, 0, timeout=PLENTY)
        with pytest.raises(WorkerCrashed):
            worker.call("x".__mul__, 65_000_000, timeout=PLENTY)


def test_closing_ends_a_call_of_another_thread(worker: WorkerProcess) -> None:
    worker.start()
    pid = worker.pid
    timer = threading.Timer(0.5, worker.close)
    timer.start()
    with within(15), pytest.raises(WorkerClosed):
        worker.call(worker_calls.sleep, timeout=PLENTY, retry=True)
    timer.join()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_an_interrupt_is_for_the_parent(worker: WorkerProcess) -> None:
    assert worker.call(len, "started", timeout=PLENTY) == 7
    os.kill(worker.pid, signal.SIGINT)
    assert worker.call(len, "goes on", timeout=PLENTY) == 7


@pytest.mark.parametrize("case", ["answers", "outlives_no_parent"])
def test_a_forked_process(case: str) -> None:
    code = f"from tests.support import forked_workers; forked_workers.{case}()"
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60
    )
    # The pipe that the child held open as well is closed by now, or this would not have returned.
    assert ran.stderr == ""
    assert ran.stdout == "done\n"
