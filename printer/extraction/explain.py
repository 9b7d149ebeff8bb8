"""Explain a selection: each segment with the score of each method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml.html import HtmlElement

from ..capture import Visibility
from ..html.page import Page
from ..selection import Explanation, MarkedArea, PlacedFigure, SegmentDecision, Verdict
from .extract import score_segments
from .visual import read_segment_layout

#: The number of ancestors in a segment's path.
DEPTH = 5


def explain(page: Page, verdict: Verdict, pictures: Sequence[PlacedFigure] = ()) -> Explanation:
    """Explain a selection.

    Args:
        page: The page.
        verdict: The decision about its segments.
        pictures: The selected pictures.

    Returns:
        Each segment with the scores of the classifier and of every paper's method; for a rendered
        page, also the areas of segments and pictures.
    """
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
        areas=tuple(_areas(page, verdict, pictures)),
    )


def _areas(page: Page, verdict: Verdict, pictures: Sequence[PlacedFigure]) -> Iterator[MarkedArea]:
    """Yield the areas of a page's segments and pictures as a browser rendered them."""
    layout = read_segment_layout(page)
    if layout is None or page.layout is None:
        return
    title = page.metadata.title.casefold().split()
    # The title is printed although it is not running text.
    titles = (at for at, it in enumerate(page.segments) if it.text.casefold().split() == title)
    title_at = next(titles, -1)
    captions = frozenset[int]().union(*(picture.captions for picture in pictures))
    for at, (rect, keep) in enumerate(zip(layout.text_rects, verdict.keep, strict=True)):
        # Layers over the page are hidden in its screenshot.
        if rect is not None and not layout.visibilities[at] & Visibility.FIXED:
            if at in captions:
                yield MarkedArea(rect, "caption")
            else:
                yield MarkedArea(rect, "kept" if keep or at == title_at else "dropped")
    for picture in pictures:
        box = page.layout.graphics.get(picture.element)
        if box is not None:
            yield MarkedArea(box.rect, "picture")


def _path(element: HtmlElement | None) -> str:
    names: list[str] = []
    while element is not None and len(names) < DEPTH:
        name = element.get("id") or (element.get("class") or "").partition(" ")[0]
        names.append(f"{element.tag}.{name[:30]}" if name else str(element.tag))
        element = element.getparent()
    return " > ".join(reversed(names))
