"""Messages to the user on stderr: progress, summaries, warnings and errors."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import WebprintError
from ..pipeline import Step
from ..settings import Settings

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

#: The exit code of an interrupted command, as in shells.
INTERRUPTED = 130

_STEPS: dict[Step, str] = {
    "fetch": "fetching",
    "browse": "loading in a browser",
    "enough": "the page is complete without a browser",
    "unsure": "loading in a browser, as the article is not clear without one",
    "empty": "loading in a browser, as there is no article without one",
    "extract": "extracting the article",
    "pictures": "preparing pictures",
    "print": "laying out the pages",
}


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
        """Create a console from settings."""
        return cls(settings.verbose, settings.quiet, settings.debug)

    def show_step(self, source: str, step: Step) -> None:
        """Show the current step of a page."""
        if self._progress is None and self.verbose:
            self.info(f"{source}: {_STEPS[step]}")
        self.show_status(f"{_short(source)}: {_STEPS[step]}")

    def show_status(self, text: str) -> None:
        """Show text beside the progress bar."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, description=text)

    def advance(self) -> None:
        """Advance the progress bar by one page."""
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task)

    def info(self, line: str) -> None:
        """Write a line unless quiet."""
        if not self.quiet:
            self._write(line)

    def detail(self, line: str) -> None:
        """Write a line if verbose."""
        if self.verbose:
            self.info(line)

    def warn(self, line: str) -> None:
        """Write a warning unless quiet."""
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
        if self._progress is not None:
            self._progress.console.print(line, markup=False, highlight=False)
        else:
            print(line, file=sys.stderr, flush=True)


def _short(source: str) -> str:
    name = "".join(filter(str.isprintable, source))
    return name if len(name) <= 48 else f"{name[:30]}…{name[-17:]}"
