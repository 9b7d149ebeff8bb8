"""One article from the pages it was split over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..article import Article, Block, Figure, iter_text


def merge_pages(articles: Sequence[Article]) -> Article:
    """Return the first article with the blocks of the others after its own.

    What a later page shows again (the lead picture, a summary at the top) is left out, and its
    ids get a prefix so that notes of two pages do not meet.
    """
    first = articles[0]
    blocks = list(first.blocks)
    seen = {key for block in blocks if (key := _key(block))}
    for number, article in enumerate(articles[1:], start=2):
        for block in article.blocks:
            key = _key(block)
            if not key or key not in seen:
                seen.add(key)
                blocks.append(_prefixed(block, f"p{number}-"))
    return replace(
        first,
        blocks=tuple(blocks),
        confidence=min(article.confidence for article in articles),
        warnings=tuple(dict.fromkeys(w for article in articles for w in article.warnings)),
    )


def _key(block: Block) -> str:
    """Return what tells a block from others; '' for one that may well stand twice."""
    if isinstance(block, Figure):
        return f"figure {block.src}" if block.src else ""
    text = " ".join(iter_text(block))
    return text if len(text) >= 40 else ""


def _prefixed(value: Any, prefix: str) -> Any:
    """Return the value with every id in it, and every reference to one, prefixed."""
    if isinstance(value, tuple):
        return tuple(_prefixed(each, prefix) for each in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changes = {}
    for field in fields(value):
        old = getattr(value, field.name)
        if isinstance(old, tuple):
            changes[field.name] = _prefixed(old, prefix)
        elif old and field.name in {"id", "note"}:
            changes[field.name] = prefix + old
        elif field.name == "href" and old.startswith("#"):
            changes[field.name] = f"#{prefix}{old[1:]}"
    return replace(value, **changes) if changes else value
