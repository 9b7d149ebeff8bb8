"""What one fetch may use: time, and bytes of one answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..errors import FetchTimeout, TooLarge

_ENCODING_OVERHEAD = 2  # An honest answer is never twice its size on the wire, chunks and all.
_HEADERS = 500_000


class Budget:
    """What one fetch may still use: time until ``deadline``, and bytes of one answer."""

    def __init__(self, timeout: float, max_bytes: int) -> None:
        self.timeout = timeout
        self.max_bytes = max_bytes
        self.deadline = time.monotonic() + timeout
        self._read = 0

    def left(self) -> float:
        """Return the seconds left; raise :class:`FetchTimeout` when there are none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise self.spent()
        return left

    def spent(self) -> FetchTimeout:
        """Make the error of a fetch that took too long."""
        return FetchTimeout(
            f"no complete answer within {self.timeout:g} seconds",
            hint="Try again later, or allow more with --timeout",
        )

    def too_large(self) -> TooLarge:
        """Make the error of an answer over the limit."""
        return TooLarge(f"the answer is larger than {format_bytes(self.max_bytes)}")

    def next_answer(self) -> None:
        """Begin counting the bytes of another answer."""
        self._read = 0

    def count(self, received: int) -> None:
        """Note bytes that came over the wire, headers and all."""
        self._read += received
        if self._read > self.max_bytes * _ENCODING_OVERHEAD + _HEADERS:
            raise self.too_large()

    def sooner(self, timeout: float | None) -> float:
        """Return a time limit cut to the seconds left."""
        left = self.left()
        return left if timeout is None else min(timeout, left)


current: ContextVar[Budget] = ContextVar("budget")


@contextmanager
def spending(budget: Budget) -> Iterator[None]:
    """Hold every connection used inside to the budget."""
    token = current.set(budget)
    try:
        yield
    finally:
        current.reset(token)


def format_bytes(count: int) -> str:
    """Write a number of bytes for people."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= unit:
            return f"{count / unit:g} {name}"
    return f"{count} bytes"
