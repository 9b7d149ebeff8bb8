"""The command that finds the articles of sites."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..crawl import CrawlOptions
from ..errors import NoArticle, UsageError, WebprintError
from ..settings import LoadedSettings, data_folder
from ..site_rules.store import rule_store
from ..text import file_name
from ..urls import host_of
from . import output
from .arguments import check_address, check_file
from .console import INTERRUPTED, Console
from .help import Commands
from .options import MESSAGES, JsonLines, make_printer, require, with_settings

if TYPE_CHECKING:
    from ..crawl import Crawl, CrawledArticle, CrawlSummary
    from ..pipeline import Printer

#: The name of the list in a folder of PDFs.
LIST_FILE = "articles.jsonl"

commands = Commands()


@commands.command()
@with_settings("Page", "Article", "Fetching", *MESSAGES, without=("format",))
def crawl(
    seeds: Annotated[
        list[str],
        typer.Argument(metavar="SEED", help="An address to start from.", show_default=False),
    ],
    *,
    loaded: LoadedSettings,
    options: CrawlOptions,
    state: Annotated[
        str, typer.Option(help="Where the crawl is stored: an SQLite file, or postgresql://...")
    ] = "",
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the same crawl of an earlier run.")
    ] = False,
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", help="A .pdf of all articles, a .jsonl list, or a folder for both."
        ),
    ] = output.STDOUT,
    as_json: JsonLines = False,
) -> None:
    """Find the articles of sites, the most relevant first."""
    require("crawl")
    for seed in seeds:
        check_address(seed)
    _check_out(out, as_json=as_json)
    from ..crawl import Crawl
    from ..render.worker_pool import RenderPool

    settings = loaded.settings
    console = Console.from_settings(settings)
    with ExitStack() as stack:
        # The pool forks, so start it before any thread.
        pool = None if _is_list(out) else stack.enter_context(RenderPool())
        crawler = stack.enter_context(
            Crawl(
                seeds,
                options,
                database=state or str(data_folder() / "crawl.sqlite"),
                fetch=settings.fetch_options(),
                extract=settings.extract_options(),
                fresh=not (state or resume),
                rules=rule_store(not settings.no_rules, settings.rules),
            )
        )
        summary, interrupted = _run(crawler, console, options)
        articles = crawler.articles()
        with make_printer(settings, list(seeds), console, pool) as printer:
            failed = _Writer(crawler, printer, console, as_json).write(articles, out)
    console.info(_summary_line(summary, len(articles)))
    for reason, count in summary.failures.items():
        console.info(f"{count} failed: {reason}")
    if interrupted:
        console.info("interrupted; what was found is kept. Continue with --resume")
        raise typer.Exit(INTERRUPTED)
    if not articles:
        reason = next(iter(summary.failures), "")
        hint = f"Of the pages that failed: {reason}" if reason else ""
        raise NoArticle("no article was found", hint=hint)
    if failed:
        raise typer.Exit(failed.exit_code)


def _run(crawler: Crawl, console: Console, options: CrawlOptions) -> tuple[CrawlSummary, bool]:
    """Crawl with progress; return the summary, and whether the user interrupted it."""
    visited = 0
    problems: set[str] = set()
    lock = threading.Lock()

    def show_visit(visit: object, outcome: object, article: CrawledArticle | None) -> None:
        nonlocal visited
        url = getattr(visit, "url", "")
        with lock:
            visited += 1
            console.show_status(f"{visited} visited: {url}")
            console.detail(f"{url}: {_outcome_name(outcome, article)}")
            problem = getattr(outcome, "problem", "")
            if problem and host_of(url) not in problems:
                problems.add(host_of(url))
                console.warn(f"{url}: {problem}; trying again for a while")
            if article:
                console.advance()
                console.detail(f"found {article.info.title!r}, {article.score:.2f}")

    crawler.on_visit = show_visit
    with console.progress(options.articles):
        try:
            return crawler.run(threading.Event()), False
        except KeyboardInterrupt:
            return crawler.summary(), True


def _outcome_name(outcome: object, article: CrawledArticle | None) -> str:
    if article:
        return "an article"
    texts = (getattr(outcome, name, "") for name in ("reason", "target", "error", "problem"))
    return str(next(filter(None, texts), type(outcome).__name__.lower()))


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes the articles of a crawl: as a list, in one PDF, or into a folder."""

    crawler: Crawl
    printer: Printer
    console: Console
    as_json: bool

    def write(self, articles: list[CrawledArticle], out: str) -> WebprintError | None:
        """Write the articles; return the first error of a print."""
        lines = [json.dumps(article.to_dict(), ensure_ascii=False) + "\n" for article in articles]
        data = "".join(lines).encode("utf-8", "replace")
        if _is_list(out):
            output.write_out(data, out)
            return None
        if not articles:
            return None
        path = Path(out)
        if path.suffix.lower() == ".pdf":
            return self._print(articles, path)
        output.make_folder(path)
        output.write(path / LIST_FILE, data)
        return self._print_separately(articles, path)

    def _print(self, articles: list[CrawledArticle], path: Path) -> WebprintError | None:
        result = self.printer.print_pages([self.crawler.capture(article) for article in articles])
        output.write(path, result.pdf)
        for failure in result.failures:
            self.console.error(failure.error)
        for line in output.to_dicts(result, str(path)) if self.as_json else ():
            output.print_json(line)
        self.console.info(f"{path}: {output.summary(result)}")
        return result.failures[0].error if result.failures else None

    def _print_separately(
        self, articles: list[CrawledArticle], folder: Path
    ) -> WebprintError | None:
        first: WebprintError | None = None
        names: set[str] = set()
        for article in articles:
            name = file_name(article.info.title)
            while name in names:
                name = f"{name} {article.id}"
            names.add(name)
            path = folder / f"{name}.pdf"
            if path.exists():  # printed by the run being continued
                continue
            try:
                self._print([article], path)
            except WebprintError as error:
                self.console.error(error)
                if self.as_json:
                    output.print_json(output.error_dict(article.url, error))
                first = first or error
        return first


def _summary_line(summary: CrawlSummary, articles: int) -> str:
    counts = (
        (summary.duplicates, "duplicates"),
        (summary.failed, "failed"),
        (summary.skipped, "skipped"),
        (summary.waiting, "not visited"),
    )
    parts = [output.count(articles, "article"), f"{output.count(summary.fetched, 'page')} fetched"]
    parts += [f"{count} {name}" for count, name in counts if count]
    return ", ".join([*parts, *filter(None, [summary.stop_reason])])


def _check_out(out: str, *, as_json: bool) -> None:
    """Raise an error for an output that a crawl cannot write."""
    if as_json and _is_list(out):
        raise UsageError("--json is about printed pages", hint="Add --out FILE.pdf or a folder")
    path = Path(out)
    if out == output.STDOUT or out.endswith("/") or path.is_dir():
        return
    if path.suffix and path.suffix.lower() not in (".pdf", ".jsonl", ".json"):
        raise UsageError(
            f"cannot write {path.suffix} files: {out}",
            hint="A crawl writes a .pdf of all articles, a .jsonl list, or a folder",
        )
    check_file(out)


def _is_list(out: str) -> bool:
    """Return whether the output is a list, so that nothing is printed."""
    return out == output.STDOUT or Path(out).suffix in (".jsonl", ".json")
