"""Attach the layout of a page in a browser to the parsed tree.

The browser numbers elements in an attribute as it serializes the page; here the numbers are matched
to the parsed elements and removed.  The attribute's name is random for every capture, so that a
page cannot forge it; of a number that occurs twice, as a parser may copy elements, the first
counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from ..capture import ElementBox, Layout, PictureBox, TextBox, Visibility
from .index import Leaf

#: Prefixes of ``display`` values that begin and end a line (including tables and their parts).
_BREAKING = ("block", "flex", "grid", "flow-root", "list-item", "table")


@dataclass(frozen=True, slots=True, eq=False)
class PageLayout:
    """The layout of a page, by element of the tree and by text leaf.

    ``hidden`` are the outermost elements that are not displayed.  ``width`` and ``height`` are the
    page's, ``view`` the window's width, in CSS pixels.
    """

    width: float
    height: float
    view: float
    boxes: Mapping[HtmlElement, ElementBox] = field(repr=False)
    texts: Mapping[Leaf, TextBox] = field(repr=False)
    graphics: Mapping[HtmlElement, PictureBox] = field(repr=False)
    hidden: frozenset[HtmlElement] = field(repr=False)

    def breaks_line(self, element: HtmlElement) -> bool:
        """Return whether an element is a line-break node: ``br``, ``hr`` or by computed display."""
        box = self.boxes.get(element)
        return element.tag in {"br", "hr"} or (box is not None and is_block_display(box.display))


def is_block_display(display: str) -> bool:
    """Return whether a computed display begins and ends a line."""
    return display.startswith(_BREAKING)


def attach_layout(tree: HtmlElement, layout: Layout) -> PageLayout:
    """Return the layout of a tree's elements, and remove their numbers from the tree."""
    boxes: dict[HtmlElement, ElementBox] = {}
    texts: dict[Leaf, TextBox] = {}
    graphics: dict[HtmlElement, PictureBox] = {}
    hidden: set[HtmlElement] = set()
    numbers: set[int] = set()
    for element in tree.xpath("//*[@*[name()=$mark]]", mark=layout.id_attribute):
        value = element.attrib.pop(layout.id_attribute)
        number = int(value) if re.fullmatch("[0-9]{1,11}", value) else -1
        if number in numbers:
            continue
        numbers.add(number)
        if (box := layout.boxes.get(number)) is not None:
            boxes[element] = box
            if box.visibility & Visibility.NOT_DISPLAYED:
                hidden.add(element)
        for tail in (False, True):
            if (text := layout.texts.get((number, tail))) is not None:
                texts[Leaf(element, tail)] = text
        if (graphic := layout.pictures.get(number)) is not None:
            graphics[element] = graphic
    size = (layout.width, layout.height, layout.viewport_width)
    return PageLayout(*size, boxes, texts, graphics, frozenset(hidden))


def strip_markers(source: str, layout: Layout) -> str:
    """Return a page's source without the numbers."""
    return re.sub(f' {re.escape(layout.id_attribute)}="[0-9]*"', "", source)
