"""Who still works: judged by beats and a clock that only counts, never by the time of day."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Seen:
    mark: tuple[int, int]
    silence: float = 0.0


@dataclass(slots=True)
class LeaseMonitor:
    """Finds jobs whose worker has been silent for longer than ``lease`` seconds.

    Workers raise a job's beat; the watch measures with its own monotonic clock how long it has
    seen the same one, so clocks that jump or differ between machines change nothing.  A pause
    between two looks counts for ``look`` seconds at most: while nobody could reach the table, no
    worker could raise its beat either.
    """

    timeout: float = 15.0
    interval: float = 3.0
    _seen: dict[str, _Seen] = field(default_factory=dict, repr=False)
    _last: float | None = None

    def expired(
        self, running: Iterable[tuple[str, int, int]], now: float
    ) -> list[tuple[str, int, int]]:
        """Return the jobs (id, attempt, beat) to take back, having looked at all of them."""
        passed = 0.0 if self._last is None else min(now - self._last, 2 * self.interval)
        self._last = now
        before, self._seen = self._seen, {}
        over = []
        for job, attempt, beat in running:
            known = before.get(job)
            if known is None or known.mark != (attempt, beat):
                self._seen[job] = _Seen((attempt, beat))
                continue
            known.silence += passed
            self._seen[job] = known
            if known.silence >= self.timeout:
                over.append((job, attempt, beat))
        return over
