"""Score each paper's method by its authors' own measure, beside the figure the paper reports.

The authors used news pages of 2008 and 2009; the figures show how the methods do on articles of
today, which are nearest to theirs.

- Weninger and Hsu: as recall, the longest common subsequence divided by the length of the answer;
  as precision, the edit distance ratio, 1 - distance / length of the longer text.  Both are exact,
  over characters with white space folded; texts are cut at 300,000 characters.
- Luo et al.: precision and recall of whole segments, over all segments of all pages.  A segment
  belongs to the answer if more than half of its words do (in place, see segment_labels.py).
- Joshi and Liu report 'accuracy over 90 %' without saying of what; here it is the mean word F1.
- Khade et al. and CUTER report nothing on text; here too it is the mean word F1.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import compress, islice
from typing import get_args

from printer.extraction.extract import PAPER_METHODS
from printer.extraction.papers import text_to_tag
from printer.html.page import read_page

from . import corpus
from .protocol import Effort, Row, run_alone
from .scoring import common_subsequence, edit_distance, fold, ratio, word_score
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
    """The figures of one method, page by page; ``segments`` are right, selected and expected."""

    f1: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)
    precision: list[float] = field(default_factory=list)
    segments: list[int] = field(default_factory=lambda: [0, 0, 0])


def weninger_hsu_measures(text: str, expected: str) -> tuple[float, float]:
    """Return the measures of Weninger and Hsu: LCS as recall, edit distance ratio as precision."""
    text, expected = fold(text)[:LONGEST], fold(expected)[:LONGEST]
    longer = max(len(text), len(expected))
    if not longer:
        return 1.0, 1.0
    recall = common_subsequence(text, expected) / len(expected) if expected else 0.0
    return recall, 1 - edit_distance(text, expected) / longer


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
            text = "\n".join(compress(texts, keep))
            figures.f1.append(word_score(text, answer).f1)
            both = sum(map(bool.__and__, keep, right))
            counts = (both, sum(keep), sum(right))
            figures.segments[:] = map(int.__add__, figures.segments, counts)
        ratios: dict[str, tuple[float, float]] = {}
        for name, chosen in options.items():
            keep = [value > 0 for value in text_to_tag.score(page, chosen)]
            text = "\n".join(compress(texts, keep))
            if text not in ratios:
                ratios[text] = weninger_hsu_measures(text, answer)
            recall, precision = ratios[text]
            clusterings[name].recall.append(recall)
            clusterings[name].precision.append(precision)
    return methods, clusterings


def spread(pages: int) -> Iterator[corpus.Sample]:
    """Yield the articles among ``pages`` pages spread over the corpus."""
    with (corpus.CORPUS / "wcxb" / "truth.jsonl").open("rb") as lines:
        step = max(1, sum(1 for _ in lines) // pages)
    pages_at_steps = islice(corpus.samples("wcxb"), 0, step * pages, step)
    return (sample for sample in pages_at_steps if sample.kind == "article")


def rows(effort: Effort) -> Iterator[Row]:
    corpus.require_corpus()
    methods, clusterings = measure(spread(effort.of(300, 100, 30)))
    for name, figures in clusterings.items():
        reported = REPORTED_RATIOS.get(name)
        measures = (
            ("longest common subsequence", figures.recall),
            ("edit distance ratio", figures.precision),
        )
        for place, (figure, values) in enumerate(measures):
            note = f"the paper: {reported[place] / 100:.3f}" if reported else "not in the paper"
            yield Row(
                f"text-to-tag, {name}", figure, statistics.fmean(values), n=len(values), note=note
            )
    counts = methods["max-subsequence"].segments
    for place, figure in enumerate(("whole segments, precision", "whole segments, recall")):
        note = f"the paper: {REPORTED_SEGMENTS[place] / 100:.3f}"
        yield Row("max-subsequence, without layout", figure, ratio(*counts)[place], note=note)
    for name, note in (("article-subtree", "the paper: over 0.9, of what it does not say"),
                       ("summary-node", ""), ("useful-text", "")):  # fmt: skip
        values = methods[name].f1
        yield Row(name, "word F1", statistics.fmean(values), n=len(values), note=note)


if __name__ == "__main__":
    run_alone(rows)
