"""The command that finds the articles of sites."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..crawl.models import CrawlOptions, Failed
from ..errors import NoArticle, UsageError, WebprintError
from ..settings import LoadedSettings, data_folder
from ..text import file_name, numbered, quantity
from ..urls import host_of, strip_userinfo
from . import output
from .help import Commands
from .options import (
    MESSAGES,
    DryRun,
    JsonLines,
    check_address,
    check_file,
    make_printer,
    require,
    with_settings,
)
from .output import INTERRUPTED, Console

if TYPE_CHECKING:
    from ..capture import Capture, PageSource
    from ..crawl.crawler import Crawl
    from ..crawl.models import CrawledArticle, CrawlSummary, Lease, Outcome
    from ..pipeline import Printer

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
        str, typer.Option(help="The crawl's database: an SQLite file or postgresql://...")
    ] = "",
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted crawl.")
    ] = False,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            help="A .pdf of all articles, a .jsonl list, or a folder for a list and a PDF of each.",
        ),
    ] = output.STDOUT,
    dry_run: DryRun = False,
    as_json: JsonLines = False,
) -> None:
    """Find the most relevant articles of one or more sites."""
    require("crawl")
    for seed in seeds:
        check_address(seed)
    _check_output(out, as_json=as_json)
    if options.path_prefix and not options.path_prefix.startswith("/"):
        hint = f"Paths begin with a slash: --path-prefix /{options.path_prefix}"
        raise UsageError(f"no path begins with {options.path_prefix!r}", hint=hint)
    settings = loaded.settings
    database = state or str(data_folder() / "crawl.sqlite")
    if dry_run:
        _show_plan(seeds, out, options, database, loaded, as_json=as_json)
        return
    from ..crawl.crawler import Crawl
    from ..render.worker_pool import RenderPool

    console = Console.from_settings(settings)
    with ExitStack() as stack:
        # The pool forks, so start it before any thread.
        pool = None if _is_list(out) else stack.enter_context(RenderPool())
        fresh = not (state or resume)
        crawler = stack.enter_context(
            Crawl.from_settings(settings, seeds, options, database=database, fresh=fresh)
        )
        run = _CrawlRun(crawler, console, len(seeds))
        summary = run.crawl(seeds[0], options)
        articles = crawler.articles()
        printer = stack.enter_context(make_printer(settings, list(seeds), console, pool))
        failed = _write_articles(crawler, printer, console, articles, out, as_json=as_json)
    _finish(run, summary, len(articles))
    if failed:
        raise typer.Exit(failed.exit_code)


def _finish(run: _CrawlRun, summary: CrawlSummary, articles: int) -> None:
    """Report the end of a crawl; raise if it failed, was interrupted or found nothing."""
    if run.errors and not run.interrupted and summary.fetched == summary.failed:
        raise run.errors[0]
    run.console.info(_summary_line(summary, articles))
    for reason, pages in summary.failures.items():
        run.console.info(f"{pages} failed: {reason}")
    if run.interrupted:
        run.console.info("interrupted; what was found is kept. Continue with --resume")
        raise typer.Exit(INTERRUPTED)
    if not articles:
        reason = next(iter(summary.failures), "")
        hint = f"Of the pages that failed: {reason}" if reason else ""
        raise NoArticle("no article was found", hint=hint)


def _show_plan(
    seeds: list[str],
    out: str,
    options: CrawlOptions,
    database: str,
    loaded: LoadedSettings,
    *,
    as_json: bool,
) -> None:
    """Write where a crawl would begin, what it would write, and what it would keep."""
    path = Path(out)
    places = [output.STDOUT_NAME if out == output.STDOUT else out]
    if not _is_list(out) and path.suffix.lower() != ".pdf":
        places = [str(path / "TITLE.pdf"), str(path / LIST_FILE)]
    stored = [f"the pages of the crawl in {strip_userinfo(database)}"]
    format_ = "json" if _is_list(out) else "pdf"
    output.show_plan(
        seeds, places, format_=format_, stored=stored,
        caches=format_ == "pdf" and loaded.settings.options().fetch.cache, as_json=as_json,
    )  # fmt: skip
    console = Console.from_settings(loaded.settings)
    console.info(
        f"then pages that these link to: at most {quantity(options.pages, 'page')}, "
        f"{quantity(options.depth, 'link')} from the first, "
        f"to find {quantity(options.articles, 'article')}"
    )


@dataclass(slots=True)
class _CrawlRun:
    """A crawl with progress; ``errors`` are those of seeds."""

    crawler: Crawl
    console: Console
    seeds: int
    interrupted: bool = False
    errors: list[WebprintError] = field(default_factory=list)
    _visited: int = 0
    _hosts: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def crawl(self, seed: str, options: CrawlOptions) -> CrawlSummary:
        """Crawl until the end or an interrupt."""
        self.crawler.on_visit = self._show
        with self.console.progress(options.articles):
            self.console.show_status(f"asking {host_of(seed)}")
            try:
                return self.crawler.run(threading.Event())
            except KeyboardInterrupt:
                self.interrupted = True
                return self.crawler.summary()

    def _show(self, lease: Lease, outcome: Outcome, article: CrawledArticle | None) -> None:
        console = self.console
        with self._lock:
            self._visited += 1
            console.show_status(f"{self._visited} visited: {lease.url}")
            console.detail(f"{lease.url}: {_outcome_name(outcome, article)}")
            problem = getattr(outcome, "problem", "")
            if isinstance(outcome, Failed):
                problem = outcome.error.message if outcome.temporary else ""
                if lease.depth == 0:
                    self.errors.append(outcome.error)
                    if not outcome.temporary and self.seeds > 1:
                        console.error(outcome.error)
            if problem and lease.host not in self._hosts:
                self._hosts.add(lease.host)
                console.warn(f"{lease.url}: {problem}; trying again for a while")
            if article:
                console.advance()
                console.detail(f"found {article.info.title!r}, {article.score:.2f}")


def _outcome_name(outcome: object, article: CrawledArticle | None) -> str:
    if article:
        return "an article"
    texts = (getattr(outcome, name, "") for name in ("reason", "target", "error", "problem"))
    return str(next(filter(None, texts), type(outcome).__name__.lower()))


def _write_articles(
    crawler: Crawl, printer: Printer, console: Console, articles: list[CrawledArticle], out: str,
    *, as_json: bool,
) -> WebprintError | None:  # fmt: skip
    """Write a list, one PDF, or PDFs in a folder; return the first error of a print."""
    lines = [json.dumps(article.to_dict(), ensure_ascii=False) + "\n" for article in articles]
    data = "".join(lines).encode("utf-8", "replace")
    if _is_list(out):
        output.write_out(data, out)
        return None

    folder, first = Path(out), None

    def print_to(path: Path, captures: list[Capture]) -> WebprintError | None:
        result = printer.print_pages(captures)
        if path == folder:
            output.write(path, result.data)
        else:
            path = output.write_free(path, result.data)
        for error in result.errors:
            console.error(error)
        for line in output.to_dicts(result, str(path)) if as_json else ():
            output.print_json(line)
        console.info(f"{path}: {output.summary(result)}")
        return next(iter(result.errors), None)

    if articles and folder.suffix.lower() == ".pdf":
        return print_to(folder, [crawler.capture(article) for article in articles])
    if articles:
        output.make_folder(folder)
        output.write(folder / LIST_FILE, data)
    for article, name in zip(articles, _file_names(articles), strict=True):
        capture = crawler.capture(article)
        path, is_printed = _find_pdf(folder, name, capture.source)
        if is_printed:
            console.info(f"{path} is already there")
            continue
        try:
            print_to(path, [capture])
        except WebprintError as error:
            console.error(error)
            if as_json:
                output.print_json(output.error_dict(article.url, error))
            first = first or error
    return first


def _file_names(articles: list[CrawledArticle]) -> list[str]:
    """Return a file name for each article, made from its title, the same in every run."""
    names: dict[str, None] = {}
    for article in articles:
        name = file_name(article.info.title)
        while name in names:
            name = f"{name} {article.id}"
        names[name] = None
    return list(names)


def _find_pdf(folder: Path, name: str, source: PageSource) -> tuple[Path, bool]:
    """Return an article's PDF, and whether an earlier run printed it since the page was fetched."""
    fetched = source.fetched.timestamp() if source.fetched else 0.0
    for path in (folder / f"{stem}.pdf" for stem in numbered(name, " ")):
        if not path.exists():
            return path, False
        if path.stat().st_mtime >= fetched and _is_print_of(path, source.url):
            return path, True
    raise AssertionError  # The numbers never end.


def _is_print_of(path: Path, url: str) -> bool:
    """Return whether a PDF is a print of a page; prints with several pages a side name none."""
    import pikepdf

    with suppress(OSError, ValueError, pikepdf.PdfError), pikepdf.open(path) as pdf:
        source = str(pdf.open_metadata().get("dc:source", url))
        return source == url and str(pdf.docinfo.get("/Creator", "")) == "webprint"
    return False


def _summary_line(summary: CrawlSummary, articles: int) -> str:
    counts = (
        (summary.duplicates, "duplicates"),
        (summary.failed, "failed"),
        (summary.skipped, "skipped"),
        (summary.waiting, "not visited"),
    )
    parts = [quantity(articles, "article"), f"{quantity(summary.fetched, 'page')} fetched"]
    parts += [f"{number} {name}" for number, name in counts if number]
    return ", ".join([*parts, *filter(None, [summary.stop_reason])])


def _check_output(out: str, *, as_json: bool) -> None:
    if as_json and _is_list(out):
        raise UsageError(
            "--json applies to printed pages only", hint="Add --out FILE.pdf or a folder"
        )
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
    return out == output.STDOUT or Path(out).suffix.lower() in (".jsonl", ".json")
