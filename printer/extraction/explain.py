"""Explain a selection: each segment with the score of each method."""

from __future__ import annotations

from lxml.html import HtmlElement

from ..html.page import Page
from ..selection import Explanation, SegmentDecision, Verdict
from .extract import score_segments

DEPTH = 5


def explain(page: Page, verdict: Verdict) -> Explanation:
    """Return each segment with the scores of the classifier and of every paper's method."""
    scores = {**verdict.scores, **score_segments(page)}
    segments = tuple(
        SegmentDecision(
            text=segment.text,
            path=_path(segment.block),
            keep=verdict.keep[segment.index],
            scores={name: float(values[segment.index]) for name, values in scores.items()},
        )
        for segment in page.segments
    )
    return Explanation(
        page.url,
        page.metadata.title,
        verdict.kind,
        verdict.confidence,
        segments,
    )


def _path(element: HtmlElement | None) -> str:
    names: list[str] = []
    while element is not None and len(names) < DEPTH:
        name = element.get("id") or (element.get("class") or "").partition(" ")[0]
        names.append(f"{element.tag}.{name[:30]}" if name else str(element.tag))
        element = element.getparent()
    return " > ".join(reversed(names))
