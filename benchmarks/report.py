"""Write the results as Markdown: RESULTS.md, and the few figures that README.md quotes.

Everything is made from results.json alone, so that a test can compare the files with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .protocol import Row

Results = Mapping[str, Any]

BEGIN, END = "<!-- figures of benchmarks/RESULTS.md -->", "<!-- end of figures -->"


class Quoted(NamedTuple):
    """A figure that README.md quotes: where to find it, and its description there."""

    benchmark: str
    subject: str
    figure: str
    description: str


#: The figures of the benchmark ``printers`` that README.md quotes, and their descriptions there.
COMPARED = {
    "words of the article printed": "words printed",
    "paragraphs missing": "paragraphs missing",
    "share of other words on paper": "other words on paper",
    "share of PDFs with tags": "tagged PDFs",
    "size, median": "size",
    "time, median": "time per page",
}

#: ``subject`` is a prefix, as the names of peers end with their versions.
QUOTED = (
    Quoted("peers", "default, the article, out of fold", "all",
           "word F1 on web pages of all kinds, from sites not used in training"),
    Quoted("peers", "trafilatura", "all", "trafilatura on the same pages"),
    Quoted("peers", "readability-lxml", "all", "readability-lxml on the same pages"),
    Quoted("picture_quality", "default, out of fold", "precision", "pictures: precision"),
    Quoted("picture_quality", "default, out of fold", "recall",
           "pictures: recall"),
    Quoted("completeness", "samples", "articles on paper whole and in order",
           "share of articles printed completely and in order, as read back from the PDF"),
    Quoted("extraction_speed", "trafilatura", "mean time a page, WCXB",
           "mean extraction time on these pages, relative to trafilatura"),
    Quoted("extraction_speed", "trafilatura", "median time a page, news",
           "median extraction time on news, relative to trafilatura"),
    Quoted("cold_start", "webprint", "cold, a served page with pictures",
           "time from page to PDF with pictures, cold start, relative to percollate"),
    Quoted("books", "100 articles, bound", "time",
           "time for a digest of 100 articles, relative to a single WeasyPrint document"),
)  # fmt: skip


def rows_of(benchmark: Mapping[str, Any]) -> list[Row]:
    """Return the rows of a benchmark in results.json."""
    return [Row(**row) for row in benchmark["rows"]]


def text(value: float | None, unit: str = "") -> str:
    """Format a figure."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    digits = {"MB": 0, "kB": 0, "ms": 1, "s": 2, "times": 2, "prints/s": 1, "pages/s": 1}.get(
        unit, 3
    )
    if unit in ("s", "MB") and abs(value) < (1 if unit == "s" else 10):
        digits += 1
    return f"{value:,.{digits}f}"


def report(results: Results) -> str:
    """Return the text of RESULTS.md."""
    return "\n".join(_lines(results)).rstrip() + "\n"


def _lines(results: Results) -> Iterator[str]:
    yield "# Benchmark results"
    yield ""
    yield f"Written by `make bench` on {results['date']}; do not edit."
    yield ""
    yield from _table(["", ""], [[key, value] for key, value in results["machine"].items()])
    named = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    yield f"Versions: {named}; other versions are given with the names."
    yield ""
    yield "Figures are medians or means, as stated. *Ratio* is webprint's figure divided by the"
    yield "other program's; less is better. A goal is for the ratio if there is one, else for the"
    yield "figure. *n* is the number of pages, pairs of runs, requests or parts behind a figure."
    yield ""
    yield "## Goals"
    yield ""
    yield from _goals(results)
    for name in results["plots"]:
        yield f"![{name}](plots/{name}.png)"
        yield ""
    processor = results["machine"].get("processor", "")
    for name, benchmark in results["benchmarks"].items():
        yield f"## {benchmark['title']}"
        yield ""
        measurement = _measurement(benchmark, processor)
        yield f"`python -m benchmarks.{name}`, {benchmark['seconds']:.0f} s; {measurement}"
        yield ""
        if benchmark["trouble"]:
            prefix = "**Failed**, so the table is incomplete: " if benchmark["failed"] else ""
            yield f"{prefix}{_plain(benchmark['trouble'])}"
            yield ""
        rows = rows_of(benchmark)
        yield from (_wide(rows) if benchmark["wide"] else _long(rows)) if rows else ()


def _measurement(benchmark: Mapping[str, Any], processor: str) -> str:
    """Return when and where a benchmark was measured, and how thoroughly."""
    measured_on = benchmark.get("processor", processor)
    machine = f" on another machine, {measured_on}" if measured_on != processor else ""
    if not benchmark["short"]:
        return f"{benchmark['date']}{machine}, full run"
    return f"{benchmark['date']}{machine}, fewer runs and pages, to stay within a time limit"


def _goals(results: Results) -> Iterator[str]:
    lines = []
    for benchmark in results["benchmarks"].values():
        for row in rows_of(benchmark):
            if row.goal and not row.pinned:
                of_ratio = row.ratio is not None
                reached = text(row.ratio, "times") if of_ratio else text(row.value, row.unit)
                figure = f"{row.subject}: {row.figure}{', ratio' if of_ratio else ''}"
                lines.append([benchmark["title"], figure, reached, row.goal, _met(row)])
    met = sum(line[-1] == "yes" for line in lines)
    yield f"{met} of {len(lines)} goals are met."
    yield ""
    yield from _table(["", "", "reached", "goal", "met"], lines)


def _met(row: Row) -> str:
    return {None: "–", True: "yes", False: "**no**"}[row.met]


def _long(rows: Sequence[Row]) -> Iterator[str]:
    lines = []
    for row in rows:
        ratio = "" if row.ratio is None else text(row.ratio, "times")
        value = text(row.value, row.unit) + (f" {row.unit}" if row.unit else "")
        met = _met(row) if row.goal else ""
        count = "" if row.n is None else f"{row.n:,}"
        lines.append([row.subject, row.figure, value, count, ratio, row.goal, met, row.note])
    head = ["", "", "figure", "n", "ratio", "goal", "met", "note"]
    columns = [
        column for column in range(len(head)) if column < 3 or any(line[column] for line in lines)
    ]
    yield from _table(
        [head[column] for column in columns],
        [[line[column] for column in columns] for line in lines],
    )


def _wide(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a table with a line per subject and a column per figure; then the notes."""
    measured = [row for row in rows if row.value is not None]
    figures = list(dict.fromkeys(row.figure for row in measured))
    units = {row.figure: row.unit for row in measured}
    texts = {(row.subject, row.figure): text(row.value, row.unit) for row in measured}
    head = ["", *(f"{name}, {units[name]}" if units[name] else name for name in figures)]
    subjects = dict.fromkeys(row.subject for row in measured)
    yield from _table(head, [[s, *(texts.get((s, f), "–") for f in figures)] for s in subjects])
    counts = sorted({row.n for row in measured if row.n is not None})
    if counts:
        yield "n: " + (f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}")
        yield ""
    for row in rows:
        if row.note:
            yield f"{row.subject}, {row.figure}: {_plain(row.note)}"
            yield ""


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    yield from ("| " + " | ".join(map(_plain, line)) + " |" for line in lines)
    yield ""


def _plain(content: str) -> str:
    """Return a text as the content of one table cell."""
    return re.sub(r"\s+", " ", content).replace("|", "\\|")


def summary(results: Results) -> str:
    """Return the tables in README.md, with the markers around them."""
    lines = []
    for quoted in QUOTED:
        row = _quoted_row(results, quoted)
        if row is None or (row.value is None and row.ratio is None):
            lines.append([quoted.description, "not measured"])
        else:
            of_ratio = row.ratio is not None
            reached = text(row.ratio, "times") if of_ratio else text(row.value, row.unit)
            lines.append([quoted.description, f"{reached} times" if of_ratio else reached])
    parts = ["webprint's parts, each measured by itself:", "", *_table(["", "measured"], lines)]
    tables = [*_beside_other_programs(results), *parts]
    return f"{BEGIN}\n{chr(10).join(tables).rstrip()}\n{END}"


def _beside_other_programs(results: Results) -> Iterator[str]:
    """Yield the table of programs that print pages."""
    benchmark = results["benchmarks"].get("printers")
    rows = rows_of(benchmark) if benchmark else []
    figures = {(row.subject, row.figure): _share(row) for row in rows if row.value is not None}
    lines = [
        [subject, *(figures.get((subject, figure), "not measured") for figure in COMPARED)]
        for subject in dict.fromkeys(row.subject for row in rows)
    ]
    if lines:
        yield from _table(["", *COMPARED.values()], lines)


def _share(row: Row) -> str:
    """Format a figure of a program: a share in percent, others with their unit."""
    assert row.value is not None
    return f"{text(row.value, row.unit)} {row.unit}" if row.unit else f"{row.value:.1%}"


def _quoted_row(results: Results, quoted: Quoted) -> Row | None:
    benchmark = results["benchmarks"].get(quoted.benchmark)
    rows = rows_of(benchmark) if benchmark else []
    same = (r for r in rows if r.figure == quoted.figure and r.subject.startswith(quoted.subject))
    return next(same, None)


def update_readme(readme: str, results: Results) -> str:
    """Return the text of README.md with the figures of these results."""
    before, begin_mark, remainder = readme.partition(BEGIN)
    _, end_mark, after = remainder.partition(END)
    if not begin_mark or not end_mark:
        raise ValueError(f"README.md has no place for figures between {BEGIN} and {END}")
    return before + summary(results) + after
