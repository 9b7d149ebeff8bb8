"""Placement of large pictures, which are moved or shrunk to avoid gaps at the foot of pages.

WeasyPrint has no floating figures: one that does not fit on a page begins the next page and leaves
a gap.  So after the layout of a page, a figure that begins the next page is moved behind the text
that follows it, one paragraph at a time, and the page is laid out again.  If no text follows before
the next heading, the picture is shrunk within limits; if that is not enough and the gap is large,
it is moved past the heading.  A table on a rotated page is moved behind text until the page before
it is full.  The result depends only on the document.  A page is laid out at most ``MAX_TRIES``
times.

This relies on ``remake_page`` (see :mod:`.patches`), on the tree of boxes, and on the skip stack
that says where the next page begins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

#: A box of WeasyPrint's tree.
Box: TypeAlias = Any

#: Where a page begins in the tree: ``{index of child: {index of its child: None}}``.
SkipStack: TypeAlias = "dict[int, Any] | None"

#: The smallest gap to be filled, as a share of the height of the page.
MIN_GAP = 0.2

#: The smallest gap for which a picture is even moved past a heading, as a share of the page.
MIN_GAP_TO_PASS_HEADING = 0.35

#: The largest gap left before a table on a rotated page, as a share of the page.
MAX_GAP_BEFORE_TURNED = 0.06

#: The smallest scale to which a picture is shrunk.
MIN_SCALE = 0.62

#: The most layouts of a page, and the most repeated layouts in a document.
MAX_TRIES, MAX_RELAYOUTS = 10, 400

#: The elements that a figure may be moved behind.
TEXT = ("p", "ul", "ol", "blockquote", "dl", "pre")
HEADINGS = ("h2", "h3", "h4", "h5", "h6")

#: The attribute of a document with the number of repeated layouts.
_RELAYOUTS = "_webprint_relayouts"

#: The attribute of a figure whose picture has been shrunk.
_SHRUNK = "_webprint_shrunk"


def enable(html: Any) -> None:
    """Enable the placement of figures for a document."""
    setattr(html, _RELAYOUTS, 0)


def place_figures_on_page(
    original: Callable[..., tuple[Box, SkipStack]], index: int, context: Any, root: Box, html: Any
) -> tuple[Box, SkipStack]:
    """Lay out a page, and again as long as moving the next figure fills it better."""
    if not hasattr(html, _RELAYOUTS):
        return original(index, context, root, html)
    # The parts of the context that are consumed by the layout of a page.
    footnotes = list(context.footnotes)
    reported_footnotes = list(context.reported_footnotes)
    broken_out_of_flow = dict(context.broken_out_of_flow)
    page, next_page = original(index, context, root, html)
    for _ in range(MAX_TRIES):
        relayouts = getattr(html, _RELAYOUTS)
        if relayouts >= MAX_RELAYOUTS or not _fill_gap(page, root, next_page):
            break
        setattr(html, _RELAYOUTS, relayouts + 1)
        context.footnotes = list(footnotes)
        context.reported_footnotes = list(reported_footnotes)
        context.broken_out_of_flow = dict(broken_out_of_flow)
        page, next_page = original(index, context, root, html)
    return page, next_page


def _fill_gap(page: Box, root: Box, next_page: SkipStack) -> bool:
    """Change the tree to fill the page better; return whether it was changed."""
    place = _find_first_figure(root, next_page)
    if place is None:
        return False
    parent, index = place
    gap, height = _measure_gap(page, parent)
    if _is_turned(parent.children[index]):
        # A heading must not be left alone at the foot of the previous page.
        after_heading = index > 0 and _has_tag(parent, index - 1, HEADINGS)
        is_open = after_heading or gap > MAX_GAP_BEFORE_TURNED * height
        return is_open and _move(parent, index, _count_blocks_to_pass(parent, index))
    if gap < MIN_GAP * height:
        return False
    if _has_tag(parent, index + 1, TEXT):
        return _move(parent, index, 1)
    if _shrink(parent.children[index], gap):
        return True
    may_pass = _has_tag(parent, index + 1, HEADINGS) and _has_tag(parent, index + 2, TEXT)
    return may_pass and gap > MIN_GAP_TO_PASS_HEADING * height and _move(parent, index, 2)


def _find_first_figure(root: Box, next_page: SkipStack) -> tuple[Box, int] | None:
    """Return the parent and the index of the figure that begins the next page, None for none.

    If a heading begins the page, the figure after it counts, as a heading is kept with its content.
    """
    box = root
    while next_page:
        if len(next_page) > 1:
            return None  # cells of a row, all continued
        ((index, next_page),) = next_page.items()
        if index >= len(getattr(box, "children", ())):
            return None  # within a text
        parent, box = box, box.children[index]
        if next_page is None:
            while _has_tag(parent, index, HEADINGS):
                index += 1
            return (parent, index) if _is_movable(parent, index) else None
    return None


def _is_movable(parent: Box, index: int) -> bool:
    """Return whether a child is a figure, or a table on a rotated page."""
    if index >= len(parent.children):
        return False
    box = parent.children[index]
    spans_columns = box.style["column_span"] == "all"
    return (box.element_tag == "figure" and not spans_columns) or _is_turned(box)


def _is_turned(box: Box) -> bool:
    return bool(box.element_tag == "div" and box.style["page"] == "turned")


def _has_tag(parent: Box, index: int, tags: tuple[str, ...]) -> bool:
    return index < len(parent.children) and parent.children[index].element_tag in tags


def _count_blocks_to_pass(parent: Box, index: int) -> int:
    """Return the number of blocks to move a rotated table behind: a text with its headings."""
    steps = 1
    while _has_tag(parent, index + steps, HEADINGS):
        steps += 1
    end = index + steps
    return steps if end < len(parent.children) and not _is_turned(parent.children[end]) else 0


def _measure_gap(page: Box, parent: Box) -> tuple[float, float]:
    """Return the heights of the gap at the foot of a page or its last column, and of the page."""
    root, footnote_area, *_ = page.children
    top, foot = page.content_box_y(), page.content_box_y() + page.height
    if footnote_area.children:
        foot -= footnote_area.margin_height()
    if parent.style["column_count"] != "auto":
        columns = (box for box in root.descendants() if box.element is parent.element)
        root = next((box.children[-1] for box in columns if box.children), root)
        top = root.position_y
    return float(foot - lowest_edge(root, foot)), float(foot - top)


def lowest_edge(root: Box, default: float = 0) -> float:
    """Return the lowest edge of the leaf boxes inside a box."""
    edges = (
        box.position_y + box.height
        for box in root.descendants()
        if not getattr(box, "children", ()) and isinstance(box.height, int | float)
    )
    return float(max(edges, default=default))


def _move(parent: Box, index: int, steps: int) -> bool:
    """Move a figure behind the next blocks; return whether it was moved."""
    if steps:
        children = list(parent.children)
        children.insert(index + steps, children.pop(index))
        parent.children = type(parent.children)(children)
    return steps > 0


def _shrink(figure: Box, gap: float) -> bool:
    """Shrink the picture of a figure to fit a gap; return whether this is possible."""
    picture = next((box for box in figure.descendants() if box.element_tag == "img"), None)
    if picture is None or getattr(figure, _SHRUNK, False):
        return False
    width, attributes = picture.style["width"], picture.element.attrib
    if getattr(width, "unit", "") != "px" or not attributes.get("height", "").isdecimal():
        return False
    has_caption = any(box.element_tag == "figcaption" for box in figure.children)
    margins = float(figure.style["font_size"]) * (4.5 if has_caption else 2.5)
    scale = (gap - margins) / (int(attributes["height"]) or 1)
    if not MIN_SCALE <= scale < 1:
        return False
    setattr(figure, _SHRUNK, True)
    style = picture.style.copy()
    style["width"] = width._replace(value=width.value * scale)
    picture.style = style
    return True
