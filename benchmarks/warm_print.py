"""Time printing in a running process, without pictures, beside WeasyPrint.

The pages are the samples, and news of the corpus.  webprint reads, extracts and typesets each page;
WeasyPrint, in a process of its own and unmodified, prints the HTML that webprint makes of it.  They
take turns, with the same thresholds of garbage collection, and report their processor time.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any

import printer
from printer.errors import NoArticle
from printer.options import PrintOptions
from tests.support.documents import render_html

from .corpus import is_available, samples
from .protocol import Effort, Pairs, Row, by_turns, run_alone

ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def running(subject: str) -> Iterator[Callable[[Path], float]]:
    """Run :mod:`.print_loop`; yield a function that prints a file and returns its seconds."""
    command = [sys.executable, "-m", f"{__package__}.print_loop", subject]
    command += map(str, printer.GC_THRESHOLDS)
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        commands: Any = process.stdin
        answers: Any = process.stdout

        def print_file(file: Path) -> float:
            print(file, file=commands, flush=True)
            answer = answers.readline()
            if not answer:
                raise RuntimeError(f"{subject} could not print {file}")
            return float(answer)

        yield print_file
        commands.close()


def measure(pages: Iterable[bytes], runs: int) -> Iterator[Pairs]:
    """Yield the seconds of each page that has an article."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running("webprint") as tested,
        running("weasyprint") as baseline,
    ):
        page, final = Path(folder, "page.html"), Path(folder, "final.html")
        for source in pages:
            try:
                article = printer.extract(source)
            except NoArticle:  # A script writes the page.
                continue
            page.write_bytes(source)
            final.write_text(render_html([article], {}, PrintOptions()).html, encoding="utf-8")
            yield by_turns(partial(tested, page), partial(baseline, final), runs)


def _rows(figure: str, pairs: list[Pairs]) -> Iterator[Row]:
    tested, baseline = ([median(pair[side]) for pair in pairs] for side in (0, 1))
    mean_ratio, median_ratio = sum(tested) / sum(baseline), median(pair.ratio for pair in pairs)
    for average, name, ratio in ((mean, "mean", mean_ratio), (median, "median", median_ratio)):
        of = f"{name} processor time a page, {figure}"
        yield Row("webprint", of, average(tested), "s", len(pairs), ratio, "≤ 0.9")
        yield Row("bare WeasyPrint, HTML given", of, average(baseline), "s", len(pairs))


def rows(effort: Effort) -> Iterator[Row]:
    runs, step = effort.of(5, 3, 1), effort.of(1, 1, 8)
    files = sorted(ROOT.glob("samples/*/page.html"))[::step]
    yield from _rows("samples", list(measure((file.read_bytes() for file in files), runs)))
    if is_available():
        news = list(samples("fundus"))[:: 4 * step]
        yield from _rows("news", list(measure((sample.html for sample in news), runs)))
    else:
        yield Row("webprint", "news", note="not measured: the corpus is not available")


if __name__ == "__main__":
    run_alone(rows)
