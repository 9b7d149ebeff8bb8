"""Runs of a digest: build the issue, deliver it, remember its stories."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..article import Article
from ..errors import WebprintError
from ..output import Result
from ..render.worker_pool import RenderPool
from ..settings import LoadedSettings, Settings, data_folder
from .builder import Issue, IssueBuilder
from .config import Destination, Digest
from .delivery import Delivery, deliver
from .selection import StoryHistory, StoryRecord

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
    """An issue to deliver, with its stories, its articles, and warnings for the user."""

    delivery: Delivery
    stories: tuple[StoryRecord, ...]
    articles: tuple[Article, ...]
    warnings: tuple[str, ...] = ()


def issue_report(issue: Issue, result: Result) -> dict[str, Any]:
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


def run_digest(
    builder: IssueBuilder, digest: Digest, now: datetime,
    write: Callable[[Issue, Result], str] | None = None, deliver: Deliver = deliver,
) -> RunResult:  # fmt: skip
    """Build a digest and deliver it, or pass it to ``write`` instead.

    Its stories are remembered if it was delivered anywhere; the result has the errors of delivery.
    Raise :class:`WebprintError`.
    """
    issue, result = _build(builder, digest, now)
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
                delivered.append(deliver(delivery, destination, builder.settings))
            except WebprintError as error:
                failed.append(error)
    if delivered:
        records = [story.record() for story in issue.stories]
        builder.history.remember(digest.name, records, issue.date.timestamp())
    return RunResult(issue, result, tuple(delivered), tuple(failed))


def build_issue(builder: IssueBuilder, digest: Digest, now: datetime) -> BuiltIssue | None:
    """Build a digest to be delivered later; return None if there is nothing new."""
    issue, result = _build(builder, digest, now)
    if result is None:
        return None
    return BuiltIssue(
        _delivery(issue, result),
        tuple(story.record() for story in issue.stories),
        tuple(story.article for story in issue.stories),
        (*(f"{name}: {reason}" for name, reason in issue.problems), *result.warnings),
    )


def _build(builder: IssueBuilder, digest: Digest, now: datetime) -> tuple[Issue, Result | None]:
    with builder.printer(digest) as printer:
        issue = builder.build(digest, now, printer)
        for candidate in issue.unchanged:
            builder.history.note_unchanged(digest.name, candidate.url, candidate.fingerprint)
        return builder.render(issue, printer) if issue.stories else (issue, None)


def _delivery(issue: Issue, result: Result) -> Delivery:
    name, title = issue.digest.name, issue.digest.heading
    report = issue_report(issue, result)
    return Delivery(name, title, issue.date, result.data, report, result.format)


def build_in_worker(loaded: LoadedSettings, digest: Digest, now: datetime) -> BuiltIssue | None:
    """Build a digest; call this in a separate process, whose end releases the memory."""
    settings = loaded.settings
    with (
        closing(StoryHistory(stories_database(settings))) as history,
        RenderPool(settings.print_timeout, fork=False) as pool,
    ):
        builder = IssueBuilder(settings, history, loaded.from_command_line, pool=pool)
        return build_issue(builder, digest, now)


def stories_database(settings: Settings) -> str:
    """Return the path or URL of the database of what digests printed."""
    return settings.database or str(data_folder() / "digests.sqlite")
