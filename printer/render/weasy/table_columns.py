"""Tables whose longest words do not fit side by side, and would leave the page.

Names in such a table, such as ``max_file_size``, may be broken after punctuation; failing that,
words are hyphenated; failing that, the widest columns become narrower than their words, which are
then broken anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from .box_tree import Box

#: The rounding error of widths.
_TOLERANCE_PX = 0.5
#: Where a name may be broken: after punctuation between letters, or between a letter and a digit.
_IN_NAMES = re.compile(r"(?<=[^\W\d_][_./=+:&?@,;-])(?=\w)|(?<=\w[_./=+:&?@,;-])(?=[^\W\d_])")


_CODE_TAGS = frozenset({"code", "samp", "kbd", "var", "pre"})


def fit_columns(
    original: Callable[..., None], context: Any, wrapper: Box, containing_block: Any
) -> None:
    """Lay out the columns of a table, and again with more breaks if it is too wide."""
    table = wrapper.get_wrapped_table()
    margins = (wrapper.margin_left, wrapper.margin_right)
    room = containing_block[0] - sum(margin for margin in margins if margin != "auto")
    width = table.width
    original(context, wrapper, containing_block)
    for allow_breaks in (_break_names, _hyphenate_words):
        if table.border_width() <= room + _TOLERANCE_PX:
            break
        allow_breaks(table)
        context.tables.pop(table, None)
        table.width = width
        original(context, wrapper, containing_block)
    if (excess := table.border_width() - room) > _TOLERANCE_PX:
        table.width -= excess
        table.column_widths = _narrow_widest(table.column_widths, excess)


def _break_names(table: Box) -> None:
    for box in _text_boxes(table):
        box.text = _IN_NAMES.sub("\u200b", box.text)


def _hyphenate_words(table: Box) -> None:
    for box in _text_boxes(table):
        if "\u200b" not in box.text and box.element_tag not in _CODE_TAGS:
            box.style = box.style.copy()
            box.style["hyphens"] = "auto"


def _narrow_widest(widths: list[float], excess: float) -> list[float]:
    """Return widths that are less by an excess in all, the widest of them limited to one width."""
    remaining = sum(widths) - excess
    for count, width in enumerate(sorted(widths)):
        limit = remaining / (len(widths) - count)
        if width >= limit:
            return [min(width, limit) for width in widths]
        remaining -= width
    return widths


def _text_boxes(table: Box) -> Iterator[Box]:
    return (box for box in table.descendants() if getattr(box, "text", ""))
