"""Picture selection: methods by name, and the ``images`` option."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from ..errors import UsageError
from ..html.page import Page
from ..options import ExtractOptions
from ..selection import Verdict
from .candidates import find_candidates
from .captions import CaptionFinder
from .papers import cuter, joshi_liu
from .papers.ner import RULES, check_recogniser
from .scorer import select_by_score
from .selection import (
    CUTER_LIMITS,
    ICON_LIMITS,
    PictureSelection,
    RejectedPicture,
    SelectedPicture,
    merge_copies,
    share_captions,
)
from .srcset import picture_key

if TYPE_CHECKING:
    from .size_probe import SizeFilter

#: Selects the pictures of a page; the last argument is the name of the entity recogniser.
Method: TypeAlias = Callable[[Page, Verdict, str], PictureSelection]

METHODS: Mapping[str, Method] = MappingProxyType({
    "default": lambda page, verdict, _ner: select_by_score(page, verdict),
    "cuter": cuter.select_pictures,
    "joshi-liu": joshi_liu.select_pictures,
})  # fmt: skip


def select_pictures(
    page: Page, verdict: Verdict, options: ExtractOptions, probe: SizeFilter | None = None
) -> PictureSelection:
    """Select the pictures to print.

    Args:
        page: The page.
        verdict: The decision which text belongs to the article.
        options: ``images`` limits the pictures, ``image_method`` names the method.
        probe: Rejects pictures of undeclared size by their files.

    Raises:
        UsageError: The method or the recogniser is unknown.
        MissingLibrary: The recogniser is not installed.
    """
    if options.images == "none":
        selection = select_by_score(page, verdict)
        return _keep_only(selection, None, "pictures are not wanted")
    if options.images == "all":
        selection = select_all(page, verdict)
    else:
        selection = select_by_method(page, verdict, options.image_method, options.ner)
    selection = merge_copies(selection)
    if probe is not None:
        limits = CUTER_LIMITS if options.image_method == "cuter" else ICON_LIMITS
        selection = probe(page, selection, limits)
    return _keep_lead(page, selection) if options.images == "lead" else selection


def check_method(method: str) -> None:
    """Raise :class:`UsageError` if no method has this name."""
    if method not in METHODS:
        raise UsageError(
            f"there is no picture selection method {method!r}",
            hint=f"Choose from {', '.join(METHODS)}",
        )


def select_by_method(
    page: Page, verdict: Verdict, method: str = "default", ner: str = RULES
) -> PictureSelection:
    """Select the article's pictures by a named method."""
    check_method(method)
    check_recogniser(ner)
    return METHODS[method](page, verdict, ner)


def select_all(page: Page, verdict: Verdict) -> PictureSelection:
    """Select every picture in the article and right around it, except icons and banners."""
    near = cuter.nearby_segments(page, cuter.article_bounds(page, verdict))
    candidates = find_candidates(page, near)
    captions = CaptionFinder(page, candidates)
    selected: list[SelectedPicture] = []
    rejected: list[RejectedPicture] = []
    url_keys: set[str] = set()
    for candidate in candidates:
        reason = ""
        if candidate.segment not in near:
            reason = "far from the article's text"
        elif candidate.url_key and candidate.url_key in url_keys:
            reason = "the same picture again"
        elif candidate.width and candidate.height:
            reason = ICON_LIMITS.reject_reason(candidate.width, candidate.height)
        if reason:
            rejected.append(RejectedPicture(candidate, reason))
        else:
            url_keys.add(candidate.url_key)
            selected.append(SelectedPicture(candidate, captions.find(candidate)))
    return PictureSelection(tuple(share_captions(page, selected)), tuple(rejected))


def _keep_lead(page: Page, selection: PictureSelection) -> PictureSelection:
    """Return the picture that the page's metadata names if it is selected, or else the first."""
    if not selection.selected:
        return selection
    key = picture_key(page.metadata.image) if page.metadata.image else ""
    named = (picture for picture in selection.selected if key and picture.candidate.url_key == key)
    return _keep_only(selection, next(named, selection.selected[0]), "not the lead picture")


def _keep_only(
    selection: PictureSelection, lead: SelectedPicture | None, reason: str
) -> PictureSelection:
    rejected = (
        RejectedPicture(picture.candidate, reason, picture.caption.segments)
        for picture in selection.selected
        if picture is not lead
    )
    selected = (lead,) if lead else ()
    return replace(selection, selected=selected, rejected=(*selection.rejected, *rejected))
