"""What commands write: messages, result files, lines of JSON, and the library of past prints."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ErrorRecord, Incomplete, NoArticle, OutputError, UsageError, WebprintError
from ..files import atomic_write, os_errors, path_exists, reason_of
from ..options import EXTENSIONS, Format
from ..output import STEPS, CompletenessReport, Result, Step
from ..settings import Settings, data_folder
from ..text import numbered, quantity

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from ..article import Article

INTERRUPTED = 130

MAX_INPUT_BYTES = 100_000_000


@dataclass(slots=True)
class Console:
    """Writes messages, and shows progress if stderr is a terminal.

    With ``verbose`` it writes a line for each step instead, with ``quiet`` only errors, and with
    ``debug`` their tracebacks.
    """

    verbose: bool = False
    quiet: bool = False
    debug: bool = False
    _progress: Progress | None = None
    _task: TaskID | None = None

    @classmethod
    def from_settings(cls, settings: Settings) -> Console:
        return cls(settings.verbose, settings.quiet, settings.debug)

    def show_step(self, source: str, step: Step) -> None:
        if self._progress is None and self.verbose:
            self.info(f"{source}: {STEPS[step]}")
        name = "".join(filter(str.isprintable, source))
        short = name if len(name) <= 48 else f"{name[:30]}…{name[-17:]}"
        self.show_status(f"{short}: {STEPS[step]}")

    def show_status(self, text: str) -> None:
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, description=text)

    def advance(self) -> None:
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task)

    def info(self, line: str) -> None:
        if not self.quiet:
            self._write(line)

    def detail(self, line: str) -> None:
        if self.verbose:
            self.info(line)

    def warn(self, line: str) -> None:
        self.info(f"warning: {line}")

    def error(self, error: WebprintError) -> None:
        """Write an error in one line, after its traceback if ``debug``."""
        if self.debug:
            sys.excepthook(type(error), error, error.__traceback__)
        self._write(f"webprint: {' '.join(str(error).split())}")

    @contextmanager
    def progress(self, pages: int) -> Iterator[None]:
        """Show a spinner for one page or a bar for several while the body runs."""
        if self.quiet or self.verbose or not sys.stderr.isatty():
            yield
            return
        from rich.console import Console as Terminal
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            ProgressColumn,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )

        text = TextColumn("{task.description}", markup=False)
        columns: list[ProgressColumn] = [SpinnerColumn(), text, TimeElapsedColumn()]
        if pages > 1:
            columns += [BarColumn(), MofNCompleteColumn()]
        with Progress(*columns, console=Terminal(stderr=True), transient=True) as self._progress:
            self._task = self._progress.add_task("starting", total=pages)
            try:
                yield
            finally:
                self._progress = None

    def _write(self, line: str) -> None:
        line = "".join(c if c.isprintable() else "�" for c in line)
        with suppress(OSError):  # A message that nobody can read stops no print.
            if self._progress is not None:
                self._progress.console.print(line, markup=False, highlight=False)
            else:
                print(line, file=sys.stderr, flush=True)


STDOUT = "-"
STDOUT_NAME = "standard output"

#: Extensions of unsupported formats that users may ask for; none is a top-level domain.
UNSUPPORTED = (".docx", ".doc", ".odt", ".rtf", ".txt", ".png", ".jpg", ".azw3", ".tex")
FORMAT_NAMES: dict[Format, str] = {
    "pdf": "PDF", "epub": "EPUB", "markdown": "Markdown", "html": "HTML", "json": "JSON",
}  # fmt: skip


def format_of(name: str) -> Format | None:
    lower = name.lower()
    return next((format_ for format_ in EXTENSIONS if lower.endswith(EXTENSIONS[format_])), None)


def is_output_file(name: str) -> bool:
    """Return whether an argument names the output file; an .html file that exists is a page."""
    format_ = format_of(name)
    return format_ is not None and not (format_ == "html" and path_exists(name))


def write_free(path: Path, data: bytes, *, force: bool = False) -> Path:
    """Write a file and return its path: numbered if the name is taken, unless ``force``."""
    for stem in numbered(path.stem, " "):
        free = path.with_name(f"{stem}{path.suffix}")
        if force or not os.path.lexists(free):
            with suppress(FileExistsError):  # Another run has just taken the name.
                write(free, data, replace=force)
                return free
    raise AssertionError  # The numbers never end.


def write(path: Path, data: bytes, *, replace: bool = True) -> None:
    """Write a file atomically, or to a pipe or device; raise :class:`OutputError`.

    Without ``replace``, raise :class:`FileExistsError` if the file exists.
    """
    try:
        if path.exists() and not path.is_file():
            if path.is_dir():
                raise OutputError(f"{path} is a folder", hint="Name a file in it")
            path.write_bytes(data)
            return
        atomic_write(path, data, replace=replace)
    except FileExistsError:
        raise
    except OSError as error:
        hint = "" if path.parent.exists() else f"There is no folder {path.parent}"
        raise OutputError(f"{path} cannot be written: {reason_of(error)}", hint=hint) from error


def make_folder(path: Path) -> None:
    with os_errors(OutputError, f"the folder {path} cannot be created"):
        path.mkdir(parents=True, exist_ok=True)


def write_out(data: bytes, out: str) -> None:
    if out == STDOUT:
        write_stdout(data)
    else:
        write(Path(out), data)


def read_input(name: str) -> bytes:
    """Return the content of a file, or of standard input for '-', up to ``MAX_INPUT_BYTES``.

    Raise :class:`UsageError`, also for one that is larger or never ends.
    """
    with (
        os_errors(UsageError, f"{name} cannot be read", hint="Check the name of the file"),
        nullcontext(sys.stdin.buffer) if name == STDOUT else Path(name).open("rb") as file,
    ):
        data = file.read(MAX_INPUT_BYTES + 1)
    if len(data) > MAX_INPUT_BYTES:
        raise UsageError(f"{name} is larger than {MAX_INPUT_BYTES // 1_000_000} MB")
    return data


def print_line(line: str) -> None:
    """Print text from a page without control characters, which a terminal would obey."""
    print("".join(c if c.isprintable() else " " for c in line))


def write_stdout(data: bytes) -> None:
    """Write data to standard output, but no binary data to a terminal."""
    if sys.stdout.isatty() and data.startswith((b"%PDF", b"PK")):
        raise UsageError(
            "a terminal cannot show a PDF or EPUB", hint="Redirect it: webprint URL -o - > out.pdf"
        )
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError as error:
        # Keep Python from failing again when it flushes stdout at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise OutputError("standard output was closed before the result was written") from error


def summary(result: Result) -> str:
    """Return what was printed: '2 pages, 3 of 14 pictures printed, all 620 words, 120 kB'."""
    parts = [FORMAT_NAMES[result.format]]
    if result.pages:
        parts = [quantity(result.pages, "page")]
        if result.sheets not in (0, result.pages):
            parts = [f"{parts[0]} on {quantity(result.sheets, 'sheet')}"]
    total = len(result.picture_decisions)
    selected = sum(picture.selected for picture in result.picture_decisions)
    printed = max(0, selected - result.missing_pictures)
    pictures = f"{printed} of {quantity(total, 'picture')} printed" if total else "0 pictures"
    if result.missing_pictures:
        pictures += f" ({result.missing_pictures} could not be fetched)"
    # Missing pictures are reported once.
    shortfall = result.report.shortfall()
    if result.missing_pictures or "pictures" not in shortfall:
        parts.append(pictures)
    only_pictures = bool(result.missing_pictures) and set(shortfall) == {"pictures"}
    parts.append(_all_words(result.report) if only_pictures else _completeness(result.report))
    parts.append(f"{len(result.data) / 1000:,.0f} kB")
    return ", ".join(parts)


def missing_from(result: Result) -> str:
    return f"missing from the {FORMAT_NAMES[result.format]}"


def _completeness(report: CompletenessReport) -> str:
    shortfall = [
        f"{part:,} of {total:,} {name}" for name, (part, total) in report.shortfall().items()
    ]
    missing = [f"only {', '.join(shortfall)} printed"] if shortfall else []
    words = [] if "words" in report.shortfall() else [_all_words(report)]
    return ", ".join(words + missing)


def _all_words(report: CompletenessReport) -> str:
    words = report.article.words
    return f"all {words:,} {'word' if words == 1 else 'words'}"


def json_line(
    url: str, out: str | None = None, *, error: ErrorRecord | None = None,
    warnings: Iterable[str] = (), complete: bool = False, title: str = "", **details: object,
) -> dict[str, Any]:  # fmt: skip
    return {
        "url": url, "out": out, "error": error.to_dict() if error else None,
        "warnings": list(warnings), "complete": complete, "title": title, **details,
    }  # fmt: skip


def to_dicts(result: Result, place: str) -> list[dict[str, Any]]:
    file: dict[str, Any] = {
        "format": result.format, "pages": result.pages, "sheets": result.sheets,
        "bytes": len(result.data), "article": asdict(result.report.article),
        "printed": asdict(result.report.printed), "missing_text": list(result.report.missing_text),
        "obstacles": list(result.obstacles),
    }  # fmt: skip
    return [
        error_dict(page.url, page.error)
        if page.error
        else json_line(
            page.url, place, warnings=page.warnings, complete=page.complete, title=page.title,
            **file,
        )
        for page in result.outcomes
    ]  # fmt: skip


def error_dict(url: str, error: WebprintError) -> dict[str, Any]:
    return json_line(url, error=ErrorRecord.of(error))


def show_plan(
    pages: Sequence[str],
    places: Sequence[str],
    *,
    format_: str = "pdf",
    stored: Sequence[str] = (),
    caches: bool = False,
    as_json: bool = False,
) -> None:
    """Write what a command would fetch or read, which ``places`` it would write, and what it keeps.

    ``stored`` is what it would keep elsewhere, besides what it fetches if it ``caches`` that.
    """
    if as_json:
        for page in pages:
            print_json({"url": page, "out": places[0] if places else None, "format": format_})
        return
    for page in pages:
        print_line(f"{'fetch' if '://' in page else 'read '}  {page}")
    for place in places:
        print_line(f"write  {place}")
    if caches and any("://" in page for page in pages):
        from ..fetch.cache import cache_folder

        print(f"keep   fetched pages in {cache_folder()}, as HTTP allows")
    for text in stored:
        print_line(f"keep   {text}")


def print_json(data: object) -> None:
    """Print one line of JSON; escape what a terminal would obey or stdout cannot encode."""
    is_utf8 = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    line = json.dumps(data, ensure_ascii=not is_utf8)
    if not line.isprintable():
        line = json.dumps(data)
    print(line, flush=True)


def incomplete_error(result: Result) -> Incomplete | None:
    report = result.report
    if result.obstacles:
        error = NoArticle.behind(result.obstacles[0])
        return Incomplete(f"{result.title[:80]}: {error.message}", hint=error.hint)
    if report.complete:
        return None
    example = "".join(f"; {missing_from(result)}: {text!r}" for text in report.missing_text[:1])
    return Incomplete(f"{result.title[:80]}: {_completeness(report)}{example}")


def library_path() -> Path:
    return data_folder() / "library.sqlite"


def describe_library(settings: Settings) -> list[str]:
    """Return what the library would keep of a print, in words."""
    return [f"the text in {library_path()}"] if settings.library else []


def add_to_library(
    settings: Settings, console: Console, articles: Sequence[Article], place: str
) -> None:
    """Add printed articles to the library if the settings ask for it; warn of errors."""
    if not settings.library:
        return
    from ..library import Library

    is_file = place != STDOUT_NAME and "://" not in place
    try:
        with Library(library_path()) as library:
            library.add(articles, str(Path(place).absolute()) if is_file else "")
    except WebprintError as error:
        console.warn(str(error))
