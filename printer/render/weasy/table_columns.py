"""Widths of the columns of tables, chosen so that the rows need few lines.

The automatic layout of CSS (CSS 2.2, 17.5.2.2) divides the width by the longest cell of each
column, so that one long cell makes its column wide although another column has most of the text.
Here width is moved from column to column as long as this clearly shortens the rows.  No column
becomes narrower than its longest word, and no short cell that stands on one line is broken.

A table whose longest words do not fit side by side would leave the page: names in it, such as
``max_file_size``, may be broken after their signs; failing that, words are hyphenated; failing
that, the widest columns become narrower than their words, which are then broken anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations
from typing import Any, TypeAlias

from .box_tree import Box

#: The cells of a column: the widths of the lines that each would have on a page of any width, with
#: what is lost of each at the sides.
Column: TypeAlias = "list[list[tuple[float, float]]]"

#: The rounding error of widths.
_TOLERANCE_PX = 0.5
_CACHE = "_webprint_column_widths"
#: Where a name may be broken: after a sign between letters, or between a letter and a figure.
_IN_NAMES = re.compile(r"(?<=[^\W\d_][_./=+:&?@,;-])(?=\w)|(?<=\w[_./=+:&?@,;-])(?=[^\W\d_])")


def divide_width(
    original: Callable[..., None], context: Any, wrapper: Box, containing_block: Any
) -> None:
    """Lay out the columns of a table automatically, then adjust them to the text of all rows."""
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
    known = vars(context).setdefault(_CACHE, {})
    key = table, tuple(table.column_widths)
    if key not in known:
        known[key] = _adjust_widths(context, wrapper, table)
    table.column_widths = list(known[key])


def _break_names(table: Box) -> None:
    for box in _text_boxes(table):
        box.text = _IN_NAMES.sub("\u200b", box.text)


def _hyphenate_words(table: Box) -> None:
    for box in _text_boxes(table):
        if "\u200b" not in box.text and box.element_tag not in {
            "code",
            "samp",
            "kbd",
            "var",
            "pre",
        }:
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


#: The widths moved at a time.
STEPS_EM = (4.0, 2.0, 1.0, 0.5, 0.25)
#: The least part of the lines that a step must save.
MIN_STEP_GAIN = 0.004
# What other widths must save of a table's lines.
MIN_LINES_SAVED = 2.0
MIN_SHARE_SAVED = 0.05


def _adjust_widths(context: Any, wrapper: Box, table: Box) -> list[float]:
    from weasyprint.layout.preferred import table_and_columns_preferred_widths

    widths = list(table.column_widths)
    _, _, least, most, *_ = table_and_columns_preferred_widths(context, wrapper, outer=False)
    is_broken = any(width < limit - 1 for width, limit in zip(widths, most, strict=True))
    columns = _read_columns(context, table, len(widths)) if is_broken else None
    if columns is None:
        return widths
    em = table.style["font_size"]
    floors = [
        max(limit, _longest_short_cell(column, width, em))
        for limit, column, width in zip(least, columns, widths, strict=True)
    ]

    @cache
    def count_lines(index: int, width: float) -> list[float]:
        return [_count_lines(cell, width) for cell in columns[index]]

    def measure(trial: list[float]) -> float:
        columns = (count_lines(index, width) for index, width in enumerate(trial))
        return sum((max(row) for row in zip(*columns, strict=True)), 0.0)

    before = lines = measure(widths)
    adjusted = widths
    for step in STEPS_EM:
        trials = _move_width(adjusted, floors, step * em)
        while best := min(((measure(trial), trial) for trial in trials), default=None):
            if lines - best[0] < MIN_STEP_GAIN * step * before:
                break
            lines, adjusted = best
            trials = _move_width(adjusted, floors, step * em)
    is_shorter = before - lines >= max(MIN_LINES_SAVED, MIN_SHARE_SAVED * before)
    return adjusted if is_shorter else widths


def _move_width(widths: list[float], floors: list[float], step: float) -> Iterator[list[float]]:
    """Yield widths after each possible move of a step from a column to another."""
    for source, target in permutations(range(len(widths)), 2):
        if widths[source] - step >= floors[source]:
            moved = list(widths)
            moved[source] -= step
            moved[target] += step
            yield moved


MAX_CELLS = 3_000


def _read_columns(context: Any, table: Box, count: int) -> list[Column] | None:
    """Return the cells of each column; None if they are too many, span others or hold pictures."""
    rows = [row for group in table.children for row in group.children]
    if len(rows) * count > MAX_CELLS:
        return None
    columns: list[Column] = [[] for _ in range(count)]
    for row in rows:
        lines: list[list[tuple[float, float]]] = [[] for _ in range(count)]
        for cell in row.children:
            if cell.colspan == count:
                continue
            content = _read_lines(context, cell, 0.0)
            if cell.colspan > 1 or cell.rowspan > 1 or content is None:
                return None
            lines[cell.grid_x] = content
        for column, content in zip(columns, lines, strict=True):
            column.append(content)
    return columns


def _read_lines(context: Any, box: Box, indent: float) -> list[tuple[float, float]] | None:
    """Return the widths of the unbroken lines in a box and their indents; None if it has others."""
    from weasyprint.formatting_structure import boxes
    from weasyprint.layout.preferred import inline_line_widths

    if isinstance(box, boxes.LineBox):
        widths = inline_line_widths(context, box, True, True, minimum=False)
        return [(width, indent) for width in widths]
    if isinstance(box, boxes.TableBox) or not isinstance(box, boxes.BlockContainerBox):
        return None
    sides = (f"{side}_{edge}" for side in ("margin", "padding") for edge in ("left", "right"))
    values = (box.style[side] for side in sides)
    indent += sum(value.value for value in values if getattr(value, "unit", "") == "px")
    lines: list[tuple[float, float]] = []
    for child in box.children:
        content = _read_lines(context, child, indent) if child.is_in_normal_flow() else []
        if content is None:
            return None
        lines += content
    return lines


#: The factor by which broken lines are longer than their text, because they do not end full.
RAGGED = 1.03


def _count_lines(cell: list[tuple[float, float]], width: float) -> float:
    """Return about how many lines a cell has at a width."""
    rooms = ((line, max(width - indent, 1.0)) for line, indent in cell)
    return sum(0.5 + RAGGED * line / room if line > room else 1.0 for line, room in rooms)


#: The longest cell that is not broken if the automatic layout sets it on one line.
MAX_SHORT_CELL_EM = 8.0


def _longest_short_cell(column: Column, width: float, em: float) -> float:
    """Return the width of the longest short cell of a column that is on one line."""
    lines = (cell[0] for cell in column if len(cell) == 1)
    widths = (line + indent for line, indent in lines if line <= MAX_SHORT_CELL_EM * em)
    return max((needed for needed in widths if needed <= width + 0.01), default=0.0)
