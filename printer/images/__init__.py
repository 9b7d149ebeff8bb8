"""Pictures: which belong to the article, with which captions, and their files made for print."""

from __future__ import annotations

from ..dom.page import Page
from ..model import Placed, Verdict
from .choice import place, unite
from .methods import choose

__all__ = ["choose", "choose_pictures"]


def choose_pictures(page: Page, verdict: Verdict, method: str = "default") -> tuple[Placed, ...]:
    """Choose the article's pictures, in document order.

    ``method`` is 'default', or a paper's alone: 'cuter' or 'joshi-liu'.  What :func:`choose`
    returns says why the others were dropped.
    """
    return tuple(place(page, each) for each in unite(choose(page, verdict, method)))
