"""Measure extraction on a fixed sample of the corpus, with the floors of floors.toml as goals.

Figures are of words, snippets, whole paragraphs, titles, and processor time, which depends less on
other load than elapsed time.  The shipped model was trained on these pages, so its figures here do
not estimate how it does on others; `benchmarks.train` prints those, out of fold by site.  They
guard against regressions: a quick run fails below a floor.
"""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from printer import Article, extract
from printer.errors import NoArticle

from .corpus import SETS, Sample, require_corpus, samples
from .protocol import Effort, Row, floors, run_alone
from .scoring import (
    fold,
    matching_paragraphs,
    news_score,
    paragraphs,
    shingle_score,
    snippets,
    snippets_in_type,
    word_score,
)

#: The check reads one page in this many of each set.
STEP = {"wcxb": 10, "traf": 8, "moz": 2, "fundus": 2, "defuddle": 2, "daniel": 12}
#: The figures that should be small: forbidden snippets, and the pages of news to throw away.
_SMALL = frozenset({"wcxb.forbidden", "fundus.bad", "daniel.bad"})
#: The sets of news, and the F1 under which half is missing, or as much again does not belong.
_NEWS, _BAD = frozenset({"fundus", "daniel"}), 0.7
#: How far a figure may be below its floor: less than the effect of a single page.
SLACK = 0.0005

Figures = dict[str, float]


class Found(Protocol):
    """The result of an extractor; ``title`` is None if it extracts no titles."""

    @property
    def text(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def paragraphs(self) -> Sequence[str]: ...


def rows(effort: Effort) -> Iterator[Row]:
    """Yield the figures of the fixed sample, with its floors as goals, at any effort."""
    del effort
    require_corpus()
    reached, floor_values = measure(webprint_extractor("default"), _sample()), floors("floors")
    for name, value in reached.items():
        if name in floor_values:
            is_small = name in _SMALL
            goal = (
                f"≤ {floor_values[name] + SLACK:.4f}"
                if is_small
                else f"≥ {floor_values[name] - SLACK:.4f}"
            )
            yield Row("default, pages it learned from", name, value, goal=goal, pinned=True)


def _sample() -> Iterable[Sample]:
    for name in SETS:
        yield from (s for n, s in enumerate(samples(name)) if n % STEP[name] == 0)


def measure(extract: Callable[[Sample], Found], pages: Iterable[Sample]) -> Figures:
    """Return the figures of an extractor over pages."""
    means: dict[str, list[float]] = defaultdict(list)
    totals = [0, 0, 0]
    quoted = [0, 0, 0]
    times = []
    for sample in pages:
        start = time.process_time()
        article = extract(sample)
        times.append((time.process_time() - start) * 1000)
        if sample.set == "traf":
            right, wrong = (snippets(article.text, s) for s in (sample.required, sample.forbidden))
            hit_counts = (sum(right), sum(wrong), len(right))
            quoted = [a + b for a, b in zip(quoted, hit_counts, strict=True)]
            continue
        _add(means, sample, article)
        if sample.set == "wcxb" and sample.kind == "article":
            counts = matching_paragraphs(article.paragraphs, paragraphs(sample.text or ""))
            totals = [a + b for a, b in zip(totals, counts, strict=True)]
    figures = {key: statistics.mean(values) for key, values in sorted(means.items())}
    matched, extracted, expected = totals
    figures["paragraphs.precision"] = matched / max(1, extracted)
    figures["paragraphs.recall"] = matched / max(1, expected)
    hits, misses, required = quoted
    figures["traf.f1"] = 2 * hits / max(1, hits + misses + required)
    figures["ms.mean"] = statistics.mean(times)
    figures["ms.median"] = statistics.median(times)
    return figures


def webprint_extractor(name: str) -> Callable[[Sample], Found]:
    """Return one of our extractors; for a page without an article its result is empty."""

    def read(sample: Sample) -> Article:
        try:
            return extract(sample.html, sample.url, extractor=name)
        except NoArticle:
            return Article(title="", blocks=())

    return read


def _add(means: dict[str, list[float]], sample: Sample, article: Found) -> None:
    answer, text = sample.text or "", article.text
    if sample.set in _NEWS:
        score = news_score(text, answer, sample.optional)
        means[f"{sample.set}.bad"].append(score.f1 < _BAD)
    else:
        score = word_score(text, answer)
    for figure, value in zip(("precision", "recall", "f1"), score, strict=True):
        means[f"{sample.set}.{figure}"].append(value)
    if sample.set != "wcxb":
        return
    means[f"wcxb.{sample.kind}"].append(score.f1)
    if sample.kind == "article":
        for figure, value in zip(("precision", "recall", "f1"), shingle_score(text, answer),
                                 strict=True):  # fmt: skip
            means[f"wcxb.article.shingle.{figure}"].append(value)
    means["wcxb.required"] += snippets(text, sample.required, fold_case=True)
    means["wcxb.required.folded"] += snippets_in_type(text, sample.required)
    means["wcxb.forbidden"] += snippets(text, sample.forbidden, fold_case=True)
    if sample.title and article.title is not None:
        same = fold(sample.title).lower() == fold(article.title).lower()
        means["wcxb.title"].append(same)


if __name__ == "__main__":
    run_alone(rows)
