"""Whether the time of day can be believed: one that was set tells nothing of how old things are."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

#: The clock may go so many seconds off the steady one, as it is corrected all the time; after it
#: was set it is believed again when it has gone evenly for so long.
_DRIFT, _EVENLY = 60.0, 86_400.0


def _since_boot() -> float:
    """Return the seconds since the machine was started, those that it slept among them."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@dataclass(slots=True)
class ClockGuard:
    """Compares the time of day with one that nobody can set, each time that it is looked at."""

    wall_clock: Callable[[], float] = time.time
    monotonic_clock: Callable[[], float] = _since_boot
    _begins: float | None = None  # the time of day when the steady one was nought
    _set: float | None = None  # when it was seen to be set, by the steady one

    def check(self) -> None:
        """Note whether the clock was set since the last look."""
        steady = self.monotonic_clock()
        begins = self.wall_clock() - steady
        if self._begins is not None and abs(begins - self._begins) > _DRIFT:
            self._set = steady
        self._begins = begins

    @property
    def is_reliable(self) -> bool:
        """Whether it was not set while it was looked at, or not for a day."""
        return self._set is None or self.monotonic_clock() - self._set > _EVENLY
