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
from .captions import Captions
from .methods import choose, everything, lead_alone, limits, nothing
from .selection import Choice, insisted, judged, offered, place, unite, without_captions

if TYPE_CHECKING:
    from .size_probe import Measure

__all__ = [
    "Choice", "choose", "choose_pictures", "insist", "judged", "offered", "pick",
    "placed", "without_captions",
]  # fmt: skip


def pick(
    page: Page, verdict: Verdict, options: ExtractOptions, measure: Measure | None = None
) -> Choice:
    """Choose the pictures that are wanted, and say why the others are not.

    ``measure`` judges those by their files whose size the page does not state; without it they
    are taken.
    """
    if options.images == "none":
        return nothing(page, verdict)
    if options.images == "all":
        choice = everything(page, verdict)
    else:
        choice = choose(page, verdict, options.image_method, options.ner)
    choice = replace(choice, kept=unite(choice))
    if measure is not None:
        choice = measure(page, choice, limits(options.image_method))
    return lead_alone(page, choice) if options.images == "lead" else choice


def insist(
    page: Page,
    verdict: Verdict,
    choice: Choice,
    unwanted: AbstractSet[HtmlElement],
    wanted: AbstractSet[HtmlElement],
    reason: Callable[[HtmlElement], str],
) -> Choice:
    """Return the choice without the pictures in unwanted elements, and with those in wanted ones.

    An element in neither is left to the choice; ``reason`` says why a picture is unwanted.
    """
    if not (unwanted or wanted):
        return choice
    candidates = [*(k.candidate for k in choice.kept), *(d.candidate for d in choice.dropped)]
    captions = Captions(page, verdict, candidates)
    return insisted(choice, unwanted, wanted, reason, captions.default)


def placed(page: Page, choice: Choice) -> tuple[PlacedFigure, ...]:
    """Return the pictures kept and where they stand, in document order."""
    return tuple(place(page, each) for each in choice.kept)


def choose_pictures(
    page: Page, verdict: Verdict, method: str = "default"
) -> tuple[PlacedFigure, ...]:
    """Choose the article's pictures by a method's name, as far as the page itself tells."""
    return placed(page, pick(page, verdict, ExtractOptions(image_method=method)))
