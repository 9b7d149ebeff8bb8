"""How many of a page's pictures are wanted: all, the article's, its lead picture, or none."""

from __future__ import annotations

from dataclasses import replace

from ..html.page import Page
from ..selection import Verdict
from .candidates import Candidate
from .captions import Captions
from .papers.cuter import region, surroundings
from .rendered import candidates_of
from .scorer import by_signals
from .selection import Choice, Dropped, Kept
from .sizes import ICONS
from .srcset import likeness


def everything(page: Page, verdict: Verdict) -> Choice:
    """Choose every picture in the article and right around it, but for icons and banners."""
    near = surroundings(page, region(page, verdict))
    candidates = candidates_of(page, near)
    captions = Captions(page, verdict, candidates)
    kept: list[Kept] = []
    dropped: list[Dropped] = []
    taken: set[str] = set()
    for each in candidates:
        reason = _refused(each, near, taken)
        if reason:
            dropped.append(Dropped(each, reason))
        else:
            taken.add(each.same)
            kept.append(Kept(each, captions.default(each)))
    return Choice(tuple(kept), tuple(dropped))


def _refused(candidate: Candidate, near: range, taken: set[str]) -> str:
    if candidate.before not in near:
        return "far from the article's text"
    if candidate.same and candidate.same in taken:
        return "the same picture again"
    if candidate.width and candidate.height:
        return ICONS.fault(candidate.width, candidate.height)
    return ""


def lead_alone(page: Page, choice: Choice) -> Choice:
    """Keep the picture that the page names as its own when it is there, else the first."""
    if not choice.kept:
        return choice
    own = likeness(page.metadata.image) if page.metadata.image else ""
    lead = next((each for each in choice.kept if own and each.candidate.same == own), None)
    lead = lead or choice.kept[0]
    return _without(choice, lead, "not the lead picture")


def nothing(page: Page, verdict: Verdict) -> Choice:
    """Keep no picture, though what the article's are is known: their captions go with them."""
    return _without(by_signals(page, verdict), None, "pictures are not wanted")


def _without(choice: Choice, lead: Kept | None, reason: str) -> Choice:
    others = (
        Dropped(each.candidate, reason, each.caption.segments)
        for each in choice.kept
        if each is not lead
    )
    kept = (lead,) if lead else ()
    return replace(choice, kept=kept, dropped=(*choice.dropped, *others))
