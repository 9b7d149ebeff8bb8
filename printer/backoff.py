"""Exponential backoff between retries."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import inf

#: A storage that stays full fails thousands of times; a float can be doubled a thousand times.
_MAX_DOUBLINGS = 60


@dataclass(frozen=True, slots=True)
class Backoff:
    """The delays between attempts: ``first`` seconds, then twice as long each time.

    ``maximum`` caps a delay; ``jitter`` is the share of it that is random, so that clients that
    failed together do not retry together.
    """

    first: float
    maximum: float = inf
    jitter: float = 0.0

    def delay(self, failures: int, at_least: float = 0.0) -> float:
        """Return the seconds to wait after a number of failures, 1 or more.

        ``at_least`` is the delay that the server asks for (Retry-After), up to ``maximum``.
        """
        delay = self.first * 2.0 ** min(failures - 1, _MAX_DOUBLINGS)
        delay *= 1.0 - self.jitter * random.random()  # noqa: S311 - no secret
        return min(max(delay, at_least), self.maximum)
