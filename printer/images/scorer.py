"""The default choice: weighted signals of place, markup, names, size and file.

What CUTER goes by is among the signals: the borders, declared sizes.  The weights are a logistic
regression over labelled pages (benchmarks/train_pictures.py).  Joshi and Liu's comparison of names
is not among them: as a signal it changed nothing out of fold, and asked only where the others leave
doubt it cost two pages in eighty, as most captions of today name nobody.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ..html.index import ElementFlag
from ..html.page import Page
from ..selection import Verdict
from .candidates import Candidate, article_column, find_candidates, is_beside_column
from .captions import Caption, CaptionFinder
from .features import FeatureReader, file_features, host_features
from .papers.cuter import article_bounds, nearby_segments
from .selection import PictureSelection, RejectedPicture, SelectedPicture
from .srcset import PLAIN, Address, picture_key

#: Text that markup calls a caption, or stands in a figure.
_MARKED = int(ElementFlag.CAPTION | ElementFlag.FIGURE)
#: Other captions that are more of the article than this are what it is made of.
_MOST_BESIDE = 0.3


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal counts for, and the sum from which a picture is kept."""

    signals: Mapping[str, float]
    threshold: float

    def score(self, names: frozenset[str]) -> float:
        """Return the sum over the signals that hold."""
        weight = self.signals.get
        # Exactly rounded: the order of a set is not the same in every process.
        return math.fsum([weight(name, 0.0) for name in names])

    def reason(self, names: frozenset[str]) -> str:
        """Return the signal that speaks most against a picture."""
        weight = self.signals.get
        return min(names, key=lambda name: (weight(name, 0.0), name))


@cache
def load_weights() -> Weights:
    """Read the weights."""
    data = json.loads(Path(__file__).with_name("weights.json").read_text(encoding="utf-8"))
    return Weights(data["signals"], float(data["threshold"]))


def select_by_score(
    page: Page, verdict: Verdict, weights: Weights | None = None
) -> PictureSelection:
    """Choose by the weighted signals."""
    borders = article_bounds(page, verdict)
    near = nearby_segments(page, borders)
    candidates = find_candidates(page, near)
    lines = article_column(page, verdict)
    around: list[Candidate] = []
    dropped: list[RejectedPicture] = []
    for each in candidates:
        if each.segment not in near:
            dropped.append(RejectedPicture(each, "far from the article's text"))
        elif is_beside_column(page, each, lines):
            dropped.append(RejectedPicture(each, "beside the column of the article"))
        else:
            around.append(each)
    if not around:
        return PictureSelection(_lead(page, verdict), tuple(dropped))
    reader = FeatureReader(page, verdict, candidates, borders)
    weighed = [(each, reader.features(each)) for each in around]
    captions = CaptionFinder(page, verdict, candidates)
    kept, more = _weigh(weighed, weights or load_weights(), captions)
    return PictureSelection(_uncaptioned(page, verdict, kept), tuple(dropped + more))


def candidate_features(page: Page, verdict: Verdict) -> list[tuple[Candidate, frozenset[str]]]:
    """Return what the default choice knows of each picture near the text; for training."""
    borders = article_bounds(page, verdict)
    near = nearby_segments(page, borders)
    candidates = find_candidates(page, near)
    reader = FeatureReader(page, verdict, candidates, borders)
    return [(each, reader.features(each)) for each in candidates if each.segment in near]


def _weigh(
    found: Sequence[tuple[Candidate, frozenset[str]]], weights: Weights, captions: CaptionFinder
) -> tuple[list[SelectedPicture], list[RejectedPicture]]:
    """Keep what weighs enough; of a picture that stands several times the weightiest place."""
    sums = [weights.score(names) for _, names in found]
    best: dict[str, float] = {}
    for (each, _), total in zip(found, sums, strict=True):
        best[each.url_key] = max(total, best.get(each.url_key, -math.inf))
    kept: list[SelectedPicture] = []
    dropped: list[RejectedPicture] = []
    taken: set[str] = set()
    for (each, names), total in zip(found, sums, strict=True):
        if total < weights.threshold:
            dropped.append(RejectedPicture(each, weights.reason(names)))
        elif each.url_key and (each.url_key in taken or total < best[each.url_key]):
            again = captions.find(each).segments
            dropped.append(RejectedPicture(each, "the same picture again", again))
        else:
            taken.add(each.url_key)
            kept.append(SelectedPicture(each, captions.find(each)))
    return kept, dropped


def _uncaptioned(
    page: Page, verdict: Verdict, kept: Sequence[SelectedPicture]
) -> tuple[SelectedPicture, ...]:
    """Leave texts beside the pictures where they are when the article is made of such texts.

    On pages of wares and their names each name would be taken for a caption.
    """
    states, blocks, segments = page.index.flags, page.index.segment_blocks, page.segments
    taken = frozenset[int]().union(*(each.caption.segments for each in kept))
    beside = {at for at in taken if not states[blocks[at]] & _MARKED and verdict.keep[at]}
    whole = sum(len(each.text) for each, k in zip(segments, verdict.keep, strict=True) if k)
    if sum(len(segments[at].text) for at in beside) <= _MOST_BESIDE * whole:
        return tuple(kept)
    return tuple(
        replace(each, caption=Caption()) if each.caption.segments & beside else each
        for each in kept
    )


def _lead(page: Page, verdict: Verdict) -> tuple[SelectedPicture, ...]:
    """Return the picture that the metadata names, for an article with none of its own."""
    url = page.metadata.image
    body = page.tree.find("body")
    if not url or body is None or verdict.kind != "article" or not any(verdict.keep):
        return ()
    path = url.partition("?")[0]
    if (
        file_features(path[-80:])
        or host_features(path[:80])
        or path.lower().endswith((".svg", ".gif"))
    ):
        return ()
    said = Address(url, 0, PLAIN)
    lead = Candidate(body, "lead", 0, 0, (said,), url_key=picture_key(url), best=said)
    return (SelectedPicture(lead, Caption()),)
