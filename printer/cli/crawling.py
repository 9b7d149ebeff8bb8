"""The command that finds articles: crawl."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import config
from ..errors import NoArticle, UsageError, WebprintError
from ..rules.files import shelf
from . import output, summary
from .console import Console
from .extras import require
from .flags import with_settings
from .printing import printer_for

if TYPE_CHECKING:
    from ..crawl import Crawl, CrawlOptions, Found, Summary
    from ..pipeline import Printer
    from ..render.press import Presses

INTERRUPTED = 130

#: What is written into a folder beside the PDFs.
LIST = "articles.jsonl"


@with_settings("Page", "Article", "Fetching", "Run")
def crawl(
    seeds: Annotated[
        list[str],
        typer.Argument(metavar="SEED", help="An address to begin with.", show_default=False),
    ],
    *,
    loaded: config.Loaded,
    query: Annotated[
        str, typer.Option("--query", help="Words that articles should be about.")
    ] = "",
    most: Annotated[int, typer.Option("--max", help="Articles to find at most.", min=1)] = 100,
    max_pages: Annotated[int, typer.Option(help="Pages to fetch at most.", min=1)] = 2_000,
    depth: Annotated[int, typer.Option(help="Links to follow from a seed at most.", min=0)] = 10,
    path_prefix: Annotated[
        str, typer.Option(help="What the paths of all pages but the seeds begin with.")
    ] = "",
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="Another host to crawl; repeatable.", show_default=False),
    ] = None,
    delay: Annotated[
        float, typer.Option(help="Seconds between two requests to one host.", min=0.0)
    ] = 1.0,
    parallel: Annotated[int, typer.Option(help="Hosts asked at once.", min=1, max=64)] = 4,
    sitemaps: Annotated[bool, typer.Option(help="Read the sitemaps of the seeds.")] = True,
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
    from ..config import data_folder
    from ..crawl import Crawl, CrawlOptions

    options = CrawlOptions(
        query=query, hosts=tuple(also or ()), path_prefix=path_prefix, articles=most,
        pages=max_pages, depth=depth, delay=delay, parallel=parallel, sitemaps=sitemaps,
    )  # fmt: skip
    console = Console(loaded.settings.verbose, loaded.settings.quiet)
    press = _press(out)
    try:
        with Crawl(
            seeds,
            options,
            database=state or str(data_folder() / "crawl.sqlite"),
            fetch=loaded.settings.fetch_options(),
            extract=loaded.settings.extract_options(),
            fresh=not (state or resume),
            rules=shelf(not loaded.settings.no_rules, loaded.settings.rules),
        ) as made:
            told, stopped = _run(made, console, options)
            found = made.found()
            with printer_for(loaded.settings, list(seeds), console, press) as printer:
                failed = _write(made, found, Path(out), printer, console, out == output.STDOUT)
    finally:
        if press:
            press.close()
    console.say(_line(told, len(found)))
    for why, count in told.failures.items():
        console.detail(f"{count} failed: {why}")
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


def _run(made: Crawl, console: Console, options: CrawlOptions) -> tuple[Summary, bool]:
    """Crawl, telling how it goes; return how it stands, and whether a person interrupted it."""
    visited = 0
    turn = threading.Lock()

    def tell(taken: object, outcome: object, found: Found | None) -> None:
        nonlocal visited
        url = getattr(taken, "url", "")
        with turn:
            visited += 1
            console.doing(f"{visited} visited: {url}")
            console.detail(f"{url}: {_what(outcome, found)}")
            if found:
                console.done_one()
                console.detail(f"found {found.told.title!r}, {found.score:.2f}")

    made.notify = tell
    stop = threading.Event()
    with console.progress(options.articles):
        try:
            return made.run(stop), False
        except KeyboardInterrupt:
            return made.summary(), True


def _what(outcome: object, found: Found | None) -> str:
    if found:
        return "an article"
    said = getattr(outcome, "why", "") or getattr(outcome, "target", "")
    return str(said or getattr(outcome, "error", "") or type(outcome).__name__.lower())


def _write(
    made: Crawl, found: list[Found], out: Path, printer: Printer, console: Console, stdout: bool
) -> WebprintError | None:
    """Write what was found where it was asked for; return the first failure of a print."""
    lines = [json.dumps(each.data(), ensure_ascii=False) + "\n" for each in found]
    data = "".join(lines).encode("utf-8", "replace")
    if stdout:
        output.write_stdout(data)
        return None
    if out.suffix in (".jsonl", ".json"):
        output.write(out, data)
        return None
    if not found:
        return None
    if out.suffix.lower() == ".pdf":
        result = printer.print([made.capture(each) for each in found])
        output.write(out, result.pdf)
        for failure in result.failures:
            console.error(failure.error)
        console.say(f"{out}: {summary.line(result)}")
        return result.failures[0].error if result.failures else None
    return _into_folder(made, found, out, printer, console, lambda: output.write(out / LIST, data))


def _into_folder(
    made: Crawl,
    found: list[Found],
    folder: Path,
    printer: Printer,
    console: Console,
    write_list: Callable[[], None],
) -> WebprintError | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder {folder} cannot be made: {error.strerror}") from error
    write_list()
    first: WebprintError | None = None
    used: set[str] = set()
    for each in found:
        name = output.file_name(each.told.title)
        while name in used:
            name = f"{name} {each.id}"
        used.add(name)
        path = folder / f"{name}.pdf"
        if path.exists():  # Printed before the crawl was gone on with.
            continue
        try:
            result = printer.print([made.capture(each)])
            output.write(path, result.pdf)
            console.say(f"{path}: {summary.line(result)}")
        except WebprintError as error:
            console.error(error)
            first = first or error
    return first


def _line(told: Summary, found: int) -> str:
    parts = [
        f"{found} articles", f"{told.fetched} pages fetched",
        f"{told.duplicates} the same as others" * bool(told.duplicates),
        f"{told.failed} failed" * bool(told.failed),
        f"{told.refused} left out" * bool(told.refused),
        f"{told.waiting} not visited" * bool(told.waiting), told.over,
    ]  # fmt: skip
    return ", ".join(filter(None, parts))


def _press(out: str) -> Presses | None:
    """Return what prints, if anything is to be printed; to be made before a thread starts."""
    if out == output.STDOUT or Path(out).suffix in (".jsonl", ".json"):
        return None
    from ..render.press import Presses

    return Presses()
