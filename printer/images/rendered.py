"""The pictures of a page as a browser drew them: their real sizes, backgrounds of style sheets.

A page without a layout is read by its markup alone (:mod:`printer.images.candidates`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from lxml.html import HtmlElement

from ..html.layout import PageLayout
from ..html.page import Page
from ..layout import Graphic, Rect, is_seen
from ..selection import Verdict
from .candidates import MOST_OVER, NO_BACKGROUND, Candidate, find_candidates
from .srcset import PLAIN, PREVIEW, VERSION, Address, best, likeness

#: A box smaller than this is a picture that was not loaded, or none that is seen.
_LEAST = 2.0
#: A background smaller than this decorates.
_LEAST_BACKGROUND = 150.0
_MOST_BACKGROUNDS = 100
#: What has more text over it is paper for that text.
_MOST_CHARS = 150
#: What part of the article's text may stand outside its column, on each side.
_OUTSIDE = 0.05


def candidates_of(page: Page, near: range | None = None) -> list[Candidate]:
    """Return the pictures of a page in document order, as they are drawn where that is known.

    ``near`` is as for :func:`printer.images.candidates.find_candidates`.
    """
    found = find_candidates(page, near)
    drawn = page.layout
    if drawn is None:
        return found
    found = [_as_drawn(each, drawn.graphics.get(each.element)) for each in found]
    more = list(_backgrounds(page, drawn, near, {each.element for each in found}))
    return sorted([*found, *more], key=lambda each: (each.before, each.at)) if more else found


def _as_drawn(candidate: Candidate, graphic: Graphic | None) -> Candidate:
    """Give a candidate the size it is drawn at, its own size, and the address that is shown."""
    if graphic is None or min(graphic.rect.width, graphic.rect.height) < _LEAST:
        return candidate
    width, height = round(graphic.rect.width), round(graphic.rect.height)
    addresses = list(candidate.addresses)
    known = {each.url for each in addresses}
    if candidate.kind == "image" and graphic.src.startswith("http") and graphic.src not in known:
        shows = all(each.rank == PREVIEW for each in addresses)
        addresses.append(Address(graphic.src, graphic.width, PLAIN if shows else VERSION))
    return replace(
        candidate,
        width=width,
        height=height,
        natural=max(candidate.natural, graphic.width),
        addresses=tuple(addresses),
        chosen=best(addresses) if addresses else candidate.chosen,
    )


def _backgrounds(
    page: Page, drawn: PageLayout, near: range | None, taken: set[HtmlElement]
) -> Iterator[Candidate]:
    """Yield the backgrounds that style sheets give to elements with little text over them."""
    outline = page.index
    index = None
    count = 0
    for element, graphic in drawn.graphics.items():
        if not graphic.background or element in taken or element.tag in NO_BACKGROUND:
            continue
        if min(graphic.rect.width, graphic.rect.height) < _LEAST_BACKGROUND:
            continue
        if index is None:
            index = {each: at for at, each in enumerate(outline.elements)}
        at = index.get(element)
        if at is None or count >= _MOST_BACKGROUNDS:
            continue
        before = outline.segment_begins[at]
        if near is not None and before not in near:
            continue
        over = page.segments[before : min(outline.segment_ends[at], before + MOST_OVER + 1)]
        if len(over) > MOST_OVER or sum(len(each.text) for each in over) > _MOST_CHARS:
            continue
        if element.find(".//img") is not None:
            continue
        count += 1
        address = Address(graphic.src)
        yield Candidate(
            element=element,
            kind="background",
            at=at,
            before=before,
            addresses=(address,),
            alt=" ".join((element.get("aria-label") or "").split())[:2000],
            width=round(graphic.rect.width),
            height=round(graphic.rect.height),
            same=likeness(graphic.src),
            chosen=address,
        )


class Column(NamedTuple):
    """Where the lines of the article begin and end, in CSS pixels from the page's left."""

    left: float
    right: float

    def holds(self, rect: Rect) -> bool:
        """Tell whether a box reaches into the column."""
        return rect.right > self.left and rect.left < self.right


def column(page: Page, verdict: Verdict) -> Column | None:
    """Return the column of the article's text, as far as it was drawn."""
    if page.layout is None:
        return None
    rects = [
        (text.rect, len(segment.text))
        for segment, keep in zip(page.segments, verdict.keep, strict=True)
        if keep
        for text in map(page.layout.texts.get, segment.leaves)
        if text is not None and text.rect.width > _LEAST
    ]
    if not rects:
        return None
    left = _quantile(sorted((rect.left, size) for rect, size in rects))
    right = -_quantile(sorted((-rect.right, size) for rect, size in rects))
    return Column(left, right) if left < right else None


def _quantile(weighed: list[tuple[float, int]]) -> float:
    """Return the least value but for a small part of the whole weight."""
    rest = _OUTSIDE * sum(size for _, size in weighed)
    for value, size in weighed:
        rest -= size
        if rest < 0:
            return value
    return weighed[-1][0]


def beside(page: Page, candidate: Candidate, lines: Column | None) -> bool:
    """Tell whether a picture is drawn beside the article's column, in a column of its own.

    What is clipped, or off the page, may be slides of a gallery, which stand anywhere.
    """
    graphic = page.layout.graphics.get(candidate.element) if page.layout else None
    if graphic is None or lines is None or not is_seen(graphic.sight):
        return False
    drawn = min(graphic.rect.width, graphic.rect.height) >= _LEAST
    return drawn and not lines.holds(graphic.rect)
