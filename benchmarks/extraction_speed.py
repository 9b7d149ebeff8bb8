"""Time extraction: `python -m benchmarks.extraction_speed [--step N]`, milliseconds a page.

Every page is taken in turn by `printer.extract` and by the peers that are installed (`pip install
--group bench`), warm, from the page's bytes to its article, in an order that changes from page to
page; what is measured is the process's own time, on one core.
"""

from __future__ import annotations

import argparse
import logging
import os
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from statistics import mean, median, quantiles

os.environ.setdefault("OMP_NUM_THREADS", "1")

from printer import extract
from printer.errors import NoArticle

from .corpus import Sample, samples, there

#: Pages that each extractor reads before any is timed.
_WARMING = 5


def ours(sample: Sample) -> None:
    """Extract as `printer.extract` does."""
    try:
        extract(sample.html, sample.url)
    except NoArticle:
        return


def trafilatura(sample: Sample) -> None:
    """Extract as trafilatura does with its defaults."""
    from trafilatura import bare_extraction

    bare_extraction(sample.html, url=sample.url or None, with_metadata=True)


def readability(sample: Sample) -> None:
    """Extract as readability-lxml does."""
    from readability import Document

    document = Document(sample.html, url=sample.url or None)
    document.summary(html_partial=True), document.short_title()


PEERS = {"trafilatura": trafilatura, "readability": readability}


def timed(
    pages: Sequence[Sample], run: dict[str, Callable[[Sample], None]]
) -> dict[str, list[float]]:
    """Return the milliseconds that each extractor takes for each page."""
    names = list(run)
    taken: dict[str, list[float]] = {name: [] for name in names}
    for sample in pages[:_WARMING]:
        for name in names:
            run[name](sample)
    for turn, sample in enumerate(pages):
        for name in (*names[turn % len(names) :], *names[: turn % len(names)]):
            started = time.process_time()
            run[name](sample)
            taken[name].append(1000 * (time.process_time() - started))
    return taken


def main() -> None:
    """Print a line for each extractor."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--step", type=int, default=10, help="take every so many-th page")
    given = parser.parse_args()
    if not there():
        raise SystemExit("the corpus is not here: see docs/model-card.md")
    logging.disable()
    pages = list(samples("wcxb"))[:: given.step]
    run = {"webprint": ours, **{name: peer for name, peer in PEERS.items() if find_spec(name)}}
    for name in PEERS.keys() - run.keys():
        print(f"{name} is not installed")
    print(f"{len(pages)} pages, ms a page       mean  median     p95")
    for name, taken in timed(pages, run).items():
        top = quantiles(taken, n=20)[-1] if len(taken) > 1 else taken[0]
        print(f"{name:25}{mean(taken):8.1f}{median(taken):8.1f}{top:8.1f}")


if __name__ == "__main__":
    main()
