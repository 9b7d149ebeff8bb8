"""The command line's own command: pages to print; and how its failures become exit codes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import TyperException
from typer.core import TyperGroup

from .. import __version__
from ..article import Article
from ..errors import UsageError, WebprintError
from ..options import ENDINGS
from ..output import Result
from ..pipeline import PageOutcome, Printer
from ..settings import LoadedSettings, Settings
from ..text import file_name
from . import output, search
from .console import INTERRUPTED, Console
from .options import printer_for, source_of, with_settings

if TYPE_CHECKING:
    from ..render.worker_pool import RenderPool

EXAMPLES = """
[bold]Examples[/bold]

webprint https://example.org/story          a PDF named after the title

webprint https://example.org/story out.pdf  a PDF named out.pdf

webprint page.html --paper A5               a page saved on this computer

webprint - --url https://example.org/a -o - < a.html > a.pdf

webprint URL URL URL --bundle week.pdf      several pages in one PDF

webprint URL story.epub                     another format: .epub .html .md .json

webprint extract URL --to markdown          the article as Markdown

[bold]Commands[/bold]  extract, explain, login, rules, themes, config; each has its own --help.
[bold]Many pages[/bold]  crawl, batch.
[bold]Server[/bold]    serve, worker, jobs.
[bold]Digests[/bold]   digest, later.  [bold]Library[/bold]  search.
[bold]Also[/bold]  --version, --install-completion, --show-completion.

Settings may stand in webprint.toml and in WEBPRINT_* variables too; 'webprint config' shows them.
"""


class Commands(TyperGroup):
    """Takes everything that is not the name of a command as pages to print."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Return the command to run and its arguments."""
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return None, self.commands["print"], args

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of printing, which names the other commands."""
        command = self.commands["print"]
        command.format_help(type(ctx)(command, info_name="webprint"), formatter)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={
        "ignore_unknown_options": True,
        "allow_extra_args": True,
        "help_option_names": ["--help", "-h"],
    },
)


Pages = Annotated[
    list[str],
    typer.Argument(
        metavar="PAGE",
        help="An address, a local HTML file, or - for standard input. A last word ending in .pdf, "
        ".epub, .md or .json is the file to write, and so is one in .html that is not there yet.",
        show_default=False,
    ),
]
BaseURL = Annotated[
    str, typer.Option("--url", help="The address the HTML came from, for - and local files.")
]


@app.callback(invoke_without_command=True)
def webprint(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and stop.", is_eager=True)
    ] = False,
) -> None:
    """Give it a web page, get the article on paper."""
    if version:
        print(f"webprint {__version__}")
        raise typer.Exit


@app.command("print", epilog=EXAMPLES)
@with_settings("Page", "Article", "Fetching", "Run")
def print_(
    context: typer.Context,
    pages: Pages,
    *,
    loaded: LoadedSettings,
    out: Annotated[
        str, typer.Option("--out", "-o", help="The file to write, a folder, or - for stdout.")
    ] = "",
    bundle: Annotated[
        str, typer.Option("--bundle", help="Print all pages into this one file.")
    ] = "",
    url: BaseURL = "",
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Overwrite a file named after the title.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Say what was printed as data, a line a file, on stdout.")
    ] = False,
) -> None:
    """Print web pages: the article, all of it, and nothing else, as PDF or in another format."""
    names, out = _split(pages, out or bundle)
    if as_json and out == output.STDOUT:
        raise UsageError("--json and the result cannot both go to standard output")
    console = Console.of(loaded.settings)
    folder = Path(out) if Path(out).is_dir() and out else None
    if len(names) > 1 and out and not bundle and folder is None:
        raise UsageError("several pages make several files", hint="For one of all: --bundle OUT")
    options = loaded.settings.options()
    options = replace(options, page=output.in_format(options.page, loaded.settings.format, out))
    printer = printer_for(loaded.settings, [*names, url], console, context.obj, options=options)
    with printer:
        sources = [source_of(name, url, loaded.settings.max_size) for name in names]
        came = printer.read_all(sources)
        groups = [came] if bundle else ([one] for one in came)
        work = _Work(
            printer, _Target("" if folder else out, folder or Path(), force), console,
            loaded.settings, as_json,
        )  # fmt: skip
        with console.progress(1 if bundle else len(sources)):
            errors = [work.print_one(group) for group in groups]
        for line in printer.details():
            console.detail(line)
    _finish([error for error in errors if error])


@dataclass(frozen=True, slots=True)
class _Target:
    """Where a result goes: a named file, standard output, or a file named after the title."""

    out: str
    folder: Path
    force: bool

    def write(self, result: Result, fallback: str) -> str:
        """Write the result and return what to call it."""
        if self.out == output.STDOUT:
            output.write_stdout(result.data)
            return "standard output"
        name = file_name(result.title, fallback)
        path = Path(self.out) if self.out else output.free_path(
            self.folder, name, ENDINGS[result.format][0], force=self.force
        )  # fmt: skip
        output.write(path, result.data)
        return str(path)


@dataclass(frozen=True, slots=True)
class _Work:
    """Prints to files, and tells about each: a line for people, or data with ``as_json``."""

    printer: Printer
    target: _Target
    console: Console
    settings: Settings
    as_json: bool

    def print_one(self, came: Iterable[PageOutcome]) -> WebprintError | None:
        """Print to one file and tell about it; a failure is told and returned."""
        try:
            articles: list[Article] = []
            result = self.printer.render_outcomes(search.noted(came, articles))
            written = self.target.write(result, fallback="article")
        except WebprintError as error:
            self.console.error(error)
            return error
        finally:
            self.console.done_one()
        search.keep(self.settings, articles, written, self.console)
        self._tell(result, written)
        short = output.shortfall(result) if self.settings.strict else None
        if short:
            self.console.error(short)
        return result.failures[0].error if result.failures else short

    def _tell(self, result: Result, written: str) -> None:
        for warning in result.warnings:
            self.console.warn(warning)
        for failure in result.failures:
            self.console.error(failure.error)
        for piece in result.report.missing:
            self.console.warn(f"{output.absent(result)}: {piece}")
        if self.as_json:
            print(json.dumps(output.data(result, written), ensure_ascii=False), flush=True)
        self.console.say(f"{written}: {output.line(result)}")


def _split(pages: list[str], out: str) -> tuple[list[str], str]:
    """Part the pages from the file to write, which is a last word with an ending we write."""
    last = pages[-1]
    if out or len(pages) == 1 or "://" in last:
        return pages, out
    if output.is_target(last):
        return pages[:-1], last
    if output.is_foreign(last) and not Path(last).exists():
        raise UsageError(
            f"{last} names a file of a kind that webprint does not write",
            hint="It writes .pdf, .epub, .html, .md and .json",
        )
    return pages, out


def _finish(errors: list[WebprintError]) -> None:
    if errors:
        raise typer.Exit(errors[0].exit_code)


def run(press: RenderPool | None = None) -> None:
    """Run the command line and exit with its code; what is printed goes through the press."""
    verbose = not {"--verbose", "-v"}.isdisjoint(sys.argv[1:])
    try:
        sys.exit(app(prog_name="webprint", standalone_mode=False, obj=press))
    except TyperException as error:
        message = error.format_message().rstrip(".").replace("Value error, ", "")
        if not message:  # Nothing was asked for, and the help was shown.
            sys.exit(UsageError.exit_code)
        asked = getattr(getattr(error, "ctx", None), "command_path", "").strip() or "webprint"
        _fail(UsageError(message, hint=f"See {asked} --help"))
    except WebprintError as error:
        _fail(error, verbose)
    except Exception as error:  # noqa: BLE001 - the last resort: a fault of ours, told in one line
        fault = WebprintError(
            f"something went wrong that should not have: {type(error).__name__}: {error}",
            hint="Please report it with the output of --verbose",
        )
        _fail(fault.with_traceback(error.__traceback__), verbose)
    except (KeyboardInterrupt, typer.Abort):
        print("webprint: interrupted; nothing half-written was left", file=sys.stderr)
        sys.exit(INTERRUPTED)


def _fail(error: WebprintError, verbose: bool = False) -> None:
    Console(verbose).error(error)
    sys.exit(error.exit_code)
