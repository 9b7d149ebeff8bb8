"""Measure the choice of pictures and captions against pages with known answers.

A kept picture is correct if it shares an address with a labeled picture; debatable ones are
ignored, and repetitions count once.  A caption is correct if its words are those of the labeled
one (Jaccard index 0.8), with or without the credit, or if both are empty.  'out of fold' is the
default with weights learned on the other pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from printer.images import select_by_method
from printer.images.selection import PictureSelection, merge_copies, place_pictures
from printer.options import IMAGE_METHODS
from printer.selection import PlacedFigure

from . import corpus
from .picture_labels import Labeled, labeled, labeled_news
from .protocol import Effort, Row, Unavailable, run_alone
from .train_pictures import out_of_fold


@dataclass
class Counts:
    """Sums over the pages."""

    selected: int = 0
    right: int = 0
    expected: int = 0
    captions: int = 0
    captioned: int = 0
    captioned_right: int = 0
    exact: int = 0
    pages: int = 0


def count(counts: Counts, answer: Labeled, placed: Iterable[PlacedFigure]) -> None:
    """Add the pictures of one page."""
    matched: set[int] = set()
    wrong = 0
    for placement in placed:
        urls = answer.keys(placement.figure.sources)
        match = next((i for i, (same, _) in enumerate(answer.pictures) if same & urls), None)
        if match is None:
            wrong += not urls & answer.open
        elif match not in matched:
            matched.add(match)
            _count_caption(counts, answer.pictures[match][1], placement)
    counts.selected += wrong + len(matched)
    counts.right += len(matched)
    counts.expected += len(answer.pictures)
    counts.exact += not wrong and len(matched) == len(answer.pictures)
    counts.pages += 1


def _chosen(name: str, page: Labeled) -> PictureSelection:
    return select_by_method(page.page, page.verdict, name)


def _count_caption(counts: Counts, expected: str, placed: PlacedFigure) -> None:
    caption, credit = placed.figure.caption, placed.figure.credit
    right = _alike(caption, expected) or _alike(f"{caption} {credit}", expected)
    counts.captions += right
    if expected:
        counts.captioned += 1
        counts.captioned_right += right


def _alike(first: str, second: str) -> bool:
    words = [set(re.findall(r"\w+", text.lower())) for text in (first, second)]
    if not all(words):
        return not any(words)
    return len(words[0] & words[1]) >= 0.8 * len(words[0] | words[1])


def measure(pages: Iterable[Labeled], choose_: Callable[[Labeled], PictureSelection]) -> Counts:
    """Score one method of selection."""
    counts = Counts()
    for answer in pages:
        count(counts, answer, place_pictures(answer.page, merge_copies(choose_(answer))))
    return counts


def shares(counts: Counts) -> dict[str, float]:
    """Return the figures of merit."""
    precision, recall = (
        counts.right / max(1, counts.selected),
        counts.right / max(1, counts.expected),
    )
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    return {
        "precision": precision,
        "recall": recall,
        "F1": f1,
        "captions": counts.captions / max(1, counts.right),
        "where shown": counts.captioned_right / max(1, counts.captioned),
        "exact pages": counts.exact / max(1, counts.pages),
    }


#: The goals of the default: to reach what the papers report (CUTER 0.77, 0.87 and 0.78; Joshi and
#: Liu 0.83 of the pictures).
GOALS = {"precision": "≥ 0.83", "recall": "≥ 0.87", "captions": "≥ 0.78"}
OUT_OF_FOLD = "default, out of fold"


def rows(effort: Effort) -> Iterator[Row]:
    """Yield the figures for the runner: all pages at any effort, as they are few."""
    del effort
    if not (corpus.CORPUS / "images.jsonl").is_file():
        raise Unavailable("not measured: the labeled pictures are not available")
    pages, news = list(labeled()), list(labeled_news())
    counts_by_method = {name: measure(pages, partial(_chosen, name)) for name in IMAGE_METHODS}
    folds = out_of_fold([*pages, *news])
    counts_by_method[OUT_OF_FOLD] = measure(pages, folds.__getitem__)
    if news:
        counts_by_method[f"{OUT_OF_FOLD}, news"] = measure(news, folds.__getitem__)
    for name, counts in counts_by_method.items():
        if name == "default":
            name += ", pages it learned from"
        for figure, value in shares(counts).items():
            goal = GOALS.get(figure, "") if name == OUT_OF_FOLD else ""
            yield Row(name, figure, value, n=counts.pages, goal=goal)


if __name__ == "__main__":
    run_alone(rows)
