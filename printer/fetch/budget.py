"""The limits of one fetch: a deadline, and the bytes of one response."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..errors import FetchTimeout, TooLarge

#: An honest response takes less than twice its decoded size on the wire, chunk headers included.
_ENCODING_OVERHEAD = 2
_MAX_HEADER_BYTES = 500_000

#: What to do about an answer over the limit.
LARGER_HINT = "Allow more with --max-size, as in --max-size 50MB"


class Budget:
    """The seconds until ``deadline`` and the bytes of one response that a fetch may still use."""

    def __init__(self, timeout: float, max_bytes: int) -> None:
        self.timeout = timeout
        self.max_bytes = max_bytes
        self.deadline = time.monotonic() + timeout
        self._received = 0

    def time_left(self) -> float:
        """Return the seconds left; raises :class:`FetchTimeout` at 0."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise self.timeout_error()
        return left

    def cap(self, timeout: float | None) -> float:
        """Return a timeout capped at the seconds left."""
        left = self.time_left()
        return left if timeout is None else min(timeout, left)

    def next_response(self) -> None:
        """Start counting the bytes of another response."""
        self._received = 0

    def count(self, received: int) -> None:
        """Count bytes from the wire, headers included; raises :class:`TooLarge`."""
        self._received += received
        if self._received > self.max_bytes * _ENCODING_OVERHEAD + _MAX_HEADER_BYTES:
            raise self.too_large()

    def timeout_error(self) -> FetchTimeout:
        """Return the error for a fetch that took too long."""
        return FetchTimeout(
            f"no complete answer within {self.timeout:g} seconds",
            hint="Try again later, or allow more with --timeout",
        )

    def too_large(self) -> TooLarge:
        """Return the error for a response over the size limit."""
        message = f"the answer is larger than {format_bytes(self.max_bytes)}"
        return TooLarge(message, hint=LARGER_HINT)


#: The budget that limits connections used in this context.
current_budget: ContextVar[Budget] = ContextVar("budget")


@contextmanager
def use_budget(budget: Budget) -> Iterator[None]:
    """Limit every connection used inside by the budget."""
    token = current_budget.set(budget)
    try:
        yield
    finally:
        current_budget.reset(token)


def format_bytes(count: int) -> str:
    """Return a number of bytes in readable units."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= unit:
            return f"{count / unit:g} {name}"
    return f"{count} bytes"
