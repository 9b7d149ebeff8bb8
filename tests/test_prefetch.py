"""Pages read ahead of use."""

import threading

import pytest

from printer.errors import FetchError
from printer.pipeline import prefetch


def test_order_is_kept_and_a_failed_page_does_not_stop_the_others():
    first_may_go = threading.Event()

    def read(name: str) -> str:
        if name == "a":
            assert first_may_go.wait(30)
        if name == "b":
            first_may_go.set()
            raise FetchError("gone")
        return name.upper()

    results = list(prefetch(read, "abcd", 2))
    assert [name for name, _ in results] == list("abcd")
    assert [one if isinstance(one, str) else type(one) for _, one in results] == [
        "A", FetchError, "C", "D",
    ]  # fmt: skip


def test_no_more_is_read_ahead_than_the_limit():
    read = []
    lock = threading.Lock()

    def note(number: int) -> int:
        with lock:
            read.append(number)
        return number

    for number, _ in prefetch(note, range(50), 2):
        with lock:
            assert max(read) <= number + 2


def test_closing_does_not_wait_for_pages_being_read():
    closed = threading.Event()
    finished = []

    def read(number: int) -> None:
        if number:
            closed.wait(30)
        finished.append(number)

    results = prefetch(read, range(9), 2)
    next(results)
    results.close()
    assert finished == [0]
    closed.set()


def test_unexpected_exceptions_propagate():
    with pytest.raises(ZeroDivisionError):
        list(prefetch(lambda number: 1 // number, [1, 0], 2))
