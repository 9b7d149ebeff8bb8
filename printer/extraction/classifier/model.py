"""The default extractor: a trained classifier of text segments.

Gradient-boosted trees predict from each segment's features (:mod:`.features`) the share of its
words that belong to the article; neural networks (:mod:`.network`) score the plausible segments
together.  The selected segments are those with the highest expected F1 over words, without
duplicates.  docs/model-card.md describes the training.

Trees share most of their conditions (a feature and a threshold), so each distinct one is tested
once for all rows, and the results are packed eight rows to a byte.  The paths of the rows through
every tree are then bit arithmetic on these bytes, level by level over all trees at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...html.index import IS_HIDDEN, Bools
from ...html.page import Page
from ...selection import Verdict
from ...text import comparison_key
from .features import FeatureContext, enclosing_elements, extract_features, stack_columns
from .lexical import FeatureColumn, TokenPriors, prior_columns
from .network import NetworkEnsemble, SegmentGraph

#: The kinds of pages, in the order of the model's trees.
PAGE_KINDS = ("article", "collection", "documentation", "forum", "listing", "product", "service")


@dataclass(frozen=True, slots=True, eq=False)
class ClassifierModel:
    """A trained model: odds of names and words, the boosted trees, the networks."""

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
                TokenPriors(*(_load_odds(arrays, name) for name in ("names", "articles", "words"))),
                BoostedTrees.load(arrays, "segments"),
                NetworkEnsemble.load(arrays, "networks"),
                BoostedTrees.load(arrays, "kinds"),
                BoostedTrees.load(arrays, "confidence"),
            )


def _load_odds(arrays: Mapping[str, NDArray[Any]], name: str) -> dict[str, float]:
    tokens = arrays[f"{name}.tokens"].tobytes().decode().split("\n")
    return dict(zip(tokens, (arrays[f"{name}.odds"] / 32).tolist(), strict=True))


@cache
def load_default_model() -> ClassifierModel:
    return ClassifierModel.load(Path(__file__).with_name("model.npz").read_bytes())


_ARTICLE = np.array([kind == "article" for kind in PAGE_KINDS], np.float32)
#: On pages with more segments (books, registers), only the trees decide.
_MAX_NETWORK_SEGMENTS = 10_000
#: The kinds as which pages of one article with long lists of other stories or comments are judged.
_LIKE_ARTICLES = frozenset({"listing", "forum", "service"})
_MIN_PARAGRAPHS_WITHOUT_DATE = 2


def classify(page: Page, methods: Mapping[str, Sequence[float]], model: ClassifierModel) -> Verdict:
    """Select the article's segments; ``methods`` are the scores of the papers' methods.

    The verdict has these and the model's own, as "default".
    """
    if not page.segments:
        return Verdict(())
    context = extract_features(page, methods)
    rows = segment_features(context, model.priors)
    first = model.segments.predict(rows)
    matrix = np.ascontiguousarray(rows[:, : len(context.columns.names)])
    # The rows contain them now, and on a page of megabytes they are large.
    context.columns.values.clear()
    kinds = model.kinds.predict_many(page_features(context, matrix, first), len(PAGE_KINDS))[0]
    scores = first
    plausible = plausible_segments(first)
    if plausible.any() and len(first) <= _MAX_NETWORK_SEGMENTS:
        graph = build_graph(context, first, plausible)
        scores = combine_scores(first, plausible, model.networks.predict(rows[plausible], graph))
    kind = PAGE_KINDS[int(np.argmax(kinds))]
    keep = select(context, scores, kinds)
    if kind in _LIKE_ARTICLES and (kind != "forum" or page.metadata.published):
        as_article = select(context, scores, _ARTICLE)
        min_paragraphs = 1 if page.metadata.published else _MIN_PARAGRAPHS_WITHOUT_DATE
        if is_one_article(context, scores, as_article, page.metadata.title, min_paragraphs):
            kind, keep = "article", as_article
    return Verdict(
        tuple(keep.tolist()),
        scores={**{n: tuple(s) for n, s in methods.items()}, "default": tuple(scores.tolist())},
        kind=kind,
        confidence=float(model.confidence.predict(page_features(context, matrix, scores))[0]),
    )


# Scores of segments


def segment_features(context: FeatureContext, priors: TokenPriors) -> FeatureColumn:
    """Return the input of the trees and the networks, one row per segment."""
    odds = prior_columns(
        context.names,
        context.words,
        context.parents,
        enclosing_elements(context, 3),
        context.last_headings,
        priors,
    )
    return stack_columns([*context.columns.values, odds])


#: The lowest score by the trees of segments passed to the networks.  Most of a page is below it.
_MIN_PLAUSIBLE_SCORE = 0.04


def plausible_segments(scores: FeatureColumn) -> Bools:
    """Return which segments the networks score, given the trees' scores."""
    plausible: Bools = scores > _MIN_PLAUSIBLE_SCORE
    return plausible


def build_graph(context: FeatureContext, scores: FeatureColumn, mask: Bools) -> SegmentGraph:
    """Return the graph of some of a page's segments, for the networks."""
    keys = group_keys(context, mask)
    pages = np.zeros(len(keys[0]), np.intp)
    return SegmentGraph.build(keys, context.word_counts[mask], scores[mask], pages)


#: The number of elements around each segment within which the networks pass messages.
_GROUP_LEVELS = 6


def group_keys(context: FeatureContext, mask: Bools) -> tuple[NDArray[np.intp], ...]:
    """Return segments' groups: enclosing elements, similar elements and the last heading."""
    levels = enclosing_elements(context, _GROUP_LEVELS)
    return tuple(keys[mask] for keys in (*levels, *context.similar, context.last_headings))


#: The weight of the networks' log-odds relative to the trees'.
_NETWORK_WEIGHT = 0.67


def combine_scores(
    trees: FeatureColumn, mask: Bools, networks: Sequence[FeatureColumn]
) -> FeatureColumn:
    """Return the trees' scores, combined with the networks' by the weighted mean of log-odds."""
    scores = trees.copy()
    if mask.any():
        mean = sum(map(_log_odds, networks)) / len(networks)
        odds = (1 - _NETWORK_WEIGHT) * _log_odds(trees[mask]) + _NETWORK_WEIGHT * mean
        scores[mask] = 1 / (1 + np.exp(-odds))
    return scores


#: The distance from 0 and 1 to which probabilities are clipped before they are combined.
_MIN_PROBABILITY = 1e-4


def _log_odds(probabilities: FeatureColumn) -> FeatureColumn:
    clipped = np.clip(probabilities, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
    odds: FeatureColumn = np.log(clipped / (1 - clipped))
    return odds


# Scores of the page


def page_statistics(scores: FeatureColumn, sizes: FeatureColumn) -> list[float]:
    """Return statistics of a page's scores: how much is selected, and how certain it is."""
    total = float(sizes.sum())
    expected = float((scores * sizes).sum())
    variance = float((scores * (1 - scores) * sizes).sum())
    order = np.argsort(-scores, kind="stable")
    selected = np.cumsum(sizes[order])
    correct = np.cumsum((scores * sizes)[order])
    f1 = 2 * correct / (selected + expected)
    best = int(np.argmax(f1))
    return [
        float(np.log1p(expected)), expected / total, variance / max(1e-6, expected),
        float(f1[best]), float(scores[order[best]]), float(np.log1p(selected[best])),
    ]  # fmt: skip


def page_features(
    context: FeatureContext, matrix: FeatureColumn, scores: FeatureColumn
) -> FeatureColumn:
    """Return the row that the trees for kind and confidence read.

    ``matrix`` is in row-major order, as in training, since the last bits of sums depend on it.
    """
    of_page = [i for i, name in enumerate(context.columns.names) if name.startswith("page ")]
    weights = context.word_counts / context.word_counts.sum()
    parts = (matrix[0, of_page], page_statistics(scores, context.word_counts),
             (scores * weights) @ matrix, weights @ matrix)  # fmt: skip
    return np.concatenate(parts)[None].astype(np.float32)


# Selection


#: The lowest score of text between selected text.
_MIN_SCORE_WITHIN = 0.4
#: The largest share of links in it.
_MAX_LINKED_WITHIN = 0.3


def select(context: FeatureContext, scores: FeatureColumn, kinds: FeatureColumn) -> Bools:
    """Return the selected segments, given the probabilities of the kinds of pages."""
    likely = scores.astype(np.float64)
    kind = PAGE_KINDS[int(np.argmax(kinds))]
    suppress_duplicates(context, likely, _MIN_COPY_SCORES.get(kind, _MIN_COPY_SCORE))
    keep = maximize_expected_f1(likely, context.word_counts, page_exponent(kinds))
    is_article = kind == "article"
    runs = find_likely_runs(keep, scores, context.word_counts) if is_article else find_runs(keep)
    selected = np.zeros_like(keep)
    for run in runs:
        selected[run] = True
    if runs:
        # Text within the article is more certain than text around it.
        within = slice(runs[0][0], runs[-1][-1] + 1)
        is_linked = context.link_chars >= _MAX_LINKED_WITHIN * context.chars
        selected[within] |= (likely[within] >= _MIN_SCORE_WITHIN) & ~is_linked[within]
        add_adjacent(context, likely, selected, is_article)
    return selected


#: The score of likely text, which must not be a copy itself.
_MIN_LIKELY_SCORE = 0.5


def add_adjacent(
    context: FeatureContext, likely: NDArray[np.float64], selected: Bools, is_article: bool
) -> None:
    """Select likely headings, except the title, above text, and lines of links within text."""
    parents = context.parents[context.blocks]
    linked = context.link_chars >= _MAX_LINKED_WITHIN * context.chars
    selected_links = selected & linked
    has_same_parent = parents[1:] == parents[:-1]
    row = linked[1:-1] & selected[2:] & selected[:-2] & (selected_links[2:] | selected_links[:-2])
    added = np.zeros_like(selected)
    added[1:-1] = row & has_same_parent[1:] & has_same_parent[:-1]
    is_heading = context.last_headings == np.arange(len(selected))
    first = int(np.argmax(selected)) if is_article else 0
    added[first:-1] |= (is_heading[:-1] & ~is_heading[1:] & selected[1:])[first:]
    selected |= added & (likely >= _MIN_LIKELY_SCORE)


#: The most unselected segments within a run of selected ones.
_MAX_RUN_GAP = 8


def find_runs(keep: Bools, gap: int = _MAX_RUN_GAP) -> list[NDArray[np.intp]]:
    """Return the runs of selected segments, with small gaps."""
    selected = np.flatnonzero(keep)
    runs = np.split(selected, np.flatnonzero(np.diff(selected) > gap) + 1)
    return [run for run in runs if len(run)]


#: The largest gap below an article's main run.
_MAX_RUN_GAP_BELOW = 6
#: How far the mean score of a run may be below that of the main run.
_MAX_RUN_DEFICIT = 0.15
#: The power of scores that keeps long comments from being the main run.
_RUN_SCORE_POWER = 6


def find_likely_runs(
    keep: Bools, scores: FeatureColumn, sizes: FeatureColumn
) -> list[NDArray[np.intp]]:
    """Return the runs that are not much less likely than an article's main run.

    Comments and lists of other stories, if mistaken for text, are apart from it and less likely.
    """

    def mean(run: NDArray[np.intp]) -> float:
        return float((sizes * scores)[run].sum()) / float(sizes[run].sum())

    runs = find_runs(keep, _MAX_RUN_GAP_BELOW)
    if not runs:
        return []
    weights = sizes * scores**_RUN_SCORE_POWER
    main = max(runs, key=lambda run: float(weights[run].sum()))
    min_mean = mean(main) - _MAX_RUN_DEFICIT
    keep_above = keep.copy()
    keep_above[main[0] :] = False
    min_end = main[0] - _MAX_RUN_GAP - 1
    return [
        *(run for run in find_runs(keep_above) if run[-1] >= min_end or mean(run) >= min_mean),
        *(run for run in runs if run[0] >= main[0] and mean(run) >= min_mean),
    ]


#: The lowest share of the selection in an article's main run, on such a page.
_MIN_MAIN_RUN_SHARE = 0.8
#: The largest share of links in its paragraphs.
_MAX_ARTICLE_LINKED = 0.3
_MAX_ARTICLE_SEGMENTS = 15
#: The most segments between title and text.
_MAX_LINES_BELOW_TITLE = 12
_MIN_PARAGRAPH_WORDS = 15
_MAX_TITLE_CHARS = 400


def is_one_article(
    context: FeatureContext, scores: FeatureColumn, keep: Bools, title: str, min_paragraphs: int
) -> bool:
    """Return whether the selection is mostly one run of text below the title.

    Long comments and lists of other stories can hide that a page is an article.
    """
    runs = find_runs(keep)
    if not runs or keep.sum() > _MAX_ARTICLE_SEGMENTS:
        return False
    sizes = context.chars
    main = max(runs, key=lambda run: float((sizes * scores)[run].sum()))
    total, chars = float(sizes[keep].sum()), float(sizes[main].sum())
    unlinked = context.link_chars < _MAX_ARTICLE_LINKED * sizes
    prose = main[(context.word_counts >= _MIN_PARAGRAPH_WORDS)[main] & unlinked[main]]
    if len(prose) < min_paragraphs or chars < _MIN_MAIN_RUN_SHARE * total:
        return False
    key = comparison_key(title)
    lines_above = context.texts[max(0, main[0] - _MAX_LINES_BELOW_TITLE) : main[0]]
    lines = [*lines_above, *(context.texts[i] for i in main)]
    return bool(key) and any(comparison_key(line[:_MAX_TITLE_CHARS]) == key for line in lines)


_MIN_SELECTED = 0.02


def maximize_expected_f1(
    likely: NDArray[np.float64], sizes: FeatureColumn, exponent: float
) -> Bools:
    """Return the segments with the highest expected F1 over words.

    ``likely`` are their scores, 0 for duplicates; they are raised to the power ``exponent``.
    """
    words = sizes.astype(np.float64)
    worth = likely**exponent * words
    order = np.argsort(-likely, kind="stable")
    selected, correct = np.cumsum(words[order]), np.cumsum(worth[order])
    best = int(np.argmax(2 * correct / (selected + correct[-1])))
    keep: Bools = (likely >= likely[order[best]]) & (likely > _MIN_SELECTED)
    return keep


#: The exponent of the scores by kind of page.  Errors are correlated (a list of related stories is
#: right or wrong as a whole), so that on some kinds likely text is worth less than its expectation.
_EXPONENTS = {"article": 2.2, "product": 1.6, "forum": 1.1}


def page_exponent(kinds: FeatureColumn) -> float:
    """Return the exponent for a page, given its probabilities of being of each kind."""
    powers = np.array([_EXPONENTS.get(kind, 1.0) for kind in PAGE_KINDS])
    return float((powers * kinds).sum() / max(1e-6, kinds.sum()))


_COPY_WORDS = 5
#: By how much a hidden copy must be likelier than a visible one.
_HIDDEN_PENALTY = 0.1
#: A copy of this score stays if the likely text around it has half as many words as the copies.
_MIN_COPY_SCORE = 0.8
#: Where steps, tables or plans share sentences.  On other pages, copies are of other lists.
_MIN_COPY_SCORES = dict.fromkeys(("documentation", "service"), 0.6)
_COPY_LEVELS = 8


def suppress_duplicates(
    context: FeatureContext, scores: FeatureColumn, min_score: float = _MIN_COPY_SCORE
) -> None:
    """Clear the scores of all but the likeliest copy of a repeated text, preferably a visible one.

    Repetitions keep their scores under the same parent, and if they are likely (a refrain, a
    command) among other text of the article that is at least half as long as the copies.  A list
    of copies is judged by what is around it.
    """
    parents = context.parents[context.blocks].tolist()
    best: dict[str, tuple[float, int]] = {}
    long_texts = np.flatnonzero(context.word_counts >= _COPY_WORDS).tolist()
    penalties = _HIDDEN_PENALTY * ((context.flags & IS_HIDDEN) != 0)
    for i in long_texts:
        text, score = context.texts[i], float(scores[i] - penalties[i])
        if text not in best or score > best[text][0]:
            best[text] = score, i
    originals = {i: best[context.texts[i]][1] for i in long_texts}
    copies = [i for i, original in originals.items() if parents[original] != parents[i]]
    if not copies:
        return
    sizes = context.word_counts
    unique, copied = np.where(scores >= _MIN_LIKELY_SCORE, sizes, 0), np.zeros_like(sizes)
    unique[copies], copied[copies] = 0, sizes[copies]
    sums = np.cumsum([[0, *unique], [0, *copied]], axis=1)
    for i in copies:
        if scores[i] < min_score:
            scores[i] = 0
            continue
        box = outer = parents[i]
        for _ in range(_COPY_LEVELS):
            unique_words, copied_words = sums[:, context.ends[box]] - sums[:, context.begins[box]]
            outer = context.parents[outer]
            has_original = context.begins[outer] <= originals[i] < context.ends[outer]
            if 2 * unique_words >= copied_words or outer < 0 or has_original:
                break
            box = outer
        if unique_words < copied_words / 2:
            scores[i] = 0


#: Rows evaluated at a time, to stay in the processor's cache.
_BATCH_ROWS = 512


@dataclass(frozen=True, slots=True, eq=False)
class BoostedTrees:
    """Complete trees of one depth; their sum is the log-odds.

    ``feature`` and ``threshold`` are (trees, 2**depth - 1) in heap order: a row goes left when its
    value is at most the threshold.  ``leaf`` is (trees, 2**depth).
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float32]
    leaf: NDArray[np.float32]
    _conditions: _Conditions = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Number the distinct conditions."""
        object.__setattr__(self, "_conditions", _Conditions.of(self.feature, self.threshold))

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[np.generic]], name: str) -> BoostedTrees:
        """Read the trees called ``name`` from a model's arrays."""
        return cls(
            arrays[f"{name}.feature"].astype(np.int32),
            arrays[f"{name}.threshold"].astype(np.float32),
            arrays[f"{name}.leaf"].astype(np.float32),
        )

    def predict(self, rows: FeatureColumn) -> FeatureColumn:
        return self.predict_many(rows, 1)[:, 0]

    def predict_many(self, rows: FeatureColumn, count: int) -> FeatureColumn:
        """Return ``count`` probabilities of each row, each from an equal share of the trees."""
        sums = [
            self._log_odds(rows[start : start + _BATCH_ROWS], count)
            for start in range(0, len(rows), _BATCH_ROWS)
        ]
        total = np.concatenate(sums) if sums else np.zeros((0, count), np.float32)
        return (1 / (1 + np.exp(-total))).astype(np.float32)

    def _log_odds(self, rows: FeatureColumn, count: int) -> FeatureColumn:
        trees, leaves = self.leaf.shape
        positions = self._reach_leaves(rows) + np.arange(0, trees * leaves, leaves)
        total: FeatureColumn = (
            self.leaf.ravel().take(positions).reshape(len(rows), count, -1).sum(2)
        )
        return total

    def _reach_leaves(self, rows: FeatureColumn) -> NDArray[np.integer[Any]]:
        """Return the number of the leaf that each row reaches in each tree."""
        turns = np.unpackbits(self._conditions.turns(rows), axis=2, count=len(rows))
        dtype = np.min_scalar_type(self.leaf.shape[1] - 1)
        leaf: NDArray[np.integer[Any]] = np.zeros(turns.shape[1:], dtype)
        for right in turns:
            leaf *= 2
            leaf += right
        return leaf.T


#: Tests of a condition on a row evaluated at a time.
_BATCH_TESTS = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class _Conditions:
    """The distinct conditions of some trees: that a feature's value is above a threshold.

    ``levels`` has, for each level of the trees, the conditions of the first node of every tree,
    then of the second of every tree, and so on.
    """

    feature: NDArray[np.intp]
    threshold: NDArray[np.float32]
    levels: Sequence[NDArray[np.intp]]

    @classmethod
    def of(cls, feature: NDArray[np.int32], threshold: NDArray[np.float32]) -> _Conditions:
        """Number the conditions of the trees' nodes."""
        nodes = np.empty(feature.shape, [("feature", np.int32), ("threshold", np.float32)])
        nodes["feature"], nodes["threshold"] = feature, threshold
        distinct, number = np.unique(nodes, return_inverse=True)
        number = number.reshape(feature.shape).astype(np.intp)
        firsts = [(1 << level) - 1 for level in range((feature.shape[1] + 1).bit_length())]
        return cls(
            distinct["feature"].astype(np.intp),
            distinct["threshold"].astype(np.float32)[:, None],
            [number[:, first:end].T.ravel() for first, end in pairwise(firsts)],
        )

    def turns(self, rows: FeatureColumn) -> NDArray[np.uint8]:
        """Return whether each row turns right: per level and tree, eight rows in a byte."""
        columns = np.ascontiguousarray(rows.T)
        results = np.empty((len(self.feature), (len(rows) + 7) // 8), np.uint8)
        step = max(1, _BATCH_TESTS // len(rows))
        for first in range(0, len(results), step):
            batch = slice(first, first + step)
            tests = columns.take(self.feature[batch], 0) > self.threshold[batch]
            results[batch] = np.packbits(tests, axis=1)
        turns: list[NDArray[np.uint8]] = []
        for level in self.levels:
            # Each turn above selects one half of the remaining nodes of a level.
            nodes = results.take(level, 0).reshape(1 << len(turns), -1, results.shape[1])
            for right in turns:
                low, high = nodes.reshape(2, -1, *nodes.shape[1:])
                nodes = low ^ ((low ^ high) & right)
            turns.append(nodes[0])
        return np.stack(turns)
