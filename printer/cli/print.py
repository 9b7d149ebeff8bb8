"""The command that prints pages, the default command of ``webprint``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from ..article import Article
from ..errors import UsageError, WebprintError
from ..options import ENDINGS
from ..output import Result
from ..pipeline import PageOutcome, Printer
from ..settings import LoadedSettings, Settings
from ..text import file_name
from . import output, search
from .console import Console
from .options import BaseURL, JsonLines, make_printer, page_input, with_settings

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
[bold]Server[/bold]    serve, worker, jobs, token.
[bold]Digests[/bold]   digest, later.  [bold]Library[/bold]  search.
[bold]Also[/bold]  --version, --install-completion, --show-completion.

Settings can also be set in webprint.toml and in WEBPRINT_* variables; 'webprint config' lists them.
"""

commands = typer.Typer(rich_markup_mode="rich")


@commands.command(name="print", epilog=EXAMPLES)
@with_settings("Page", "Article", "Fetching", "Run")
def print_pages(
    context: typer.Context,
    pages: Annotated[
        list[str],
        typer.Argument(
            metavar="PAGE",
            help="An address, a local HTML file, or - for standard input. A last argument that "
            "ends in .pdf, .epub, .md or .json is the output file, as is a .html file that does "
            "not exist yet.",
            show_default=False,
        ),
    ],
    *,
    loaded: LoadedSettings,
    out: Annotated[
        str, typer.Option("--out", "-o", help="The output file, a folder, or - for stdout.")
    ] = "",
    bundle: Annotated[
        str, typer.Option("--bundle", help="Print all pages into this one file.")
    ] = "",
    url: BaseURL = "",
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Overwrite files named after a title.")
    ] = False,
    as_json: JsonLines = False,
) -> None:
    """Print the article of web pages, complete and without clutter, as PDF or another format."""
    settings = loaded.settings
    names, out = _split_output(pages, out or bundle)
    if as_json and out == output.STDOUT:
        raise UsageError("--json and the result cannot both go to standard output")
    folder = Path(out) if out and Path(out).is_dir() else None
    if len(names) > 1 and out and not bundle and folder is None:
        raise UsageError("several pages need -o FOLDER, or --bundle FILE for one file")
    console = Console.from_settings(settings)
    options = settings.options()
    if settings.format == "auto":
        options = replace(options, page=replace(options.page, format=output.format_of(out)))
    printer = make_printer(settings, [*names, url], console, context.obj, options=options)
    with printer:
        outcomes = printer.read_all([page_input(name, url, settings.max_size) for name in names])
        groups = [outcomes] if bundle else ([outcome] for outcome in outcomes)
        target = _Target("" if folder else out, folder or Path(), force)
        job = _PrintJob(printer, target, console, settings, as_json)
        with console.progress(1 if bundle else len(names)):
            errors = [error for error in map(job.print_file, groups) if error]
        for line in printer.details():
            console.detail(line)
    if errors:
        raise typer.Exit(errors[0].exit_code)


@dataclass(frozen=True, slots=True)
class _Target:
    """Where a result goes: a named file, standard output, or a file named after the title."""

    out: str
    folder: Path
    force: bool

    def write(self, result: Result) -> str:
        """Write the result and return where."""
        if self.out == output.STDOUT:
            output.write_stdout(result.data)
            return output.STDOUT_NAME
        path = Path(self.out)
        if not self.out:
            name, extension = file_name(result.title), ENDINGS[result.format][0]
            path = output.free_path(self.folder, name, extension, force=self.force)
        output.write(path, result.data)
        return str(path)


@dataclass(frozen=True, slots=True)
class _PrintJob:
    """Prints files and reports each in a line of text, and with ``as_json`` as JSON."""

    printer: Printer
    target: _Target
    console: Console
    settings: Settings
    as_json: bool

    def print_file(self, outcomes: Iterable[PageOutcome]) -> WebprintError | None:
        """Print pages to one file and report it; report and return a failure."""
        articles: list[Article] = []

        def collect() -> Iterator[PageOutcome]:
            for source, outcome in outcomes:
                if not isinstance(outcome, WebprintError):
                    articles.append(outcome.article)
                yield source, outcome

        try:
            result = self.printer.render_outcomes(collect())
            place = self.target.write(result)
        except WebprintError as error:
            self.console.error(error)
            return error
        finally:
            self.console.advance()
        search.add_to_library(self.settings, articles, place, self.console)
        self._report(result, place)
        incomplete = output.incomplete_error(result) if self.settings.strict else None
        if incomplete:
            self.console.error(incomplete)
        return result.failures[0].error if result.failures else incomplete

    def _report(self, result: Result, place: str) -> None:
        for warning in result.warnings:
            self.console.warn(warning)
        for failure in result.failures:
            self.console.error(failure.error)
        for text in result.report.missing:
            self.console.warn(f"{output.missing_from(result)}: {text}")
        if self.as_json:
            print(json.dumps(output.to_dict(result, place), ensure_ascii=False), flush=True)
        self.console.info(f"{place}: {output.summary(result)}")


def _split_output(arguments: list[str], out: str) -> tuple[list[str], str]:
    """Split off the output file, a last argument with the extension of a supported format."""
    last = arguments[-1]
    if out or len(arguments) == 1 or "://" in last:
        return arguments, out
    if output.is_output_file(last):
        return arguments[:-1], last
    if output.is_unsupported_file(last) and not Path(last).exists():
        raise UsageError(
            f"webprint cannot write {Path(last).suffix} files, such as {last}",
            hint="It writes .pdf, .epub, .html, .md and .json",
        )
    return arguments, out
