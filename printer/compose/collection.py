"""Collections: lists whose items are a picture and a few words, as in shops and galleries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from ..article import (
    Block,
    Figure,
    Heading,
    Item,
    List,
    Paragraph,
    Span,
    iter_text,
    plain_text,
    walk,
)
from ..text import LABEL_LINE, has_currency_sign
from .inline import without_mark
from .selection import MAX_ENTRY_CHARS, MIN_ENTRIES

_MIN_ENTRY_SHARE = 0.75
#: The longest entry with a picture in a collection that consists mostly of shorter ones.
MAX_LONG_ENTRY_CHARS = 2 * MAX_ENTRY_CHARS


def has_pictured_entries(block: List) -> bool:
    """Return whether most items of a list are a picture with a few words."""
    max_chars = MAX_LONG_ENTRY_CHARS if block.is_collection else MAX_ENTRY_CHARS
    entries = [item.blocks for item in block.items if is_entry(item.blocks, max_chars)]
    pictured = sum(map(_is_pictured, entries))
    named_count = sum(any(map(_is_text, blocks)) for blocks in entries)
    if min(pictured, named_count) < MIN_ENTRIES or block.ordered:
        return False
    return len(entries) >= _MIN_ENTRY_SHARE * len(block.items)


def is_entry(blocks: tuple[Block, ...], max_chars: int = MAX_LONG_ENTRY_CHARS) -> bool:
    """Return whether blocks are at most one picture and a few words."""
    flat, is_pictured = list(_inside(blocks)), _is_pictured(blocks)
    texts = [block for block in flat if _is_text(block)]
    return len(flat) - len(texts) == is_pictured and sum(map(len, iter_text(*texts))) <= (
        max_chars if is_pictured else MAX_ENTRY_CHARS
    )


def split_collection(block: List) -> Iterator[Block]:
    """Yield a collection in parts, with the blocks of other items between them."""
    for is_part, items in groupby(block.items, lambda item: is_entry(item.blocks)):
        if is_part:
            yield List(tuple(map(_clean_entry, items)), style="none")
        else:
            yield from (inner for item in items for inner in item.blocks)


def _is_text(block: Block) -> bool:
    return isinstance(block, Heading | Paragraph | List)


def _inside(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks, and instead of a list with a picture those in its items."""
    for block in blocks:
        if isinstance(block, List) and any(isinstance(part, Figure) for part in walk((block,))):
            yield from _inside(inner for item in block.items for inner in item.blocks)
        else:
            yield block


def _is_pictured(blocks: tuple[Block, ...]) -> bool:
    return sum(isinstance(block, Figure) for block in _inside(blocks)) == 1


def _clean_entry(item: Item) -> Item:
    """Return an entry without repeated lines and prices, and without marked counts."""
    distinct: dict[object, Block] = {}
    prices: list[frozenset[str]] = []
    for block in _join_labels(_inside(item.blocks)):
        key: object = block if isinstance(block, Figure) else "".join(iter_text(block))
        if isinstance(block, Paragraph) and (price := _price_words(block)):
            key = price
            prices.append(price)
            if len(price) == 1:
                block = replace(block, spans=(Span(next(iter(price))),))
        if isinstance(block, Heading | Paragraph):
            block = replace(block, spans=tuple(without_mark(span, "mark") for span in block.spans))
        if isinstance(block, Heading):
            distinct[key] = block  # instead of the same words above the picture
        distinct.setdefault(key, block)
    repeated = {price for price in prices if any(price < other for other in prices)}
    return replace(item, blocks=tuple(distinct[key] for key in distinct if key not in repeated))


def _join_labels(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks of an entry, with a label such as 'Weight:' on the line of its value."""
    label: Paragraph | None = None
    for block in blocks:
        next_label = block if isinstance(block, Paragraph) and _is_label(block) else None
        if label and isinstance(block, Paragraph) and not next_label:
            yield replace(block, spans=(*label.spans, Span(" "), *block.spans))
        else:
            yield from filter(None, (label, None if next_label else block))
        label = next_label
    yield from filter(None, (label,))


def _is_label(block: Paragraph) -> bool:
    return LABEL_LINE.fullmatch(plain_text(block.spans).strip()) is not None


_MAX_PRICE_WORDS = 4


def _price_words(block: Paragraph) -> frozenset[str]:
    """Return the words of a line of prices, such as '$9 $12', regardless of repetitions."""
    words = plain_text(block.spans).split()
    has_sign = any(map(has_currency_sign, words[:_MAX_PRICE_WORDS]))
    return frozenset(words) if has_sign and len(words) <= _MAX_PRICE_WORDS else frozenset()
