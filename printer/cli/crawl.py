"""The command that finds articles: crawl."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..crawl import CrawlOptions
from ..errors import NoArticle, UsageError, WebprintError
from ..settings import LoadedSettings, data_folder
from ..site_rules.store import rule_store
from ..text import file_name
from . import output
from .console import INTERRUPTED, Console
from .options import printer_for, require, with_settings

if TYPE_CHECKING:
    from ..crawl import Crawl, CrawledArticle, CrawlSummary
    from ..pipeline import Printer
    from ..render.worker_pool import RenderPool

#: What is written into a folder beside the PDFs.
LIST = "articles.jsonl"


@with_settings("Page", "Article", "Fetching", "Run")
def crawl(
    seeds: Annotated[
        list[str],
        typer.Argument(metavar="SEED", help="An address to begin with.", show_default=False),
    ],
    *,
    loaded: LoadedSettings,
    options: CrawlOptions,
    state: Annotated[
        str,
        typer.Option(help="Where to keep what was found: an SQLite file, or postgresql://..."),
    ] = "",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the same crawl of before.")
    ] = False,
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", help="A .pdf of all articles, a .jsonl list, or a folder for both."
        ),
    ] = output.STDOUT,
) -> None:
    """Find the articles of sites, those first that are about what you look for."""
    require("crawl")
    from ..crawl import Crawl

    console = Console.of(loaded.settings)
    press = _press(out)
    try:
        with Crawl(
            seeds,
            options,
            database=state or str(data_folder() / "crawl.sqlite"),
            fetch=loaded.settings.fetch_options(),
            extract=loaded.settings.extract_options(),
            fresh=not (state or resume),
            rules=rule_store(not loaded.settings.no_rules, loaded.settings.rules),
        ) as made:
            told, stopped = _run(made, console, options)
            found = made.articles()
            with printer_for(loaded.settings, list(seeds), console, press) as printer:
                failed = _Writer(made, printer, console).write(found, out)
    finally:
        if press:
            press.close()
    console.say(_line(told, len(found)))
    for why, count in told.failures.items():
        console.say(f"{count} failed: {why}")
    if stopped:
        console.say("interrupted; what was found is kept: go on with --resume")
        raise typer.Exit(INTERRUPTED)
    if not found:
        often = next(iter(told.failures), "")
        raise NoArticle(
            "no article was found", hint=f"Of the pages that failed: {often}" * bool(often)
        )
    if failed:
        raise typer.Exit(failed.exit_code)


def _run(made: Crawl, console: Console, options: CrawlOptions) -> tuple[CrawlSummary, bool]:
    """Crawl, telling how it goes; return how it stands, and whether a person interrupted it."""
    visited = 0
    turn = threading.Lock()

    def tell(taken: object, outcome: object, found: CrawledArticle | None) -> None:
        nonlocal visited
        url = getattr(taken, "url", "")
        with turn:
            visited += 1
            console.doing(f"{visited} visited: {url}")
            console.detail(f"{url}: {_what(outcome, found)}")
            if found:
                console.done_one()
                console.detail(f"found {found.info.title!r}, {found.score:.2f}")

    made.on_visit = tell
    stop = threading.Event()
    with console.progress(options.articles):
        try:
            return made.run(stop), False
        except KeyboardInterrupt:
            return made.summary(), True


def _what(outcome: object, found: CrawledArticle | None) -> str:
    if found:
        return "an article"
    said = getattr(outcome, "reason", "") or getattr(outcome, "target", "")
    return str(said or getattr(outcome, "error", "") or type(outcome).__name__.lower())


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes what a crawl found: as a list, in one PDF, or into a folder."""

    made: Crawl
    printer: Printer
    console: Console

    def write(self, found: list[CrawledArticle], out: str) -> WebprintError | None:
        """Write it where it was asked for; return the first failure of a print."""
        lines = [json.dumps(each.to_dict(), ensure_ascii=False) + "\n" for each in found]
        data = "".join(lines).encode("utf-8", "replace")
        if _is_list(out):
            output.deliver(data, out)
            return None
        if not found:
            return None
        path = Path(out)
        if path.suffix.lower() == ".pdf":
            return self._into_one(found, path)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"the folder {path} cannot be made: {error.strerror}") from error
        output.write(path / LIST, data)
        return self._into_folder(found, path)

    def _into_one(self, found: list[CrawledArticle], path: Path) -> WebprintError | None:
        result = self.printer.print_pages([self.made.capture(each) for each in found])
        output.write(path, result.pdf)
        for failure in result.failures:
            self.console.error(failure.error)
        self.console.say(f"{path}: {output.line(result)}")
        return result.failures[0].error if result.failures else None

    def _into_folder(self, found: list[CrawledArticle], folder: Path) -> WebprintError | None:
        first: WebprintError | None = None
        used: set[str] = set()
        for each in found:
            name = file_name(each.info.title)
            while name in used:
                name = f"{name} {each.id}"
            used.add(name)
            path = folder / f"{name}.pdf"
            if path.exists():  # Printed before the crawl was gone on with.
                continue
            try:
                result = self.printer.print_pages([self.made.capture(each)])
                output.write(path, result.pdf)
                self.console.say(f"{path}: {output.line(result)}")
            except WebprintError as error:
                self.console.error(error)
                first = first or error
        return first


def _line(told: CrawlSummary, found: int) -> str:
    parts = [
        f"{found} articles", f"{told.fetched} pages fetched",
        f"{told.duplicates} the same as others" * bool(told.duplicates),
        f"{told.failed} failed" * bool(told.failed),
        f"{told.skipped} left out" * bool(told.skipped),
        f"{told.waiting} not visited" * bool(told.waiting), told.stop_reason,
    ]  # fmt: skip
    return ", ".join(filter(None, parts))


def _press(out: str) -> RenderPool | None:
    """Return what prints, if anything is to be printed; to be made before a thread starts."""
    if _is_list(out):
        return None
    from ..render.worker_pool import RenderPool

    return RenderPool()


def _is_list(out: str) -> bool:
    """Tell whether a list is asked for, and nothing is to be printed."""
    return out == output.STDOUT or Path(out).suffix in (".jsonl", ".json")
