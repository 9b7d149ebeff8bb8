"""Why the article is what it is: every segment with every method's score."""

from __future__ import annotations

from lxml.html import HtmlElement

from ..dom.page import Page
from ..model import Explanation, Judged, Verdict
from .registry import score_all

#: How many ancestors name a segment's place.
DEPTH = 5


def explain(page: Page, verdict: Verdict) -> Explanation:
    """Set each segment beside what the default and every paper's method thought of it."""
    scores = {**verdict.scores, **score_all(page)}
    judged = (
        Judged(
            text=segment.text,
            place=_place(segment.block),
            keep=verdict.keep[segment.index],
            scores={name: float(values[segment.index]) for name, values in scores.items()},
        )
        for segment in page.segments
    )
    return Explanation(
        page.url, page.metadata.title, verdict.kind, verdict.confidence, tuple(judged)
    )


def _place(element: HtmlElement | None) -> str:
    names: list[str] = []
    while element is not None and len(names) < DEPTH:
        mark = element.get("id") or (element.get("class") or "").partition(" ")[0]
        names.append(f"{element.tag}.{mark[:30]}" if mark else str(element.tag))
        element = element.getparent()
    return " > ".join(reversed(names))
