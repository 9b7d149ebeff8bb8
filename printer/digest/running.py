"""One run of a digest: made, delivered, and remembered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ..config import Settings
from ..errors import WebprintError
from ..model import Result
from .deliver import Parcel, deliver
from .described import Delivery, Digest
from .edition import Editor, Issue
from .memory import Memory

Deliver = Callable[[Parcel, Delivery, Settings], str]


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run; without a ``result`` there was nothing new."""

    issue: Issue
    result: Result | None = None
    delivered: tuple[str, ...] = ()
    failed: tuple[WebprintError, ...] = ()
    served: bool = field(default=False)


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
        slot: float | None = None,
    ) -> Run:
        """Make a digest and deliver it; remembers what was printed once it went anywhere.

        Raises :class:`WebprintError` when it could not be made.  What could not be delivered is
        in ``failed``.
        """
        now = self.clock()
        issue = self.editor.issue(digest, now)
        for find in issue.unchanged:
            self.memory.seen(digest.name, find.url, find.stamp)
        if not issue.taken:
            return Run(issue)
        issue, result = self.editor.set(issue)
        if slot is not None:
            self.memory.sending(digest.name, slot)
        delivered, failed = self._deliver(issue, result, write)
        if delivered:
            self.memory.keep(digest.name, issue.to_keep(), now.timestamp())
        return Run(issue, result, tuple(delivered), tuple(failed))

    def _deliver(
        self, issue: Issue, result: Result, write: Callable[[Issue, Result], str] | None
    ) -> tuple[list[str], list[WebprintError]]:
        if write is not None:
            return [write(issue, result)], []
        digest = issue.digest
        parcel = Parcel(
            digest.name, digest.heading, issue.when, result.data, told(issue, result), result.format
        )
        delivered: list[str] = []
        failed: list[WebprintError] = []
        for to in digest.deliver:
            try:
                delivered.append(self.deliver(parcel, to, self.settings))
            except WebprintError as error:
                failed.append(error)
        return delivered, failed

    def serve(self, digest: Digest, slot: float) -> Run | None:
        """Run a digest for a slot of its schedule, unless another does or did."""
        if not self.memory.claim(digest.name, slot, self.clock().timestamp()):
            return None
        try:
            run = self.run(digest, slot=slot)
        except WebprintError:
            self.memory.failed(digest.name, slot, self.clock().timestamp())
            raise
        if run.failed and not run.delivered:
            self.memory.failed(digest.name, slot, self.clock().timestamp())
        else:
            self.memory.done(digest.name, slot)
        return run
