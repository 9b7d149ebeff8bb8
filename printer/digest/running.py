"""One run of a digest: made, delivered, and remembered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ..errors import WebprintError
from ..output import Result
from ..settings import Settings
from .deliver import Parcel, arrived, deliver, goal
from .described import Delivery, Digest
from .destinations import place_of
from .dispatch import Dispatch
from .edition import Editor, Issue
from .memory import TRIES, Memory
from .outbox import MayHaveArrived

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
