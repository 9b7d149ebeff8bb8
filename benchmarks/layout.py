"""Measure extraction on pages that a browser drew, by whole segments as in Luo et al.

    python -m benchmarks.layout [--show]

Captures the labeled pages of tests/support/layout_pages with a real browser and prints precision
and recall of segments (equation 4 of Luo et al.), over all pages together, for ``max-subsequence``
alone and for the default with the captions of pictures removed from the text; then both without the
layout, to show what it contributes.  ``--show`` lists every wrong segment instead.  The paper
reports 91.6 and 99.1 % on its 95 news pages.
"""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass

from printer.capture import Capture
from printer.extraction import select_segments
from printer.fetch.browser.browser import Browser
from printer.fetch.ssrf import Guard
from printer.html.page import Page, read_page, strip_markers
from printer.images import place_pictures, select_by_method
from printer.options import ExtractOptions, FetchOptions
from tests.support.layout_pages import PAGES
from tests.support.layout_pages.sheet import LabeledPage
from tests.support.web_server import WebServer

from .protocol import Effort, Row, run_alone
from .scoring import Score, ratio

METHODS = ("max-subsequence", "default")


@dataclass(frozen=True)
class Sample:
    """A captured page, and the label of each of its segments."""

    name: str
    page: Page
    labels: tuple[str, ...]
    missing: tuple[str, ...]


def samples(*, without: bool = False) -> Iterator[Sample]:
    """Capture every page; ``without`` discards the layout (so that tags delimit segments)."""
    with WebServer() as web, Browser(FetchOptions(timeout=30), Guard([web.url])) as browser:
        for number, write in enumerate(PAGES):
            sheet = LabeledPage(number)
            html = write(sheet)
            for path, (body, media_type) in sheet.files.items():
                web.add(path, body, media_type=media_type)
            capture = browser.capture(web.add(f"/{write.__name__}", html))
            page = read(capture, without)
            yield labeled(write.__name__, page, sheet)


def read(capture: Capture, without: bool) -> Page:
    assert capture.layout is not None
    if without:
        plain = strip_markers(capture.body.decode(), capture.layout)
        return read_page(plain, capture.url)
    return read_page(capture.body, capture.url, capture.source.charset, capture.layout)


def labeled(name: str, page: Page, sheet: LabeledPage) -> Sample:
    """Assign labels to the segments; those without a label count as "drop".

    ``missing`` of the result are texts to keep that are not segments of the captured page.
    """
    unassigned = {text: deque(labels) for text, labels in sheet.labels.items()}
    segment_labels = []
    for segment in page.segments:
        labels = unassigned.get(segment.text)
        segment_labels.append(labels.popleft() if labels else "drop")
    missing = tuple(text for text, labels in unassigned.items() if "keep" in labels)
    return Sample(name, page, tuple(segment_labels), missing)


def select_texts(page: Page, method: str) -> list[bool]:
    """Return, for each segment, whether a method selects it as running text."""
    verdict = select_segments(page, ExtractOptions(extractor=method))
    keep = list(verdict.keep)
    if method == "default":
        for placed in place_pictures(page, select_by_method(page, verdict)):
            for index in placed.captions:
                keep[index] = False
    return keep


def find_errors(sample: Sample, keep: list[bool]) -> Iterator[tuple[str, str]]:
    """Yield the errors of a selection, each with the text of the segment."""
    for flag, label, segment in zip(keep, sample.labels, sample.page.segments, strict=True):
        if flag and label in {"drop", "caption"}:
            yield f"kept {label}", segment.text
        elif not flag and label == "keep":
            yield "lost", segment.text


def count(sample: Sample, keep: list[bool]) -> Counter[str]:
    """Count the segments of a page that are correctly kept, kept, and to be kept."""
    pairs = [(flag, label) for flag, label in zip(keep, sample.labels, strict=True)
             if label != "either"]  # fmt: skip
    return Counter(
        right=sum(flag and label == "keep" for flag, label in pairs),
        selected=sum(flag for flag, _ in pairs),
        expected=sum(label == "keep" for _, label in pairs),
    )


def measure(samples: list[Sample]) -> dict[str, Score]:
    """Return the score of each method over all pages."""
    scores = {}
    for method in METHODS:
        counts = sum((count(s, select_texts(s.page, method)) for s in samples), Counter[str]())
        scores[method] = ratio(counts["right"], counts["selected"], counts["expected"])
    return scores


#: Goals of precision and recall; those of the method alone are what Luo et al. report.
GOALS = {"max-subsequence": (0.916, 0.991), "default": (0.97, 0.99)}


def rows(effort: Effort) -> Iterator[Row]:
    for without in effort.of((False, True), (False, True), (False,)):
        captured = list(samples(without=without))
        expected = sum(sample.labels.count("keep") for sample in captured)
        for method, score in measure(captured).items():
            subject = f"{method}, {'without' if without else 'with'} the layout"
            for figure, goal_value in zip(("precision", "recall"), GOALS[method], strict=True):
                goal = "" if without else f"≥ {goal_value}"
                value = getattr(score, figure)
                yield Row(subject, f"segments, {figure}", value, n=expected, goal=goal)


def main() -> None:
    if "--show" not in sys.argv:
        run_alone(rows)
        return
    for sample in samples():
        for text in sample.missing:
            print(f"{sample.name}: not captured: {text[:70]}")
        for method in METHODS:
            for fault, text in find_errors(sample, select_texts(sample.page, method)):
                print(f"{method:16} {sample.name:22} {fault:13} {text[:60]}")


if __name__ == "__main__":
    main()
