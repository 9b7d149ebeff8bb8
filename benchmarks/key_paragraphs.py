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

from .corpus import samples, there
from .protocol import Effort, Row, Unavailable, run_alone
from .scoring import Score, word_score, words

COUNT = 3
#: The fewest paragraphs of an article, and words of its description, to measure.
MIN_PARAGRAPHS, MIN_WORDS = 8, 10


def first(found: DocumentProfile) -> tuple[int, ...]:
    """Choose the first paragraphs."""
    return tuple(range(min(COUNT, len(found.sums))))


def highest(found: DocumentProfile) -> tuple[int, ...]:
    """Choose as the paper does: the highest S_j."""
    ranked = sorted(range(len(found.sums)), key=lambda place: -found.sums[place])
    return tuple(sorted(ranked[:COUNT]))


def best(found: DocumentProfile) -> tuple[int, ...]:
    """Choose as webprint does."""
    return found.best(COUNT)


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
        found = build_profile(article.paragraphs, Tokenizer(article.language), article.title)
        for choice in (first, highest, best):
            text = " ".join(article.paragraphs[place] for place in choice(found))
            scores[choice.__name__, _origin(article)].append(word_score(text, article.lead))
    return scores


#: The labels of the choices and of the descriptions' origins.
LABELS = {"first": "the first three", "highest": "the paper's highest", "best": "webprint's",
        "own": "in words of its own", "copied": "copied from the text"}  # fmt: skip


def rows(effort: Effort) -> Iterator[Row]:
    if not there():
        raise Unavailable("not measured: the corpus is not available")
    scores = measure(effort.of(1, 2, 10))
    for (name, origin), found in sorted(scores.items()):
        first_ = statistics.mean(score.f1 for score in scores["first", origin])
        for figure in ("precision", "recall", "f1"):
            mean = statistics.mean(getattr(score, figure) for score in found)
            goal = f"≥ {first_:.3f}" if (name, figure) == ("best", "f1") else ""
            column = f"{figure.replace('f1', 'F1')}, description {LABELS[origin]}"
            yield Row(LABELS[name], column, mean, n=len(found), goal=goal)


def _origin(article: Article) -> str:
    start = re.sub(r"\W+", " ", article.lead.lower()).strip()[:60]
    return "copied" if start in re.sub(r"\W+", " ", article.text.lower()) else "own"


if __name__ == "__main__":
    run_alone(rows)
