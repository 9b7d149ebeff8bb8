"""The commands of digests: run, list, check, add, import, export, schedule; and later."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from ..output import Result
from ..settings import LoadedSettings, Settings, data_folder
from ..text import file_name
from . import output, search
from .console import Console
from .options import Out, require, with_settings

if TYPE_CHECKING:
    from ..digest.builder import Issue, IssueBuilder
    from ..digest.config import Digest
    from ..digest.distributed import RemoteWorkers
    from ..digest.history import History
    from ..digest.runner import RunResult
    from ..digest.sources.opml import Subscription
    from ..render.worker_pool import RenderPool

digest_app = typer.Typer(
    no_args_is_help=True,
    help="Articles from many sources in one PDF, as webprint.toml describes them.",
    context_settings={"help_option_names": ["--help", "-h"]},
)

_NONE = "webprint.toml describes none; one begins with: webprint digest add ADDRESS --digest NAME"

Name = Annotated[str, typer.Argument(metavar="NAME", help="The digest's name.", show_default=False)]


def add_digests(app: typer.Typer) -> None:
    """Give the command line the digests' commands."""
    app.add_typer(digest_app, name="digest")
    app.command("later")(later)


@digest_app.command("run")
@with_settings("Page", "Article", "Fetching", "Run", "Server", "Digests")
def run(
    context: typer.Context,
    name: Name,
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT", help="The file to write instead of delivering it.", show_default=False
        ),
    ] = "",
    *,
    loaded: LoadedSettings,
    slot: Annotated[
        str, typer.Option(help="Serve this time of its schedule, unless another did.")
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Say what was printed as data, a line a PDF, on stdout.")
    ] = False,
) -> None:
    """Make a digest and deliver it, or write it to OUT; what was printed is remembered."""
    require("digest")
    from contextlib import ExitStack, closing

    from ..digest.runner import Runner

    console = Console.of(loaded.settings)
    digest = _digest(name)
    if out.lower().endswith(".epub"):
        digest = digest.model_copy(update={"format": "epub"})
    with ExitStack() as stack:
        # First, as workers are forked; a digest of many machines is set by them.
        spread = stack.enter_context(_spread(loaded)) if loaded.settings.spread else None
        memory = stack.enter_context(closing(_memory(loaded.settings)))
        editor = _editor(loaded, memory, console, None if spread else context.obj)
        editor.workers = spread
        runner = Runner(editor, memory, loaded.settings)
        if slot:
            done = runner.run_slot(digest, _moment(slot))
            if done is None:
                console.say(f"{name}: {slot} was served already, or is being served")
                return
        else:
            write = None if digest.deliver and not out else _writing(out)
            done = runner.run(digest, write)
    for named, reason in done.issue.problems if done.issue else ():
        console.warn(f"{named}: {reason}")
    if done.issue and done.result is None:
        console.say(f"{name}: nothing new")
        return
    counted = _tell(done, loaded.settings, console, as_json=as_json)
    _ended(done, counted, console)


def _tell(done: RunResult, settings: Settings, console: Console, *, as_json: bool) -> str:
    """Tell of what was printed and keep it in the library; return how much it is, in words."""
    if not done.issue or not done.result:
        return "made before"
    from ..digest.runner import issue_report

    articles = [story.article for story in done.issue.stories]
    if done.delivered:
        search.keep(settings, articles, done.delivered[0], console)
    for warning in done.result.warnings:
        console.warn(warning)
    if as_json:
        data = {**issue_report(done.issue, done.result), "delivered": list(done.delivered)}
        print(json.dumps(data, ensure_ascii=False), flush=True)
    return f"{output.count(len(articles), 'article')}, {output.line(done.result)}"


def _ended(done: RunResult, counted: str, console: Console) -> None:
    """Say where a digest went and where it did not; ends the program when it did not."""
    for where in done.delivered:
        console.say(f"{where}: {counted}")
    for error in done.failed:
        console.error(error)
    if done.failed:
        raise typer.Exit(done.failed[0].exit_code)


@digest_app.command("check")
@with_settings("Article", "Fetching", "Run", "Digests")
def check(name: Name, *, loaded: LoadedSettings) -> None:
    """Say what would be in a digest, what not, and why; prints and remembers nothing."""
    from contextlib import closing

    console = Console.of(loaded.settings)
    digest = _digest(name)
    with closing(_memory(loaded.settings)) as memory:
        builder = _editor(loaded, memory, console, None)
        with builder.printer(digest) as printer:
            issue = builder.build(digest, datetime.now(UTC), printer)
    for line in _report(issue):
        output.print_line(line)


@digest_app.command("list")
@with_settings("Digests")
def list_(*, loaded: LoadedSettings) -> None:
    """List the digests that webprint.toml describes."""
    from ..digest.scheduler import next_slot

    del loaded
    require("digest")
    digests = _load()
    if not digests:
        Console().say(_NONE)
    for digest in digests:
        sources = output.count(len(digest.source), "source")
        after = next_slot(digest, datetime.now(UTC))
        due = f", next {after:%Y-%m-%d %H:%M %Z}" if after else ""
        print(f"{digest.name}: {digest.heading}, {sources}{due}")


@digest_app.command("add")
@with_settings("Fetching", "Digests")
def add(
    url: Annotated[str, typer.Argument(metavar="URL", help="A site, or a feed.")],
    *,
    loaded: LoadedSettings,
    to: Annotated[str, typer.Option("--digest", help="The digest to add it to.")] = "digest",
    section: Annotated[str, typer.Option(help="The section of its articles.")] = "",
) -> None:
    """Find the feed of a site and add it to a digest in webprint.toml."""
    require("digest")
    from ..digest.sources.discovery import find_feeds
    from ..digest.sources.opml import Subscription
    from ..fetch.client import HttpClient

    with HttpClient(loaded.settings.fetch_options(), user_urls=[url]) as web:
        found = find_feeds(web, url)
    _add([Subscription(found[0].url, found[0].feed.title, section)], to)
    for other in found[1:]:
        print(f"also there: {other.url} ({other.feed.title})")


@digest_app.command("import")
@with_settings("Digests")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE.opml", help="A list of feeds.")],
    *,
    loaded: LoadedSettings,
    to: Annotated[str, typer.Option("--digest", help="The digest to add them to.")] = "digest",
) -> None:
    """Add the feeds of an OPML file to a digest; its folders become sections."""
    del loaded
    require("digest")
    from ..digest.sources.opml import parse_opml

    try:
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    _add(parse_opml(data), to)


@digest_app.command("export")
@with_settings("Digests")
def export(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="One digest only.")] = "",
    *,
    loaded: LoadedSettings,
    out: Out = output.STDOUT,
) -> None:
    """Write the feeds of all digests, or of one, as OPML."""
    del loaded
    require("digest")
    from ..digest.sources.opml import Subscription, format_opml

    digests = [_digest(name)] if name else _load()
    feeds = [
        Subscription(source.location, source.name, source.section)
        for digest in digests
        for source in digest.source
        if source.kind == "feed"
    ]
    data = format_opml(digests[0].heading if name else "webprint", feeds)
    output.deliver(data, out)


@digest_app.command("schedule")
@with_settings("Page", "Article", "Fetching", "Run", "Server", "Digests")
def schedule(*, loaded: LoadedSettings) -> None:
    """Make each digest when its schedule says so, until told to stop."""
    from contextlib import closing

    from ..digest.scheduler import Scheduler

    console = Console.of(loaded.settings)
    digests = [digest for digest in _load() if digest.schedule]
    if not digests:
        raise UsageError("no digest in webprint.toml has a schedule")
    with closing(_memory(loaded.settings)) as memory:
        arguments = [a for a in sys.argv[1:] if a not in ("digest", "schedule")]
        Scheduler(digests, memory, arguments, log=console.say).run()


@with_settings("Digests")
def later(
    urls: Annotated[list[str], typer.Argument(metavar="URL...", help="Pages to print later.")],
    *,
    loaded: LoadedSettings,
) -> None:
    """Put pages on the reading list, which a digest prints from."""
    require("digest")
    from ..digest.sources.reading_list import add_url, reading_list_path

    path = reading_list_path(loaded.settings)
    for url in urls:
        new = add_url(path, url)
        print(f"{path}: {url}{'' if new else ' is on it already'}", file=sys.stderr)


# ---- what they share ----


def _load() -> tuple[Digest, ...]:
    require("digest")
    from ..digest.config import load_digests

    return load_digests()


def _digest(name: str) -> Digest:
    found = {digest.name: digest for digest in _load()}
    if name not in found:
        known = f"There are {', '.join(found)}" if found else _NONE
        raise UsageError(f"there is no digest {name[:60]!r}", hint=known)
    return found[name]


def _memory(settings: Settings) -> History:
    from ..digest.history import History

    return History(settings.database or str(data_folder() / "digests.sqlite"))


def _spread(loaded: LoadedSettings) -> RemoteWorkers:
    """Return the workers of other machines, with what this one was told of how pages are read."""
    from ..digest.distributed import RemoteWorkers

    return RemoteWorkers(loaded.settings, loaded.explicit)


def _editor(
    loaded: LoadedSettings, memory: History, console: Console, press: RenderPool | None
) -> IssueBuilder:
    from ..digest.builder import IssueBuilder

    if press:
        press.time_limit = loaded.settings.print_timeout
    named = {name for name, origin in loaded.origins.items() if origin == "command line"}
    return IssueBuilder(loaded.settings, memory, frozenset(named), console.step, press, press)


def _writing(out: str) -> Callable[[Issue, Result], str]:
    """Return what writes a digest to a file, standard output, or a file named after it."""

    def write(issue: Issue, result: Result) -> str:
        if out == output.STDOUT:
            output.write_stdout(result.data)
            return "standard output"
        ending = f".{result.format}"
        title = file_name(f"{issue.digest.heading} {issue.date:%Y-%m-%d}", "digest")
        path = Path(out) if out else output.free_path(Path(), title, ending, force=False)
        if path.is_dir():
            path = output.free_path(path, title, ending, force=False)
        output.write(path, result.data)
        return str(path)

    return write


def _report(issue: Issue) -> list[str]:
    lines = []
    section = ""
    for each in issue.stories:
        if each.candidate.source.section != section:
            section = each.candidate.source.section
            lines.append(f"{section}")
        mark = "~" if each.updated else "+"
        lines.append(f"  {mark} {each.article.title}  {each.urls[0]}")
        also = (filter(None, (other.source_name, other.url)) for other in each.duplicates)
        lines += [f"      also {': '.join(other)}" for other in also]
    lines += [
        f"  - {each.candidate.title or each.candidate.url}: {each.reason}"
        for each in issue.rejected
    ]
    for offer in issue.sources:
        if offer.error:  # Its name may be the address that the error would name again.
            said = filter(None, (offer.error.message, offer.error.hint))
            lines.append(f"  ! {offer.name}: {'. '.join(said)}")
    return lines


def _moment(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError("--slot takes a time, as in 2026-01-05T06:00+01:00") from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _add(subscriptions: list[Subscription], to: str) -> None:
    from ..digest.config import add_sources

    path, count = add_sources(subscriptions, to)
    print(f"{path}: {output.count(count, 'feed')} added to {to}")
