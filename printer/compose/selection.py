"""The selected part of a page's tree: text nodes, pictures, and the elements around them."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from ..article import Figure
from ..html.index import Leaf
from ..html.page import Page
from ..selection import PlacedFigure, Verdict
from .math import is_formula_image

#: Textless elements that are selected if they are among selected text.
_TEXTLESS = ("hr", "math", "script", "iframe", "video", "audio", "img")
_WITH_MATHML = etree.XPath("//*[@data-mathml]")
_FORMULAS = frozenset({"math", "script"})
_TEX = "math/tex"

#: Textless elements inside these are not selected.
_EXCLUDED_TAGS = frozenset(
    {"nav", "aside", "footer", "header", "form", "button", "noscript", "template"}
)
#: The most levels from a textless element up to a selected element.
_MAX_LEVELS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The selected content of a page.

    Attributes:
        leaves: The segment index of each selected text node.
        figures: The figure of each selected picture's element.
        path: All elements that are selected or have selected descendants.
        formulas: Whether the page has formulas.
    """

    leaves: dict[Leaf, int]
    figures: dict[HtmlElement, Figure]
    path: set[HtmlElement]
    formulas: bool


def select(
    page: Page,
    verdict: Verdict,
    pictures: tuple[PlacedFigure, ...],
    excluded: Set[HtmlElement] = frozenset(),
) -> Selection:
    """Select text nodes, pictures and the textless elements among them.

    Text directly inside the ``excluded`` elements is left out.
    """
    captions = frozenset[int]().union(*(placed.captions for placed in pictures))
    leaves = {
        leaf: segment.index
        for segment, keep in zip(page.segments, verdict.keep, strict=True)
        if keep and segment.index not in captions
        for leaf in segment.leaves
        if not excluded or leaf.parent not in excluded
    }
    path: set[HtmlElement] = set()
    for leaf in leaves:
        _add_path(leaf.parent, path)
    textless = _textless(page)
    for element in textless:
        if element not in excluded and _is_among(element, path):
            _add_path(element, path)
    figures = {placed.element: placed.figure for placed in pictures}
    for element in figures:
        _add_path(element, path)
    formulas = any(element.tag in _FORMULAS or element.get("data-mathml") for element in textless)
    return Selection(leaves, figures, path, formulas)


def select_below(top: HtmlElement, leaves: Iterable[Leaf]) -> Selection:
    """Select some text nodes below an element, each block element as a paragraph."""
    selected = dict.fromkeys(leaves, 0)
    path = {top}
    for leaf in selected:
        _add_path(leaf.parent, path)
    return Selection(selected, {}, path, formulas=False)


def _add_path(element: HtmlElement | None, path: set[HtmlElement]) -> None:
    while element is not None and element not in path:
        path.add(element)
        element = element.getparent()


def _textless(page: Page) -> list[HtmlElement]:
    """Return elements with content but no text, MathJax 2's MathML attributes included."""
    formulas: list[HtmlElement] = []
    if "data-mathml" in page.source:
        formulas = _WITH_MATHML(page.tree)  # type: ignore[assignment]
    return formulas + [element for element in page.tree.iter(*_TEXTLESS) if _has_content(element)]


def _has_content(element: HtmlElement) -> bool:
    if element.tag == "script":
        return (element.get("type") or "").startswith(_TEX)
    return element.tag != "img" or is_formula_image(element)


def _is_among(element: HtmlElement, path: set[HtmlElement]) -> bool:
    """Return whether a near ancestor contains selected text."""
    for ancestor in islice(element.iterancestors(), _MAX_LEVELS):
        if ancestor.tag in _EXCLUDED_TAGS:
            return False
        if ancestor in path:
            return bool(ancestor.tag != "html")
    return False
