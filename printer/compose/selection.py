"""What of the tree is to be printed: the chosen text leaves, pictures, and the way to them."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement

from ..article import Figure
from ..html.index import Leaf
from ..html.page import Page
from ..selection import PlacedFigure, Verdict
from .math import is_formula_image

#: Elements without text that are printed when they stand among text that is.
_SILENT = ("hr", "math", "script", "iframe", "video", "audio", "img")
_KEPT = etree.XPath("//*[@data-mathml]")
_FORMULAS = frozenset({"math", "script"})
_TEX = "math/tex"

#: Where nothing silent is taken from.
_APART = frozenset({"nav", "aside", "footer", "header", "form", "button", "noscript", "template"})
#: How far up from something silent the text must begin that it stands among.
_CLIMB = 6


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What is printed: a segment index per chosen leaf, a figure per picture's element.

    ``path`` holds every element that has something of it below or at itself, ``formulas`` says
    whether there are any on the page.
    """

    leaves: dict[Leaf, int]
    figures: dict[HtmlElement, Figure]
    path: set[HtmlElement]
    formulas: bool


def select(
    page: Page,
    verdict: Verdict,
    pictures: tuple[PlacedFigure, ...],
    apart: Set[HtmlElement] = frozenset(),
) -> Selection:
    """Select the leaves of the kept segments, the pictures, and what belongs between them.

    Nothing right in the elements ``apart`` is selected.
    """
    captions = frozenset[int]().union(*(placed.captions for placed in pictures))
    leaves = {
        leaf: segment.index
        for segment, keep in zip(page.segments, verdict.keep, strict=True)
        if keep and segment.index not in captions
        for leaf in segment.leaves
        if not apart or holder(leaf) not in apart
    }
    path: set[HtmlElement] = set()
    for element, tail in leaves:
        _mark(element.getparent() if tail else element, path)
    silent = _silent(page)
    for element in silent:
        if element not in apart and _stands_among(element, path):
            _mark(element, path)
    figures = {placed.element: placed.figure for placed in pictures}
    for element in figures:
        _mark(element, path)
    formulas = any(element.tag in _FORMULAS or element.get("data-mathml") for element in silent)
    return Selection(leaves, figures, path, formulas)


def select_below(top: HtmlElement, leaves: Iterable[Leaf]) -> Selection:
    """Select some leaves below an element, one paragraph a block."""
    chosen = dict.fromkeys(leaves, 0)
    path = {top}
    for element, tail in chosen:
        _mark(element.getparent() if tail else element, path)
    return Selection(chosen, {}, path, formulas=False)


def holder(leaf: Leaf) -> HtmlElement | None:
    """Return the element that a leaf is text of."""
    return leaf.element.getparent() if leaf.tail else leaf.element


def _mark(element: HtmlElement | None, path: set[HtmlElement]) -> None:
    while element is not None and element not in path:
        path.add(element)
        element = element.getparent()


def _silent(page: Page) -> list[HtmlElement]:
    """Return what is printed though it holds no text; MathJax 2 keeps MathML in an attribute."""
    kept: list[HtmlElement] = []
    if "data-mathml" in page.source:
        kept = _KEPT(page.tree)  # type: ignore[assignment]
    return kept + [element for element in page.tree.iter(*_SILENT) if _speaks(element)]


def _speaks(element: HtmlElement) -> bool:
    if element.tag == "script":
        return (element.get("type") or "").startswith(_TEX)
    return element.tag != "img" or is_formula_image(element)


def _stands_among(element: HtmlElement, path: set[HtmlElement]) -> bool:
    """Tell whether an element hangs from the way to chosen text, near by and not set apart."""
    above = element.getparent()
    for _ in range(_CLIMB):
        if above is None or above.tag in _APART:
            return False
        if above in path:
            return bool(above.tag != "html")
        above = above.getparent()
    return False
