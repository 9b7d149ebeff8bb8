"""What a person is told, on stderr: progress, summaries, warnings, errors."""

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

#: The exit code of a command that a person interrupted, as shells have it.
INTERRUPTED = 130

_DOING: dict[Step, str] = {
    "fetch": "fetching",
    "browse": "loading in a browser",
    "enough": "the page as it was sent is enough",
    "unsure": "loading in a browser, as the article is not clear on the page as it was sent",
    "empty": "loading in a browser, as the page as it was sent holds no article",
    "extract": "finding the article",
    "pictures": "preparing pictures",
    "print": "setting the pages",
}


@dataclass(slots=True)
class Console:
    """Tells a person what goes on; silent where it should be.

    Progress shows only when stderr is a terminal; ``verbose`` gives a line a step instead.
    """

    verbose: bool = False
    quiet: bool = False
    _progress: Progress | None = None
    _task: TaskID | None = None

    @classmethod
    def of(cls, settings: Settings) -> Console:
        """Return the one that the settings ask for."""
        return cls(settings.verbose, settings.quiet)

    def step(self, source: str, step: Step) -> None:
        """Say what is being done to a page."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, description=f"{_short(source)}: {_DOING[step]}")
        elif self.verbose:
            self.say(f"{source}: {_DOING[step]}")

    def doing(self, what: str) -> None:
        """Say beside the bar what is being done."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, description=_short(what))

    def done_one(self) -> None:
        """Move the bar on by a page."""
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task)

    def say(self, line: str) -> None:
        """Say a line unless quiet."""
        if not self.quiet:
            self._write(line)

    def detail(self, line: str) -> None:
        """Say a line to those who asked for more."""
        if self.verbose:
            self.say(line)

    def warn(self, line: str) -> None:
        """Say a warning unless quiet."""
        self.say(f"warning: {line}")

    def error(self, error: WebprintError) -> None:
        """Say an error in one line, whatever was asked."""
        if self.verbose:
            sys.excepthook(type(error), error, error.__traceback__)
        self._write(f"webprint: {' '.join(str(error).split())}")

    @contextmanager
    def progress(self, pages: int) -> Iterator[None]:
        """Show a spinner for one page, a bar for several, while the work inside goes on."""
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
        )

        columns: list[ProgressColumn] = [
            SpinnerColumn(), TextColumn("{task.description}", markup=False),
        ]  # fmt: skip
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
    name = "".join(c for c in source if c.isprintable())
    return name if len(name) <= 48 else f"{name[:30]}…{name[-17:]}"
