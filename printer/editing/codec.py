"""Blocks as plain data, and read again from it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args

from ..article import Block, Cell, Definition, Item, Span, to_data

#: The classes that the data of an article names by ``type``.
_KINDS: dict[str, Any] = {
    kind.__name__.lower(): kind
    for kind in (*get_args(Block), Span, Item, Definition, Cell)
}  # fmt: skip


def block_of(data: Any) -> Any:
    """Return the block, span or part of one that :meth:`Article.to_dict` wrote as data.

    Raises ValueError for anything else.
    """
    if isinstance(data, list):
        return tuple(map(block_of, data))
    if not isinstance(data, dict):
        return data
    kind = _KINDS.get(str(data.get("type")))
    if kind is None:
        raise ValueError(f"not a part of an article: {str(data.get('type'))[:40]!r}")
    known = {each.name for each in fields(kind)}
    try:
        return kind(**{name: block_of(value) for name, value in data.items() if name in known})
    except TypeError as error:
        raise ValueError(str(error)) from error


def block_data(block: Block) -> dict[str, Any]:
    """Return a block as plain data, as :meth:`Article.to_dict` has it."""
    data: dict[str, Any] = to_data(block)
    return data
