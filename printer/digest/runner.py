"""Runs of a digest: build the issue, deliver it, remember its stories."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ..article import Article
from ..errors import WebprintError
from ..output import Result
from ..render.worker_pool import RenderPool
from ..settings import Settings, data_folder
from .builder import Issue, IssueBuilder
from .config import Destination, Digest
from .delivery import Delivery, deliver
from .distributed import RemoteWorkers
from .selection import History, StoryRecord

Deliver = Callable[[Delivery, Destination, Settings], str]


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run; ``result`` is None if there was nothing new."""

    issue: Issue
    result: Result | None = None
    delivered: tuple[str, ...] = ()
    failed: tuple[WebprintError, ...] = ()


@dataclass(frozen=True, slots=True)
class BuiltIssue:
    """An issue to deliver, with its stories and articles, and what the user should know."""

    delivery: Delivery
    stories: tuple[StoryRecord, ...]
    articles: tuple[Article, ...]
    warnings: tuple[str, ...] = ()


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

    def build(self, digest: Digest) -> BuiltIssue | None:
        """Build a digest to be delivered later; return None if there is nothing new."""
        issue, result = self._build(digest)
        if result is None:
            return None
        warnings = [f"{name}: {reason}" for name, reason in issue.problems]
        return BuiltIssue(
            _delivery(issue, result),
            tuple(_records(issue)),
            tuple(story.article for story in issue.stories),
            (*warnings, *result.warnings),
        )

    def _build(self, digest: Digest) -> tuple[Issue, Result | None]:
        with self.builder.printer(digest) as printer:
            issue = self.builder.build(digest, self.clock(), printer)
            for candidate in issue.unchanged:
                self.history.note_unchanged(digest.name, candidate.url, candidate.fingerprint)
            return self.builder.render(issue, printer) if issue.stories else (issue, None)


def _delivery(issue: Issue, result: Result) -> Delivery:
    name, title = issue.digest.name, issue.digest.heading
    report = issue_report(issue, result)
    return Delivery(name, title, issue.date, result.data, report, result.format)


def _records(issue: Issue) -> list[StoryRecord]:
    return [story.record() for story in issue.stories]


def build_issue(
    settings: Settings, explicit: frozenset[str], fixed: frozenset[str], digest: Digest,
    now: datetime,
) -> BuiltIssue | None:  # fmt: skip
    """Build a digest in a process of its own, whose memory nobody else needs.

    ``explicit`` names the settings that go to other machines, ``fixed`` those that override the
    digest's.
    """
    with ExitStack() as stack:
        remote = stack.enter_context(RemoteWorkers(settings, explicit)) if settings.spread else None
        history = stack.enter_context(closing(History(stories_database(settings))))
        pool = None
        if remote is None:
            pool = stack.enter_context(RenderPool(settings.print_timeout, fork=False))
        builder = IssueBuilder(
            settings, history, fixed, renderer=pool, extractor=pool, workers=remote
        )
        return Runner(builder, history, settings, lambda: now).build(digest)


def stories_database(settings: Settings) -> str:
    """Return the path or URL of the database of what digests printed."""
    return settings.database or str(data_folder() / "digests.sqlite")
