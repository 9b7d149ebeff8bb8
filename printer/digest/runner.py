"""One run of a digest: made, delivered, and remembered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Update, delete, select, update

from ..errors import WebprintError
from ..output import Result
from ..settings import Settings
from .builder import Issue, IssueBuilder
from .config import Destination, Digest
from .delivery import Delivery, deliver, describe, has_arrived, target_path
from .history import MAX_ATTEMPTS, RETENTION, History, StoryRecord, deliveries, editions, slots
from .smtp import DeliveryUncertain

_UNCERTAIN = "{}: who delivered it was killed meanwhile, and it may have arrived; not sent again"

Deliver = Callable[[Delivery, Destination, Settings], str]


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of a run; without a ``result`` there was nothing new.

    Without an ``issue`` the one that another process had made was delivered on.
    """

    issue: Issue | None
    result: Result | None = None
    delivered: tuple[str, ...] = ()
    failed: tuple[WebprintError, ...] = ()


def issue_report(issue: Issue, result: Result) -> dict[str, Any]:
    """Return what programs are told of an issue."""
    articles = [
        {"title": each.reading.article.title, "url": each.urls[0],
         "section": each.candidate.section, "updated": each.updated}
        for each in issue.stories
    ]  # fmt: skip
    return {
        "digest": issue.digest.name,
        "title": issue.digest.heading,
        "date": issue.when.isoformat(),
        "pages": result.pages,
        "articles": articles,
        "missing": [{"name": name, "reason": reason} for name, reason in issue.problems],
    }


@dataclass(slots=True)
class Runner:
    """Runs digests; ``write`` takes the PDF instead of the deliveries where it is given."""

    builder: IssueBuilder
    history: History
    settings: Settings
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    deliver: Deliver = deliver

    def run(
        self,
        digest: Digest,
        write: Callable[[Issue, Result], str] | None = None,
    ) -> RunResult:
        """Make a digest and deliver it; remembers what was printed once it went anywhere.

        Raises :class:`WebprintError` when it could not be made.  What could not be delivered is
        in ``failed``.
        """
        issue, result = self._build(digest)
        if result is None:
            return RunResult(issue)
        delivered: list[str] = []
        failed: list[WebprintError] = []
        if write is not None:
            delivered.append(write(issue, result))
        else:
            for to in digest.deliver:
                try:
                    delivered.append(self.deliver(_delivery(issue, result), to, self.settings))
                except WebprintError as error:
                    failed.append(error)
        if delivered:
            self.history.remember(digest.name, issue.records(), issue.when.timestamp())
        return RunResult(issue, result, tuple(delivered), tuple(failed))

    def _build(self, digest: Digest) -> tuple[Issue, Result | None]:
        issue = self.builder.build(digest, self.clock())
        for find in issue.unchanged:
            self.history.note_unchanged(digest.name, find.url, find.fingerprint)
        return self.builder.render(issue) if issue.stories else (issue, None)

    def run_slot(self, digest: Digest, slot: float) -> RunResult | None:
        """Run a digest for a slot of its schedule, unless another does or did.

        What is made is kept before it is delivered, so that each place gets it once, whoever is
        killed; a place that refuses is tried again with the slot.
        """
        attempt = self.history.claim_slot(digest.name, slot, self._now())
        if not attempt:
            return None
        sending = DeliveryLog(self.history, digest.name, slot, attempt)
        issue, result = None, None
        try:
            parcel = sending.load(self._now())
            if parcel is None:
                issue, result = self._build(digest)
                if result is None:
                    self.history.finish_slot(digest.name, slot)
                    return RunResult(issue)
                parcel = _delivery(issue, result)
                if not sending.save(parcel, issue.records(), self._now()):
                    return None
            delivered, failed = self._deliver_all(sending, parcel, digest)
        except WebprintError:
            self.history.fail_slot(digest.name, slot, self._now())
            raise
        if any(not isinstance(error, DeliveryUncertain) for error in failed):
            self.history.fail_slot(digest.name, slot, self._now())
            if attempt >= MAX_ATTEMPTS and not sending.has_started():
                self.history.forget(digest.name, parcel.when.timestamp())
        else:
            sending.finish()
        return RunResult(issue, result, tuple(delivered), tuple(failed))

    def _deliver_all(
        self, sending: DeliveryLog, parcel: Delivery, digest: Digest
    ) -> tuple[list[str], list[WebprintError]]:
        """Deliver to the places where that was not begun before."""
        delivered: list[str] = []
        failed: list[WebprintError] = []
        for to in digest.deliver:
            state, there = sending.state(to)
            try:
                if state == "begun" and (found := has_arrived(parcel, to, there)) is not None:
                    (sending.mark_delivered if found else sending.forget)(to)
                if state == "begun" and not there:
                    failed.append(DeliveryUncertain(_UNCERTAIN.format(describe(to))))
                if not sending.begin(to, target_path(parcel, to), self._now()):
                    continue
                try:
                    delivered.append(self.deliver(parcel, to, self.settings))
                except DeliveryUncertain:
                    raise
                except WebprintError:
                    sending.forget(to)
                    raise
                sending.mark_delivered(to)
            except WebprintError as error:
                failed.append(error)
        return delivered, failed

    def _now(self) -> float:
        return self.clock().timestamp()


def _delivery(issue: Issue, result: Result) -> Delivery:
    digest = issue.digest
    return Delivery(
        digest.name,
        digest.heading,
        issue.when,
        result.data,
        issue_report(issue, result),
        result.format,
    )


def _destination_key(to: Destination) -> str:
    """Return a name of a place to deliver to, which tells nothing of its address."""
    address = to.webhook.get_secret_value() if to.webhook else to.folder or to.mail or to.printer
    return hashlib.sha256(f"{to.kind} {address}".encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class DeliveryLog:
    """What is known of one slot's edition; ``attempt`` is what :meth:`Memory.claim` gave.

    When another has taken the slot since, nothing is written any more.
    """

    history: History
    digest: str
    slot: float
    attempt: int

    def save(self, delivery: Delivery, stories: Iterable[StoryRecord], now: float) -> bool:
        """Keep an edition and remember its stories as printed; False when it is another's now."""
        about = json.dumps(
            {"title": delivery.title, "when": delivery.when.isoformat(), "told": delivery.report,
             "format": delivery.format}
        )  # fmt: skip
        row = {"digest": self.digest, "slot": self.slot, "about": about, "data": delivery.data}
        old = (editions.c.digest == self.digest) & (editions.c.slot < self.slot - RETENTION)
        with self.history.writing() as connection:
            if not self._renew_lease(connection, now):
                return False
            connection.execute(delete(editions).where(old))
            connection.execute(editions.insert().values(row))
            self.history.remember_in(connection, self.digest, stories, delivery.when.timestamp())
        return True

    def load(self, now: float) -> Delivery | None:
        """Return the edition that was accepted, to be delivered on; None when there is none."""
        query = select(editions.c.about, editions.c.data).where(
            editions.c.digest == self.digest, editions.c.slot == self.slot
        )
        with self.history.writing() as connection:
            row = connection.execute(query).first()
            if row is None or not self._renew_lease(connection, now):
                return None
        about = json.loads(row.about)
        when = datetime.fromisoformat(about["when"])
        return Delivery(
            self.digest, about["title"], when, row.data, about["told"], about["format"]
        )  # fmt: skip

    def begin(self, to: Destination, target: str, now: float) -> bool:
        """Note that delivery to a place begins; False when it had begun, or is another's.

        ``goal`` is the file that will be there when it arrived, '' when there is none to look for.
        """
        row = {"digest": self.digest, "slot": self.slot, "place": _destination_key(to),
               "state": "begun", "goal": target}  # fmt: skip
        with self.history.writing() as connection:
            # This holds the slot's row: nobody else begins anything meanwhile.
            if not self._renew_lease(connection, now):
                return False
            if (
                connection.execute(select(deliveries).where(self._is_delivery(to))).first()
                is not None
            ):
                return False
            connection.execute(deliveries.insert().values(row))
        return True

    def state(self, to: Destination) -> tuple[str, str]:
        """Return how far the delivery to a place is ("", "begun", "done"), and its goal."""
        query = select(deliveries.c.state, deliveries.c.goal).where(self._is_delivery(to))
        with self.history.writing() as connection:
            row = connection.execute(query).first()
        return (row.state, row.goal) if row else ("", "")

    def mark_delivered(self, to: Destination) -> None:
        """Note that a place has it."""
        with self.history.writing() as connection:
            connection.execute(update(deliveries).where(self._is_delivery(to)).values(state="done"))

    def forget(self, to: Destination) -> None:
        """Note that a place certainly does not have it, so that it may be begun again."""
        with self.history.writing() as connection:
            connection.execute(delete(deliveries).where(self._is_delivery(to)))

    def finish(self) -> None:
        """Let go of the edition, unless it is another's: what could be delivered was."""
        here = (editions.c.digest == self.digest) & (editions.c.slot == self.slot)
        with self.history.writing() as connection:
            if connection.execute(self._own_slot().values(state="done")).rowcount == 1:
                connection.execute(delete(editions).where(here))

    def has_started(self) -> bool:
        """Tell whether it may have come to any place."""
        query = select(deliveries.c.place).where(
            deliveries.c.digest == self.digest, deliveries.c.slot == self.slot
        )
        with self.history.writing() as connection:
            return connection.execute(query).first() is not None

    def _own_slot(self) -> Update:
        """Change the slot, as long as it is this attempt's."""
        return update(slots).where(
            slots.c.digest == self.digest, slots.c.slot == self.slot,
            slots.c.tries == self.attempt, slots.c.state.in_(("making", "sending")),
        )  # fmt: skip

    def _renew_lease(self, connection: Connection, now: float) -> bool:
        """Give a sign of life; False when the slot is another's by now."""
        values = {"state": "sending", "since": now}
        return connection.execute(self._own_slot().values(values)).rowcount == 1

    def _is_delivery(self, to: Destination) -> ColumnElement[bool]:
        return (
            (deliveries.c.digest == self.digest)
            & (deliveries.c.slot == self.slot)
            & (deliveries.c.place == _destination_key(to))
        )
