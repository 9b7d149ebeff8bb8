"""The default extractor: a learned choice over what the papers' methods and the page tell.

Boosted trees give each segment the share of its words that belong to the article
(:mod:`.features` says what they see); neural networks judge together what may be (:mod:`.network`).
What is kept is the set of segments whose expected F1 is the highest, each text once.
docs/model-card.md tells on what all of them were trained.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...html.page import Page
from ...selection import Verdict
from ..reading import FeatureContext, enclosing_elements, stack_columns
from .features import extract_features
from .gbdt import BoostedTrees
from .network import NetworkEnsemble, SegmentGraph
from .tokens import TokenPriors, prior_columns

Column = NDArray[np.floating[Any]]
Bools = NDArray[np.bool_]

#: The kinds of pages, in the order of the model's forests.
PAGE_KINDS = ("article", "collection", "documentation", "forum", "listing", "product", "service")
#: A copy of a text is dropped when it has this many words.
_COPIED_WORDS = 5
#: Unless it is so likely, and stands with words that are likelier than not and no copies: half as
#: many as the copies there.
_AGAIN, _OWN = 0.8, 0.5
#: How cautious the choice is by kind.  Scores err together (a whole list of related stories is
#: right or wrong at once), so that on some kinds half-likely text is worth less than its
#: expectation: it counts as the score to this power.
_CAUTION = {"article": 1.9, "product": 1.6, "forum": 1.1}
#: What the forest gives less than this the networks do not see: most of a page.
_UNLIKELY = 0.04
#: Of a page of more segments than this, a book or a register, the forest alone judges.
_MOST_SEEN_AGAIN = 10_000
#: How much the networks' word counts beside the forest's.
_NETWORKS = 0.67
#: The forest's and the networks' chances are kept so far from never and always.
_SURE = 1e-4
#: The networks exchange what they see among the segments of so many elements around each.
_LEVELS = 6
#: Whatever is expected of the rest, a segment less likely than this is not kept.
_LEAST = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class ClassifierModel:
    """What training leaves: odds of names and words, the forests, the networks."""

    priors: TokenPriors
    segments: BoostedTrees
    networks: NetworkEnsemble
    kinds: BoostedTrees
    confidence: BoostedTrees

    @classmethod
    def load(cls, data: bytes) -> ClassifierModel:
        """Read a model from the bytes of its file."""
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            return cls(
                TokenPriors(*(_odds(arrays, name) for name in ("names", "articles", "words"))),
                BoostedTrees.load(arrays, "segments"),
                NetworkEnsemble.load(arrays, "networks"),
                BoostedTrees.load(arrays, "kinds"),
                BoostedTrees.load(arrays, "confidence"),
            )

    def dump(self) -> bytes:
        """Return the bytes that :meth:`load` reads."""
        arrays: dict[str, NDArray[np.generic]] = {
            **_odds_arrays("names", self.priors.names),
            **_odds_arrays("articles", self.priors.articles),
            **_odds_arrays("words", self.priors.words),
            **self.segments.to_arrays("segments"),
            **self.networks.to_arrays("networks"),
            **self.kinds.to_arrays("kinds"),
            **self.confidence.to_arrays("confidence"),
        }
        buffer = BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **arrays)
        return buffer.getvalue()


def _odds(arrays: Mapping[str, NDArray[Any]], name: str) -> dict[str, float]:
    tokens = arrays[f"{name}.tokens"].tobytes().decode().split("\n")
    return dict(zip(tokens, (arrays[f"{name}.odds"] / 32).tolist(), strict=True))


def _odds_arrays(name: str, odds: Mapping[str, float]) -> dict[str, NDArray[Any]]:
    values = np.round(np.array(list(odds.values())) * 32).astype(np.int8)
    tokens = np.frombuffer("\n".join(odds).encode(), np.uint8)
    return {f"{name}.tokens": tokens, f"{name}.odds": values}


@cache
def load_default_model() -> ClassifierModel:
    """Return the model that comes with the package."""
    return ClassifierModel.load(Path(__file__).with_name("model.npz").read_bytes())


def segment_features(reading: FeatureContext, known: TokenPriors) -> Column:
    """Return what the forest and the networks see of each segment."""
    cues = prior_columns(
        reading.names,
        reading.words,
        reading.parents,
        enclosing_elements(reading, 3),
        reading.last_headings,
        known,
    )
    return stack_columns([*reading.columns.values, cues])


def plausible_segments(likely: Column) -> Bools:
    """Return which segments the networks see, by the forest's scores."""
    found: Bools = likely > _UNLIKELY
    return found


def build_graph(reading: FeatureContext, likely: Column, which: Bools) -> SegmentGraph:
    """Return what stands around some of a page's segments, for the networks."""
    keys = group_keys(reading, which)
    return SegmentGraph.build(
        keys, reading.word_counts[which], likely[which], np.zeros(len(keys[0]), np.intp)
    )


def group_keys(reading: FeatureContext, which: Bools) -> tuple[NDArray[np.intp], ...]:
    """Return the groups that some segments are in.

    They are the elements from the block outward, what looks alike, what is under one heading.
    """
    groups = (*enclosing_elements(reading, _LEVELS), *reading.similar, reading.last_headings)
    return tuple(keys[which] for keys in groups)


def combine_scores(forest: Column, which: Bools, networks: Sequence[Column]) -> Column:
    """Return the forest's scores, their mean with the networks', as log-odds, where these saw."""
    scores = forest.copy()
    if which.any():
        said = sum(map(_log_odds, networks)) / len(networks)
        odds = (1 - _NETWORKS) * _log_odds(forest[which]) + _NETWORKS * said
        scores[which] = 1 / (1 + np.exp(-odds))
    return scores


def _log_odds(chances: Column) -> Column:
    inside = np.clip(chances, _SURE, 1 - _SURE)
    odds: Column = np.log(inside / (1 - inside))
    return odds


def page_statistics(first: Column, size: Column) -> list[float]:
    """Return figures about a whole page's first scores: how much is kept, and how surely."""
    whole = float(size.sum())
    expected = float((first * size).sum())
    unsure = float((first * (1 - first) * size).sum())
    order = np.argsort(-first, kind="stable")
    running = np.cumsum(size[order])
    good = np.cumsum((first * size)[order])
    gain = 2 * good / (running + expected)
    best = int(np.argmax(gain))
    return [
        float(np.log1p(expected)), expected / whole, unsure / max(1e-6, expected),
        float(gain[best]), float(first[order[best]]), float(np.log1p(running[best])),
    ]  # fmt: skip


def page_features(reading: FeatureContext, matrix: Column, scores: Column) -> Column:
    """Return what the forests of kind and confidence see, one row, from features and scores.

    ``matrix`` is laid out row after row, as in training: the sums' last bits depend on it.
    """
    whole = [i for i, name in enumerate(reading.columns.names) if name.startswith("page ")]
    weights = reading.word_counts / reading.word_counts.sum()
    parts = (matrix[0, whole], page_statistics(scores, reading.word_counts),
             (scores * weights) @ matrix, weights @ matrix)  # fmt: skip
    return np.concatenate(parts)[None].astype(np.float32)


def maximize_expected_f1(reading: FeatureContext, scores: Column, caution: float) -> Bools:
    """Return the segments to keep: those that make the expected F1 over words the highest.

    ``caution`` (1: none) is the power a score is raised to.
    """
    likely = scores.astype(np.float64)
    size = reading.word_counts.astype(np.float64)
    suppress_duplicates(reading, likely)
    worth = likely**caution * size
    order = np.argsort(-likely, kind="stable")
    kept, right = np.cumsum(size[order]), np.cumsum(worth[order])
    best = int(np.argmax(2 * right / (kept + right[-1])))
    keep: Bools = (likely >= likely[order[best]]) & (likely > _LEAST)
    return keep


def page_caution(chances: Column) -> float:
    """Return how cautious to be on a page, by its chances of being of each kind."""
    powers = np.array([_CAUTION.get(kind, 1.0) for kind in PAGE_KINDS])
    return float((powers * chances).sum() / max(1e-6, chances.sum()))


def suppress_duplicates(reading: FeatureContext, likely: Column) -> None:
    """Clear the scores of all but the likeliest copy of a text that stands in several places.

    Repeated under the same parent it is meant to be read again, as is a likely copy (a refrain)
    that stands with as much text, or half, which is the article's and nowhere else.
    """
    above = reading.parents[reading.blocks].tolist()
    best: dict[str, tuple[float, int]] = {}
    long = np.flatnonzero(reading.word_counts >= _COPIED_WORDS).tolist()
    for index in long:
        text, score = reading.texts[index], float(likely[index])
        if text not in best or score > best[text][0]:
            best[text] = score, above[index]
    copies = [index for index in long if best[reading.texts[index]][1] != above[index]]
    if not copies:
        return
    own, copied = (
        np.where(likely >= _OWN, reading.word_counts, 0),
        np.zeros_like(reading.word_counts),
    )
    own[copies], copied[copies] = 0, reading.word_counts[copies]
    before = np.cumsum([[0, *own], [0, *copied]], axis=1)
    for index in copies:
        begin, end = reading.begins[above[index]], reading.ends[above[index]]
        alone, again = before[:, end] - before[:, begin]
        if likely[index] < _AGAIN or alone < again / 2:
            likely[index] = 0


def classify(page: Page, methods: Mapping[str, Sequence[float]], model: ClassifierModel) -> Verdict:
    """Judge a page's segments by a model; ``methods`` are the papers' scores."""
    if not page.segments:
        return Verdict(())
    reading = extract_features(page, methods)
    rows = segment_features(reading, model.priors)
    first = model.segments.predict(rows)
    matrix = np.ascontiguousarray(rows[:, : len(reading.columns.names)])
    # The rows hold them now, and on a page of megabytes they are large.
    reading.columns.values.clear()
    chances = model.kinds.predict_many(page_features(reading, matrix, first), len(PAGE_KINDS))[0]
    scores = first
    seen = plausible_segments(first)
    if seen.any() and len(first) <= _MOST_SEEN_AGAIN:
        said = model.networks.predict(rows[seen], build_graph(reading, first, seen))
        scores = combine_scores(first, seen, said)
    keep = maximize_expected_f1(reading, scores, page_caution(chances))
    return Verdict(
        tuple(keep.tolist()),
        scores={**{n: tuple(s) for n, s in methods.items()}, "default": tuple(scores.tolist())},
        kind=PAGE_KINDS[int(np.argmax(chances))],
        confidence=float(model.confidence.predict(page_features(reading, matrix, scores))[0]),
    )
