"""The command that prints a list of pages: batch."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ..batch import BatchOptions
from ..errors import UsageError
from ..settings import LoadedSettings
from ..text import file_name
from . import output
from .console import INTERRUPTED, Console
from .options import require, with_settings

REPORT, REPORT_DATA = "report.txt", "report.json"


@with_settings("Page", "Article", "Fetching", "Run", "Server")
def batch(
    urls: Annotated[
        str,
        typer.Argument(
            metavar="URLS", help="A file with an address a line, or - for standard input."
        ),
    ],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the PDFs go.")],
    *,
    loaded: LoadedSettings,
    options: BatchOptions,
) -> None:
    """Print a list of pages, a file each; begun again, it does what is not done yet."""
    require("server")
    from ..batch import runner
    from ..batch.runner import BatchRunner
    from ..batch.store import read_list
    from ..jobs.validation import REQUEST_OPTIONS

    listed = read_list(_read(urls))
    if not listed:
        raise UsageError(f"{urls} names no page")
    settings = loaded.settings
    if settings.database:
        chosen = {name: getattr(settings, name) for name in REQUEST_OPTIONS & loaded.explicit}
        options = replace(options, chosen=chosen)
    console = Console.of(settings)
    with BatchRunner(folder, settings, options, name=file_name, write=output.write) as work:
        repeated = work.store.import_list(listed, folder, retry_failed=not options.resume)

        def tell(item: object) -> None:
            console.doing(getattr(item, "url", ""))
            console.done_one()

        work.on_finished = tell
        stopped = False
        waiting = sum(1 for _ in work.store.items("waiting", "sent"))
        try:
            work.start()  # Before the bar, which has a thread.
            with console.progress(waiting):
                work.run()
        except KeyboardInterrupt:
            stopped = True
        finally:
            items = list(work.store.items())
            output.write(folder / REPORT_DATA, runner.report_json(items, repeated).encode())
            output.write(folder / REPORT, runner.report_text(items, repeated).encode())
    for reason, count in runner.failure_reasons(items)[:10]:
        console.say(f"{count} failed: {reason}")
    console.say(f"{runner.summarize(items, repeated)}; see {folder / REPORT}")
    if stopped:
        console.say("interrupted; what was printed is kept: begin it again to go on")
        raise typer.Exit(INTERRUPTED)
    failed = next((item for item in items if item.state == "failed"), None)
    if failed:
        raise typer.Exit(failed.error.code if failed.error else 1)


def _read(name: str) -> bytes:
    if name == output.STDOUT:
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"{name} cannot be read: {reason}") from error
