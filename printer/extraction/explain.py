"""Why the article is what it is: every segment with every method's score."""

from __future__ import annotations

from collections.abc import Sequence

from lxml.html import HtmlElement

from ..html.page import Page
from ..layout import Visibility
from ..selection import Explanation, MarkedArea, PlacedFigure, SegmentDecision, Verdict
from .extract import score_segments
from .visual import read_segment_layout

#: How many ancestors name a segment's place.
DEPTH = 5


def explain(page: Page, verdict: Verdict, pictures: Sequence[PlacedFigure] = ()) -> Explanation:
    """Set each segment beside what the default and every paper's method thought of it.

    ``pictures`` are those kept, where they stand.
    """
    scores = {**verdict.scores, **score_segments(page)}
    judged = (
        SegmentDecision(
            text=segment.text,
            path=_place(segment.block),
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
        tuple(judged),
        areas=_marks(page, verdict, pictures),
    )


def _marks(
    page: Page, verdict: Verdict, pictures: Sequence[PlacedFigure]
) -> tuple[MarkedArea, ...]:
    """Return the places of a page's segments and pictures as a browser drew them."""
    drawn = read_segment_layout(page)
    if drawn is None or page.layout is None:
        return ()
    title = page.metadata.title.casefold().split()
    titles = (at for at, each in enumerate(page.segments) if each.text.casefold().split() == title)
    printed = {next(titles, -1)}  # The title is printed though it is no running text.
    captions = frozenset[int]().union(*(each.captions for each in pictures))
    marks = []
    for at, (area, keep) in enumerate(zip(drawn.text_rects, verdict.keep, strict=True)):
        # Layers over the page are left out of its picture.
        if area is not None and not drawn.visibilities[at] & Visibility.FIXED:
            keep = keep or at in printed
            marks.append(
                MarkedArea(area, "caption" if at in captions else "kept" if keep else "dropped")
            )
    graphics = (page.layout.graphics.get(each.element) for each in pictures)
    return (*marks, *(MarkedArea(each.rect, "picture") for each in graphics if each is not None))


def _place(element: HtmlElement | None) -> str:
    names: list[str] = []
    while element is not None and len(names) < DEPTH:
        mark = element.get("id") or (element.get("class") or "").partition(" ")[0]
        names.append(f"{element.tag}.{mark[:30]}" if mark else str(element.tag))
        element = element.getparent()
    return " > ".join(reversed(names))
