"""A thread of its own, for a library whose objects are bound to the thread that made them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Worker:
    """Runs calls one after another in one thread; a call that never ends costs the thread alone."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def run(self, call: Callable[[], T], timeout: float) -> T:
        """Return what the call returns, or raise what it raises or ``TimeoutError``."""
        future: Future[T] = Future()
        self._calls.put((future, call))
        return future.result(timeout)

    def stop(self) -> None:
        """Let the thread end after the calls it has."""
        self._calls.put(None)

    def _work(self) -> None:
        while (item := self._calls.get()) is not None:
            future, call = item
            try:
                future.set_result(call())
            except BaseException as error:  # noqa: BLE001 - handed to whoever waits for it
                future.set_exception(error)
            del item, future, call
