"""The scheduler, which serves each slot of a cron expression once."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim

from .config import Digest
from .history import History

#: The longest sleep, in seconds, so that resuming from suspension is noticed.
MAX_SLEEP = 30.0
#: The seconds that one digest may take.
RUN_TIMEOUT = 3600.0


def next_slot(digest: Digest, now: datetime) -> datetime | None:
    """Return when a digest is next due, or None if never."""
    if not digest.schedule:
        return None
    return next(CronSim(digest.schedule, now.astimezone(ZoneInfo(digest.timezone))), None)


def due_slot(
    digest: Digest, now: datetime, last_slot: float | None, started: datetime
) -> datetime | None:
    """Return the slot to serve now, or None.

    If several slots were missed, only the latest is served, unless it is older than ``catch_up``.
    ``last_slot`` is the latest slot claimed; a digest that never ran is due from ``started``.
    """
    if not digest.schedule:
        return None
    local = now.astimezone(ZoneInfo(digest.timezone))
    # One second later, so that a slot at this very moment is included.
    latest = next(CronSim(digest.schedule, local + timedelta(seconds=1), reverse=True), None)
    if latest is None or now - latest > digest.catch_up:
        return None
    after = datetime.fromtimestamp(last_slot, UTC) if last_slot is not None else started
    return latest if latest > after else None


@dataclass(slots=True)
class Scheduler:
    """Runs digests on schedule, each in a process of its own.

    WeasyPrint does not release all memory, and a crash must not affect other digests.  ``run``
    returns the exit code of a digest; by default it starts this program with ``arguments``.
    """

    digests: Sequence[Digest]
    history: History
    arguments: Sequence[str] = ()
    log: Callable[[str], None] = print
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    run_digest: Callable[[Digest, datetime], int] | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _started: datetime | None = None

    def run(self) -> None:
        """Serve slots until SIGTERM or SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stop.set())
        for digest in self.digests:
            slot = next_slot(digest, self.clock())
            self.log(f"{digest.name}: next {slot:%Y-%m-%d %H:%M %Z}" if slot else digest.name)
        while not self._stop.is_set():
            self.tick()
            self._stop.wait(MAX_SLEEP)

    def tick(self) -> None:
        """Serve the slots that are due."""
        now = self.clock()
        self._started = self._started or now
        for digest in self.digests:
            last = self.history.last_slot(digest.name)
            slot = due_slot(digest, now, last, self._started) or self._slot_to_retry(digest, last)
            if slot is None or self._stop.is_set():
                continue
            self.log(f"{digest.name}: running the slot of {slot:%Y-%m-%d %H:%M %Z}")
            if code := (self.run_digest or self._run_in_process)(digest, slot):
                self.log(f"{digest.name}: failed with exit code {code}; it will be tried again")

    def _slot_to_retry(self, digest: Digest, last: float | None) -> datetime | None:
        """Return the last slot if it failed or was abandoned, and is due again."""
        if last is None or self.history.slot_state(digest.name, last) in ("", "done"):
            return None
        slot, now = datetime.fromtimestamp(last, UTC), self.clock()
        is_recent = now - slot <= digest.catch_up
        if not is_recent or not self.history.can_take_over(digest.name, last, now.timestamp()):
            return None
        return slot.astimezone(ZoneInfo(digest.timezone))

    def _run_in_process(self, digest: Digest, slot: datetime) -> int:
        command = [sys.executable, "-c", "from printer.cli import main; main()", "digest", "run",
                   digest.name, "--slot", slot.isoformat(), *self.arguments]  # fmt: skip
        # Start this program with its own arguments.
        with subprocess.Popen(command) as process:  # noqa: S603
            elapsed = 0.0
            while process.poll() is None:
                if self._stop.wait(0.2) or (elapsed := elapsed + 0.2) > RUN_TIMEOUT:
                    process.terminate()
                    try:
                        return process.wait(30)
                    except subprocess.TimeoutExpired:
                        process.kill()
            return process.returncode
