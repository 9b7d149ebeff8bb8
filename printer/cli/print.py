"""The commands print, extract, explain and batch, and the search of earlier prints."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from ..article import Article
from ..errors import NoArticle, UsageError, WebprintError
from ..options import EXTENSIONS, BatchOptions
from ..output import Result
from ..pipeline import Printer, ReadOutcome, prefetch, source_name
from ..settings import LoadedSettings, Settings
from ..text import count_words, file_name
from . import output
from .help import Commands, HelpCommand, overview
from .options import (
    MESSAGES,
    AddressLists,
    AsJson,
    BaseURL,
    DryRun,
    JsonLines,
    Out,
    PageArgument,
    Target,
    check_file,
    check_not_a_page,
    check_pages,
    check_print,
    list_pages,
    make_printer,
    page_input,
    read_numbered_lines,
    require,
    split_output,
    with_settings,
)
from .output import INTERRUPTED, Console

if TYPE_CHECKING:
    from ..batch import BatchItem
    from ..selection import Explanation


commands = Commands()

#: The user is told how long the layout of an article of more characters will take.
LONG_ARTICLE = 300_000
LETTERS_PER_SECOND = 40_000


class _PrintCommand(HelpCommand):
    """The default command, whose help is the first screen unless it is named."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the first screen, or all options for ``webprint print --help``."""
        if ctx.info_name == "print":
            super().format_help(ctx, formatter)
        else:
            formatter.write(overview(ctx.find_root().command))


def _show_all(context: typer.Context, value: bool) -> None:
    if value:
        context.info_name = "print"
        print(context.get_help())
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
            "input. The last argument may name the output: a folder, or a file that ends in .pdf, "
            ".epub, .md or .json (or in .html, if it does not exist yet).",
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
    lists: AddressLists = None,
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
    """Print the articles of web pages, complete and without clutter, as PDF or another format.

    Without OUT, -o or --bundle, each article is printed to a file named after its title.
    """
    del help_all
    settings = loaded.settings
    arguments, out = split_output(pages or [], out)
    pages = list_pages(arguments, lists or ())
    check_pages(pages, url)
    format_option = settings.format if "format" in loaded.from_command_line else "auto"
    target = Target.parse(out, bundle, pages=len(pages), format_option=format_option, force=force)
    format_ = output.format_of(target.name) if format_option == "auto" else None
    format_ = format_ or settings.print_options().format
    if as_json and target.file == output.STDOUT:
        raise UsageError(
            "--json and the result cannot both go to standard output", hint="Name a file with -o"
        )
    check_print(loaded, pages, format_, bundle=target.bundle, url=url)
    check_not_a_page(target.file, pages)
    options = settings.options()
    options = replace(options, page=replace(options.page, format=format_))
    if dry_run:
        output.show_plan(
            pages, [target.describe(EXTENSIONS[format_][0])], format_=format_,
            stored=output.describe_library(settings), caches=options.fetch.cache, as_json=as_json,
        )  # fmt: skip
        return
    console = Console.from_settings(settings)
    printer = make_printer(settings, [*pages, url], console, context.obj, options=options)
    with printer:
        outcomes = printer.read_all([page_input(page, url, settings.max_size) for page in pages])
        groups = [outcomes] if target.bundle else ([outcome] for outcome in outcomes)
        job = _PrintJob(printer, target, console, settings, as_json)
        with console.progress(1 if target.bundle else len(pages)):
            errors = [error for error in map(job.print_file, groups) if error]
    if errors:
        raise typer.Exit(errors[0].exit_code)


@dataclass(frozen=True, slots=True)
class _PrintJob:
    """Prints files and reports each in a line of text, and with ``as_json`` as JSON."""

    printer: Printer
    target: Target
    console: Console
    settings: Settings
    as_json: bool

    def print_file(self, outcomes: Iterable[ReadOutcome]) -> WebprintError | None:
        """Print pages to one file and report it; report and return a failure."""
        outcomes = list(outcomes)
        for _, page in outcomes:
            if not isinstance(page, WebprintError):
                self._announce(page.article)
        try:
            result = self.printer.render_outcomes(outcomes)
            printed = [
                page.article
                for (_, page), printed_page in zip(outcomes, result.outcomes, strict=True)
                if not isinstance(page, WebprintError) and not printed_page.error
            ]
            place = self.target.write(result.data, printed[0], EXTENSIONS[result.format][0])
        except WebprintError as error:
            failures = [
                (source_name(source), page if isinstance(page, WebprintError) else error)
                for source, page in outcomes
            ]
            for failure in dict.fromkeys(failure for _, failure in failures):
                self.console.error(failure)
            for name, failure in failures if self.as_json else ():
                output.print_json(output.error_dict(name, failure))
            return error
        finally:
            self.console.advance()
        output.add_to_library(self.settings, self.console, printed, place)
        self._report(result, place)
        incomplete = output.incomplete_error(result) if self.settings.strict else None
        if incomplete:
            self.console.error(incomplete)
        return next(iter(result.errors), incomplete)

    def _announce(self, article: Article) -> None:
        words = count_words(article.text)
        # A word in a script without spaces is two characters, each as wide as two letters.
        letters = max(len(article.text), 5 * words)
        options = self.printer.options.page
        if letters < LONG_ARTICLE or options.format != "pdf":
            return
        from ..themes.page import page_geometry

        page = page_geometry(options)
        pages = max(1, round(letters / page.capacity))
        seconds = letters / LETTERS_PER_SECOND * (1.5 if page.columns > 1 else 1)
        line = f"{article.title[:80]}: {words:,} words, about {pages} pages, which may take "
        line += f"{seconds / 60:.0f} minutes" if seconds > 90 else f"{seconds:.0f} seconds"
        if seconds > self.settings.print_timeout / 2:
            line += f"; --print-timeout {4 * seconds:.0f} allows more time"
        self.console.info(line)

    def _report(self, result: Result, place: str) -> None:
        for warning in result.warnings:
            self.console.warn(warning)
        for error in result.errors:
            self.console.error(error)
        for text in result.report.missing_text:
            self.console.warn(f"{output.missing_from(result)}: {text}")
        for line in output.to_dicts(result, place) if self.as_json else ():
            output.print_json(line)
        self.console.info(f"{place}: {output.summary(result)}")


ArticleFormat: TypeAlias = Literal["json", "markdown", "text"]
#: The extensions of file names by format, the usual one first.
_EXTENSIONS: dict[ArticleFormat, tuple[str, ...]] = {
    "json": EXTENSIONS["json"], "markdown": EXTENSIONS["markdown"], "text": (".txt",),
}  # fmt: skip


def _plan_extract(
    out: str, to: ArticleFormat | None, pages: Sequence[str]
) -> tuple[Path | None, ArticleFormat]:
    """Return the folder to write a file each to, if any, and the format; raise UsageError."""
    if out.endswith("/") or Path(out).is_dir():
        return Path(out), to or "json"
    named_format = next((f for f in _EXTENSIONS if out.lower().endswith(_EXTENSIONS[f])), None)
    if named_format and to and named_format != to:
        hint = f"End the name in {_EXTENSIONS[to][0]}, or leave out --to"
        raise UsageError(f"--to {to} conflicts with the extension of {out}", hint=hint)
    if not named_format and (output.format_of(out) or out.lower().endswith(output.UNSUPPORTED)):
        raise UsageError(
            f"extract cannot write {Path(out).suffix} files: {out}",
            hint="It writes .json, .md and .txt; webprint PAGE OUT.pdf prints",
        )
    check_file(out)
    check_not_a_page(out, pages)
    return None, named_format or to or "json"


@commands.command()
@with_settings("Article", "Fetching", *MESSAGES)
def extract(
    pages: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PAGE",
            help="An address, a local HTML file, @FILE with an address per line, or - for stdin. "
            "The last argument may be the output: a name that ends in .json, .md or .txt, or "
            "a folder.",
        ),
    ] = None,
    *,
    loaded: LoadedSettings,
    to: Annotated[
        ArticleFormat | None,
        typer.Option(
            "--to",
            "-t",
            metavar="FORMAT",
            help="json, markdown or text; otherwise by the extension of OUT, or json.",
        ),
    ] = None,
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", help="A file, or a folder for one file each, instead of stdout."
        ),
    ] = "",
    lists: AddressLists = None,
    url: BaseURL = "",
) -> None:
    """Write the articles of pages as JSON, Markdown or text.

    Several articles in one file are written as a JSON list, or one after another.
    """
    arguments, out = split_output(pages or [], out, extensions=(".txt",))
    out = out or output.STDOUT
    pages = list_pages(arguments, lists or (), "webprint extract")
    check_pages(pages, url)
    folder, format_ = _plan_extract(out, to, pages)
    settings = loaded.settings
    console = Console.from_settings(settings)
    printer = make_printer(settings, [*pages, url], console, probe_sizes=False)
    articles: list[Article] = []
    errors: list[WebprintError] = []
    sources = [page_input(page, url, settings.max_size) for page in pages]
    with printer, console.progress(len(pages)):
        for _, outcome in prefetch(printer.read, sources, printer.session.concurrency):
            console.advance()
            for warning in printer.session.take_warnings():
                console.warn(warning)
            if isinstance(outcome, WebprintError):
                console.error(outcome)
                errors.append(outcome)
                continue
            articles.append(outcome.article)
            for warning in outcome.article.warnings:
                console.warn(warning)
            if folder:
                output.make_folder(folder)
                path = folder / f"{file_name(outcome.article.title)}{_EXTENSIONS[format_][0]}"
                path = output.write_free(path, _format_articles([outcome.article], format_))
                console.info(f"{path}: written")
    if articles and not folder:
        output.write_out(_format_articles(articles, format_), out)
    if errors:
        raise typer.Exit(errors[0].exit_code)


def _format_articles(articles: Sequence[Article], to: ArticleFormat) -> bytes:
    from ..export import to_json
    from ..export.markdown import to_markdown

    if to == "json":
        return to_json(articles)
    if to == "markdown":
        text = to_markdown(*articles)
    else:
        text = "\n".join(f"{article.title}\n\n{article.text}\n" for article in articles)
    return text.encode("utf-8", "replace")


@commands.command()
@with_settings(
    "Article", "Fetching", *MESSAGES,
    without=("comments", "key_paragraphs", "key_paragraphs_as", "key_query", "follow"),
)  # fmt: skip
def explain(
    page: PageArgument,
    *,
    loaded: LoadedSettings,
    as_json: AsJson = False,
    out: Out = output.STDOUT,
    url: BaseURL = "",
) -> None:
    """Show why each piece of text is printed or left out, and how every method scored it."""
    check_pages([page], url)
    extension = ".json" if as_json else ".html"
    if Path(out).suffix.lower() not in ("", extension):
        kind = "JSON" if as_json else "HTML, and JSON with --json"
        raise UsageError(f"explain writes {kind}: {out}", hint=f"End the name in {extension}")
    check_file(out)
    check_not_a_page(out, [page])
    from ..render.markup import printable

    console = Console.from_settings(loaded.settings)
    with make_printer(loaded.settings, [page, url], console) as printer, console.progress(1):
        capture = printer.fetch(page_input(page, url, loaded.settings.max_size))
        fetch = replace(printer.options.fetch, follow=False)
        extract = replace(printer.options.extract, images="none")
        options = replace(printer.options, fetch=fetch, extract=extract)
        # Load it in a browser where printing would; its text alone decides.
        try:
            capture, extracted = printer.variant(options).load(capture)
            for warning in extracted.article.warnings:
                console.warn(warning)
        except NoArticle as error:
            console.warn(str(error))
        explanation = printer.explain(capture)
    if as_json:
        text = json.dumps(explanation_data(explanation), ensure_ascii=False, indent=2) + "\n"
    else:
        text = explanation_html(explanation)
    output.write_out(printable(text).encode("utf-8", "replace"), out)


def explanation_html(explanation: Explanation) -> str:
    """Return an HTML report with segments colored by each method's scores."""
    from ..render.templates import environment

    first = explanation.segments[0].scores if explanation.segments else {}
    return (
        environment()
        .get_template("report/explain.html.j2")
        .render(
            page=explanation,
            names=list(first),
            segments_kept=sum(segment.keep for segment in explanation.segments),
            pictures_kept=sum(picture.selected for picture in explanation.pictures),
        )
    )


def explanation_data(explanation: Explanation) -> dict[str, Any]:
    data = asdict(explanation) | {"confidence": round(explanation.confidence, 3)}
    for segment in data["segments"]:
        segment["scores"] = {name: round(score, 4) for name, score in segment["scores"].items()}
        for name in ("rule", "corrections"):
            if not segment[name]:
                del segment[name]
    for picture in data["pictures"]:
        picture["keep"] = not picture["reason"]
    return data


@commands.command()
@with_settings(
    "Page", "Article", "Fetching", *MESSAGES,
    "database", "storage", "workers", "time_limit", "memory_limit",
    without=("format", "title", "print_timeout"),
)  # fmt: skip
def batch(
    urls: Annotated[
        str,
        typer.Argument(
            metavar="URLS", help="A file with an address per line, or - for standard input."
        ),
    ],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to write PDFs to.")],
    *,
    loaded: LoadedSettings,
    options: BatchOptions,
    dry_run: DryRun = False,
    as_json: JsonLines = False,
) -> None:
    """Print a list of pages, one file each. Run it again to continue."""
    require("server")
    from ..batch import REPORT_TEXT, BatchRunner
    from ..jobs import REQUEST_OPTIONS

    pages = read_numbered_lines(urls)
    if not folder.is_dir() and (folder.exists() or output.is_output_file(str(folder))):
        raise UsageError(f"{folder} is a file, not a folder", hint="Name a folder for the PDFs")
    settings = loaded.settings
    if dry_run:
        _show_plan(pages, folder, settings, options, as_json=as_json)
        return
    if settings.database:
        chosen = {name: getattr(settings, name) for name in REQUEST_OPTIONS & loaded.explicit}
        options = replace(options, chosen=chosen)
    console = Console.from_settings(settings)
    interrupted = False
    with BatchRunner(folder, pages, settings, options) as work:

        def show_finished(item: BatchItem) -> None:
            console.show_status(item.url)
            console.advance()
            if as_json:
                output.print_json(_item_line(item, folder))

        work.on_finished = show_finished
        for item in work.failed if as_json else ():
            output.print_json(_item_line(item, folder))
        try:
            work.start()  # before the progress bar, which starts a thread
            with console.progress(work.unfinished):
                work.run()
        except KeyboardInterrupt:
            interrupted = True
        finally:
            work.write_reports()
    for reason, count in work.failure_reasons()[:10]:
        console.info(f"{count} failed: {reason}")
    console.info(f"{work.summary()}; see {folder / REPORT_TEXT}")
    if interrupted:
        console.info("interrupted; what was printed is kept. Run it again to continue")
        raise typer.Exit(INTERRUPTED)
    if work.failed:
        error = work.failed[0].error
        raise typer.Exit(error.code if error else 1)


def _show_plan(
    pages: list[tuple[int, str]],
    folder: Path,
    settings: Settings,
    options: BatchOptions,
    *,
    as_json: bool,
) -> None:
    """Write what a run would do, given what earlier runs did."""
    from ..batch import REPORT_JSON, REPORT_TEXT, STATE_FOLDER, planned_items

    items = planned_items(folder, pages, settings, options)
    waiting = [item.url for item in items if item.state in ("waiting", "sent")]
    stored = [f"the state of the list in {folder / STATE_FOLDER}"]
    if settings.database:
        stored.append("the prints in the database of --database until they are in the folder")
    output.show_plan(
        waiting, [f"{folder}/TITLE.pdf", str(folder / REPORT_TEXT), str(folder / REPORT_JSON)],
        stored=stored, caches=settings.options().fetch.cache, as_json=as_json,
    )  # fmt: skip
    console = Console.from_settings(settings)
    for item in items:
        if item.state == "done":
            console.info(f"{folder / item.name} is printed: {item.url}")
        elif item.error and item.state == "failed":
            console.warn(f"line {item.line}: {item.error.message}")


def _item_line(item: BatchItem, folder: Path) -> dict[str, Any]:
    error, result = item.error if item.state == "failed" else None, item.result
    out = str(folder / item.name) if item.state == "done" else None
    complete = bool(result.get("complete")) and not error
    warnings, title = result.get("warnings", ()), result.get("title", "")
    return output.json_line(
        item.url, out, error=error, warnings=warnings, complete=complete, title=title
    )


@commands.command()
def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="What to search for.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Find prints made with --library that contain all of the words, best matches first."""
    from ..library import Library

    if not output.library_path().is_file():
        raise UsageError(
            "the library is empty",
            hint="'library = true' in webprint.toml adds what is printed from now on",
        )
    with Library(output.library_path()) as library:
        hits = library.search(" ".join(words))
    if not hits:
        Console().info("No article in the library has all of these words; word* finds more.")
    for hit in hits:
        if as_json:
            output.print_json(asdict(hit))
            continue
        output.print_line(f"{hit.title}  {hit.url}")
        output.print_line(f"  {hit.printed[:10]}  {hit.file}")
        output.print_line(f"  {hit.snippet}")
