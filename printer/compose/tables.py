"""Tables: which hold data, and how their cells become rows."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace

from lxml.html import HtmlElement

from ..article import Block, Cell, Heading, Paragraph, Row, Span, Spans, Table
from .block_builders import BlockBuffer
from .inline import with_mark

#: A table with more columns than this is set as running text.
MAX_COLUMNS = 60
_LOOKED_AT = 200
_DATA = re.compile(r"(?:^|[\s_-])(?:wikitable|infobox|data-?table|dataframe|docutils)(?:$|[\s_-])")
_BIG = frozenset({"div", "ul", "ol", "h1", "h2", "h3", "form", "article", "section", "iframe"})
_ALIGN = re.compile(r"text-align\s{0,9}:\s{0,9}(left|right|center)", re.IGNORECASE)
_ALIGNMENTS = frozenset({"left", "right", "center"})


def is_data(table: HtmlElement) -> bool:
    """Tell whether a table holds data; one that only arranges the page does not."""
    role = table.get("role")
    if role in {"presentation", "none"} or next(table.iterdescendants("table"), None) is not None:
        return False
    counts: list[int] = []
    widths: list[int] = []
    big = cells = chars = headers = 0
    for row in table.iter("tr"):
        spans = [_span(cell, "colspan") for cell in row if cell.tag in {"td", "th"}]
        counts.append(len(spans))
        widths.append(sum(spans))
        for cell in row:
            if cell.tag not in {"td", "th"}:
                continue
            cells += 1
            headers += cell.tag == "th"
            big += any(child.tag in _BIG for child in cell)
            chars += len(cell.text_content()) if cells <= _LOOKED_AT else 0
        if cells > _LOOKED_AT:
            break
    if not cells or not 2 <= max(counts) <= MAX_COLUMNS:
        return False
    if headers or role in {"table", "grid"} or _DATA.search(table.get("class") or ""):
        return True
    if table.find("caption") is not None or table.find("thead") is not None:
        return True
    even = max(map(widths.count, widths)) * 2 > len(widths)
    return len(widths) > 1 and even and big * 4 < cells and chars < 150 * cells


def _span(cell: HtmlElement, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    return max(1, min(int(value), 1000)) if value.isascii() and value.isdigit() else 1


class TableBuilder:
    """Gathers the rows of a table; what stands outside its cells goes before it."""

    def __init__(self) -> None:
        self.flow = BlockBuffer()
        self.open = 0
        self.caption: Spans = ()
        self.rows: list[tuple[str, list[Cell]]] = []
        self._row: HtmlElement | None = None

    def part(self, element: HtmlElement) -> Callable[[BlockBuffer], None] | None:
        """Return what takes the flow of a cell or the caption."""
        if element.tag == "caption":
            return self._set_caption
        if element.tag in {"td", "th"}:
            return lambda flow: self.add(element, flow.take())
        return None

    def _set_caption(self, flow: BlockBuffer) -> None:
        self.caption, others = flow.take_spans()
        self.flow.blocks += others

    def add(self, element: HtmlElement, blocks: tuple[Block, ...]) -> None:
        """Add a cell, to a new row when its row is not that of the cell before."""
        row = element.getparent()
        if not self.rows or row is not self._row:
            self._row = row
            above = row.getparent() if row is not None else None
            self.rows.append((above.tag if above is not None else "", []))
        cells = self.rows[-1][1]
        if len(cells) >= MAX_COLUMNS:
            cells[-1] = replace(cells[-1], blocks=cells[-1].blocks + blocks)
            return
        blocks = tuple(map(_plainer, blocks))
        header = element.tag == "th" or element.get("role") in {"columnheader", "rowheader"}
        if not element.keys():  # as most cells
            cells.append(Cell(blocks, header))
            return
        spans = _span(element, "colspan"), _span(element, "rowspan")
        cells.append(Cell(blocks, header, *spans, align=_alignment(element)))

    def blocks(self) -> list[Block]:
        """Return the table, or what is in it when too little of it is left to be one."""
        return list(self.flow.take()) + self._table()

    def _table(self) -> list[Block]:
        kept = [
            number
            for number, (_, cells) in enumerate(self.rows)
            if any(cell.blocks or cell.rowspan > 1 for cell in cells)
        ]
        rows = _bounded([self.rows[number][1] for number in kept], kept)
        filled = [cell for row in rows for cell in row if cell.blocks]
        if len(filled) < 2 or max(map(len, rows)) < 2:
            inside = [block for cell in filled for block in cell.blocks]
            return ([Paragraph(self.caption)] if self.caption else []) + inside
        sections = [self.rows[number][0] for number in kept]
        head = 0
        while head < len(rows) and (
            sections[head] == "thead" or all(cell.header for cell in rows[head])
        ):
            head += 1
        if head == len(rows):
            head = 0
        foot = len(rows)
        while foot > head + 1 and sections[foot - 1] == "tfoot":
            foot -= 1
        table = Table(tuple(rows[:head]), tuple(rows[head:foot]), tuple(rows[foot:]), self.caption)
        return [table]


def _bounded(rows: list[list[Cell]], numbers: list[int]) -> list[Row]:
    """Keep spans inside the table; ``numbers`` are the rows' places before others were dropped."""
    widest = max((sum(cell.colspan for cell in cells) for cells in rows), default=0)
    limit = min(widest, MAX_COLUMNS)
    bounded: list[Row] = []
    for at, cells in enumerate(rows):
        room = limit
        row: list[Cell] = []
        for left, cell in zip(range(len(cells) - 1, -1, -1), cells, strict=True):
            colspan = max(1, min(cell.colspan, room - left))
            room -= colspan
            rowspan = bisect_left(numbers, numbers[at] + cell.rowspan) - at
            if (colspan, rowspan) != (cell.colspan, cell.rowspan):
                cell = replace(cell, colspan=colspan, rowspan=rowspan)
            row.append(cell)
        bounded.append(tuple(row))
    return bounded


def _alignment(element: HtmlElement) -> str:
    stated = (element.get("align") or "").lower()
    if stated in _ALIGNMENTS:
        return stated
    style = element.get("style")
    match = _ALIGN.search(style[:500]) if style else None
    return match[1].lower() if match else ""


def _plainer(block: Block) -> Block:
    """Make a heading inside a cell a strong paragraph: the outline has no place for it."""
    if not isinstance(block, Heading):
        return block
    spans: list[Span] = [replace(s, marks=with_mark(s.marks, "strong")) for s in block.spans]
    return Paragraph(tuple(spans), block.id, block.lang, block.dir)
