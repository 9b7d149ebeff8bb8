"""Editions on their way: kept whole before the first delivery, each of which is begun once.

    Memory.claim -> made -> accept -> for each place: begin -> deliver -> delivered -> over

Whoever takes over a slot whose process died delivers the same edition to the places that were not
begun.  Of a place where delivery had begun nobody knows whether it arrived, but where a file can be
looked for: it is not begun again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Update, delete, select, update

from .deliver import Parcel
from .described import Delivery
from .memory import KEPT, Memory, ToKeep, deliveries, editions, slots


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
