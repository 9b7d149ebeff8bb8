"""What a template asks about a block: how closely it is set, and what it stays together with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from jinja2 import pass_context
from jinja2.runtime import Context

from ..article import (
    Block,
    Cell,
    Code,
    DefinitionList,
    Heading,
    List,
    Math,
    Paragraph,
    Quote,
    Rule,
    Table,
    plain_text,
)
from ..themes.page import CHARACTER, UNITS, PageGeometry

#: A table of no more rows is not broken over pages.
MOST_KEPT = 9

#: The text of a cell is given room for so many characters of a line.
LONG_CELL = 28

#: Code of fewer lines is not broken over pages; a shorter text before code is its label.
MOST_LINES, LABEL = 14, 40

#: A bold line of no more characters heads what comes after it; no line of verse is longer.
LONGEST_LABEL, LONGEST_VERSE = 90, 64

_NUMBER = re.compile(r"\(\s?\d{1,3}(?:\.\d{1,3})?[a-z]?\s?\)")


def is_short(block: Code) -> bool:
    """Say whether code is to stand on one page."""
    return block.text.count("\n") < MOST_LINES


def introduces(block: Paragraph, after: Block) -> bool:
    """Say whether a paragraph leads to what comes after it and is to stay with it."""
    if not isinstance(after, List | Code | Table | Math | Quote | DefinitionList):
        return False
    text = plain_text(block.spans).rstrip()
    return text.endswith((":", "：")) or (isinstance(after, Code) and len(text) < LABEL)


def is_label(block: Paragraph, after: Block | None) -> bool:
    """Say whether a paragraph is the heading of what follows, though its page does not say so.

    That is a short line in bold type, with small print after it perhaps, or one without a stop
    before a longer text.
    """
    text = plain_text(block.spans).strip()
    if after is None or not 0 < len(text) <= LONGEST_LABEL or "\n" in text:
        return False
    if isinstance(after, Heading | Rule):
        return False
    first, *others = (span for span in block.spans if span.text.strip())
    if "strong" in first.marks and all({"strong", "small"} & {*each.marks} for each in others):
        return True
    longer = isinstance(after, Code) or (
        isinstance(after, Paragraph) and len(plain_text(after.spans)) > 2 * len(text)
    )
    return longer and len(text) <= LABEL and text[-1].isalnum() and not _is_linked(block)


def is_bare(block: Heading, after: Block) -> bool:
    """Say whether a heading has nothing under it, as the entries of a list that is set in headings.

    A heading before one of a lower level announces that one.
    """
    return isinstance(after, Heading) and after.level <= block.level


def _is_linked(block: Paragraph) -> bool:
    return any(span.href or span.note or span.math for span in block.spans)


def is_verse(block: Paragraph) -> bool:
    """Say whether a paragraph is a stanza: several lines, all of them short."""
    rows = "".join(span.text for span in block.spans).strip().split("\n")
    return len(rows) > 2 and max(map(len, rows)) <= LONGEST_VERSE


def is_number_of(block: Block, before: Block) -> bool:
    """Say whether a block is the number of the formula before it, as in (3)."""
    if not (isinstance(block, Paragraph) and isinstance(before, Math)):
        return False
    return bool(_NUMBER.fullmatch(plain_text(block.spans[:3])[:20].strip()))


def is_loose(block: List) -> bool:
    """Say whether a list's items are more than a line or two each, and stand better apart."""
    return any(sum(isinstance(each, Paragraph) for each in item.blocks) > 1 for item in block.items)


@pass_context
def table_class(context: Context, table: Table) -> str:
    """Return how a table is set, from how many columns it has and how long their texts are.

    ``wide`` and ``widest`` are set closely, ``across`` spans the columns of the page, and so do
    they; ``short`` is not broken.
    """
    rows = (*table.head, *table.body, *table.foot)
    columns = max((sum(cell.colspan for cell in row) for row in rows), default=0)
    if columns > 6:
        return "widest" if columns > 12 else "wide"
    paper = context.get("paper")
    if isinstance(paper, PageGeometry) and paper.columns > 1 and _is_long(rows, paper):
        return "across"
    return "short" if len(rows) <= MOST_KEPT and columns else "table"


def _is_long(rows: Sequence[Sequence[Cell]], paper: PageGeometry) -> bool:
    """Say whether a column of the page is too narrow for a table's texts."""
    widths: dict[int, int] = {}
    for row in islice(rows, 200):
        for place, cell in enumerate(row):
            text = " ".join(plain_text(b.spans) for b in cell.blocks if isinstance(b, Paragraph))
            widths[place] = max(widths.get(place, 0), min(len(text), LONG_CELL))
    character = CHARACTER * paper.font_size * UNITS["pt"] * 0.86
    return sum(widths.values()) + 3 * len(widths) > 1.1 * paper.column_width / character
