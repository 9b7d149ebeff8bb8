"""The commands of digests: run, list, check, add, import, export, schedule; and later."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import UsageError, WebprintError
from ..files import lock_file
from ..options import EXTENSIONS, Format, check_known
from ..output import Result
from ..settings import LoadedSettings, Settings, data_folder
from ..text import file_name, quantity
from ..urls import strip_userinfo
from . import output
from .help import Commands, complete
from .options import MESSAGES, DryRun, JsonLines, Out, check_address, require, with_settings
from .output import Console

if TYPE_CHECKING:
    from ..digest.builder import Issue, IssueBuilder
    from ..digest.config import Digest
    from ..digest.feeds import Subscription
    from ..digest.selection import StoryHistory
    from ..render.worker_pool import RenderPool

commands = Commands()
digest = Commands(
    no_args_is_help=True,
    help="Make one PDF of articles from many sources, as configured in webprint.toml.",
    context_settings={"help_option_names": ["--help", "-h"]},
)
commands.add_typer(digest, name="digest")

_NO_DIGESTS = "webprint.toml has no digest; add one with: webprint digest add ADDRESS --digest NAME"

#: The settings of making a digest: all of a print's, and where its history is.
_RUN = ("Page", "Article", "Fetching", "Run", "Digests", "database")
_NOT_RUN = ("format", "strict")

FORMATS: tuple[Format, ...] = ("pdf", "epub")


def _complete_name(incomplete: str) -> list[str]:
    from ..digest.config import load_digests

    try:
        return complete([config.name for config in load_digests()], incomplete)
    except UsageError:  # A message would break the line that is typed; the command will show it.
        return []


DigestName = Annotated[
    str, typer.Argument(metavar="NAME", help="The digest's name.", autocompletion=_complete_name)
]


TargetDigest = Annotated[
    str,
    typer.Option(
        "--digest", metavar="NAME", help="The digest to add to.", autocompletion=_complete_name
    ),
]


@digest.command(name="run")
@with_settings(*_RUN, without=_NOT_RUN)
def run(
    context: typer.Context,
    name: DigestName,
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT", help="A file to write instead of delivering it.", show_default=False
        ),
    ] = "",
    *,
    loaded: LoadedSettings,
    dry_run: DryRun = False,
    as_json: JsonLines = False,
) -> None:
    """Make a digest and deliver it, or write it to OUT. Record what was printed."""
    require("digest")
    from ..digest.runner import run_digest

    settings = loaded.settings
    console = Console.from_settings(settings)
    named = _format_of(out)
    config = _find_digest(name)
    if named:
        config = config.model_copy(update={"format": named})
    if dry_run:
        _show_plan(config, out, settings, as_json=as_json)
        return
    with closing(_open_history(settings)) as history, _one_run_at_a_time(name, console):
        builder = _issue_builder(loaded, history, console, context.obj)
        write = None if config.deliver and not out else partial(_write_issue, out)
        outcome = run_digest(builder, config, datetime.now(UTC), write)
    for source, reason in outcome.issue.problems:
        console.warn(f"{source}: {reason}")
    if outcome.result is None:
        console.info(f"{name}: nothing new")
        return
    articles = [story.article for story in outcome.issue.stories]
    if outcome.delivered:
        output.add_to_library(settings, console, articles, outcome.delivered[0])
    for warning in outcome.result.warnings:
        console.warn(warning)
    for line in json_lines(outcome.issue, outcome.result, outcome.delivered) if as_json else ():
        output.print_json(line)
    summary = f"{quantity(len(articles), 'article')}, {output.summary(outcome.result)}"
    for place in outcome.delivered:
        console.info(f"{place}: {summary}")
    for error in outcome.failed:
        console.error(error)
    if outcome.failed:
        raise typer.Exit(outcome.failed[0].exit_code)


def _format_of(out: str) -> Format | None:
    """Return the format that a name implies, None for a folder or a pipe; raise UsageError."""
    path = Path(out)
    if out == output.STDOUT or out.endswith("/") or (path.exists() and not path.is_file()):
        return None
    format_ = output.format_of(out)
    if format_ in FORMATS:
        return format_
    kind = f"{path.suffix} files" if path.suffix else "a file without an extension"
    raise UsageError(f"cannot write {kind}: {out}", hint="A digest is written as .pdf or .epub")


def _show_plan(config: Digest, out: str, settings: Settings, *, as_json: bool) -> None:
    """Write the sources of a digest, where it would go, and what would be remembered."""
    from ..digest.runner import stories_database

    places = [destination.label for destination in config.deliver]
    if out or not places:
        places = [output.STDOUT_NAME if out == output.STDOUT else out or "a file in this folder"]
    database = stories_database(settings)
    history = "the database" if "://" in database else database
    output.show_plan(
        [strip_userinfo(source.location) for source in config.source],
        places,
        format_=config.format,
        stored=[f"what was printed in {history}", *output.describe_library(settings)],
        caches=settings.options().fetch.cache,
        as_json=as_json,
    )
    Console.from_settings(settings).info(
        f"webprint digest check {config.name} shows which articles it would contain"
    )


def json_lines(
    issue: Issue, result: Result, delivered: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    """Yield a line for each article of an issue, and for what could not be printed."""
    pages = {page.url: page for page in result.outcomes}
    for story in issue.stories:
        page = pages.get(story.page.source.requested_url)
        yield output.json_line(
            story.urls[0],
            delivered[0] if delivered else None,
            warnings=page.warnings if page else story.article.warnings,
            complete=page.complete if page else result.report.complete,
            title=story.article.title,
            digest=issue.digest.name,
            section=story.candidate.source.section,
            updated=story.updated,
            delivered=list(delivered),
        )
    for source in issue.sources:
        if source.error:
            yield output.error_dict(source.error.url or source.name, source.error)
    for rejected in issue.rejected:
        if rejected.is_error:
            candidate = rejected.candidate
            line = output.error_dict(candidate.url, WebprintError(rejected.reason))
            yield {**line, "title": candidate.title}


@digest.command()
@with_settings("Article", "Fetching", *MESSAGES, "database", "reading_list")
def check(name: DigestName, *, loaded: LoadedSettings) -> None:
    """Show which articles a digest would print or omit, and why."""
    console = Console.from_settings(loaded.settings)
    config = _find_digest(name)
    with closing(_open_history(loaded.settings)) as history:
        builder = _issue_builder(loaded, history, console, None)
        with builder.printer(config) as printer:
            issue = builder.build(config, datetime.now(UTC), printer)
    for line in _issue_lines(issue):
        output.print_line(line)


@digest.command(name="list")
def list_digests() -> None:
    """List the digests in webprint.toml."""
    digests = _load_digests()
    if not digests:
        Console().info(_NO_DIGESTS)
    for config in digests:
        sources = quantity(len(config.source), "source")
        slot = config.next_slot(datetime.now(UTC))
        due = f", next {slot:%Y-%m-%d %H:%M %Z}" if slot else ""
        print(f"{config.name}: {config.heading}, {sources}{due}")


@digest.command()
@with_settings("Fetching", without=("render", "follow"))
def add(
    url: Annotated[str, typer.Argument(metavar="URL", help="A site or a feed.")],
    *,
    loaded: LoadedSettings,
    to: TargetDigest = "digest",
    section: Annotated[str, typer.Option(help="The section of its articles.")] = "",
) -> None:
    """Find the feed of a site and add it to a digest in webprint.toml."""
    require("digest")
    from ..digest.config import check_digest_name
    from ..digest.feeds import Subscription, find_feeds
    from ..fetch.client import HttpClient

    check_address(url)
    check_digest_name(to)
    with HttpClient(loaded.settings.fetch_options(), user_urls=[url]) as client:
        feeds = find_feeds(client, url)
    _add_feeds([Subscription(feeds[0].url, feeds[0].title, section)], to)
    for feed in feeds[1:]:
        output.print_line(f"also found: {feed.url} ({feed.title})")


@digest.command(name="import")
def import_opml(
    file: Annotated[Path, typer.Argument(metavar="FILE.opml", help="A list of feeds.")],
    *,
    to: TargetDigest = "digest",
) -> None:
    """Add the feeds of an OPML file to a digest. Its folders become sections."""
    require("digest")
    from ..digest.config import check_digest_name
    from ..digest.feeds import parse_opml

    check_digest_name(to)

    data = output.read_input(str(file))
    try:
        feeds = parse_opml(data)
    except UsageError as error:
        hint = "A feed reader exports one; a single feed: webprint digest add URL"
        raise UsageError(f"{file} is not an OPML file", hint=hint) from error
    _add_feeds(feeds, to)


@digest.command(name="export")
def export_opml(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Only one digest.", autocompletion=_complete_name)
    ] = "",
    *,
    out: Out = output.STDOUT,
) -> None:
    """Write the feeds of all digests, or of one, as OPML."""
    digests = [_find_digest(name)] if name else _load_digests()
    from ..digest.feeds import Subscription, format_opml

    feeds = [
        Subscription(source.location, source.name, source.section)
        for config in digests
        for source in config.source
        if source.kind == "feed"
    ]
    output.write_out(format_opml(digests[0].heading if name else "webprint", feeds), out)


@digest.command()
@with_settings(*_RUN, "storage", without=_NOT_RUN)
def schedule(*, loaded: LoadedSettings) -> None:
    """Make each digest when it is due, until interrupted."""
    console = Console.from_settings(loaded.settings)
    digests = [config for config in _load_digests() if config.schedule]
    require("server")
    from ..digest.scheduler import Scheduler
    from ..jobs.engine import lock_database
    from ..jobs.print_workers import ManagedProcess, run_processes
    from ..jobs.queue import DIGEST

    if not digests:
        hint = "Add a line such as schedule = '0 6 * * *' to one"
        raise UsageError("no digest in webprint.toml has a schedule", hint=hint)
    settings = loaded.settings

    def run_scheduler() -> None:
        os.umask(0o077)
        on_delivered = partial(output.add_to_library, settings, console)
        Scheduler(digests, loaded, log=console.info, on_delivered=on_delivered).run()

    with lock_database(settings, DIGEST):
        maker = ManagedProcess(run_scheduler, "the process that makes digests")
        run_processes([maker], console.info)


@commands.command()
@with_settings("reading_list")
def later(
    urls: Annotated[list[str], typer.Argument(metavar="URL", help="Pages to print later.")],
    *,
    loaded: LoadedSettings,
) -> None:
    """Add pages to the reading list, from which a digest can print."""
    require("digest")
    from ..digest.reading_list import add_url, reading_list_path

    path = reading_list_path(loaded.settings)
    for url in urls:
        check_address(url)
    for url in urls:
        is_new = add_url(path, url)
        Console().info(f"{'added to' if is_new else 'already in'} {path}: {url}")


def _load_digests() -> tuple[Digest, ...]:
    require("digest")
    from ..digest.config import load_digests

    return load_digests()


def _find_digest(name: str) -> Digest:
    digests = {config.name: config for config in _load_digests()}
    if not digests:
        hint = "Start one with webprint digest add URL --digest NAME"
        raise UsageError(f"there is no digest {name[:60]!r}", hint=hint)
    check_known("digest", name, digests)
    return digests[name]


def _open_history(settings: Settings) -> StoryHistory:
    from ..digest.runner import stories_database
    from ..digest.selection import StoryHistory

    return StoryHistory(stories_database(settings))


@contextmanager
def _one_run_at_a_time(name: str, console: Console) -> Iterator[None]:
    """Wait until no other run of a digest by this user would print the same stories."""
    path = data_folder() / f"digest-{name}.lock"
    with ExitStack() as stack:
        try:
            stack.enter_context(lock_file(path))
        except BlockingIOError:
            console.info(f"{name}: waiting for another run of it to end")
            stack.enter_context(lock_file(path, inf))
        except OSError:  # There is no such folder: the history is in a database elsewhere.
            console.detail(f"{name}: {path} cannot be locked")
        yield


def _issue_builder(
    loaded: LoadedSettings, history: StoryHistory, console: Console, pool: RenderPool | None
) -> IssueBuilder:
    from ..digest.builder import IssueBuilder

    if pool:
        pool.time_limit = loaded.settings.print_timeout
    fixed = loaded.from_command_line
    return IssueBuilder(loaded.settings, history, fixed, console.show_step, pool)


def _write_issue(out: str, issue: Issue, result: Result) -> str:
    if out == output.STDOUT:
        output.write_stdout(result.data)
        return output.STDOUT_NAME
    path = Path(out)
    if path.is_dir() or out.endswith("/"):  # also if ``out`` is empty: the working directory
        output.make_folder(path)
        name = file_name(f"{issue.digest.heading} {issue.date:%Y-%m-%d}", "digest")
        path /= f"{name}{EXTENSIONS[result.format][0]}"
        return str(output.write_free(path, result.data))
    output.write(path, result.data)
    return str(path)


def _issue_lines(issue: Issue) -> Iterator[str]:
    section = ""
    for story in issue.stories:
        if story.candidate.source.section != section:
            section = story.candidate.source.section
            yield section
        yield f"  {'~' if story.updated else '+'} {story.article.title}  {story.urls[0]}"
        for other in story.duplicates:
            yield f"      also {': '.join(filter(None, (other.source_name, other.url)))}"
    for rejected in issue.rejected:
        yield f"  - {rejected.candidate.title or rejected.candidate.url}: {rejected.reason}"
    for source in issue.sources:
        if source.error:  # The name may be the address, which the error contains too.
            texts = filter(None, (source.error.message, source.error.hint))
            yield f"  ! {source.name}: {'. '.join(texts)}"


def _add_feeds(subscriptions: list[Subscription], to: str) -> None:
    from ..digest.config import add_sources

    path, added = add_sources(subscriptions, to)
    print(f"{path}: {quantity(added, 'feed')} added to {to}")
