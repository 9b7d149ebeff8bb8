"""Measures of pages and boxes that are laid out, in pixels."""

from __future__ import annotations

from math import ceil
from typing import Any, TypeAlias

from ...themes.page import CHARACTER_WIDTH

#: A box of WeasyPrint's tree.
Box: TypeAlias = Any


def measure_gap(page: Box, root: Box | None = None) -> float:
    """Return the height of the gap at the foot of a page, or of a part of it."""
    return (foot := foot_of(page)) - lowest_edge(root or page.children[0], foot)


def foot_of(page: Box) -> float:
    """Return the lower edge of the text on a page."""
    # Once all pages are laid out, boxes in the margins replace areas without notes.
    areas = [box for box in page.children if type(box).__name__ == "FootnoteAreaBox"]
    notes = sum(area.margin_height() for area in areas if area.children)
    return float(page.content_box_y() + page.height - notes)


def lowest_edge(root: Box, default: float = 0) -> float:
    """Return the lowest edge of the leaf boxes inside a box."""
    edges = (
        box.position_y + box.height
        for box in root.descendants()
        if not getattr(box, "children", ()) and isinstance(box.height, int | float)
    )
    return float(max(edges, default=default))


#: The factor by which the estimated length of a caption exceeds the average.
CAPTION_MARGIN = 1.1


def text_height(box: Box, width: float) -> float:
    """Return roughly the height of a short text with its margins."""
    text = " ".join("".join(box.element.itertext()).split())
    size = box.style["font_size"]
    lines = ceil(len(text) * CHARACTER_WIDTH * size * CAPTION_MARGIN / width)
    return float(lines * line_height(box)) + margins_of(box, "top", "bottom")


def line_height(box: Box) -> float:
    """Return the height of a line of a box, about 1.2 times the size of the font if not stated."""
    line, size = box.style["line_height"], box.style["font_size"]
    if line == "normal":
        return float(1.2 * size)
    if isinstance(line, int | float):  # WeasyPrint computes a factor to a number.
        return float(line * size)
    return float(line.value if line.unit else line.value * size)


def margins_of(box: Box, *sides: str) -> float:
    values = (box.style[f"margin_{side}"] for side in sides)
    return float(sum(value.value for value in values if getattr(value, "unit", "") == "px"))
