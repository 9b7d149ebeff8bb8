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
from .builder import Editor, Issue
from .config import Delivery, Digest
from .delivery import Parcel, arrived, deliver, goal, place_of
from .history import KEPT, TRIES, Memory, ToKeep, deliveries, editions, slots
from .smtp import MayHaveArrived

_DOUBT = "{}: who delivered it was killed meanwhile, and it may have arrived; not sent again"

Deliver = Callable[[Parcel, Delivery, Settings], str]


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run; without a ``result`` there was nothing new.

    Without an ``issue`` the one that another process had made was delivered on.
    """

    issue: Issue | None
    result: Result | None = None
    delivered: tuple[str, ...] = ()
    failed: tuple[WebprintError, ...] = ()


def told(issue: Issue, result: Result) -> dict[str, Any]:
    """Return what programs are told of an issue."""
    articles = [
        {"title": each.reading.article.title, "url": each.urls[0], "section": each.find.section,
         "updated": each.updated}
        for each in issue.taken
    ]  # fmt: skip
    return {
        "digest": issue.digest.name,
        "title": issue.digest.heading,
        "date": issue.when.isoformat(),
        "pages": result.pages,
        "articles": articles,
        "missing": [{"name": name, "reason": reason} for name, reason in issue.remarks],
    }


@dataclass(slots=True)
class Runner:
    """Runs digests; ``write`` takes the PDF instead of the deliveries where it is given."""

    editor: Editor
    memory: Memory
    settings: Settings
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    deliver: Deliver = deliver

    def run(
        self,
        digest: Digest,
        write: Callable[[Issue, Result], str] | None = None,
    ) -> Run:
        """Make a digest and deliver it; remembers what was printed once it went anywhere.

        Raises :class:`WebprintError` when it could not be made.  What could not be delivered is
        in ``failed``.
        """
        issue, result = self._made(digest)
        if result is None:
            return Run(issue)
        delivered: list[str] = []
        failed: list[WebprintError] = []
        if write is not None:
            delivered.append(write(issue, result))
        else:
            for to in digest.deliver:
                try:
                    delivered.append(self.deliver(_parcel(issue, result), to, self.settings))
                except WebprintError as error:
                    failed.append(error)
        if delivered:
            self.memory.keep(digest.name, issue.to_keep(), issue.when.timestamp())
        return Run(issue, result, tuple(delivered), tuple(failed))

    def _made(self, digest: Digest) -> tuple[Issue, Result | None]:
        issue = self.editor.issue(digest, self.clock())
        for find in issue.unchanged:
            self.memory.seen(digest.name, find.url, find.stamp)
        return self.editor.set(issue) if issue.taken else (issue, None)

    def serve(self, digest: Digest, slot: float) -> Run | None:
        """Run a digest for a slot of its schedule, unless another does or did.

        What is made is kept before it is delivered, so that each place gets it once, whoever is
        killed; a place that refuses is tried again with the slot.
        """
        attempt = self.memory.claim(digest.name, slot, self._now())
        if not attempt:
            return None
        sending = Dispatch(self.memory, digest.name, slot, attempt)
        issue, result = None, None
        try:
            parcel = sending.resume(self._now())
            if parcel is None:
                issue, result = self._made(digest)
                if result is None:
                    self.memory.done(digest.name, slot)
                    return Run(issue)
                parcel = _parcel(issue, result)
                if not sending.accept(parcel, issue.to_keep(), self._now()):
                    return None
            delivered, failed = self._send(sending, parcel, digest)
        except WebprintError:
            self.memory.failed(digest.name, slot, self._now())
            raise
        if any(not isinstance(error, MayHaveArrived) for error in failed):
            self.memory.failed(digest.name, slot, self._now())
            if attempt >= TRIES and not sending.anywhere():
                self.memory.forget(digest.name, parcel.when.timestamp())
        else:
            sending.over()
        return Run(issue, result, tuple(delivered), tuple(failed))

    def _send(
        self, sending: Dispatch, parcel: Parcel, digest: Digest
    ) -> tuple[list[str], list[WebprintError]]:
        """Deliver to the places where that was not begun before."""
        delivered: list[str] = []
        failed: list[WebprintError] = []
        for to in digest.deliver:
            state, there = sending.state(to)
            try:
                if state == "begun" and (found := arrived(parcel, to, there)) is not None:
                    (sending.delivered if found else sending.refused)(to)
                if state == "begun" and not there:
                    failed.append(MayHaveArrived(_DOUBT.format(place_of(to))))
                if not sending.begin(to, goal(parcel, to), self._now()):
                    continue
                try:
                    delivered.append(self.deliver(parcel, to, self.settings))
                except MayHaveArrived:
                    raise
                except WebprintError:
                    sending.refused(to)
                    raise
                sending.delivered(to)
            except WebprintError as error:
                failed.append(error)
        return delivered, failed

    def _now(self) -> float:
        return self.clock().timestamp()


def _parcel(issue: Issue, result: Result) -> Parcel:
    digest = issue.digest
    return Parcel(
        digest.name, digest.heading, issue.when, result.data, told(issue, result), result.format
    )


def _place(to: Delivery) -> str:
    """Return a name of a place to deliver to, which tells nothing of its address."""
    address = to.webhook.get_secret_value() if to.webhook else to.folder or to.mail or to.printer
    return hashlib.sha256(f"{to.kind} {address}".encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class Dispatch:
    """What is known of one slot's edition; ``attempt`` is what :meth:`Memory.claim` gave.

    When another has taken the slot since, nothing is written any more.
    """

    memory: Memory
    digest: str
    slot: float
    attempt: int

    def accept(self, parcel: Parcel, stories: Iterable[ToKeep], now: float) -> bool:
        """Keep an edition and remember its stories as printed; False when it is another's now."""
        about = json.dumps(
            {"title": parcel.title, "when": parcel.when.isoformat(), "told": parcel.told,
             "format": parcel.format}
        )  # fmt: skip
        row = {"digest": self.digest, "slot": self.slot, "about": about, "data": parcel.data}
        old = (editions.c.digest == self.digest) & (editions.c.slot < self.slot - KEPT)
        with self.memory.writing() as connection:
            if not self._alive(connection, now):
                return False
            connection.execute(delete(editions).where(old))
            connection.execute(editions.insert().values(row))
            self.memory.keep_within(connection, self.digest, stories, parcel.when.timestamp())
        return True

    def resume(self, now: float) -> Parcel | None:
        """Return the edition that was accepted, to be delivered on; None when there is none."""
        query = select(editions.c.about, editions.c.data).where(
            editions.c.digest == self.digest, editions.c.slot == self.slot
        )
        with self.memory.writing() as connection:
            row = connection.execute(query).first()
            if row is None or not self._alive(connection, now):
                return None
        about = json.loads(row.about)
        when = datetime.fromisoformat(about["when"])
        return Parcel(
            self.digest, about["title"], when, row.data, about["told"], about["format"]
        )  # fmt: skip

    def begin(self, to: Delivery, goal: str, now: float) -> bool:
        """Note that delivery to a place begins; False when it had begun, or is another's.

        ``goal`` is the file that will be there when it arrived, '' when there is none to look for.
        """
        row = {"digest": self.digest, "slot": self.slot, "place": _place(to), "state": "begun",
               "goal": goal}  # fmt: skip
        with self.memory.writing() as connection:
            # This holds the slot's row: nobody else begins anything meanwhile.
            if not self._alive(connection, now):
                return False
            if connection.execute(select(deliveries).where(self._there(to))).first() is not None:
                return False
            connection.execute(deliveries.insert().values(row))
        return True

    def state(self, to: Delivery) -> tuple[str, str]:
        """Return how far the delivery to a place is ("", "begun", "done"), and its goal."""
        query = select(deliveries.c.state, deliveries.c.goal).where(self._there(to))
        with self.memory.writing() as connection:
            row = connection.execute(query).first()
        return (row.state, row.goal) if row else ("", "")

    def delivered(self, to: Delivery) -> None:
        """Note that a place has it."""
        with self.memory.writing() as connection:
            connection.execute(update(deliveries).where(self._there(to)).values(state="done"))

    def refused(self, to: Delivery) -> None:
        """Note that a place certainly does not have it, so that it may be begun again."""
        with self.memory.writing() as connection:
            connection.execute(delete(deliveries).where(self._there(to)))

    def over(self) -> None:
        """Let go of the edition, unless it is another's: what could be delivered was."""
        here = (editions.c.digest == self.digest) & (editions.c.slot == self.slot)
        with self.memory.writing() as connection:
            if connection.execute(self._mine().values(state="done")).rowcount == 1:
                connection.execute(delete(editions).where(here))

    def anywhere(self) -> bool:
        """Tell whether it may have come to any place."""
        query = select(deliveries.c.place).where(
            deliveries.c.digest == self.digest, deliveries.c.slot == self.slot
        )
        with self.memory.writing() as connection:
            return connection.execute(query).first() is not None

    def _mine(self) -> Update:
        """Change the slot, as long as it is this attempt's."""
        return update(slots).where(
            slots.c.digest == self.digest, slots.c.slot == self.slot,
            slots.c.tries == self.attempt, slots.c.state.in_(("making", "sending")),
        )  # fmt: skip

    def _alive(self, connection: Connection, now: float) -> bool:
        """Give a sign of life; False when the slot is another's by now."""
        values = {"state": "sending", "since": now}
        return connection.execute(self._mine().values(values)).rowcount == 1

    def _there(self, to: Delivery) -> ColumnElement[bool]:
        return (
            (deliveries.c.digest == self.digest)
            & (deliveries.c.slot == self.slot)
            & (deliveries.c.place == _place(to))
        )
