"""The command that prints pages, the default command of ``webprint``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from ..article import Article
from ..errors import UsageError, WebprintError
from ..options import ENDINGS, Format
from ..output import Result
from ..pipeline import PageOutcome, Printer, check_options, source_name
from ..settings import LoadedSettings, Settings
from ..text import count_words
from . import output, search
from .arguments import Target, check_pages, check_print, list_pages, split_output
from .console import Console
from .help import Commands, HelpCommand, full_help, overview
from .options import BaseURL, DryRun, JsonLines, Lists, make_printer, page_input, with_settings

commands = Commands()

#: The letters of an article whose layout takes so long that the user is told, and how many are
#: laid out in a second.
LONG_ARTICLE, LETTERS_PER_SECOND = 300_000, 40_000


class _PrintCommand(HelpCommand):
    """The default command, whose help is the first screen unless it is named."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the first screen, or all options for ``webprint print --help``."""
        named = ctx.info_name == "print"
        formatter.write(full_help(self, ctx) if named else overview(ctx.find_root().command))


def _show_all(context: typer.Context, value: bool) -> None:
    if value:
        print(full_help(context.command, context))
        raise typer.Exit


@commands.command(name="print", cls=_PrintCommand)
@with_settings("Page", "Article", "Fetching", "Run")
def print_pages(
    context: typer.Context,
    pages: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PAGE",
            help="An address, a local HTML file, @FILE with an address per line, or - for standard "
            "input. The last argument may be the output: a name that ends in .pdf, .epub, .md, "
            ".json, or .html if there is no such file yet, or a folder.",
            show_default=False,
        ),
    ] = None,
    *,
    loaded: LoadedSettings,
    out: Annotated[
        str,
        typer.Option("--out", "-o", help="A file, a folder, '{site}/{date} {title}.pdf', or -."),
    ] = "",
    bundle: Annotated[
        str, typer.Option("--bundle", metavar="FILE", help="Print all pages into this one file.")
    ] = "",
    lists: Lists = None,
    url: BaseURL = "",
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Overwrite files named after a title.")
    ] = False,
    dry_run: DryRun = False,
    as_json: JsonLines = False,
    help_all: Annotated[
        bool,
        typer.Option("--help-all", help="Show all options.", is_eager=True, callback=_show_all),
    ] = False,
) -> None:
    """Print the article of web pages, complete and without clutter, as PDF or another format.

    An article is printed to a file named after its title unless OUT, -o or --bundle say otherwise.
    """
    del help_all
    settings = loaded.settings
    arguments, out = split_output(pages or [], out)
    names = list_pages(arguments, lists or ())
    chosen = settings.format if loaded.origins["format"] == "command line" else "auto"
    target = Target.parse(out, bundle, pages=len(names), named=chosen, force=force)
    form = _format(target, chosen, settings)
    if as_json and target.file == output.STDOUT:
        raise UsageError(
            "--json and the result cannot both go to standard output", hint="Name a file with -o"
        )
    check_print(loaded, names, form, bundle=target.bundle, url=url)
    check_pages(names, url)
    options = settings.options()
    options = replace(options, page=replace(options.page, format=form))
    check_options(options.page)
    if dry_run:
        output.show_plan(
            names, [target.describe(ENDINGS[form][0])], form=form, stored=search.stored(settings),
            caches=options.fetch.cache, as_json=as_json,
        )  # fmt: skip
        return
    console = Console.from_settings(settings)
    printer = make_printer(settings, [*names, url], console, context.obj, options=options)
    with printer:
        outcomes = printer.read_all([page_input(name, url, settings.max_size) for name in names])
        groups = [outcomes] if target.bundle else ([outcome] for outcome in outcomes)
        job = _PrintJob(printer, target, console, settings, as_json)
        with console.progress(1 if target.bundle else len(names)):
            errors = [error for error in map(job.print_file, groups) if error]
        for line in printer.details():
            console.detail(line)
    if errors:
        raise typer.Exit(errors[0].exit_code)


def _format(target: Target, chosen: str, settings: Settings) -> Format:
    """Return the format to write: that of the call, the file's ending, or the settings."""
    if chosen != "auto":
        return settings.print_options().format
    if target.name and target.name.lower().endswith(output.EXTENSIONS):
        return output.format_of(target.name)
    return settings.print_options().format


@dataclass(frozen=True, slots=True)
class _PrintJob:
    """Prints files and reports each in a line of text, and with ``as_json`` as JSON."""

    printer: Printer
    target: Target
    console: Console
    settings: Settings
    as_json: bool

    def print_file(self, outcomes: Iterable[PageOutcome]) -> WebprintError | None:
        """Print pages to one file and report it; report and return a failure."""
        articles: list[Article] = []
        read: list[tuple[str, WebprintError | None]] = []

        def collect() -> Iterator[PageOutcome]:
            for source, outcome in outcomes:
                error = outcome if isinstance(outcome, WebprintError) else None
                read.append((source_name(source), error))
                if not isinstance(outcome, WebprintError):
                    articles.append(outcome.article)
                    self._announce(outcome.article)
                yield source, outcome

        try:
            result = self.printer.render_outcomes(collect())
            ending = ENDINGS[result.format][0]
            place = self.target.write(result.data, articles[0], ending)
        except WebprintError as error:
            for name, reason in read:
                self._report_failure(name, reason or error)
            return error
        finally:
            self.console.advance()
        search.add_to_library(self.settings, articles, place, self.console)
        self._report(result, place)
        incomplete = output.incomplete_error(result) if self.settings.strict else None
        if incomplete:
            self.console.error(incomplete)
        return result.failures[0].error if result.failures else incomplete

    def _announce(self, article: Article) -> None:
        """Report how long a very long article will take."""
        words = count_words(article.text)
        # A word in a script without spaces is two signs, each as wide as two letters.
        letters = max(len(article.text), 5 * words)
        options = self.printer.options.page
        if letters < LONG_ARTICLE or options.format != "pdf":
            return
        from ..themes.page import page_geometry

        page = page_geometry(options)
        pages = math.ceil(letters / page.capacity)
        seconds = letters / LETTERS_PER_SECOND * (1.5 if page.columns > 1 else 1)
        line = f"{article.title[:80]}: {words:,} words, about {pages} pages, which may take "
        line += f"{seconds / 60:.0f} minutes" if seconds > 90 else f"{seconds:.0f} seconds"
        if seconds > self.settings.print_timeout / 2:
            line += f"; --print-timeout {4 * seconds:.0f} allows more time"
        self.console.info(line)

    def _report_failure(self, name: str, error: WebprintError) -> None:
        self.console.error(error)
        if self.as_json:
            output.print_json(output.error_dict(name, error))

    def _report(self, result: Result, place: str) -> None:
        for warning in result.warnings:
            self.console.warn(warning)
        for failure in result.failures:
            self.console.error(failure.error)
        for text in result.report.missing:
            self.console.warn(f"{output.missing_from(result)}: {text}")
        for line in output.to_dicts(result, place) if self.as_json else ():
            output.print_json(line)
        self.console.info(f"{place}: {output.summary(result)}")
