"""Several pages read at once, and given in the order they were asked for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from .errors import WebprintError

S = TypeVar("S")
R = TypeVar("R")


def prefetch(
    read: Callable[[S], R], sources: Iterable[S], at_once: int
) -> Iterator[tuple[S, R | WebprintError]]:
    """Yield each source with what ``read`` makes of it, or with the error that it raises.

    While one is used, ``at_once`` of those after it are read in threads, and no more: what was
    read waits in memory.
    """
    pool = ThreadPoolExecutor(at_once, thread_name_prefix="webprint-read")
    waiting: deque[tuple[S, Future[R]]] = deque()

    def next_one() -> tuple[S, R | WebprintError]:
        source, future = waiting.popleft()
        try:
            return source, future.result()
        except WebprintError as error:
            return source, error

    try:
        for source in sources:
            waiting.append((source, pool.submit(read, source)))
            if len(waiting) > at_once:
                yield next_one()
        while waiting:
            yield next_one()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
