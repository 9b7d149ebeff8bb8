"""What is told of a PDF that was printed: a line for people, data for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..errors import Incomplete
from ..output import Report, Result


def line(result: Result) -> str:
    """Say what was printed: '2 pages, 3 of 14 pictures kept (1 missing), all 620 words, 120 kB'.

    Pictures that could not be had are said to be missing, and not once more.
    """
    kept, found = sum(each.kept for each in result.judged), len(result.judged)
    pictures = f"{kept} of {count(found, 'picture')} kept" if found else "0 pictures"
    if result.missing:
        pictures += f" ({result.missing} missing)"
    pages = count(result.pages, "page") if result.pages else _NAMES[result.format]
    if result.sheets not in (0, result.pages):
        pages += f" on {count(result.sheets, 'sheet')}"
    missing = set(result.report.lost()) == {"pictures"} and result.missing
    words = _all(result.report) if missing else held(result.report)
    parts = [pages, pictures, words]
    return ", ".join((*parts, f"{len(result.data) / 1000:,.0f} kB"))


_NAMES = {"pdf": "PDF", "epub": "EPUB", "markdown": "Markdown", "html": "HTML", "json": "JSON"}


def absent(result: Result) -> str:
    """Say where a piece of the article is not: on paper, or in the file."""
    return "not on paper" if result.format == "pdf" else f"not in the {_NAMES[result.format]}"


def held(report: Report) -> str:
    """Say how much of the article is on paper: 'all 620 words', or what is not all there."""
    lost = [f"{had:,} of {whole:,} {name}" for name, (had, whole) in report.lost().items()]
    return f"only {', '.join(lost)} printed" if lost else _all(report)


def _all(report: Report) -> str:
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
