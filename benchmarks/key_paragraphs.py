"""Measure key paragraphs on articles that state a summary.

The summary is the ``description`` of a page of the corpus.  The words of three chosen paragraphs
are compared with its words (ROUGE-1).  Descriptions copied from the article are scored separately:
most are its first sentence, which the first paragraphs always contain.
"""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from printer import Article, extract
from printer.errors import NoArticle
from printer.summarize import DocumentProfile, Tokenizer, build_profile

from .corpus import require_corpus, samples
from .protocol import Effort, Row, run_alone
from .scoring import Score, word_score, words

COUNT = 3
#: The fewest paragraphs of an article, and words of its description, to measure.
MIN_PARAGRAPHS, MIN_WORDS = 8, 10


def first(profile: DocumentProfile) -> tuple[int, ...]:
    """Choose the first paragraphs."""
    return tuple(range(min(COUNT, len(profile.sums))))


def highest(profile: DocumentProfile) -> tuple[int, ...]:
    """Choose as the paper does: the highest S_j."""
    ranked = sorted(range(len(profile.sums)), key=lambda place: -profile.sums[place])
    return tuple(sorted(ranked[:COUNT]))


def best(profile: DocumentProfile) -> tuple[int, ...]:
    """Choose as webprint does."""
    return profile.best(COUNT)


def measure(step: int = 1) -> dict[tuple[str, str], list[Score]]:
    """Return the scores by method of choice and origin of the description."""
    scores: dict[tuple[str, str], list[Score]] = defaultdict(list)
    articles = (sample for sample in samples("wcxb") if sample.kind == "article")
    for sample in islice(articles, 0, None, step):
        try:
            article = extract(sample.html, sample.url)
        except NoArticle:
            continue
        if len(article.paragraphs) < MIN_PARAGRAPHS or len(words(article.lead)) < MIN_WORDS:
            continue
        profile = build_profile(article.paragraphs, Tokenizer(article.language), article.title)
        for choice in (first, highest, best):
            text = " ".join(article.paragraphs[place] for place in choice(profile))
            scores[choice.__name__, _origin(article)].append(word_score(text, article.lead))
    return scores


#: The labels of the choices and of the descriptions' origins.
LABELS = {"first": "the first three", "highest": "the paper's highest", "best": "webprint's",
        "own": "in words of its own", "copied": "copied from the text"}  # fmt: skip


def rows(effort: Effort) -> Iterator[Row]:
    require_corpus()
    scores = measure(effort.of(1, 2, 10))
    for (name, origin), method_scores in sorted(scores.items()):
        baseline = statistics.mean(score.f1 for score in scores["first", origin])
        for figure in ("precision", "recall", "f1"):
            mean = statistics.mean(getattr(score, figure) for score in method_scores)
            goal = f"≥ {baseline:.3f}" if (name, figure) == ("best", "f1") else ""
            column = f"{figure.replace('f1', 'F1')}, description {LABELS[origin]}"
            yield Row(LABELS[name], column, mean, n=len(method_scores), goal=goal)


def _origin(article: Article) -> str:
    start = re.sub(r"\W+", " ", article.lead.lower()).strip()[:60]
    return "copied" if start in re.sub(r"\W+", " ", article.text.lower()) else "own"


if __name__ == "__main__":
    run_alone(rows)
