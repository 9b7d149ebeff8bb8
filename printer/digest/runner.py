"""Runs of a digest: build the issue, deliver it, remember its stories.

For a slot of a schedule, the file is saved before the first delivery; each delivery begins once:

    claim_slot -> build -> DeliveryLog.save -> for each destination: begin -> deliver -> finish

A process that takes over the slot of a dead one delivers the same file to the destinations that
were not begun.  A delivery that was begun may have arrived: a file is looked for, and deliveries of
other kinds are not repeated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from ..errors import WebprintError
from ..output import Result
from ..settings import Settings
from .builder import Issue, IssueBuilder
from .config import Destination, Digest
from .delivery import Delivery, deliver, has_arrived, target_path
from .history import (
    MAX_ATTEMPTS,
    RETENTION,
    History,
    StoryRecord,
    deliveries,
    editions,
    slots,
)
from .smtp import DeliveryUncertain

_UNCERTAIN = "{}: its delivery was interrupted; as it may have arrived, it is not sent again"

Deliver = Callable[[Delivery, Destination, Settings], str]


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run.

    ``result`` is None if there was nothing new; ``issue`` is None if the run delivered a file that
    another process had built.
    """

    issue: Issue | None
    result: Result | None = None
    delivered: tuple[str, ...] = ()
    failed: tuple[WebprintError, ...] = ()


def issue_report(issue: Issue, result: Result) -> dict[str, Any]:
    """Return an issue as plain data, for JSON."""
    return {
        "digest": issue.digest.name,
        "title": issue.digest.heading,
        "date": issue.date.isoformat(),
        "pages": result.pages,
        "articles": [
            {
                "title": story.article.title,
                "url": story.urls[0],
                "section": story.candidate.source.section,
                "updated": story.updated,
            }
            for story in issue.stories
        ],
        "missing": [{"name": name, "reason": reason} for name, reason in issue.problems],
    }


@dataclass(slots=True)
class Runner:
    """Runs digests."""

    builder: IssueBuilder
    history: History
    settings: Settings
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    deliver: Deliver = deliver

    def run(self, digest: Digest, write: Callable[[Issue, Result], str] | None = None) -> RunResult:
        """Build a digest now and deliver it, or pass it to ``write`` instead.

        Its stories are remembered if it was delivered anywhere; the result has the errors of
        delivery.

        Raises:
            WebprintError: it could not be built.
        """
        issue, result = self._build(digest)
        if result is None:
            return RunResult(issue)
        delivered: list[str] = []
        failed: list[WebprintError] = []
        if write is not None:
            delivered.append(write(issue, result))
        else:
            delivery = _delivery(issue, result)
            for destination in digest.deliver:
                try:
                    delivered.append(self.deliver(delivery, destination, self.settings))
                except WebprintError as error:
                    failed.append(error)
        if delivered:
            self.history.remember(digest.name, _records(issue), issue.date.timestamp())
        return RunResult(issue, result, tuple(delivered), tuple(failed))

    def run_slot(self, digest: Digest, slot: float) -> RunResult | None:
        """Run a digest for a slot of its schedule, or return None if another process does or did.

        Raises:
            WebprintError: it could not be built; the slot is tried again later.
        """
        attempt = self.history.claim_slot(digest.name, slot, self._now())
        if not attempt:
            return None
        log = DeliveryLog(self.history, digest.name, slot, attempt)
        issue, result = None, None
        try:
            delivery = log.load(self._now())
            if delivery is None:
                issue, result = self._build(digest)
                if result is None:
                    self.history.finish_slot(digest.name, slot)
                    return RunResult(issue)
                delivery = _delivery(issue, result)
                if not log.save(delivery, _records(issue), self._now()):
                    return None
            delivered, failed = self._deliver_all(log, delivery, digest)
        except WebprintError:
            self.history.fail_slot(digest.name, slot, self._now())
            raise
        if all(isinstance(error, DeliveryUncertain) for error in failed):
            log.finish()
        else:
            self.history.fail_slot(digest.name, slot, self._now())
            if attempt >= MAX_ATTEMPTS and not log.has_begun():
                self.history.forget(digest.name, delivery.date.timestamp())
        return RunResult(issue, result, tuple(delivered), tuple(failed))

    def _build(self, digest: Digest) -> tuple[Issue, Result | None]:
        with self.builder.printer(digest) as printer:
            issue = self.builder.build(digest, self.clock(), printer)
            for candidate in issue.unchanged:
                self.history.note_unchanged(digest.name, candidate.url, candidate.fingerprint)
            return self.builder.render(issue, printer) if issue.stories else (issue, None)

    def _deliver_all(
        self, log: DeliveryLog, delivery: Delivery, digest: Digest
    ) -> tuple[list[str], list[WebprintError]]:
        """Deliver to the destinations that were not yet begun."""
        delivered: list[str] = []
        failed: list[WebprintError] = []
        for destination in digest.deliver:
            state, target = log.state(destination)
            try:
                if state == "begun":
                    arrived = has_arrived(delivery, destination, target)
                    if arrived is None:
                        failed.append(DeliveryUncertain(_UNCERTAIN.format(destination.label)))
                    elif arrived:
                        log.mark_delivered(destination)
                    else:
                        log.retract(destination)
                if not log.begin(destination, target_path(delivery, destination), self._now()):
                    continue
                try:
                    delivered.append(self.deliver(delivery, destination, self.settings))
                except DeliveryUncertain:
                    raise
                except WebprintError:
                    log.retract(destination)
                    raise
                log.mark_delivered(destination)
            except WebprintError as error:
                failed.append(error)
        return delivered, failed

    def _now(self) -> float:
        return self.clock().timestamp()


def _delivery(issue: Issue, result: Result) -> Delivery:
    name, title = issue.digest.name, issue.digest.heading
    report = issue_report(issue, result)
    return Delivery(name, title, issue.date, result.data, report, result.format)


def _records(issue: Issue) -> list[StoryRecord]:
    return [story.record() for story in issue.stories]


@dataclass(frozen=True, slots=True)
class DeliveryLog:
    """The deliveries of one slot; ``attempt`` is what :meth:`History.claim_slot` returned.

    It writes nothing more once another process has taken over the slot.
    """

    history: History
    digest: str
    slot: float
    attempt: int

    def save(self, delivery: Delivery, stories: Iterable[StoryRecord], now: float) -> bool:
        """Save a file and remember its stories; return False if the slot is lost."""
        about = json.dumps(
            {"title": delivery.title, "when": delivery.date.isoformat(), "told": delivery.report,
             "format": delivery.format}
        )  # fmt: skip
        old = (editions.c.digest == self.digest) & (editions.c.slot < self.slot - RETENTION)
        with self.history.write() as connection:
            if not self._renew(connection, now):
                return False
            connection.execute(sa.delete(editions).where(old))
            row = {"digest": self.digest, "slot": self.slot, "about": about, "data": delivery.data}
            connection.execute(editions.insert().values(row))
            date = delivery.date.timestamp()
            self.history.remember_within(connection, self.digest, stories, date)
        return True

    def load(self, now: float) -> Delivery | None:
        """Return the file that was saved for the slot, if any."""
        with self.history.write() as connection:
            saved = sa.select(editions.c.about, editions.c.data).where(self._of_slot(editions))
            row = connection.execute(saved).first()
            if row is None or not self._renew(connection, now):
                return None
        about = json.loads(row.about)
        date = datetime.fromisoformat(about["when"])
        return Delivery(self.digest, about["title"], date, row.data, about["told"], about["format"])

    def begin(self, destination: Destination, target: str, now: float) -> bool:
        """Log that a delivery begins; return False if it was begun before or the slot is lost.

        ``target`` is the file to look for after an interruption, or ''.
        """
        row = {
            "digest": self.digest, "slot": self.slot, "destination": _key(destination),
            "state": "begun", "target": target,
        }  # fmt: skip
        with self.history.write() as connection:
            # Renewing locks the row of the slot against other processes.
            if not self._renew(connection, now):
                return False
            if connection.execute(sa.select(deliveries).where(self._is_to(destination))).first():
                return False
            connection.execute(deliveries.insert().values(row))
        return True

    def state(self, destination: Destination) -> tuple[str, str]:
        """Return the state of a delivery ("", "begun" or "done") and its target."""
        with self.history.write() as connection:
            this = sa.select(deliveries).where(self._is_to(destination))
            row = connection.execute(this).first()
        return (row.state, row.target) if row else ("", "")

    def mark_delivered(self, destination: Destination) -> None:
        """Log that a delivery arrived."""
        with self.history.write() as connection:
            this = sa.update(deliveries).where(self._is_to(destination))
            connection.execute(this.values(state="done"))

    def retract(self, destination: Destination) -> None:
        """Log that a delivery did not arrive, so that it can begin again."""
        with self.history.write() as connection:
            connection.execute(sa.delete(deliveries).where(self._is_to(destination)))

    def finish(self) -> None:
        """Mark the slot as done and delete the file, unless the slot is lost."""
        with self.history.write() as connection:
            if connection.execute(self._update_slot(state="done")).rowcount == 1:
                connection.execute(sa.delete(editions).where(self._of_slot(editions)))

    def has_begun(self) -> bool:
        """Return whether the file may have arrived anywhere."""
        with self.history.write() as connection:
            begun = sa.select(deliveries).where(self._of_slot(deliveries))
            return connection.execute(begun).first() is not None

    def _renew(self, connection: sa.Connection, now: float) -> bool:
        """Renew the lease of the slot; return False if it is lost."""
        renewed = self._update_slot(state="sending", since=now)
        return connection.execute(renewed).rowcount == 1

    def _update_slot(self, **values: object) -> sa.Update:
        leased = (slots.c.attempt == self.attempt) & slots.c.state.in_(("making", "sending"))
        return sa.update(slots).where(self._of_slot(slots) & leased).values(values)

    def _of_slot(self, table: sa.Table) -> sa.ColumnElement[bool]:
        return (table.c.digest == self.digest) & (table.c.slot == self.slot)

    def _is_to(self, destination: Destination) -> sa.ColumnElement[bool]:
        return self._of_slot(deliveries) & (deliveries.c.destination == _key(destination))


def _key(destination: Destination) -> str:
    """Return a hash of a destination, as its address can contain a key."""
    address = (
        destination.webhook_url or destination.folder or destination.mail or destination.printer
    )
    text = f"{destination.kind} {address}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
