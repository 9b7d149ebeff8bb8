"""Several articles in one PDF: time, memory and cost an article, beside one WeasyPrint document.

python -m benchmarks.volumes [--counts 1,10,100] [--runs 3]

The articles are of three pages and made up.  Every print is a process of its own that starts cold;
its memory is the most that it and what it started held at once, shared pages counted once (PSS).
The single document has the same articles and no contents.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

from printer.article import Article, Heading, Paragraph, Span
from printer.model import Prepared
from printer.options import PrintOptions

WORDS = (
    "The river rose in the night, and by morning the lower meadow was under water as far as the "
    "second gate; nobody on the quay had seen it come, and nobody would say later who had left "
    "the sluice as it was. "
)


def article(number: int) -> Article:
    """Return an article of three pages."""
    blocks: list[Paragraph | Heading] = []
    for n in range(12):
        if n % 5 == 0:
            blocks.append(Heading(2, (Span(f"Part {n // 5 + 1} of {number}"),)))
        link = Span("the record", href=f"https://example.org/{number}/{n}")
        blocks.append(Paragraph((Span(f"{n}. " + WORDS * 4), link, Span(" says no more."))))
    url = f"https://example.org/{number}"
    return Article(f"The sluice of {number}", tuple(blocks), url=url, language="en")


def print_bound(count: int) -> int:
    """Print as a digest is printed; return how many pages it has."""
    from printer.render.html import Whole
    from printer.render.press import Presses
    from printer.render.volume import print_articles

    with Presses() as press:
        press.start(count)  # as the command line does, before it fetches anything
        whole = Whole.of([article(n) for n in range(count)], PrintOptions(title="Week"))
        return print_articles(whole, lambda _: Prepared(), press).pages


def print_single(count: int) -> int:
    """Print as one document."""
    from printer.render.html import render_html
    from printer.render.pdf import to_pdf

    return to_pdf(render_html([article(n) for n in range(count)], {})).pages


def measured(how: str, count: int) -> tuple[float, float, int]:
    """Print in a process of its own; return seconds, peak memory in MB, and pages."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "benchmarks.volumes", "--print", how, "--counts", str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        peak = Peak(process.pid)
        out, _ = process.communicate()
        most = peak.stop()
    if process.returncode:
        raise SystemExit(process.returncode)
    return time.perf_counter() - began, most, int(out)


class Peak:
    """The most memory that a process and its children held, looked at ten times a second."""

    def __init__(self, pid: int) -> None:
        self._pid, self._most, self._ended = pid, 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(0.1):
            self._most = max(self._most, sum(map(_memory, _tree(self._pid))))

    def stop(self) -> float:
        """Return the most seen, in megabytes."""
        self._ended.set()
        self._thread.join()
        return self._most


def _tree(pid: int) -> list[int]:
    found = [pid]
    for one in found:
        try:
            tasks = Path(f"/proc/{one}/task").iterdir()
            found += (int(each) for t in tasks for each in (t / "children").read_text().split())
        except OSError:
            continue  # it ended
    return found


def _memory(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0  # it ended
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", default="1,10,100")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--single-up-to", type=int, default=100, metavar="COUNT")
    parser.add_argument("--print", choices=("bound", "single"), help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    counts = [int(count) for count in wanted.counts.split(",")]
    if wanted.print:
        print({"bound": print_bound, "single": print_single}[wanted.print](counts[0]))
        return
    print(f"medians of {wanted.runs} runs by turns, {len(os.sched_getaffinity(0))} processors")
    for count in counts:
        hows = ["bound", "single"] if count <= wanted.single_up_to else ["bound"]
        runs = {how: [] for how in hows}  # type: dict[str, list[tuple[float, float, int]]]
        for _ in range(wanted.runs):
            for how in hows:
                runs[how].append(measured(how, count))
        for how, made in runs.items():
            seconds = statistics.median(one[0] for one in made)
            memory = max(one[1] for one in made)
            print(
                f"{count:5} articles, {how:6}: {made[0][2]:4} pages, {seconds:7.2f} s,"
                f" {seconds / count:.3f} s an article, {memory:5.0f} MB at most"
            )
        if len(runs) > 1:
            pairs = zip(runs["single"], runs["bound"], strict=True)
            ratio = statistics.median(single[0] / bound[0] for single, bound in pairs)
            print(f"{'':16} one document takes {ratio:.2f} times as long")


if __name__ == "__main__":
    main()
