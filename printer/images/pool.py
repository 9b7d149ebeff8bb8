"""A few threads that work until all is done or the time is up."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


def in_threads(
    work: Callable[[Given], Made],
    given: Sequence[Given],
    workers: int,
    seconds_left: Callable[[], float],
) -> dict[int, Made]:
    """Return by index what came of each in time; ``work`` must not raise.

    The threads are daemons: one that a server holds up costs its own work, not the end of the
    program.
    """
    made: dict[int, Made] = {}
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[None] = queue.SimpleQueue()
    for index in range(len(given)):
        todo.put(index)

    def labour() -> None:
        while True:
            try:
                index = todo.get_nowait()
            except queue.Empty:
                return
            made[index] = work(given[index])
            done.put(None)

    for _ in range(max(1, min(workers, len(given)))):
        threading.Thread(target=labour, daemon=True, name="webprint-picture").start()
    for _ in given:
        try:
            done.get(timeout=max(0.0, seconds_left()))
        except queue.Empty:
            break
    return dict(made)
