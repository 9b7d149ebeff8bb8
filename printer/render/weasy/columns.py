"""Headings above what spans all columns: they span them, too, and go to the next page with it.

WeasyPrint sets such a heading at the foot of a column, and breaks a page between blocks that span
columns even where their style forbids it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from .figure_placement import HEADINGS

#: A box of WeasyPrint's tree.
Box: TypeAlias = Any

#: The classes of lines that are headings without the element of one.
LABELS = frozenset({"code-title", "label-line"})

#: The attribute of a heading that spans columns with its style in a column.
_COLUMN_STYLE = "_webprint_style_in_column"


def keep_headings_above_spanning(
    original: Callable[..., Any], context: Any, box: Box, *args: Any
) -> Any:
    """Lay out columns with the headings of blocks that span them as wide, and on their page."""
    _span_headings(box)
    columns, resume_at, *details = original(context, box, *args)
    if columns is not None and resume_at and list(resume_at.values()) == [None]:
        resume_at = _break_before_headings(box, columns, *resume_at)
    return columns, resume_at, *details


def _span_headings(box: Box) -> None:
    """Make a heading span all columns if, and only if, the block below it does."""
    is_above_spanning = False
    for child in reversed(box.children):
        if _is_heading(child):
            in_column = getattr(child, _COLUMN_STYLE, child.style)
            child.style = in_column
            if is_above_spanning and in_column["column_span"] != "all":
                setattr(child, _COLUMN_STYLE, in_column)
                child.style = in_column.copy()
                child.style["column_span"] = "all"
        else:
            is_above_spanning = child.style["column_span"] == "all"


def _is_heading(box: Box) -> bool:
    is_label = box.element is not None and box.element.get("class", "").split()[:1]
    is_titled = box.element_tag in HEADINGS or (is_label and is_label[0] in LABELS)
    return bool(is_titled and box.style["break_after"] == "avoid")


def _break_before_headings(box: Box, columns: Box, index: int) -> dict[int, None]:
    """Take headings off the foot of a page if the block that they stand above begins the next.

    Return where the next page begins.
    """
    count = 0
    while count < index and _is_heading(box.children[index - count - 1]):
        count += 1
    remaining, last_boxes = columns.children[:-count], columns.children[-count:]
    headings = box.children[index - count : index]
    if (
        not count
        or not remaining
        or [b.element for b in last_boxes] != [b.element for b in headings]
    ):
        return {index: None}
    columns.children = remaining
    last_box = remaining[-1]
    columns.height = last_box.border_box_y() + last_box.border_height() - columns.content_box_y()
    return {index - count: None}
