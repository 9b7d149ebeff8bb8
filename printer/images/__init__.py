"""Pictures: which belong to the article, with which captions, and their files made for print."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING

from lxml.html import HtmlElement

from ..html.page import Page
from ..options import ExtractOptions
from ..selection import PlacedFigure, Verdict
from .captions import CaptionFinder
from .methods import keep_lead, select_all, select_by_method, select_none, size_limits
from .selection import (
    PictureSelection,
    drop_captions,
    find_alternatives,
    merge_copies,
    override,
    picture_decisions,
    place_picture,
)

if TYPE_CHECKING:
    from .size_probe import SizeFilter

__all__ = [
    "PictureSelection",
    "choose_pictures",
    "drop_captions",
    "find_alternatives",
    "override_selection",
    "picture_decisions",
    "place_pictures",
    "select_by_method",
    "select_pictures",
]  # fmt: skip


def select_pictures(
    page: Page, verdict: Verdict, options: ExtractOptions, measure: SizeFilter | None = None
) -> PictureSelection:
    """Choose the pictures that are wanted, and say why the others are not.

    ``measure`` judges those by their files whose size the page does not state; without it they
    are taken.
    """
    if options.images == "none":
        return select_none(page, verdict)
    if options.images == "all":
        choice = select_all(page, verdict)
    else:
        choice = select_by_method(page, verdict, options.image_method, options.ner)
    choice = replace(choice, selected=merge_copies(choice))
    if measure is not None:
        choice = measure(page, choice, size_limits(options.image_method))
    return keep_lead(page, choice) if options.images == "lead" else choice


def override_selection(
    page: Page,
    verdict: Verdict,
    choice: PictureSelection,
    excluded: AbstractSet[HtmlElement],
    included: AbstractSet[HtmlElement],
    reason: Callable[[HtmlElement], str],
) -> PictureSelection:
    """Return the choice without the pictures in unwanted elements, and with those in wanted ones.

    An element in neither is left to the choice; ``reason`` says why a picture is unwanted.
    """
    if not (excluded or included):
        return choice
    candidates = [*(k.candidate for k in choice.selected), *(d.candidate for d in choice.rejected)]
    captions = CaptionFinder(page, verdict, candidates)
    return override(choice, excluded, included, reason, captions.find)


def place_pictures(page: Page, choice: PictureSelection) -> tuple[PlacedFigure, ...]:
    """Return the pictures kept and where they stand, in document order."""
    return tuple(place_picture(page, each) for each in choice.selected)


def choose_pictures(
    page: Page, verdict: Verdict, method: str = "default"
) -> tuple[PlacedFigure, ...]:
    """Choose the article's pictures by a method's name, as far as the page itself tells."""
    return place_pictures(page, select_pictures(page, verdict, ExtractOptions(image_method=method)))
