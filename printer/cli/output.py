"""Where results go: names made from titles, and files that are whole or not there."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..atomic_write import atomic_write
from ..errors import Incomplete, OutputError, UsageError
from ..options import ENDINGS, Format, PrintOptions
from ..output import CompletenessReport, Result

STDOUT = "-"

#: How such names end; none of them is a domain of the Internet.
_FOREIGN = (".docx", ".doc", ".odt", ".rtf", ".txt", ".png", ".jpg", ".azw3", ".tex")


def in_format(options: PrintOptions, asked: Format | str, out: str) -> PrintOptions:
    """Return the options with the format asked for: that named, else by the file's ending."""
    return replace(options, format=format_of(out)) if asked == "auto" else options


def format_of(name: str) -> Format:
    """Return the format that a file's ending names; PDF where it names none."""
    lower = name.lower()
    for format_, endings in ENDINGS.items():
        if lower.endswith(endings):
            return format_
    return "pdf"


def is_target(name: str) -> bool:
    """Tell whether a word among pages is the file to write: by its ending.

    A page saved on this computer ends in .html too: one that is there is a page.
    """
    lower = name.lower()
    if lower.endswith(ENDINGS["html"]):
        return not Path(name).exists()
    return lower.endswith(tuple(ending for endings in ENDINGS.values() for ending in endings))


def is_foreign(name: str) -> bool:
    """Tell whether a word names a file of a kind that is often asked for and never written."""
    return "/" not in name and name.lower().endswith(_FOREIGN)


def free_path(folder: Path, name: str, ending: str, *, force: bool) -> Path:
    """Return a path in ``folder`` that no file has yet, numbered when need be."""
    path = folder / f"{name}{ending}"
    number = 2
    while not force and path.exists():
        path = folder / f"{name} {number}{ending}"
        number += 1
    return path


def write(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole, or as it was before.

    The data goes to a new file beside it, which then takes its place.  A path that is no plain
    file (a pipe, a device) is written to directly.
    """
    try:
        if path.exists() and not path.is_file():
            if path.is_dir():
                raise OutputError(f"{path} is a folder", hint="Name a file in it")
            path.write_bytes(data)
            return
        atomic_write(path, data)
    except OSError as error:
        hint = "" if path.parent.exists() else f"There is no folder {path.parent}"
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"{path} cannot be written: {reason}", hint=hint) from error


def deliver(data: bytes, out: str) -> None:
    """Write data to a file, or to standard output where that is asked for."""
    if out == STDOUT:
        write_stdout(data)
    else:
        write(Path(out), data)


def print_line(line: str) -> None:
    """Print a line of a stranger's words, without the signs that a terminal would obey."""
    print("".join(c if c.isprintable() else " " for c in line))


def write_stdout(data: bytes) -> None:
    """Write the result to standard output; a terminal is spared binary data."""
    if sys.stdout.isatty() and data.startswith((b"%PDF", b"PK")):
        raise UsageError(
            "a PDF or EPUB is not for a terminal to show",
            hint="Redirect it: webprint URL -o - > out.pdf",
        )
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError as error:
        # Whoever reads has gone; Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise OutputError("standard output was closed before the result was written") from error


def line(result: Result) -> str:
    """Say what was printed: '2 pages, 3 of 14 pictures kept (1 missing), all 620 words, 120 kB'.

    Pictures that could not be had are said to be missing, and not once more.
    """
    kept, found = (
        sum(each.selected for each in result.picture_decisions),
        len(result.picture_decisions),
    )
    pictures = f"{kept} of {count(found, 'picture')} kept" if found else "0 pictures"
    if result.missing:
        pictures += f" ({result.missing} missing)"
    pages = count(result.pages, "page") if result.pages else _NAMES[result.format]
    if result.sheets not in (0, result.pages):
        pages += f" on {count(result.sheets, 'sheet')}"
    missing = set(result.report.shortfall()) == {"pictures"} and result.missing
    words = _all(result.report) if missing else held(result.report)
    parts = [pages, pictures, words]
    return ", ".join((*parts, f"{len(result.data) / 1000:,.0f} kB"))


_NAMES = {"pdf": "PDF", "epub": "EPUB", "markdown": "Markdown", "html": "HTML", "json": "JSON"}


def absent(result: Result) -> str:
    """Say where a piece of the article is not: on paper, or in the file."""
    return "not on paper" if result.format == "pdf" else f"not in the {_NAMES[result.format]}"


def held(report: CompletenessReport) -> str:
    """Say how much of the article is on paper: 'all 620 words', or what is not all there."""
    lost = [f"{had:,} of {whole:,} {name}" for name, (had, whole) in report.shortfall().items()]
    return f"only {', '.join(lost)} printed" if lost else _all(report)


def _all(report: CompletenessReport) -> str:
    return f"all {report.article.words:,} words"


def data(result: Result, written: str) -> dict[str, Any]:
    """Return the same as plain data."""
    report = result.report
    return {
        "file": written,
        "format": result.format,
        "title": result.title,
        "pages": result.pages,
        "sheets": result.sheets,
        "bytes": len(result.data),
        "complete": report.complete,
        "article": asdict(report.article),
        "printed": asdict(report.printed),
        "not_on_paper": list(report.missing),
        "warnings": list(result.warnings),
        "failures": [str(failure.error) for failure in result.failures],
    }


def shortfall(result: Result) -> Incomplete | None:
    """Return the error of a print that is not complete, None for one that is."""
    report = result.report
    if report.complete:
        return None
    named = "".join(f"; {absent(result)}: {piece!r}" for piece in report.missing[:1])
    return Incomplete(f"{result.title[:80]}: {held(report)}{named}")


def count(number: int, thing: str) -> str:
    """Say how many there are of something."""
    return f"{number} {thing}{'' if number == 1 else 's'}"
