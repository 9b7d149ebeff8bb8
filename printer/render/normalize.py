"""Prepare an article for every format: within limits, and without styles that themes set.

The cost of layout grows with depth and columns, and templates recurse, so these and the number of
blocks are limited before rendering.  Only one limit loses text: an article ends after
``MAX_BLOCKS`` blocks, with a warning.  A table over its limits becomes a list, with a warning.
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
    Post,
    Quote,
    Row,
    Span,
    Spans,
    Table,
    child_blocks,
    has_mark_throughout,
    plain_text,
    renumber_headings,
    walk,
)

MAX_COLUMNS = 24
MAX_TABLE_DEPTH = 4
MAX_BLOCKS = 50_000
MAX_CELLS = 20_000


def normalize_article(article: Article) -> tuple[Article, tuple[str, ...]]:
    """Return an article ready to be rendered, and warnings about lost content."""
    warnings: list[str] = []
    blocks = article.blocks
    count = sum(1 for _ in walk(blocks))
    if count > MAX_BLOCKS:
        blocks = _truncate(blocks, MAX_BLOCKS)
        warnings.append(
            f"the article has {count} blocks; what follows the first {MAX_BLOCKS} is not printed"
        )
    normalized = _normalize_blocks(blocks, 0)
    if listed := _count_tables(blocks) - _count_tables(normalized):
        tables = "1 table is" if listed == 1 else f"{listed} tables are"
        warnings.append(
            f"{tables} printed as a list of rows: a table may have up to {MAX_COLUMNS} columns"
            f" and {MAX_CELLS:,} cells, and be {MAX_TABLE_DEPTH} levels deep"
        )
    return replace(article, blocks=renumber_headings(normalized)), tuple(warnings)


def _count_tables(blocks: tuple[Block, ...]) -> int:
    return sum(isinstance(block, Table) for block in walk(blocks))


def _truncate(blocks: tuple[Block, ...], limit: int) -> tuple[Block, ...]:
    """Return the first blocks, at most ``limit`` with descendants; the last one is flattened."""
    first: list[Block] = []
    for block in blocks:
        size = sum(1 for _ in walk((block,)))
        if size > limit:
            first.extend(_flatten((block,))[:limit])
            break
        first.append(block)
        limit -= size
    return tuple(first)


MAX_DEPTH = 12
MAX_SPANS = 1_000
#: More than this share of a heading is all of it but its punctuation.
_NEARLY_ALL = 0.98


def _normalize_blocks(blocks: tuple[Block, ...], depth: int) -> tuple[Block, ...]:
    """Return blocks ready to be rendered, flattened at the maximum depth."""
    if depth >= MAX_DEPTH:
        return _flatten(blocks)
    return tuple(
        part for block in blocks for part in _split_block(_normalize_block(block, depth + 1))
    )


def _split_block(block: Block) -> Iterator[Block]:
    """Yield a list's figures, if it is nothing else, and the parts of paragraphs of many spans."""
    if isinstance(block, List):
        parts = [part for item in block.items for part in item.blocks]
        if parts and all(isinstance(part, Figure) for part in parts):
            yield from parts
            return
    if not isinstance(block, Paragraph) or len(block.spans) <= MAX_SPANS:
        yield block
        return
    for start in range(0, len(block.spans), MAX_SPANS):
        spans = block.spans[start : start + MAX_SPANS]
        yield replace(block, spans=spans, id=block.id if start == 0 else "")


def _normalize_block(block: Block, depth: int) -> Block:
    match block:
        case List():
            items = (Item(_normalize_blocks(item.blocks, depth), item.id) for item in block.items)
            return replace(block, items=tuple(items))
        case Quote() | Note() | Embed() | Post():
            return replace(block, blocks=_normalize_blocks(block.blocks, depth))
        case DefinitionList():
            return DefinitionList(
                tuple(
                    Definition(
                        entry.terms, tuple(_normalize_blocks(d, depth) for d in entry.details)
                    )
                    for entry in block.entries
                )
            )
        case Table():
            return _normalize_table(block, depth)
        case Heading(spans=spans) | Paragraph(spans=spans, standfirst=True):
            spans = _without_mark(_without_mark(spans, "strong", 0.5), "em", _NEARLY_ALL)
            return replace(block, spans=spans)
        case Figure(caption_spans=spans, credit=credit):
            if not credit and has_mark_throughout(spans, "em"):  # a credit without a caption
                credit, spans = plain_text(spans), ()
            spans = _without_mark(spans, "strong", 0.5)
            return replace(block, caption_spans=spans, credit=credit)
        case _:
            return block


def _without_mark(spans: Spans, mark: str, share: float) -> Spans:
    """Remove a mark that covers more than this share of a text: the theme sets its style."""
    marked = sum(len(span.text.strip()) for span in spans if mark in span.marks)
    if marked <= share * sum(len(span.text.strip()) for span in spans):
        return spans
    marks_left = (tuple(other for other in span.marks if other != mark) for span in spans)
    return tuple(replace(span, marks=left) for span, left in zip(spans, marks_left, strict=True))


def _flatten(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return the blocks that have no children, with terms and captions as paragraphs."""
    leaves: list[Block] = []
    for block in walk(blocks):
        if isinstance(block, DefinitionList):
            leaves.extend(Paragraph(term) for entry in block.entries for term in entry.terms)
        if isinstance(block, Table) and block.caption_spans:
            leaves.append(Paragraph(block.caption_spans))
        if not any(True for _ in child_blocks(block)):
            leaves.append(block)
    return tuple(leaves)


def _normalize_table(table: Table, depth: int) -> Block:
    """Return a table with a valid grid, or as a list if it is too large or too deeply nested."""
    rows = table.rows
    columns = max((sum(_limit_span(cell.colspan) for cell in row) for row in rows), default=0)
    if columns > MAX_COLUMNS or sum(map(len, rows)) > MAX_CELLS or depth > MAX_TABLE_DEPTH:
        return _table_as_list(table)
    numeric = _find_numeric_columns(table)
    return replace(
        table,
        head=_normalize_rows(table.head, depth, numeric),
        body=_normalize_rows(table.body, depth, numeric),
        foot=_normalize_rows(table.foot, depth, numeric),
    )


def _find_numeric_columns(table: Table) -> frozenset[int]:
    """Return the columns of numbers, which are right-aligned; none if cells span several."""
    rows = (*table.body, *table.foot)
    if any(cell.colspan > 1 or cell.rowspan > 1 for row in table.rows for cell in row):
        return frozenset()
    width = max((len(row) for row in rows), default=0)
    columns = [[_cell_text(row[n]) for row in rows if n < len(row)] for n in range(width)]
    return frozenset(
        index
        for index, texts in enumerate(columns)
        if any(texts) and all(_is_number(text) for text in texts if text)
    )


def _cell_text(cell: Cell) -> str:
    """Return the text of a cell of one paragraph, '-' for any other content."""
    match cell.blocks:
        case ():
            return ""
        case (Paragraph(spans=spans),):
            return plain_text(spans)
        case _:
            return "-"


def _is_number(text: str) -> bool:
    return len(text) < 20 and any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def _table_as_list(table: Table) -> Block:
    """Return a table as a list of rows: the cells, separated by dots, then their pictures."""
    items: list[Item] = []
    if table.caption_spans:
        items.append(Item((Paragraph(table.caption_spans),)))
    for row in table.rows:
        spans: list[Span] = []
        figures: list[Block] = []
        for block in _flatten(tuple(block for cell in row for block in cell.blocks)):
            match block:
                case Paragraph(spans=text) | Heading(spans=text):
                    spans += (Span(" · "), *text) if spans else text
                case Code(text=code):
                    spans += (Span(" · "), Span(code)) if spans else (Span(code),)
                case Figure():
                    figures.append(block)
        if spans or figures:
            paragraph = (Paragraph(tuple(spans)),) if spans else ()
            items.append(Item((*paragraph, *figures)))
    return List(tuple(items))


def _normalize_rows(rows: tuple[Row, ...], depth: int, numeric: frozenset[int]) -> tuple[Row, ...]:
    """Return rows with all spans limited to the table, and numbers to the right."""
    return tuple(
        tuple(
            Cell(
                _normalize_blocks(cell.blocks, depth),
                cell.header,
                _limit_span(cell.colspan),
                min(max(cell.rowspan, 1), len(rows) - index),
                _alignment(cell, "end" if column in numeric else ""),
            )
            for column, cell in enumerate(row)
        )
        for index, row in enumerate(rows)
    )


def _alignment(cell: Cell, default: str) -> str:
    return cell.align if cell.align in ("left", "right", "center", "start", "end") else default


def _limit_span(value: int) -> int:
    return min(max(value, 1), MAX_COLUMNS)
