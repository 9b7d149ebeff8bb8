"""Train the default extractor: `python -m benchmarks.train [--cache FOLDER] [--report]`.

All pages of a site are in one fold.  For every fold the odds, the forest and the networks are
learned from the other folds only; the table scores these choices, so that no page is scored with
what was learned from its site.  The model written at the end is learned from all pages.  The same
corpus gives the same model.  With ``--cache`` each part is saved once it is learned, and an
interrupted run continues; if the training code changes, use an empty folder.
"""

from __future__ import annotations

import argparse
import json
import pickle
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from printer.extraction.classifier.lexical import TokenPriors
from printer.extraction.classifier.model import (
    PAGE_KINDS,
    BoostedTrees,
    ClassifierModel,
    build_graph,
    combine_scores,
    group_keys,
    page_features,
    plausible_segments,
    segment_features,
    select,
)
from printer.extraction.classifier.network import NetworkEnsemble

from . import train_networks
from .augment import collect, harder_copies
from .corpus import TRAINING_SETS, is_available, samples
from .model_file import dump_model
from .scoring import bag, snippets, snippets_in_type, tokens
from .train_parts import FOLDS, Counts, Floats, Lesson, count, grow, join_forests, read_lesson

MODEL = Path(__file__).resolve().parents[1] / "printer" / "extraction" / "classifier" / "model.npz"
#: The trees of a segment forest, and the number of forests to average.
TREES, SEEDS = 120, 2
#: The number of networks in the ensemble, which differ only in their seeds.
NETWORKS = 2
#: The forests of pages are small, as there are few pages.
_PAGE_GROWTH: dict[str, Any] = {"min_data_in_leaf": 15, "num_leaves": 8, "learning_rate": 0.08,
                                "lambda_l2": 10}  # fmt: skip
_PAGE_TREES = 60

_T = TypeVar("_T")
#: Predictions by the index of the page.
Predictions = dict[int, _T]


def main() -> None:
    parser = argparse.ArgumentParser(description="train the default extractor")
    parser.add_argument("--cache", type=Path, help="save intermediate results in this folder")
    parser.add_argument("--out", type=Path, default=MODEL, help="the model file to write")
    parser.add_argument("--report", action="store_true", help="cross-validate, write no model")
    parser.add_argument(
        "--save", type=Path, help="write the out-of-fold choices to this file (JSON)"
    )
    chosen = parser.parse_args()
    if not is_available():
        raise SystemExit("the corpus is not available: see docs/model-card.md")
    started = time.perf_counter()
    parts = SavedParts(chosen.cache, started)
    lessons = parts.get("lessons", _lessons)
    folds = count(lessons)
    first = _first_out_of_fold(lessons, folds, parts)
    looks = [_page(lesson, score) for lesson, score in zip(lessons, first, strict=True)]
    chances = _chances(lessons, looks)
    second = _networks_out_of_fold(lessons, folds, first, parts)
    scores = [
        combine_scores(forest, plausible_segments(forest), networks)
        for forest, networks in zip(first, second, strict=True)
    ]
    rows = [_page(lesson, score) for lesson, score in zip(lessons, scores, strict=True)]
    keeps = [_selection(*page) for page in zip(lessons, scores, chances, strict=True)]
    texts = [_text(lesson, keep) for lesson, keep in zip(lessons, keeps, strict=True)]
    truths = [_f1(lesson, text) for lesson, text in zip(lessons, texts, strict=True)]
    _report(lessons, texts)
    _report_pages(lessons, chances, _confidences(lessons, rows, truths), truths)
    if chosen.save:
        _save(chosen.save, lessons, zip(scores, keeps, chances, strict=True))
    if not chosen.report:
        model = _model_of_all_pages(lessons, folds, first, (looks, rows, truths), parts)
        chosen.out.write_bytes(dump_model(model))
        _say(f"{chosen.out} written, {chosen.out.stat().st_size:,} bytes", started)


def _lessons() -> list[Lesson]:
    """Read the pages, and their harder copies, which are in the folds of their sites."""
    pages = list(samples(*TRAINING_SETS))
    every = [*pages, *harder_copies(pages, collect(pages))]
    # The HTML is read, and large.
    return [
        replace(copy, sample=replace(copy.sample, html=b"")) for copy in map(read_lesson, every)
    ]


def _say(text: str, started: float) -> None:
    print(f"{time.perf_counter() - started:7.0f} s  {text}", flush=True)


@dataclass(frozen=True, slots=True)
class SavedParts:
    """Saved parts of a training run; nothing is saved if ``folder`` is None."""

    folder: Path | None
    started: float

    def get(self, name: str, make: Callable[[], _T]) -> _T:
        """Return the saved part of a name, or make and save it."""
        file = self.folder / f"{name}.pkl" if self.folder else None
        if file and file.exists():
            saved: _T = pickle.loads(file.read_bytes())
            return saved
        result = make()
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary = file.with_suffix(".part")
            temporary.write_bytes(pickle.dumps(result))
            temporary.replace(file)
        _say(name, self.started)
        return result


@cache
def _known(folds: Counts, without: frozenset[int]) -> TokenPriors:
    return folds.known(without)


def _rows(lessons: list[Lesson], folds: Counts, aside: int | None) -> list[Floats]:
    """Return the features of segments, with odds learned from the other folds only.

    The fold ``aside`` is left out of the odds of all pages, so that a model trained on the other
    folds has learned nothing from it.
    """
    rows: list[Floats] = [np.zeros((0, 0))] * len(lessons)
    for number, lesson in enumerate(lessons):
        if lesson.reading is not None:
            without = frozenset({lesson.fold} if aside is None else {lesson.fold, aside})
            features = segment_features(lesson.reading, _known(folds, without))
            rows[number] = features.astype(np.float32)
    return rows


def _grow(lessons: list[Lesson], rows: list[Floats], indexes: list[int]) -> BoostedTrees:
    answers = np.concatenate([lessons[i].answers for i in indexes])
    weights = np.concatenate([lessons[i].weights for i in indexes])
    labeled = weights > 0
    matrix = np.concatenate([rows[i] for i in indexes])[labeled]
    return grow(matrix, answers[labeled], weights[labeled], TREES, SEEDS)


def _split(lessons: list[Lesson], fold: int | None) -> tuple[list[int], list[int]]:
    read = [i for i, lesson in enumerate(lessons) if lesson.reading is not None]
    return (
        [i for i in read if lessons[i].fold != fold],
        [i for i in read if lessons[i].fold == fold],
    )


def _first_out_of_fold(lessons: list[Lesson], folds: Counts, parts: SavedParts) -> list[Floats]:
    def learn(fold: int) -> Predictions[Floats]:
        rows = _rows(lessons, folds, fold)
        training, left_out = _split(lessons, fold)
        forest = _grow(lessons, rows, training)
        return {i: forest.predict(rows[i]) for i in left_out}

    return _in_order(lessons, parts, "forest", learn, np.zeros(0))


def _in_order(
    lessons: list[Lesson],
    parts: SavedParts,
    name: str,
    learn: Callable[[int], Predictions[_T]],
    nothing: _T,
) -> list[_T]:
    """Return predictions for every page, learned from the other folds."""
    predictions: Predictions[_T] = {}
    for fold in range(FOLDS):
        predictions |= parts.get(f"{name}, fold {fold + 1} of {FOLDS}", partial(learn, fold))
    return [predictions.get(i, nothing) for i in range(len(lessons))]


def _networks(lessons: list[Lesson], rows: list[Floats], first: list[Floats],
              indexes: list[int]) -> NetworkEnsemble:  # fmt: skip
    cases = [_case(lessons[i], rows[i], first[i]) for i in indexes]
    return train_networks.train([case for case in cases if len(case.answers)], NETWORKS)


def _case(lesson: Lesson, rows: Floats, first: Floats) -> train_networks.Case:
    """Return a training case for the networks: the plausible segments of a page."""
    assert lesson.reading is not None
    plausible = plausible_segments(first)
    sizes = lesson.reading.word_counts
    has_text = lesson.sample.text is not None
    return train_networks.Case(
        rows[plausible],
        sizes[plausible],
        first[plausible].astype(np.float32),
        group_keys(lesson.reading, plausible),
        lesson.answers[plausible],
        lesson.weights[plausible],
        float((lesson.answers * sizes)[~plausible].sum()) if has_text else np.nan,
    )


def _networks_out_of_fold(
    lessons: list[Lesson], folds: Counts, first: list[Floats], parts: SavedParts
) -> list[list[Floats]]:
    """Return the predictions of the networks for the plausible segments, by page."""

    def learn(fold: int) -> Predictions[list[Floats]]:
        rows = _rows(lessons, folds, fold)
        training, left_out = _split(lessons, fold)
        learned = _networks(lessons, rows, first, training)
        predictions = {}
        for i in left_out:
            plausible, reading = plausible_segments(first[i]), lessons[i].reading
            if reading is not None and plausible.any():
                predictions[i] = learned.predict(
                    rows[i][plausible], build_graph(reading, first[i], plausible)
                )
        return predictions

    return _in_order(lessons, parts, "networks", learn, [np.zeros(0)])


def _page(lesson: Lesson, scores: Floats) -> Floats:
    if lesson.reading is None:
        return np.zeros((0, 0))
    return page_features(lesson.reading, lesson.reading.columns.matrix(), scores)


def _selection(lesson: Lesson, scores: Floats, chances: Floats) -> list[bool]:
    if lesson.reading is None:
        return []
    return list(map(bool, select(lesson.reading, scores, chances)))


def _text(lesson: Lesson, keep: list[bool]) -> str:
    texts = [] if lesson.reading is None else lesson.reading.texts
    return "\n".join(text for text, selected in zip(texts, keep, strict=True) if selected)


def _save(
    path: Path, lessons: list[Lesson], choices: Iterable[tuple[Floats, list[bool], Floats]]
) -> None:
    """Save scores, choice and kind of every page, for :mod:`.out_of_fold`."""
    saved = {
        lesson.sample.key: {
            "scores": scores.round(4).tolist(),
            "keep": keep,
            "kind": PAGE_KINDS[int(np.argmax(chances))],
        }
        for lesson, (scores, keep, chances) in zip(lessons, choices, strict=True)
        if not lesson.sample.copy
    }
    path.write_text(json.dumps(saved))


def _f1(lesson: Lesson, text: str) -> float:
    return (
        np.nan if lesson.sample.text is None else bag(tokens(text), tokens(lesson.sample.text)).f1
    )


def _with_known_kind(lessons: list[Lesson], indexes: list[int]) -> list[int]:
    """Return the pages for learning kind and confidence: the sets whose pages have known kinds."""
    return [i for i in indexes if lessons[i].sample.set in {"wcxb", "fundus"}]


def _kind_forests(lessons: list[Lesson], rows: list[Floats], indexes: list[int]) -> BoostedTrees:
    indexes = _with_known_kind(lessons, indexes)
    matrix = np.concatenate([rows[i] for i in indexes])
    kinds = np.array([lessons[i].sample.kind for i in indexes])
    ones = np.ones(len(indexes))
    return join_forests(
        [
            grow(matrix, (kinds == name).astype(float), ones, _PAGE_TREES, **_PAGE_GROWTH)
            for name in PAGE_KINDS
        ]
    )


def _confidence_forest(
    lessons: list[Lesson], rows: list[Floats], truths: list[float], indexes: list[int]
) -> BoostedTrees:
    indexes = _with_known_kind(lessons, indexes)
    matrix = np.concatenate([rows[i] for i in indexes])
    answers = np.array([truths[i] for i in indexes])
    return grow(matrix, answers, np.ones(len(indexes)), _PAGE_TREES, **_PAGE_GROWTH)


def _chances(lessons: list[Lesson], rows: list[Floats]) -> list[Floats]:
    """Predict the probability of each kind for every page, out of fold."""
    probabilities = [np.zeros(len(PAGE_KINDS))] * len(lessons)
    for fold in range(FOLDS):
        training, left_out = _split(lessons, fold)
        forest = _kind_forests(lessons, rows, training)
        for i in left_out:
            probabilities[i] = forest.predict_many(rows[i], len(PAGE_KINDS))[0]
    return probabilities


def _confidences(lessons: list[Lesson], rows: list[Floats], truths: list[float]) -> Floats:
    """Predict the confidence for every page, out of fold."""
    predictions = np.full(len(lessons), np.nan)
    for fold in range(FOLDS):
        training, left_out = _split(lessons, fold)
        forest = _confidence_forest(lessons, rows, truths, training)
        for i in left_out:
            predictions[i] = forest.predict(rows[i])[0]
    return predictions


def _model_of_all_pages(
    lessons: list[Lesson],
    folds: Counts,
    first: list[Floats],
    pages: tuple[list[Floats], list[Floats], list[float]],
    parts: SavedParts,
) -> ClassifierModel:
    """Learn the model from all pages, but the networks from first scores out of fold.

    ``pages`` are the page features computed from first and from final scores, and the pages' F1.
    """
    everything, _ = _split(lessons, None)
    rows = _rows(lessons, folds, None)
    looks, last, truths = pages
    return ClassifierModel(
        folds.known(),
        parts.get("forest, whole", lambda: _grow(lessons, rows, everything)),
        parts.get("networks, whole", lambda: _networks(lessons, rows, first, everything)),
        _kind_forests(lessons, looks, everything),
        _confidence_forest(lessons, last, truths, everything),
    )


def _report(lessons: list[Lesson], texts: list[str]) -> None:
    words_of: dict[str, list[float]] = defaultdict(list)
    snippet_counts = {name: [0, 0] for name in ("required", "forbidden", "required, folded")}
    traf = [0, 0, 0]
    for lesson, text in zip(lessons, texts, strict=True):
        sample = lesson.sample
        if sample.copy:
            continue
        lower = sample.set == "wcxb"
        hits = [snippets(text, s, fold_case=lower) for s in (sample.required, sample.forbidden)]
        if sample.set == "traf":
            counts = (sum(hits[0]), sum(hits[1]), len(hits[0]))
            traf = [a + b for a, b in zip(traf, counts, strict=True)]
            continue
        f1 = _f1(lesson, text)
        words_of[f"{sample.set} all"].append(f1)
        if lower:
            hits.append(snippets_in_type(text, sample.required))
            words_of[f"wcxb {sample.kind}"].append(f1)
            for pair, hit in zip(snippet_counts.values(), hits, strict=True):
                pair[0] += sum(hit)
                pair[1] += len(hit)
    for name, values in sorted(words_of.items()):
        poor = statistics.mean(value < 0.7 for value in values)
        print(f"{name:24} {len(values):5} pages  word F1 {statistics.mean(values):.4f}  "
              f"under .7: {poor:.3f}")  # fmt: skip
    for name, (hit, total) in snippet_counts.items():
        print(f"wcxb {name:19} {hit / total:.4f}")
    right, wrong, required = traf
    print(f"traf snippets            F1 {2 * right / (right + wrong + required):.4f}  "
          f"P {right / (right + wrong):.4f}  R {right / required:.4f}")  # fmt: skip


def _report_pages(
    lessons: list[Lesson], chances: list[Floats], confidences: Floats, truths: list[float]
) -> None:
    pages = [
        i for i in _with_known_kind(lessons, _split(lessons, None)[0]) if not lessons[i].sample.copy
    ]
    right = statistics.mean(
        lessons[i].sample.kind == PAGE_KINDS[int(np.argmax(chances[i]))] for i in pages
    )
    print(f"kind of page right       {right:.4f}")
    for low in np.arange(0, 1, 0.1):
        indexes = [i for i in pages if low <= confidences[i] < low + 0.1]
        if indexes:
            predicted, actual = (
                statistics.mean(values[i] for i in indexes) for values in (confidences, truths)
            )
            means = f"predicted {predicted:.3f}, actual {actual:.3f}"
            print(f"confidence {low:.1f}: {len(indexes):5} pages, {means}")


if __name__ == "__main__":
    main()
