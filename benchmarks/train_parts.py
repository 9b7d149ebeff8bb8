"""Parts of training: labeled pages, log-odds, and forests in the package's format."""

from __future__ import annotations

import math
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import lightgbm as lgb
import numpy as np

from printer.extraction.classifier.features import FeatureContext, extract_features
from printer.extraction.classifier.lexical import TokenPriors
from printer.extraction.classifier.model import BoostedTrees
from printer.extraction.extract import score_segments
from printer.html.page import read_page

from . import segment_labels
from .corpus import Sample

FOLDS = 5
DEPTH = 6
#: The deterministic parameters of a forest.
GROWTH: dict[str, Any] = {
    "objective": "cross_entropy", "max_depth": DEPTH, "num_leaves": 31, "learning_rate": 0.13,
    "min_data_in_leaf": 60, "feature_fraction": 0.35, "data_sample_strategy": "goss",
    "top_rate": 0.2, "other_rate": 0.15, "bin_construct_sample_cnt": 50_000,
    "lambda_l2": 5, "max_bin": 63, "seed": 1, "deterministic": True, "force_col_wise": True,
    "use_missing": False, "num_threads": 2, "verbose": -1,
}  # fmt: skip

#: The weights of sets: news of many languages counts for what people print.
SET_WEIGHTS = {"fundus": 2.0}
#: The weight of a copy made harder (:mod:`.augment`).
COPY_WEIGHT = 0.6

Floats = np.ndarray[Any, np.dtype[np.floating[Any]]]


@dataclass(slots=True, eq=False)
class Lesson:
    """A page with the answer for each of its segments, NaN if unknown."""

    sample: Sample
    reading: FeatureContext | None = field(repr=False)
    answers: Floats = field(repr=False)

    @property
    def fold(self) -> int:
        """The fold of its site."""
        return zlib.crc32(self.sample.site.encode()) % FOLDS

    @property
    def weights(self) -> Floats:
        """The weights of the segments: more for longer ones, less on longer pages."""
        assert self.reading is not None
        size = np.sqrt(self.reading.word_counts + 1)
        labeled = ~np.isnan(self.answers)
        if not labeled.all():
            return 0.4 * size * labeled / math.sqrt(len(size))
        weight = SET_WEIGHTS.get(self.sample.set, 1.0) * (COPY_WEIGHT if self.sample.copy else 1)
        return weight * size / size.sum() ** 0.7


def read_lesson(sample: Sample) -> Lesson:
    """Read a page and label its segments."""
    page = read_page(sample.html, sample.url)
    texts = [segment.text for segment in page.segments]
    if not texts:
        return Lesson(sample, None, np.zeros(0))
    if sample.text is None:
        answers = segment_labels.from_snippets(texts, sample.required, sample.forbidden)
    else:
        answers = segment_labels.from_text(texts, sample.text)
    return Lesson(sample, extract_features(page, score_segments(page)), answers)


#: Sums for each name or word: its shares in the article, the overall shares, and the count.
Tally = dict[str, list[float]]


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Tallies by fold: of all pages, and of articles only."""

    general: list[Tally]
    articles: list[Tally]

    def known(self, without: frozenset[int] = frozenset()) -> TokenPriors:
        """Return the log-odds, without some folds."""
        general, articles = odds(self.general, without), odds(self.articles, without)
        return TokenPriors(
            {token: value for token, value in general.items() if token[0] != "'"},
            {token: value for token, value in articles.items() if token[0] != "'"},
            {token[1:]: value for token, value in general.items() if token[0] == "'"},
        )


def count(lessons: Sequence[Lesson]) -> Counts:
    """Count names and words by fold, on the pages as they were published."""
    lessons = [lesson for lesson in lessons if not lesson.sample.copy]
    articles = [lesson for lesson in lessons if lesson.sample.kind == "article"]
    return Counts(tallies(lessons), tallies(articles))


def tallies(lessons: Iterable[Lesson]) -> list[Tally]:
    """Count names and words by fold, with equal weight for every site."""
    sites: dict[tuple[int, str], list[Lesson]] = defaultdict(list)
    for lesson in lessons:
        if lesson.reading is not None and not np.isnan(lesson.answers).any():
            sites[lesson.fold, lesson.sample.site].append(lesson)
    folds: list[Tally] = [{} for _ in range(FOLDS)]
    for (fold, _), pages in sites.items():
        together: Tally = {}
        for page in pages:
            for token, (share, base) in _shares(page).items():
                _add(together, token, share, base, 1)
        for token, (share, base, count) in together.items():
            _add(folds[fold], token, share / count, base / count, 1)
    return folds


def _add(tally: Tally, token: str, share: float, base: float, count: float) -> None:
    old = tally.setdefault(token, [0.0, 0.0, 0.0])
    old[0] += share
    old[1] += base
    old[2] += count


def _shares(lesson: Lesson) -> dict[str, tuple[float, float]]:
    """Return, for each name and word of a page, the article's share of its text, and overall."""
    reading = lesson.reading
    assert reading is not None
    weight = np.sqrt(reading.word_counts + 1)
    total = np.concatenate([[0], np.cumsum(weight)])
    good = np.concatenate([[0], np.cumsum(weight * lesson.answers)])
    ends = np.clip(reading.ends, reading.begins, len(weight))
    sizes = total[ends] - total[reading.begins]
    right = good[ends] - good[reading.begins]
    named: Tally = {}
    for index, row in enumerate(reading.names.rows):
        if row and sizes[index] > 0:
            for name in reading.names.names[row]:
                _add(named, name, right[index], sizes[index], 1)
    base = good[-1] / total[-1]
    shares = {name: (value / text, base) for name, (value, text, _) in named.items()}
    spoken: Tally = {}
    for words, answer in zip(reading.words, lesson.answers.tolist(), strict=True):
        for word in set(words):
            _add(spoken, "'" + word, answer, 1, 1)
    mean = float(lesson.answers.mean())
    shares |= {word: (value / count, mean) for word, (value, count, _) in spoken.items()}
    return shares


def odds(folds: Sequence[Tally], without: frozenset[int] = frozenset()) -> dict[str, float]:
    """Return the log-odds of names and words that occur on enough sites, without some folds."""
    together: Tally = {}
    for fold, tally in enumerate(folds):
        if fold not in without:
            for token, (share, base, count) in tally.items():
                _add(together, token, share, base, count)
    log_odds = {}
    for token in sorted(together):
        share, base, count = together[token]
        if count >= (8 if token[0] == "'" else 4) and "\n" not in token:
            value = _log_odds(share, count) - _log_odds(base, count)
            if abs(value) > 0.05:
                # Round as the model file does.
                log_odds[token] = round(max(-3.9, min(3.9, value)) * 32) / 32
    return log_odds


def _log_odds(share: float, count: float, prior: float = 2.0) -> float:
    return math.log((share + prior) / (count - share + prior))


def grow(
    rows: Floats, answers: Floats, weights: Floats, trees: int, seeds: int = 1, **growth: Any
) -> BoostedTrees:
    """Train forests with several seeds; return their mean as one forest."""
    data = lgb.Dataset(rows, answers, weight=weights, free_raw_data=False)
    grown = [
        pack(lgb.train(GROWTH | growth | {"seed": seed}, data, trees))
        for seed in range(1, seeds + 1)
    ]
    joined = join_forests(grown)
    return BoostedTrees(joined.feature, joined.threshold, joined.leaf / seeds)


def join_forests(forests: Sequence[BoostedTrees]) -> BoostedTrees:
    """Return the trees of several forests, as for :meth:`BoostedTrees.predict_many`."""
    return BoostedTrees(
        np.concatenate([forest.feature for forest in forests]),
        np.concatenate([forest.threshold for forest in forests]),
        np.concatenate([forest.leaf for forest in forests]),
    )


def pack(booster: lgb.Booster) -> BoostedTrees:
    """Return a booster's trees as complete trees of equal depth."""
    trees = booster.dump_model()["tree_info"]
    inner = 2**DEPTH - 1
    feature = np.zeros((len(trees), inner), np.int32)
    threshold = np.full((len(trees), inner), np.inf, np.float32)
    leaf = np.zeros((len(trees), inner + 1), np.float32)
    for number, tree in enumerate(trees):
        waiting = [(tree["tree_structure"], 0, 0)]
        while waiting:
            node, place, depth = waiting.pop()
            if "leaf_value" in node:
                span = 2 ** (DEPTH - depth)
                first = (place + 1) * span - 1 - inner
                leaf[number, first : first + span] = node["leaf_value"]
                continue
            feature[number, place] = node["split_feature"]
            threshold[number, place] = _at_most(node["threshold"])
            waiting.append((node["left_child"], 2 * place + 1, depth + 1))
            waiting.append((node["right_child"], 2 * place + 2, depth + 1))
    return BoostedTrees(feature, threshold, leaf)


def _at_most(value: float) -> np.float32:
    """Return the greatest single-precision number not above a value."""
    near = np.float32(value)
    return near if float(near) <= value else np.nextafter(near, np.float32(-np.inf))
