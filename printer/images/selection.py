"""What is decided about a page's pictures: which are the article's, and why the others are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from lxml.html import HtmlElement

from ..article import Figure
from ..html.page import Page
from ..selection import PictureDecision, PlacedFigure, Verdict
from .candidates import Candidate, drawing_source
from .captions import Caption
from .srcset import best_address

#: Strips that advertisements are sold in; no photograph is cut to exactly these.
BANNER_SIZES = frozenset({
    (728, 90), (970, 90), (970, 250), (468, 60), (234, 60), (320, 50), (320, 100), (300, 50),
    (120, 600), (160, 600), (300, 600), (300, 1050),
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLimits:
    """The smallest sides in pixels, the largest ratio of the sides, and the smallest file.

    The defaults are CUTER's, except the ratio, for which the paper names no number.  ``long`` is
    the least of the longer side; ``small_file`` is the shorter side from which on a picture may
    have a file of less than ``file`` bytes (0: no picture may).  ``strips`` refuses the sizes
    that advertisements are sold in.
    """

    min_side: int = 150
    min_long_side: int = 150
    max_ratio: float = 3.5
    min_bytes: int = 2048
    min_bytes_below: int = 0
    reject_ad_sizes: bool = False

    def reject_reason(self, width: int, height: int, size: int | None = None) -> str:
        """Return why a picture of these sides, and of a file of ``size`` bytes, is refused."""
        shown = f"{width} x {height} pixels"
        low, high = sorted((width, height))
        if low < self.min_side or high < self.min_long_side:
            return f"too small ({shown})"
        if high > self.max_ratio * low or (
            self.reject_ad_sizes and (width, height) in BANNER_SIZES
        ):
            return f"shaped like a banner ({shown})"
        if size is not None and size < self.min_bytes and not 0 < self.min_bytes_below <= low:
            return f"too small a file ({size} bytes)"
        return ""


#: CUTER's limits.
CUTER_LIMITS = SizeLimits()

#: What the file of a picture must not be, whatever else speaks for it: a spacer, an icon, a small
#: portrait, a banner.  Formulas are low, and diagrams have small files too.
ICON_LIMITS = SizeLimits(
    min_side=16, min_long_side=100, max_ratio=9.0, min_bytes_below=150, reject_ad_sizes=True
)


@dataclass(frozen=True, slots=True, eq=False)
class SelectedPicture:
    """A picture of the article and its caption."""

    candidate: Candidate
    caption: Caption


@dataclass(frozen=True, slots=True, eq=False)
class RejectedPicture:
    """A picture that is not the article's, or not wanted, and why.

    ``captions`` are the segments of its caption when those words go with the picture.
    """

    candidate: Candidate
    reason: str
    caption_segments: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PictureSelection:
    """The pictures kept and those dropped, each in document order."""

    selected: tuple[SelectedPicture, ...] = ()
    rejected: tuple[RejectedPicture, ...] = ()


def place_picture(page: Page, kept: SelectedPicture) -> PlacedFigure:
    """Make the article's figure of a picture.

    A lead picture that only the metadata names is placed at the body, before all that it holds.
    """
    candidate, caption = kept.candidate, kept.caption
    sources = candidate.sources(page.base)
    figure = Figure(
        src=sources[0] if sources else "",
        sources=sources,
        caption_spans=caption.spans,
        alt=candidate.alt,
        credit=caption.credit,
        width=candidate.width,
        height=candidate.height,
        svg=drawing_source(candidate.element) if candidate.kind == "drawing" else "",
        id=candidate.element.get("id") or "",
    )
    return PlacedFigure(figure, candidate.element, caption.segments)


#: A picture that is declared smaller, in CSS pixels, is none that a reader misses.
_SMALL = 100

#: Captions that are more of the article than this are what it is made of.
_MOST_SHARE = 0.5


def drop_captions(page: Page, verdict: Verdict, choice: PictureSelection) -> Verdict:
    """Take the captions of pictures that are not printed out of the article's text."""
    silent = frozenset[int]().union(*(each.caption_segments for each in choice.rejected))
    if not silent:
        return verdict
    if not is_minor_text(page, verdict, silent):
        return verdict
    left = (keep and index not in silent for index, keep in enumerate(verdict.keep))
    return replace(verdict, keep=tuple(left))


def is_minor_text(page: Page, verdict: Verdict, captions: Iterable[int]) -> bool:
    """Tell whether captions stand beside the article, and are not most of it."""
    sizes = [
        len(each.text) if k else 0 for each, k in zip(page.segments, verdict.keep, strict=True)
    ]
    return sum(sizes[index] for index in captions) <= _MOST_SHARE * sum(sizes)


def override(
    choice: PictureSelection,
    unwanted: AbstractSet[HtmlElement],
    wanted: AbstractSet[HtmlElement],
    reason: Callable[[HtmlElement], str],
    captioned: Callable[[Candidate], Caption],
) -> PictureSelection:
    """Return the choice without pictures in unwanted elements, and with those in wanted ones.

    ``reason`` says why a picture is unwanted; ``captioned`` finds the caption of one that was
    dropped.  Of two places of a wanted picture the first is taken.
    """
    kept = [each for each in choice.selected if not _is_in(each.candidate, unwanted)]
    gone = [each for each in choice.selected if _is_in(each.candidate, unwanted)]
    taken = {each.candidate.url_key for each in kept if each.candidate.url_key}
    dropped = [
        RejectedPicture(each.candidate, reason(each.candidate.element), each.caption.segments)
        for each in gone
    ]
    for each in choice.rejected:
        candidate = each.candidate
        if not _is_in(candidate, wanted) or candidate.url_key in taken:
            dropped.append(each)
        else:
            taken |= {candidate.url_key} - {""}
            kept.append(SelectedPicture(candidate, captioned(candidate)))
    kept.sort(key=_order)
    dropped.sort(key=_order)
    return PictureSelection(tuple(kept), tuple(dropped))


def find_alternatives(
    page: Page, choice: PictureSelection, near: range, most: int
) -> tuple[PlacedFigure, ...]:
    """Return pictures near the article that were dropped and are large enough to be wanted."""
    taken = {each.candidate.url_key for each in choice.selected if each.candidate.url_key}
    found: list[PlacedFigure] = []
    for each in choice.rejected:
        candidate = each.candidate
        small = 0 < candidate.width < _SMALL or 0 < candidate.height < _SMALL
        if small or candidate.kind != "image" or candidate.segment not in near:
            continue
        if candidate.url_key and candidate.url_key in taken:
            continue
        made = place_picture(page, SelectedPicture(candidate, Caption()))
        if made.figure.src.startswith(("http://", "https://")) and len(found) < most:
            taken.add(candidate.url_key)
            found.append(made)
    return tuple(found)


def _is_in(candidate: Candidate, elements: AbstractSet[HtmlElement]) -> bool:
    """Say whether a picture is in one of some elements; what is read from text has its holder."""
    if not elements:
        return False
    element: HtmlElement | None = candidate.element
    while element is not None:
        if element in elements:
            return True
        element = element.getparent()
    return False


def _order(each: SelectedPicture | RejectedPicture) -> tuple[int, int]:
    return each.candidate.index, each.candidate.segment


#: What is told of a picture's address or words, in characters.
_MOST_TOLD = 500


def picture_decisions(page: Page, choice: PictureSelection) -> tuple[PictureDecision, ...]:
    """Tell of every picture what was decided, in document order."""
    kept = [(each.candidate, each.caption, "") for each in choice.selected]
    dropped = [(each.candidate, Caption(), each.reason) for each in choice.rejected]
    found = sorted([*kept, *dropped], key=lambda each: (each[0].segment, each[0].index))
    return tuple(_judged(page, *each) for each in found)


def _judged(page: Page, candidate: Candidate, caption: Caption, reason: str) -> PictureDecision:
    sources = candidate.sources(page.base)
    return PictureDecision(
        url=sources[0][:_MOST_TOLD] if sources else "",
        kind=candidate.kind,
        alt=candidate.alt[:_MOST_TOLD],
        caption=caption.text[:_MOST_TOLD],
        credit=caption.credit[:_MOST_TOLD],
        width=candidate.width,
        height=candidate.height,
        reason=reason,
    )


def merge_copies(choice: PictureSelection) -> tuple[SelectedPicture, ...]:
    """Give every picture kept the addresses of its copies elsewhere on the page."""
    copies: dict[str, list[Candidate]] = {}
    for each in (*(k.candidate for k in choice.selected), *(d.candidate for d in choice.rejected)):
        if each.url_key:
            copies.setdefault(each.url_key, []).append(each)
    united = []
    for kept in choice.selected:
        others = copies.get(kept.candidate.url_key, [])
        if len(others) > 1:
            named = {a.url: a for c in (kept.candidate, *others) for a in c.addresses}
            addresses = tuple(named.values())
            chosen = best_address(addresses)
            whole = replace(kept.candidate, addresses=addresses, best=chosen)
            united.append(replace(kept, candidate=whole))
        else:
            united.append(kept)
    return tuple(united)
