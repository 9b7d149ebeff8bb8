"""Learn the weights of the default picture selection: logistic regression over its features.

usage: python -m benchmarks.train_pictures

Learns from the pages labeled by hand and from the news pages of the set ``fundus``, and writes
printer/images/weights.json.  Pages of a site are never in two folds.  A page has the weight of the
square root of its number of pictures, so that galleries do not dominate.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from printer.html.page import Page
from printer.images import methods
from printer.images.candidates import Candidate, find_candidates
from printer.images.features import FeatureReader
from printer.images.methods import Weights, select_by_score
from printer.images.papers.cuter import article_bounds, nearby_segments
from printer.images.selection import PictureSelection
from printer.selection import Verdict

from . import corpus
from .picture_labels import Labeled, labeled, labeled_news

WEIGHTS = Path(methods.__file__).with_name("weights.json")
#: The strength of the ridge penalty, and the probability from which a picture is kept.
PENALTY = 3.0
PROBABILITY = 0.45
ROUNDS = 30
#: Prior weights of features that are too rare on the labeled pages: the penalty pulls their
#: weights towards these instead of towards 0.
KNOWN = {
    "under the word for advertising": -2.5,
    "named as advertising": -1.5,
    "from a host of ads": -1.5,
    "size of an ad": -1.0,
    "file of an ad": -1.0,
    "linked for money": -1.5,
    "named as a portrait": -1.0,
    "file of a portrait": -1.0,
    "from a host of portraits": -1.0,
    "named as a logo": -1.0,
    "file of a logo": -1.0,
    "file of a network": -1.0,
    "file of nothing": -1.0,
    "named for sharing": -1.0,
    "named as comments": -1.0,
    "named as another story": -0.5,
    "linked for sharing": -2.0,
    "linked with words of its own": -0.5,
    "alt names the site": -1.0,
    "in navigation": -1.0,
    "in a footer": -1.0,
    "in an aside": -0.5,
    "in a button": -1.0,
    "side under 32": -2.0,
    "side under 64": -1.0,
    "side under 100": -0.5,
    "file under 100 wide": -1.5,
    "repeated often": -1.0,
    "in a figure": 1.0,
    "side large": 0.5,
    "the page's own picture": 1.0,
}
FOLDS = 10


def learn(pages: Sequence[Labeled]) -> Weights:
    """Learn weights from labeled pages (Newton's method)."""
    rows: list[tuple[frozenset[str], bool, float]] = []
    for answer in pages:
        candidates = []
        for candidate, features in _candidate_features(answer.page, answer.verdict):
            urls = answer.keys(candidate.urls(answer.page.base))
            if not urls & answer.open:
                candidates.append((features, any(urls & same for same, _ in answer.pictures)))
        row_weight = 1 / math.sqrt(len(candidates)) if candidates else 0.0
        rows += [(features, is_correct, row_weight) for features, is_correct in candidates]
    feature_names = sorted(frozenset(KNOWN).union(*(features for features, _, _ in rows)))
    column_by_name = {name: index for index, name in enumerate(feature_names)}
    x = np.zeros((len(rows), len(feature_names)))
    for number, (features, _, _) in enumerate(rows):
        x[number, [column_by_name[name] for name in features]] = 1
    y = np.array([is_correct for _, is_correct, _ in rows], float)
    weight = np.array([row_weight for _, _, row_weight in rows])
    weight /= weight.mean()
    prior = np.array([KNOWN.get(name, 0.0) for name in feature_names])
    beta = prior
    for _ in range(ROUNDS):
        p = 1 / (1 + np.exp(-x @ beta))
        slope = x.T @ (weight * (p - y)) + PENALTY * (beta - prior)
        curve = (x * (weight * p * (1 - p))[:, None]).T @ x + PENALTY * np.eye(len(feature_names))
        beta = beta - np.linalg.solve(curve, slope)
    weights = {
        name: round(float(value), 2) for name, value in zip(feature_names, beta, strict=True)
    }
    return Weights(weights, round(math.log(PROBABILITY / (1 - PROBABILITY)), 2))


def _candidate_features(page: Page, verdict: Verdict) -> list[tuple[Candidate, frozenset[str]]]:
    """Return the features of each picture near the text."""
    bounds = article_bounds(page, verdict)
    if bounds is None:
        return []
    nearby = nearby_segments(page, bounds)
    candidates = find_candidates(page, nearby)
    reader = FeatureReader(page, verdict, candidates, bounds)
    return [
        (candidate, reader.features(candidate))
        for candidate in candidates
        if candidate.segment in nearby or candidate.url_key
    ]


def out_of_fold(pages: Sequence[Labeled], seed: int = 1) -> Mapping[Labeled, PictureSelection]:
    """Select the pictures of each page with weights learned on the other folds."""
    sites = sorted({answer.site for answer in pages})
    random.Random(seed).shuffle(sites)
    choices: dict[Labeled, PictureSelection] = {}
    for fold in range(FOLDS):
        aside = set(sites[fold::FOLDS])
        weights = learn([answer for answer in pages if answer.site not in aside])
        for answer in pages:
            if answer.site in aside:
                choices[answer] = select_by_score(answer.page, answer.verdict, weights)
    return choices


def main() -> int:
    """Learn from all labeled pages and write the weights."""
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    if not (corpus.CORPUS / "images.jsonl").is_file():
        print(f"no labeled pictures in {corpus.CORPUS}: nothing was learned", file=sys.stderr)
        return 1
    weights = learn([*labeled(), *labeled_news()])
    by_feature = {name: value for name, value in sorted(weights.weights.items()) if value}
    data = {"threshold": weights.threshold, "weights": by_feature}
    WEIGHTS.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(f"{len(by_feature)} weights in {WEIGHTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
