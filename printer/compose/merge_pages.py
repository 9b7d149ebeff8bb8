"""Articles that are split over several pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from ..article import Article, Block, Figure, iter_text, transform

#: Shorter text may be repeated on purpose.
_MIN_UNIQUE = 40


def merge_pages(articles: Sequence[Article]) -> Article:
    """Return the first article with the blocks of the others appended.

    What a later page repeats (the lead picture, a summary at the top) is left out.  The ids of
    later pages get a prefix, so that those of different pages do not collide.
    """
    first = articles[0]
    blocks = list(first.blocks)
    keys = {key for block in blocks if (key := _key(block))}
    for number, article in enumerate(articles[1:], start=2):
        for block in article.blocks:
            key = _key(block)
            if not key or key not in keys:
                keys.add(key)
                blocks += _with_prefix((block,), f"p{number}-")
    return replace(
        first,
        blocks=tuple(blocks),
        confidence=min(article.confidence for article in articles),
        warnings=tuple(dict.fromkeys(w for article in articles for w in article.warnings)),
    )


def _key(block: Block) -> str:
    """Return what identifies a block, '' for one that may be repeated."""
    if isinstance(block, Figure):
        return f"figure {block.src}" if block.src else ""
    text = " ".join(iter_text(block))
    return text if len(text) >= _MIN_UNIQUE else ""


def _with_prefix(blocks: tuple[Block, ...], prefix: str) -> tuple[Block, ...]:
    """Return blocks with a prefix on every id and every reference to one."""

    def replacement(part: Any) -> list[Any]:
        part = transform(part, replacement)
        changes = {}
        for name in {field.name for field in fields(part)} & {"id", "note", "href"}:
            value: str = getattr(part, name)
            if name != "href":
                changes[name] = prefix + value if value else ""
            elif value.startswith("#"):
                changes[name] = f"#{prefix}{value[1:]}"
        return [replace(part, **changes)]

    prefixed: tuple[Block, ...] = transform(blocks, replacement)
    return prefixed
