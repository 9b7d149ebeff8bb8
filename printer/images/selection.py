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
from .srcset import best

#: Strips that advertisements are sold in; no photograph is cut to exactly these.
STRIPS = frozenset({
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

    side: int = 150
    long: int = 150
    ratio: float = 3.5
    file: int = 2048
    small_file: int = 0
    strips: bool = False

    def fault(self, width: int, height: int, size: int | None = None) -> str:
        """Return why a picture of these sides, and of a file of ``size`` bytes, is refused."""
        shown = f"{width} x {height} pixels"
        low, high = sorted((width, height))
        if low < self.side or high < self.long:
            return f"too small ({shown})"
        if high > self.ratio * low or (self.strips and (width, height) in STRIPS):
            return f"shaped like a banner ({shown})"
        if size is not None and size < self.file and not 0 < self.small_file <= low:
            return f"too small a file ({size} bytes)"
        return ""


#: CUTER's limits.
PAPER = SizeLimits()

#: What the file of a picture must not be, whatever else speaks for it: a spacer, an icon, a small
#: portrait, a banner.  Formulas are low, and diagrams have small files too.
ICONS = SizeLimits(side=16, long=100, ratio=9.0, small_file=150, strips=True)


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """A picture of the article and its caption."""

    candidate: Candidate
    caption: Caption


@dataclass(frozen=True, slots=True, eq=False)
class Dropped:
    """A picture that is not the article's, or not wanted, and why.

    ``captions`` are the segments of its caption when those words go with the picture.
    """

    candidate: Candidate
    reason: str
    captions: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Choice:
    """The pictures kept and those dropped, each in document order."""

    kept: tuple[Kept, ...] = ()
    dropped: tuple[Dropped, ...] = ()


def place(page: Page, kept: Kept) -> PlacedFigure:
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


def without_captions(page: Page, verdict: Verdict, choice: Choice) -> Verdict:
    """Take the captions of pictures that are not printed out of the article's text."""
    silent = frozenset[int]().union(*(each.captions for each in choice.dropped))
    if not silent:
        return verdict
    if not is_aside(page, verdict, silent):
        return verdict
    left = (keep and index not in silent for index, keep in enumerate(verdict.keep))
    return replace(verdict, keep=tuple(left))


def is_aside(page: Page, verdict: Verdict, captions: Iterable[int]) -> bool:
    """Tell whether captions stand beside the article, and are not most of it."""
    sizes = [
        len(each.text) if k else 0 for each, k in zip(page.segments, verdict.keep, strict=True)
    ]
    return sum(sizes[index] for index in captions) <= _MOST_SHARE * sum(sizes)


def insisted(
    choice: Choice,
    unwanted: AbstractSet[HtmlElement],
    wanted: AbstractSet[HtmlElement],
    reason: Callable[[HtmlElement], str],
    captioned: Callable[[Candidate], Caption],
) -> Choice:
    """Return the choice without pictures in unwanted elements, and with those in wanted ones.

    ``reason`` says why a picture is unwanted; ``captioned`` finds the caption of one that was
    dropped.  Of two places of a wanted picture the first is taken.
    """
    kept = [each for each in choice.kept if not _is_in(each.candidate, unwanted)]
    gone = [each for each in choice.kept if _is_in(each.candidate, unwanted)]
    taken = {each.candidate.same for each in kept if each.candidate.same}
    dropped = [
        Dropped(each.candidate, reason(each.candidate.element), each.caption.segments)
        for each in gone
    ]
    for each in choice.dropped:
        candidate = each.candidate
        if not _is_in(candidate, wanted) or candidate.same in taken:
            dropped.append(each)
        else:
            taken |= {candidate.same} - {""}
            kept.append(Kept(candidate, captioned(candidate)))
    kept.sort(key=_order)
    dropped.sort(key=_order)
    return Choice(tuple(kept), tuple(dropped))


def offered(page: Page, choice: Choice, near: range, most: int) -> tuple[PlacedFigure, ...]:
    """Return pictures near the article that were dropped and are large enough to be wanted."""
    taken = {each.candidate.same for each in choice.kept if each.candidate.same}
    found: list[PlacedFigure] = []
    for each in choice.dropped:
        candidate = each.candidate
        small = 0 < candidate.width < _SMALL or 0 < candidate.height < _SMALL
        if small or candidate.kind != "image" or candidate.before not in near:
            continue
        if candidate.same and candidate.same in taken:
            continue
        made = place(page, Kept(candidate, Caption()))
        if made.figure.src.startswith(("http://", "https://")) and len(found) < most:
            taken.add(candidate.same)
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


def _order(each: Kept | Dropped) -> tuple[int, int]:
    return each.candidate.at, each.candidate.before


#: What is told of a picture's address or words, in characters.
_MOST_TOLD = 500


def judged(page: Page, choice: Choice) -> tuple[PictureDecision, ...]:
    """Tell of every picture what was decided, in document order."""
    kept = [(each.candidate, each.caption, "") for each in choice.kept]
    dropped = [(each.candidate, Caption(), each.reason) for each in choice.dropped]
    found = sorted([*kept, *dropped], key=lambda each: (each[0].before, each[0].at))
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


def unite(choice: Choice) -> tuple[Kept, ...]:
    """Give every picture kept the addresses of its copies elsewhere on the page."""
    copies: dict[str, list[Candidate]] = {}
    for each in (*(k.candidate for k in choice.kept), *(d.candidate for d in choice.dropped)):
        if each.same:
            copies.setdefault(each.same, []).append(each)
    united = []
    for kept in choice.kept:
        others = copies.get(kept.candidate.same, [])
        if len(others) > 1:
            named = {a.url: a for c in (kept.candidate, *others) for a in c.addresses}
            addresses = tuple(named.values())
            chosen = best(addresses)
            whole = replace(kept.candidate, addresses=addresses, chosen=chosen)
            united.append(replace(kept, candidate=whole))
        else:
            united.append(kept)
    return tuple(united)
