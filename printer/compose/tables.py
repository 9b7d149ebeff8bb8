"""Tables: recognition of data tables, and building of rows from cells."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, pairwise

from lxml.html import HtmlElement

from ..article import (
    Block,
    Cell,
    Figure,
    Heading,
    Item,
    List,
    Math,
    Paragraph,
    Row,
    Span,
    Spans,
    Table,
    has_mark_throughout,
    iter_text,
    plain_text,
)
from ..text import class_pattern, clean_attribute
from .block_builders import BlockBuffer, BlockBuilder, ClosePart
from .inline import with_mark
from .math import join_formulas

#: A table with more columns becomes running text.
MAX_COLUMNS = 60
_MAX_CELLS_READ = 200
_DATA = class_pattern("wikitable|infobox|data-?table|dataframe|docutils")
#: A table with as many rows without cells is the layout of a list.
_MIN_SPACERS = 3
_ITEM_NUMBER = re.compile(r"\s*(\d{1,6})[.)]\s*")
#: A table of at least so many rows and columns, with short cells that are not links, is data.
_MIN_GRID_SIDE = 4
_MAX_GRID_CHARS = 40
_BIG = frozenset({"div", "ul", "ol", "h1", "h2", "h3", "form", "article", "section", "iframe"})


def is_data(table: HtmlElement) -> bool:
    """Return whether a table contains data rather than the layout of the page."""
    role = table.get("role")
    if role in {"presentation", "none"} or next(table.iterdescendants("table"), None) is not None:
        return False
    counts: list[int] = []
    widths: list[int] = []
    large_cells = cells = chars = headers = links = 0
    for row in table.iter("tr"):
        row_cells = [cell for cell in row if cell.tag in {"td", "th"}]
        counts.append(len(row_cells))
        widths.append(sum(_span(cell, "colspan") for cell in row_cells))
        for cell in row_cells:
            cells += 1
            headers += cell.tag == "th"
            links += next(cell.iterdescendants("a", "form"), None) is not None
            large_cells += any(
                child.tag in _BIG and not _is_line(child) and not _is_plain_list(child)
                for child in cell
            )
            chars += _text_length(cell) if cells <= _MAX_CELLS_READ else 0
        if cells > _MAX_CELLS_READ:
            break
    if not cells or not 2 <= max(counts) <= MAX_COLUMNS:
        return False
    if headers or role in {"table", "grid"} or _DATA.search(table.get("class") or ""):
        return True
    if table.find("caption") is not None or table.find("thead") is not None:
        return True
    even = max(map(widths.count, widths)) * 2 > len(widths)
    if even and min(len(widths), max(counts)) >= _MIN_GRID_SIDE and chars < _MAX_GRID_CHARS * cells:
        return 2 * links < cells
    return len(widths) > 1 and even and large_cells * 4 < cells and chars < 150 * cells


_EQUATIONS = re.compile("equation|eqn")


def holds_equations(table: HtmlElement) -> bool:
    """Return whether a table's class says that it aligns equations."""
    return _EQUATIONS.search(table.get("class") or "") is not None


def arranges_list(table: HtmlElement) -> bool:
    """Return whether rows without cells part the rows of a table into items of a list."""
    return sum(not len(row) for row in table.iter("tr")) >= _MIN_SPACERS


_MAX_CELL_LINE_CHARS = 120


def _is_line(element: HtmlElement) -> bool:
    """Return whether an element only wraps the line or the code of its cell."""
    cell = element.getparent()
    return (
        element.tag == "div"
        and len(cell) == 1
        and not (cell.text or "").strip()
        and next(element.iterdescendants(*_BIG, "p", "img"), None) is None
        and _text_length(element) < _MAX_CELL_LINE_CHARS
    )


def _is_plain_list(element: HtmlElement) -> bool:
    """Return whether an element is a list without links, and so not a menu."""
    return element.tag in {"ul", "ol"} and next(element.iterdescendants("a"), None) is None


def _text_length(element: HtmlElement) -> int:
    """Return the length of an element's text without the indentation of the source."""
    return len(" ".join(element.text_content().split()))


def _span(cell: HtmlElement, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    return max(1, min(int(value[:9]), 1000)) if value.isascii() and value.isdigit() else 1


class TableBuilder(BlockBuilder):
    """Builds a table; blocks outside its cells precede it."""

    def __init__(self) -> None:
        super().__init__()
        self.caption: Spans = ()
        self.rows: list[tuple[str, list[Cell]]] = []
        self._row: HtmlElement | None = None
        #: The numbers of the rows below a row without cells, which parts the entries of a list.
        self._starts = [0]

    def open_part(self, element: HtmlElement) -> ClosePart | None:
        if element.tag == "caption":
            return self._set_caption
        if element.tag in {"td", "th"}:
            return lambda buffer: self.add(element, buffer.take())
        return None

    def _set_caption(self, buffer: BlockBuffer) -> None:
        self.caption, other_blocks = buffer.take_spans()
        self.buffer.blocks += other_blocks

    def add(self, element: HtmlElement, blocks: tuple[Block, ...]) -> None:
        """Add a cell, in a new row if the last cell is in another."""
        row = element.getparent()
        if not self.rows or row is not self._row:
            above = None if row is None else row.getprevious()
            if self.rows and above is not None and above.tag == "tr" and not len(above):
                self._starts.append(len(self.rows))
            self._row = row
            outer_row = row.getparent() if row is not None else None
            self.rows.append((outer_row.tag if outer_row is not None else "", []))
        cells = self.rows[-1][1]
        if len(cells) >= MAX_COLUMNS:
            cells[-1] = replace(cells[-1], blocks=cells[-1].blocks + blocks)
            return
        blocks = tuple(map(_without_heading, blocks))
        if not blocks and element.tag == "td" and (text := _icon_text(element)):
            blocks = (Paragraph((Span(text),)),)
        header = element.tag == "th" or element.get("role") in {"columnheader", "rowheader"}
        if not (element.keys() or len(element)):  # the most frequent case
            cells.append(Cell(blocks, header))
            return
        spans = _span(element, "colspan"), _span(element, "rowspan")
        cells.append(Cell(blocks, header, *spans, align=_alignment(element)))

    def build(self) -> list[Block]:
        """Return the table, or its content if too little is left for a table."""
        table = None if self._row is None else next(self._row.iterancestors("table"), None)
        if table is not None and holds_equations(table):
            rows = [_read_equation(cells) for _, cells in self.rows]
            if all(rows):
                return [*self.buffer.take(), *(block for row in rows for block in row)]
        is_list = table is not None and arranges_list(table) and len(self._starts) > 1
        blocks = self._list() if is_list else self._table()
        return list(self.buffer.take()) + blocks

    def _list(self) -> list[Block]:
        """Return groups of rows as items of a list, which is numbered if they are."""
        items: list[Item] = []
        other_blocks: list[Block] = []
        start = 0
        for begin, end in pairwise([*self._starts, len(self.rows)]):
            cells = (cell for _, row in self.rows[begin:end] for cell in row)
            blocks = [block for cell in cells for block in cell.blocks]
            number = _ITEM_NUMBER.fullmatch(" ".join(iter_text(*blocks[:1])))
            if number and (start or not items):
                start = start or int(number[1])
                items.append(Item(tuple(blocks[1:])))
            elif start:
                other_blocks += blocks
            else:
                items.append(Item(tuple(blocks)))
        return [List(tuple(items), ordered=bool(start), start=start or 1), *other_blocks]

    def _table(self) -> list[Block]:
        numbers = [
            number
            for number, (_, cells) in enumerate(self.rows)
            if any(cell.blocks or cell.rowspan > 1 for cell in cells)
        ]
        rows = _fit_spans([self.rows[number][1] for number in numbers], numbers)
        filled = [cell for row in rows for cell in row if cell.blocks]
        is_gallery = all(isinstance(block, Figure) for cell in filled for block in cell.blocks)
        if is_gallery or len(filled) < 2 or max(map(len, rows)) < 2:
            caption = [Paragraph(self.caption)] if self.caption else []
            return [*caption, *(block for cell in filled for block in cell.blocks)]
        sections = [self.rows[number][0] for number in numbers]
        in_head = sections[0] == "thead" or rows[0][0].header
        if not self.caption and (line := _caption_of(rows, in_head=in_head)):
            self.caption, rows, sections = line, rows[1:], sections[1:]
        head = _count_head_rows(rows, sections)
        is_bold = len(rows) > 1 and _is_bold(rows[0]) and not any(map(_is_bold, rows[1:]))
        if not head and (is_bold or _has_names_above_numbers(rows)):
            rows[0] = tuple(replace(cell, header=True) for cell in rows[0])
            head = 1
        foot = len(rows)
        while foot > head + 1 and sections[foot - 1] == "tfoot":
            foot -= 1
        return [Table(tuple(rows[:head]), tuple(rows[head:foot]), tuple(rows[foot:]), self.caption)]


_MAX_CAPTION_CHARS = 80
_MIN_CAPTIONED_ROWS = 3


def _caption_of(rows: Sequence[Row], *, in_head: bool) -> Spans:
    """Return the line in a first row across all columns, or beside an empty head, () for none.

    One of several such rows heads a part of the table.
    """
    block = next(iter(rows[0][0].blocks), None)
    across = [row for row in rows if sum(bool(cell.blocks) for cell in row) == 1]
    if len(rows) < _MIN_CAPTIONED_ROWS or len(across) > 1 or not isinstance(block, Paragraph):
        return ()
    first, *rest = rows[0]
    is_beside = in_head and len(rest) == 1 and not rest[0].blocks
    is_across = not rest and first.colspan >= max(map(len, rows)) > 1
    is_line = len(first.blocks) == 1 == first.rowspan
    is_line = is_line and len(plain_text(block.spans)) <= _MAX_CAPTION_CHARS
    return block.spans if is_line and (is_beside or is_across) else ()


def _count_head_rows(rows: Sequence[Row], sections: Sequence[str]) -> int:
    """Return how many first rows name the columns, 0 if all do.

    A row across all columns below their names heads a part of the table, and only that part.
    """
    width = max(sum(cell.colspan for cell in row) for row in rows)
    has_names = False
    for count, (row, section) in enumerate(zip(rows, sections, strict=True)):
        is_across = len(row) == 1 and row[0].colspan == width
        heads_part = is_across and has_names
        if section != "thead" and (heads_part or not all(cell.header for cell in row)):
            return count
        has_names = has_names or not is_across
    return 0


_EQUATION_NUMBER = re.compile(r"\(\w[\w.]{0,11}\)")


def _read_equation(cells: list[Cell]) -> list[Block]:
    """Return a row of parts of an equation as a formula and its number, [] for any other row."""
    formulas: list[tuple[str, str]] = []
    numbers: list[Block] = []
    for block in (block for cell in cells for block in cell.blocks):
        if isinstance(block, Math):
            formulas.append((block.source, block.alt))
            continue
        spans = block.spans if isinstance(block, Paragraph) else ()
        parts = [(span.math, span.text) for span in spans if span.text.strip()]
        if parts and all(source for source, _ in parts):
            formulas += parts
        elif _EQUATION_NUMBER.fullmatch(plain_text(spans).strip()):
            numbers.append(block)
        else:
            return []
    if not formulas:
        return []
    return [Math(join_formulas(source for source, _ in formulas),
                 " ".join(text for _, text in formulas)), *numbers]  # fmt: skip


def _is_bold(row: Row) -> bool:
    """Return whether a row of several cells is a head that is only marked as bold."""
    blocks = [block for cell in row for block in cell.blocks]
    return (
        len(row) > 1
        and bool(blocks)
        and all(cell.rowspan == 1 for cell in row)
        and all(
            isinstance(block, Paragraph) and has_mark_throughout(block.spans, "strong")
            for block in blocks
        )
    )


_MIN_HEADED_ROWS = 4
_MIN_HEADED_COLUMNS = 3
_NUMBER = re.compile(r"[^\w\s]{0,3}\d")


def _has_names_above_numbers(rows: list[Row]) -> bool:
    """Return whether the first row of a table names its columns, one of which is all numbers."""
    if len(rows) < _MIN_HEADED_ROWS or len(rows[0]) < _MIN_HEADED_COLUMNS:
        return False
    if any(len(row) != len(rows[0]) or any(cell.rowspan > 1 for cell in row) for row in rows):
        return False
    names, *columns = ([" ".join(iter_text(*cell.blocks)) for cell in row] for row in rows)
    return not any(not name or any(map(str.isdigit, name)) for name in names) and any(
        all(map(_NUMBER.match, column)) for column in zip(*columns, strict=True)
    )


#: Names of icons, in classes and in addresses of pictures, that mean yes or no.
_TICK_OR_CROSS = re.compile(
    r"(?<![a-z])(?:(?P<tick>check(?:ed|mark)?|tick|yes)|cross|icon-no|times|x-?mark)"
    r"(?![a-z])"
)
_MAX_ICON_ELEMENTS = 12
_MAX_ICON_LABEL_CHARS = 30


def _icon_text(cell: HtmlElement) -> str:
    """Return the meaning of a cell that shows only an icon: its label, or a tick or a cross."""
    if "".join(cell.itertext()).strip() and cell.find(".//title") is None:
        return ""
    names = []
    is_linked = cell.find(".//a") is not None
    for element in islice(cell.iter("*"), _MAX_ICON_ELEMENTS):
        if element.tag in {"button", "input", "label"}:
            return ""
        title = element.text if element.tag == "title" else element.get("title")
        label = clean_attribute(element.get("aria-label") or element.get("alt") or title)
        if label and len(label) <= _MAX_ICON_LABEL_CHARS:
            drawn = _TICK_OR_CROSS.fullmatch(label.lower())
            if drawn is None:
                return "" if is_linked else label
            return label if label.lower() == "yes" else _sign(drawn)
        source = (element.get("src") or "").rpartition("/")[2]
        target = element.get("href") or element.get("xlink:href") or ""
        names.append(f"{element.get('class') or ''} {source[:80]} {target[-40:]}"[:200])
    match = _TICK_OR_CROSS.search(" ".join(names).lower())
    return "" if match is None or is_linked else _sign(match)


def _sign(match: re.Match[str]) -> str:
    return "✓" if match["tick"] else "✗"


def _fit_spans(rows: list[list[Cell]], numbers: list[int]) -> list[Row]:
    """Limit spans to the table; ``numbers`` are the row positions with empty rows counted."""
    widest = max((sum(cell.colspan for cell in cells) for cells in rows), default=0)
    limit = min(widest, MAX_COLUMNS)
    fitted: list[Row] = []
    for i, cells in enumerate(rows):
        available = limit
        row: list[Cell] = []
        for left, cell in zip(range(len(cells) - 1, -1, -1), cells, strict=True):
            colspan = max(1, min(cell.colspan, available - left))
            available -= colspan
            rowspan = bisect_left(numbers, numbers[i] + cell.rowspan) - i
            if (colspan, rowspan) != (cell.colspan, cell.rowspan):
                cell = replace(cell, colspan=colspan, rowspan=rowspan)
            row.append(cell)
        fitted.append(tuple(row))
    return fitted


_ALIGN = re.compile(r"text-align\s{0,9}:\s{0,9}(left|right|center)", re.IGNORECASE)


def _alignment(element: HtmlElement) -> str:
    """Return how a cell, or the only paragraph in it, is aligned."""
    is_box = len(element) == 1 and element[0].tag in ("p", "div")
    if is_box and not (element.text or "").strip() and (align := _alignment(element[0])):
        return align
    align = (element.get("align") or "").lower()
    if align in {"left", "right", "center"}:
        return align
    style = element.get("style")
    match = _ALIGN.search(style[:500]) if style else None
    return match[1].lower() if match else ""


def _without_heading(block: Block) -> Block:
    """Return a heading as a bold paragraph, since cells are not part of the outline."""
    if not isinstance(block, Heading):
        return block
    spans: list[Span] = [replace(s, marks=with_mark(s.marks, "strong")) for s in block.spans]
    return Paragraph(tuple(spans), block.id, block.lang, block.dir)
