"""The command that prints a list of pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..batch import BatchOptions, read_list
from ..errors import UsageError
from ..settings import LoadedSettings, Settings
from ..text import file_name
from . import output
from .console import INTERRUPTED, Console
from .help import Commands
from .options import MESSAGES, DryRun, JsonLines, require, with_settings

if TYPE_CHECKING:
    from ..batch.runner import BatchItem

commands = Commands()


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
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the PDFs go.")],
    *,
    loaded: LoadedSettings,
    options: BatchOptions,
    dry_run: DryRun = False,
    as_json: JsonLines = False,
) -> None:
    """Print a list of pages, a file each; a second run does what is not done yet."""
    require("server")
    from ..batch import runner
    from ..jobs.validation import REQUEST_OPTIONS

    pages = read_list(output.read_input(urls))
    if not pages:
        raise UsageError(f"{urls} contains no address", hint="It has one address per line")
    if folder.exists() and not folder.is_dir():
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
    with runner.BatchRunner(
        folder, pages, settings, options, name=file_name, write=output.write
    ) as work:

        def show_finished(item: BatchItem) -> None:
            console.show_status(item.url)
            console.advance()
            if as_json:
                output.print_json(_json_line(item, folder))

        work.on_finished = show_finished
        items, repeated = work.items, work.repeated
        for item in work.failed if as_json else ():
            output.print_json(_json_line(item, folder))
        try:
            work.start()  # before the progress bar, which starts a thread
            with console.progress(work.unfinished):
                work.run()
        except KeyboardInterrupt:
            interrupted = True
        finally:
            report = runner.report_json(items, repeated)
            output.write(folder / runner.REPORT_JSON, report.encode())
            text = runner.report_text(items, repeated)
            output.write(folder / runner.REPORT_TEXT, text.encode())
    for reason, count in runner.failure_reasons(items)[:10]:
        console.info(f"{count} failed: {reason}")
    console.info(f"{runner.summarize(items, repeated)}; see {folder / runner.REPORT_TEXT}")
    if interrupted:
        console.info("interrupted; what was printed is kept. Run it again to continue")
        raise typer.Exit(INTERRUPTED)
    for item in work.failed:
        raise typer.Exit(item.error.code if item.error else 1)


def _show_plan(
    pages: list[tuple[int, str]],
    folder: Path,
    settings: Settings,
    options: BatchOptions,
    *,
    as_json: bool,
) -> None:
    """Write what a run would do, given what earlier runs did."""
    from ..batch.runner import REPORT_JSON, REPORT_TEXT, STATE_FOLDER, planned_items

    items = planned_items(folder, pages, settings, options)
    waiting = [item.url for item in items if item.state in ("waiting", "sent")]
    stored = [f"the state of the list in {folder / STATE_FOLDER}"]
    if settings.database:
        stored.append("the prints in the database of --database until they are in the folder")
    output.show_plan(
        waiting, [f"{folder}/TITLE.pdf", str(folder / REPORT_TEXT), str(folder / REPORT_JSON)],
        stored=stored, caches=settings.options().fetch.cache, as_json=as_json,
    )  # fmt: skip
    for item in items:
        if item.state == "done":
            Console.from_settings(settings).info(f"{folder / item.name} is printed: {item.url}")
        elif item.error and item.state == "failed":
            text = f"line {item.line}: {item.error.message}"
            Console.from_settings(settings).warn(text)


def _json_line(item: BatchItem, folder: Path) -> dict[str, Any]:
    error = item.error if item.state == "failed" else None
    return {
        "url": item.url,
        "out": str(folder / item.name) if item.state == "done" else None,
        "error": error.to_dict() if error else None,
        "warnings": list(item.result.get("warnings", ())),
        "complete": bool(item.result.get("complete")) and not error,
        "title": item.result.get("title", ""),
    }
