"""The ways of choosing an article's pictures, by name: ours and the two papers' alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from ..article import Span
from ..errors import UsageError
from ..html.page import Page
from ..selection import Verdict
from .candidates import Candidate, find_candidates
from .captions import Caption, CaptionFinder, block_caption, climbed_caption
from .papers.cuter import article_bounds, nearby_segments
from .papers.joshi_liu import (
    RelevanceOptions,
    article_names,
    article_subtree,
    is_inside,
    is_relevant,
)
from .papers.ner import RULES, check_recogniser, load_recogniser
from .scorer import select_by_score
from .selection import (
    CUTER_LIMITS,
    ICON_LIMITS,
    PictureSelection,
    RejectedPicture,
    SelectedPicture,
    SizeLimits,
    is_minor_text,
)
from .srcset import picture_key

#: Chooses by what is on the page; the last argument names the recogniser of names.
Method: TypeAlias = Callable[[Page, Verdict, str], PictureSelection]


def by_borders(page: Page, verdict: Verdict, ner: str = RULES) -> PictureSelection:
    """Choose as CUTER does: between the borders, and large enough as far as attributes say.

    Where they do not, the file decides (:mod:`printer.images.size_probe`).
    """
    del ner
    borders = article_bounds(page, verdict)
    kept: list[SelectedPicture] = []
    dropped: list[RejectedPicture] = []
    for each in find_candidates(page):
        if borders is None or not borders.contains(each.segment):
            dropped.append(RejectedPicture(each, "outside the borders of the article"))
        elif (
            each.width
            and each.height
            and (fault := CUTER_LIMITS.reject_reason(each.width, each.height))
        ):
            dropped.append(RejectedPicture(each, fault))
        else:
            text, indexes = climbed_caption(page, verdict, each)
            kept.append(SelectedPicture(each, Caption((Span(text),) if text else (), "", indexes)))
    return PictureSelection(tuple(kept), tuple(dropped))


def by_names(page: Page, verdict: Verdict, ner: str = RULES) -> PictureSelection:
    """Choose as Joshi and Liu do: in the article subtree, and with a caption about the article.

    What of the article's text is the caption itself does not count, unless that is all of it.
    Where the first block ancestor is no block of the picture's own but holds most of the article,
    its text decides as in the paper, and is not printed as the caption.
    """
    options = RelevanceOptions()
    top = article_subtree(page, verdict, options.text_share)
    recognise = load_recogniser(ner, page.metadata.language)
    article = article_names(page, verdict, recognise=recognise)
    read: dict[range, tuple[str, bool]] = {}
    kept: list[SelectedPicture] = []
    dropped: list[RejectedPicture] = []
    for each in find_candidates(page):
        if top < 0 or not is_inside(page, each.index, top):
            dropped.append(RejectedPicture(each, "outside the article subtree"))
            continue
        indexes = block_caption(page, each)
        if indexes not in read:
            text = " ".join(page.segments[i].text for i in indexes)
            beside = article - article_names(page, verdict, indexes, recognise) or article
            read[indexes] = text, is_relevant(text, beside, options, recognise)
        text, about = read[indexes]
        if not text:
            dropped.append(RejectedPicture(each, "without a caption"))
        elif not about:
            dropped.append(RejectedPicture(each, "its caption names nothing that the article does"))
        else:
            own = Caption((Span(text),), "", frozenset(indexes))
            kept.append(
                SelectedPicture(each, own if is_minor_text(page, verdict, indexes) else Caption())
            )
    return PictureSelection(tuple(kept), tuple(dropped))


def _by_default(page: Page, verdict: Verdict, ner: str) -> PictureSelection:
    del ner
    return select_by_score(page, verdict)


#: Every method by name.
METHODS: Mapping[str, Method] = MappingProxyType({
    "default": _by_default,
    "cuter": by_borders,
    "joshi-liu": by_names,
})  # fmt: skip


#: What the files of a method's pictures have to be, where the page does not state their size.
LIMITS: Mapping[str, SizeLimits] = MappingProxyType({"cuter": CUTER_LIMITS})


def size_limits(method: str) -> SizeLimits:
    """Return the limits of a method by name."""
    return LIMITS.get(method, ICON_LIMITS)


def select_by_method(
    page: Page, verdict: Verdict, method: str = "default", ner: str = RULES
) -> PictureSelection:
    """Decide about every picture of a page by the method of a name.

    ``ner`` names the recogniser of names, for the method that asks one.
    """
    if method not in METHODS:
        raise UsageError(
            f"no way of choosing pictures is called {method!r}",
            hint=f"Known are {', '.join(METHODS)}",
        )
    check_recogniser(ner)
    return METHODS[method](page, verdict, ner)


def select_all(page: Page, verdict: Verdict) -> PictureSelection:
    """Choose every picture in the article and right around it, but for icons and banners."""
    near = nearby_segments(page, article_bounds(page, verdict))
    candidates = find_candidates(page, near)
    captions = CaptionFinder(page, verdict, candidates)
    kept: list[SelectedPicture] = []
    dropped: list[RejectedPicture] = []
    taken: set[str] = set()
    for each in candidates:
        reason = _refused(each, near, taken)
        if reason:
            dropped.append(RejectedPicture(each, reason))
        else:
            taken.add(each.url_key)
            kept.append(SelectedPicture(each, captions.find(each)))
    return PictureSelection(tuple(kept), tuple(dropped))


def _refused(candidate: Candidate, near: range, taken: set[str]) -> str:
    if candidate.segment not in near:
        return "far from the article's text"
    if candidate.url_key and candidate.url_key in taken:
        return "the same picture again"
    if candidate.width and candidate.height:
        return ICON_LIMITS.reject_reason(candidate.width, candidate.height)
    return ""


def keep_lead(page: Page, choice: PictureSelection) -> PictureSelection:
    """Keep the picture that the page names as its own when it is there, else the first."""
    if not choice.selected:
        return choice
    own = picture_key(page.metadata.image) if page.metadata.image else ""
    lead = next((each for each in choice.selected if own and each.candidate.url_key == own), None)
    lead = lead or choice.selected[0]
    return _without(choice, lead, "not the lead picture")


def select_none(page: Page, verdict: Verdict) -> PictureSelection:
    """Keep no picture, though what the article's are is known: their captions go with them."""
    return _without(select_by_score(page, verdict), None, "pictures are not wanted")


def _without(
    choice: PictureSelection, lead: SelectedPicture | None, reason: str
) -> PictureSelection:
    others = (
        RejectedPicture(each.candidate, reason, each.caption.segments)
        for each in choice.selected
        if each is not lead
    )
    kept = (lead,) if lead else ()
    return replace(choice, selected=kept, rejected=(*choice.rejected, *others))
