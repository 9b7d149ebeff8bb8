"""Measure extraction on the corpus: `python -m benchmarks.text_quality [--check] [NAME ...]`.

Prints a table of the extractors named, or of all: words, snippets, whole paragraphs, titles, and
processor time, which depends less on other load than elapsed time.  The shipped model was trained
on these pages, so its figures here do not estimate how it does on others; `benchmarks.train` prints
those, out of fold by site.  They guard against regressions: ``--check`` runs the default extractor
on a fixed sample of pages and compares the figures with floors.toml.  ``--raise`` raises the floors
to the figures reached; only ``--lower NAME`` lowers one.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from printer import Article, extract
from printer.errors import NoArticle
from printer.extraction import EXTRACTORS

from .corpus import SETS, Sample, is_available, require_corpus, samples
from .protocol import FLOORS, Effort, Row, floors
from .scoring import (
    folded,
    matching_paragraphs,
    news_score,
    paragraphs,
    shingle_score,
    snippets,
    snippets_in_type,
    word_score,
)

#: The check reads one page in this many of each set.
STEP = {"wcxb": 6, "traf": 4, "moz": 1, "fundus": 1, "defuddle": 1, "daniel": 4}
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


def main() -> int:
    parser = argparse.ArgumentParser(description="measure extraction on the corpus")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="the extractors to measure (default: all)"
    )
    parser.add_argument("--check", action="store_true", help="compare a sample with floors.toml")
    parser.add_argument(
        "--raise", dest="lift", action="store_true", help="raise the floors to the measured values"
    )
    parser.add_argument("--lower", action="append", default=[], metavar="NAME",
                        help="lower this floor to the measured value")  # fmt: skip
    parser.add_argument("--step", type=int, default=1, metavar="N", help="read one page in N")
    chosen = parser.parse_args()
    if not is_available():
        print("the corpus is not available, so nothing was measured: see docs/model-card.md")
        return 0
    if chosen.check or chosen.lift or chosen.lower:
        reached = measure(webprint_extractor("default"), _sample())
        return _compare(reached, lift=chosen.lift, lower=chosen.lower)
    for name in chosen.names or EXTRACTORS:
        pages = (
            s for set_name in SETS for n, s in enumerate(samples(set_name)) if n % chosen.step == 0
        )
        print(f"\n{name}")
        for figure, value in measure(webprint_extractor(name), pages).items():
            print(f"  {figure:24} {value:.4f}")
    return 0


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
    right_ones, found_ones, expected = totals
    figures["paragraphs.precision"] = right_ones / max(1, found_ones)
    figures["paragraphs.recall"] = right_ones / max(1, expected)
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
        same = folded(sample.title).lower() == folded(article.title).lower()
        means["wcxb.title"].append(same)


def _compare(reached: Figures, *, lift: bool, lower: Sequence[str]) -> int:
    """Print each figure beside its floor; return 1 if any is below it."""
    least = dict(floors("floors"))
    compared = {name: value for name, value in reached.items() if not name.startswith("ms.")}
    failed = False
    for name, value in compared.items():
        sign = -1 if name in _SMALL else 1
        floor = least.get(name)
        under = floor is not None and sign * (value - floor) < -SLACK and name not in lower
        failed |= under
        if floor is None or name in lower or (lift and sign * (value - floor) > 0):
            least[name] = round(value, 4)
        mark = "  UNDER" if under else ""
        print(f"  {name:28} {value:.4f}  floor {least[name]:.4f}{mark}")
    print(f"  ms a page: mean {reached['ms.mean']:.1f}, median {reached['ms.median']:.1f}")
    if lift or lower:
        lines = "\n".join(f'"{name}" = {value:.4f}' for name, value in sorted(least.items()))
        head, _, rest = FLOORS.read_text().partition("[floors]\n")
        other_tables = rest[rest.index("\n\n") :] if "\n\n" in rest else "\n"
        FLOORS.write_text(f"{head}[floors]\n{lines}{other_tables}")
    if failed:
        print("extraction got worse; if that is intended, lower the floor with --lower NAME")
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
