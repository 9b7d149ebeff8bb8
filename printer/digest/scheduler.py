"""When digests are due: cron expressions in a time zone, each time of which is served once."""

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

#: The longest that the scheduler sleeps: a computer that slept long itself notices soon.
MAX_SLEEP = 30.0
#: Seconds that making and delivering one digest may take.
RUN_TIMEOUT = 3600.0


def next_slot(digest: Digest, now: datetime) -> datetime | None:
    """Return the next time a digest is due, None for one without a schedule, or never again."""
    if not digest.schedule:
        return None
    local = now.astimezone(ZoneInfo(digest.timezone))
    return next(CronSim(digest.schedule, local), None)


def due_slot(
    digest: Digest, now: datetime, last_slot: float | None, started: datetime
) -> datetime | None:
    """Return the time that is to be served now, None when there is none.

    Of several that passed (the computer slept) the latest stands for all.  ``served`` is the
    latest that anyone took; a digest that never ran is due from ``began`` on, and nothing is
    caught up that is older than its ``catch_up``.
    """
    if not digest.schedule:
        return None
    zone = ZoneInfo(digest.timezone)
    local = now.astimezone(zone)
    # One that falls on this very minute is behind the next.
    latest = next(CronSim(digest.schedule, local + timedelta(seconds=1), reverse=True), None)
    if latest is None or now - latest > digest.catch_up:
        return None
    after = datetime.fromtimestamp(last_slot, UTC) if last_slot is not None else started
    return latest if latest > after else None


RunDigest = Callable[[Digest, datetime], int]


@dataclass(slots=True)
class Scheduler:
    """Watches the clock, and makes each digest in a process of its own.

    WeasyPrint keeps memory, and a fault of one digest must not end the others.
    """

    digests: Sequence[Digest]
    history: History
    arguments: Sequence[str] = ()
    log: Callable[[str], None] = print
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    run_digest: RunDigest | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _started: datetime | None = None
    _again: dict[str, tuple[datetime, datetime]] = field(default_factory=dict)

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stop.set())
        for digest in self.digests:
            after = next_slot(digest, self.clock())
            self.log(f"{digest.name}: next {after:%Y-%m-%d %H:%M %Z}" if after else digest.name)
        while not self._stop.is_set():
            self.tick()
            self._stop.wait(MAX_SLEEP)

    def tick(self) -> None:
        """Serve what is due."""
        now = self.clock()
        self._started = self._started or now
        for digest in self.digests:
            slot = due_slot(digest, now, self.history.last_slot(digest.name), self._started)
            if slot is None:
                slot = self._slot_to_retry(digest)
            if slot is None or self._stop.is_set():
                continue
            self.log(f"{digest.name}: making the one of {slot:%Y-%m-%d %H:%M %Z}")
            code = (self.run_digest or self._run_in_process)(digest, slot)
            if code:
                self.log(f"{digest.name}: failed with code {code}, to be tried again")

    def _slot_to_retry(self, digest: Digest) -> datetime | None:
        """Return the latest slot when it failed or was left, for another try."""
        served = self.history.last_slot(digest.name)
        if served is None or self.history.slot_state(digest.name, served) not in (
            "failed", "making", "sending",
        ):  # fmt: skip
            return None
        slot = datetime.fromtimestamp(served, UTC)
        recent = self.clock() - slot <= digest.catch_up
        ready = self.history.can_take_over(digest.name, served, self.clock().timestamp())
        return slot.astimezone(ZoneInfo(digest.timezone)) if recent and ready else None

    def _run_in_process(self, digest: Digest, slot: datetime) -> int:
        command = [sys.executable, "-c", "from printer.cli import main; main()", "digest", "run",
                   digest.name, "--slot", slot.isoformat(), *self.arguments]  # fmt: skip
        # Our own program, and as arguments what started this one.
        with subprocess.Popen(command) as process:  # noqa: S603
            waited = 0.0
            while process.poll() is None:
                if self._stop.wait(0.2) or (waited := waited + 0.2) > RUN_TIMEOUT:
                    process.terminate()
                    try:
                        return process.wait(30)
                    except subprocess.TimeoutExpired:
                        process.kill()
            return process.returncode
