"""Score each paper's method by its authors' own measure, beside the figure the paper reports.

usage: python -m benchmarks.paper_measures [CORPUS] [--pages N]

CORPUS is the folder that contains ``wcxb``, by default the one beside the repository.  Edit
distances are slow: 300 pages, the default, take some minutes.  The authors used news pages of 2008
and 2009, so the figures show how the methods do on the pages of today; ``articles`` are nearest to
theirs.

- Weninger and Hsu: as recall, the longest common subsequence divided by the length of the answer;
  as precision, the edit distance ratio, 1 - distance / length of the longer text.  Both are exact,
  over characters with white space folded; texts are cut at 300,000 characters.
- Luo et al.: precision and recall of whole segments, over all segments of all pages.  A segment
  belongs to the answer if more than half of its words do (in place, see segment_labels.py).
- Joshi and Liu report 'accuracy over 90 %' without saying of what; here it is the mean word F1.
- Khade et al. and CUTER report nothing on text; here too it is the mean word F1.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import compress, islice
from pathlib import Path
from typing import get_args

from printer.extraction.extract import PAPER_METHODS
from printer.extraction.papers import text_to_tag
from printer.html.page import read_page

from . import corpus
from .protocol import Effort, Row, Unavailable
from .scoring import common_subsequence, edit_distance, folded, ratio, word_score
from .segment_labels import from_text

LONGEST = 300_000

#: Weninger and Hsu, slides 'Results': mean LCS and mean EDR in per cent.
REPORTED_RATIOS = {
    "threshold": (94.19, 56.21),
    "em": (92.62, 48.77),
    "k-means": (92.47, 57.44),
    "farthest-first": (85.88, 62.53),
    "prediction": (81.14, 52.40),
}
#: Luo et al., section 5: precision and recall of segments in per cent.
REPORTED_SEGMENTS = (91.571, 99.145)


@dataclass
class Figures:
    """The figures of one method, by kind of page."""

    f1: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    recall: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    precision: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    segments: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0]))


def weninger_hsu_measures(found: str, expected: str) -> tuple[float, float]:
    """Return the measures of Weninger and Hsu: LCS as recall, edit distance ratio as precision."""
    found, expected = folded(found)[:LONGEST], folded(expected)[:LONGEST]
    longer = max(len(found), len(expected))
    if not longer:
        return 1.0, 1.0
    recall = common_subsequence(found, expected) / len(expected) if expected else 0.0
    return recall, 1 - edit_distance(found, expected) / longer


def measure(samples: Iterable[corpus.Sample]) -> tuple[dict[str, Figures], dict[str, Figures]]:
    """Score every method, and text-to-tag with every clustering."""
    methods: dict[str, Figures] = defaultdict(Figures)
    clusterings: dict[str, Figures] = defaultdict(Figures)
    options = {
        name: text_to_tag.TextToTagOptions(clustering=name)
        for name in get_args(text_to_tag.Clustering)
    }
    for sample in samples:
        page = read_page(sample.html, sample.url)
        answer = sample.text or ""
        texts = [segment.text for segment in page.segments]
        right = [bool(share > 0.5) for share in from_text(texts, answer)]
        for name, scorer in PAPER_METHODS.items():
            keep = [value > 0 for value in scorer(page)]
            figures = methods[name]
            found = "\n".join(compress(texts, keep))
            figures.f1[sample.kind].append(word_score(found, answer).f1)
            both = sum(map(bool.__and__, keep, right))
            counts = figures.segments[sample.kind]
            counts[:] = map(int.__add__, counts, (both, sum(keep), sum(right)))
        ratios: dict[str, tuple[float, float]] = {}
        for name, chosen in options.items():
            keep = [value > 0 for value in text_to_tag.score(page, chosen)]
            found = "\n".join(compress(texts, keep))
            if found not in ratios:
                ratios[found] = weninger_hsu_measures(found, answer)
            recall, precision = ratios[found]
            clusterings[name].recall[sample.kind].append(recall)
            clusterings[name].precision[sample.kind].append(precision)
            clusterings[name].f1[sample.kind].append(word_score(found, answer).f1)
    return methods, clusterings


def tables(methods: dict[str, Figures], clusterings: dict[str, Figures]) -> Iterator[str]:
    """Yield the lines of the report."""
    yield "## Each method by its authors' own measure, in per cent"
    yield ""
    yield from _row("method", "measure", "reported", "here, articles", "here, all kinds")
    yield from _row(*["---"] * 5)
    for name, figures in clusterings.items():
        reported = REPORTED_RATIOS.get(name)
        for place, (measure_, values) in enumerate(
            (("LCS (recall)", figures.recall), ("EDR (precision)", figures.precision))
        ):
            yield from _row(
                f"text-to-tag, {name}", measure_, f"{reported[place]:.1f}" if reported else "none",
                _mean(values["article"]), _mean(_all(values)),
            )  # fmt: skip
    luo = methods["max-subsequence"].segments
    everything = [sum(column) for column in zip(*luo.values(), strict=True)]
    for place, measure_ in enumerate(("segment precision", "segment recall")):
        yield from _row(
            "max-subsequence", measure_, f"{REPORTED_SEGMENTS[place]:.1f}",
            f"{100 * ratio(*luo['article'])[place]:.1f}", f"{100 * ratio(*everything)[place]:.1f}",
        )  # fmt: skip
    for name, reported_ in (
        ("article-subtree", "over 90"), ("summary-node", "none"), ("useful-text", "none"),
    ):  # fmt: skip
        f1 = methods[name].f1
        yield from _row(name, "word F1", reported_, _mean(f1["article"]), _mean(_all(f1)))
    yield ""
    yield "## Word F1 by kind of page, in per cent"
    yield ""
    kinds = sorted(methods["max-subsequence"].f1)
    yield from _row("method", "all", *kinds)
    yield from _row(*["---"] * (len(kinds) + 2))
    named = dict(methods) | {
        f"text-to-tag, {name}": figures for name, figures in clusterings.items()
    }
    for name, figures in named.items():
        if name != "text-to-tag":
            by_kind = (_mean(figures.f1[kind]) for kind in kinds)
            yield from _row(name, _mean(_all(figures.f1)), *by_kind)


def _row(*cells: str) -> Iterator[str]:
    yield "| " + " | ".join(cells) + " |"


def _all(by_kind: dict[str, list[float]]) -> list[float]:
    return [value for values in by_kind.values() for value in values]


def _mean(values: list[float]) -> str:
    return f"{100 * statistics.fmean(values):.1f}" if values else "–"


def spread(pages: int) -> Iterator[corpus.Sample]:
    """Yield ``pages`` pages spread over the corpus, or all of them for 0."""
    samples = corpus.samples("wcxb")
    if not pages:
        return samples
    with (corpus.CORPUS / "wcxb" / "truth.jsonl").open("rb") as lines:
        step = max(1, sum(1 for _ in lines) // pages)
    return islice(samples, 0, step * pages, step)


def rows(effort: Effort) -> Iterator[Row]:
    """Yield the figures for the runner: only articles, which are nearest to the authors' pages."""
    if not corpus.there():
        raise Unavailable("not measured: the corpus is not available")
    methods, clusterings = measure(spread(effort.of(300, 100, 30)))
    for name, figures in clusterings.items():
        reported = REPORTED_RATIOS.get(name)
        both = (
            ("longest common subsequence", figures.recall),
            ("edit distance ratio", figures.precision),
        )
        for place, (figure, values) in enumerate(both):
            of = values["article"]
            note = f"the paper: {reported[place] / 100:.3f}" if reported else "not in the paper"
            yield Row(f"text-to-tag, {name}", figure, statistics.fmean(of), n=len(of), note=note)
    counts = methods["max-subsequence"].segments["article"]
    for place, figure in enumerate(("whole segments, precision", "whole segments, recall")):
        note = f"the paper: {REPORTED_SEGMENTS[place] / 100:.3f}"
        yield Row("max-subsequence, without layout", figure, ratio(*counts)[place], note=note)
    for name, note in (("article-subtree", "the paper: over 0.9, of what it does not say"),
                       ("summary-node", ""), ("useful-text", "")):  # fmt: skip
        of = methods[name].f1["article"]
        yield Row(name, "word F1", statistics.fmean(of), n=len(of), note=note)


def main() -> int:
    """Print the report as Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", nargs="?", type=Path, default=corpus.CORPUS)
    parser.add_argument(
        "--pages", type=int, default=300, help="how many, spread over the corpus; 0: all of them"
    )
    arguments = parser.parse_args()
    corpus.CORPUS = arguments.corpus
    if not corpus.there():
        print(f"no corpus in {arguments.corpus}: nothing was measured", file=sys.stderr)
        return 1
    print("\n".join(tables(*measure(spread(arguments.pages)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
