"""Blocks within bounds: what a stranger nests and repeats, made such that a page can hold it.

The layout's cost grows with depth and with columns, and a template recurses; so depth, columns and
the number of blocks are limited before either sees them.  Text is never lost to a limit but one:
an article of more than ``MOST_BLOCKS`` blocks ends there, and the result says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..article import (
    Article,
    Block,
    Cell,
    Code,
    Definition,
    DefinitionList,
    Embed,
    Figure,
    Heading,
    Item,
    List,
    Note,
    Paragraph,
    Quote,
    Row,
    Span,
    Table,
    child_blocks,
    plain_text,
    walk,
)

DEEPEST = 12
MOST_BLOCKS = 50_000
MOST_SPANS = 1_000
MOST_COLUMNS = 24
MOST_CELLS = 20_000


def limit_article(article: Article) -> tuple[Article, tuple[str, ...]]:
    """Return the article with its blocks within bounds, and warnings about what that changed."""
    warnings: list[str] = []
    blocks = article.blocks
    count = sum(1 for _ in walk(blocks))
    if count > MOST_BLOCKS:
        blocks = _first(blocks, MOST_BLOCKS)
        warnings.append(
            f"the article has {count} blocks; what follows the first {MOST_BLOCKS} is not printed"
        )
    return replace(article, blocks=_levelled(_shallow(blocks, 0))), tuple(warnings)


def _first(blocks: tuple[Block, ...], limit: int) -> tuple[Block, ...]:
    """Return the leading blocks that together hold at most ``limit``, the last one cut open."""
    kept: list[Block] = []
    for block in blocks:
        size = sum(1 for _ in walk((block,)))
        if size > limit:
            kept.extend(_flat((block,))[:limit])
            break
        kept.append(block)
        limit -= size
    return tuple(kept)


def _shallow(blocks: tuple[Block, ...], depth: int) -> tuple[Block, ...]:
    """Rebuild blocks no deeper than the limit; below it only their leaves are left."""
    if depth >= DEEPEST:
        return _flat(blocks)
    return tuple(part for block in blocks for part in _parts(_within(block, depth + 1)))


def _parts(block: Block) -> Iterator[Block]:
    """Yield a paragraph of very many spans in several; a line's cost grows with all of them."""
    if not isinstance(block, Paragraph) or len(block.spans) <= MOST_SPANS:
        yield block
        return
    for start in range(0, len(block.spans), MOST_SPANS):
        spans = block.spans[start : start + MOST_SPANS]
        yield replace(block, spans=spans, id=block.id if start == 0 else "")


def _within(block: Block, depth: int) -> Block:
    match block:
        case List():
            items = (Item(_shallow(item.blocks, depth), item.id) for item in block.items)
            return replace(block, items=tuple(items))
        case Quote() | Note() | Embed():
            return replace(block, blocks=_shallow(block.blocks, depth))
        case DefinitionList():
            return DefinitionList(
                tuple(
                    Definition(entry.terms, tuple(_shallow(d, depth) for d in entry.details))
                    for entry in block.entries
                )
            )
        case Table():
            return _table(block, depth)
        case _:
            return block


def _flat(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return the blocks that hold no others, in order, with the terms and captions kept as text."""
    flat: list[Block] = []
    for block in walk(blocks):
        if isinstance(block, DefinitionList):
            flat.extend(Paragraph(term) for entry in block.entries for term in entry.terms)
        if isinstance(block, Table) and block.caption_spans:
            flat.append(Paragraph(block.caption_spans))
        if not any(True for _ in child_blocks(block)):
            flat.append(block)
    return tuple(flat)


def _table(table: Table, depth: int) -> Block:
    """Return a table whose grid is sound, or its rows as lists when it is too wide for a page."""
    rows = (*table.head, *table.body, *table.foot)
    columns = max((sum(_span(cell.colspan) for cell in row) for row in rows), default=0)
    cells = sum(len(row) for row in rows)
    if columns > MOST_COLUMNS or cells > MOST_CELLS or depth > 4:
        return _rows_as_text(table, rows)
    numbers = _number_columns(table)
    return replace(
        table,
        head=_section(table.head, depth, numbers),
        body=_section(table.body, depth, numbers),
        foot=_section(table.foot, depth, numbers),
    )


def _number_columns(table: Table) -> frozenset[int]:
    """Return the columns that hold only numbers, which read best set to the right.

    Where cells span others, columns are not counted and none is returned.
    """
    rows = (*table.body, *table.foot)
    if any(cell.colspan > 1 or cell.rowspan > 1 for row in (*table.head, *rows) for cell in row):
        return frozenset()
    width = max((len(row) for row in rows), default=0)
    columns = ([_words(row[n]) for row in rows if n < len(row)] for n in range(width))
    return frozenset(
        n
        for n, column in enumerate(columns)
        if any(column) and all(_is_number(words) for words in column if words)
    )


def _words(cell: Cell) -> str:
    """Return a cell's text; a cell of more than one paragraph gives what is no number."""
    if not cell.blocks:
        return ""
    first = cell.blocks[0]
    return (
        plain_text(first.spans) if len(cell.blocks) == 1 and isinstance(first, Paragraph) else "-"
    )


def _is_number(text: str) -> bool:
    return len(text) < 20 and any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def _rows_as_text(table: Table, rows: tuple[Row, ...]) -> Block:
    """Return rows as list items, cells apart by a raised dot; pictures in them are kept."""
    items: list[Item] = []
    if table.caption_spans:
        items.append(Item((Paragraph(table.caption_spans),)))
    for row in rows:
        spans: list[Span] = []
        others: list[Block] = []
        for block in _flat(tuple(block for cell in row for block in cell.blocks)):
            match block:
                case Paragraph(spans=text) | Heading(spans=text):
                    spans += (Span(" · "), *text) if spans else text
                case Code(text=code):
                    spans += (Span(" · "), Span(code)) if spans else (Span(code),)
                case Figure():
                    others.append(block)
        if spans or others:
            lead = (Paragraph(tuple(spans)),) if spans else ()
            items.append(Item((*lead, *others)))
    return List(tuple(items))


def _section(rows: tuple[Row, ...], depth: int, numbers: frozenset[int]) -> tuple[Row, ...]:
    """Return rows whose cells reach neither past the last row nor past the widest table."""
    return tuple(
        tuple(
            _cell(cell, len(rows) - index, depth, "end" if column in numbers else "")
            for column, cell in enumerate(row)
        )
        for index, row in enumerate(rows)
    )


def _cell(cell: Cell, rows_left: int, depth: int, align: str) -> Cell:
    return Cell(
        _shallow(cell.blocks, depth),
        cell.header,
        _span(cell.colspan),
        min(max(cell.rowspan, 1), rows_left),
        cell.align if cell.align in ("left", "right", "center", "start", "end") else align,
    )


def _span(value: int) -> int:
    return min(max(value, 1), MOST_COLUMNS)


def _levelled(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return blocks whose headings skip no level, as an outline and a screen reader need them."""
    path: list[int] = []
    levelled: list[Block] = []
    for block in blocks:
        if isinstance(block, Heading):
            while path and path[-1] >= block.level:
                path.pop()
            path.append(block.level)
            block = replace(block, level=min(len(path) + 1, 6))
        levelled.append(block)
    return tuple(levelled)
