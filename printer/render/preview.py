"""An article as it is shown to be edited: every piece apart, nothing in it that leads anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from ..article import Article, Block, Embed, Figure, Span
from ..themes.loader import load_theme
from .context import _part
from .limits import limit_article
from .shown import PicturePlacement
from .templates import fill


@dataclass(frozen=True, slots=True)
class PreviewBlock:
    """A piece to show; ``offered`` is one that extraction had left out."""

    id: str
    block: Block
    label: str
    kept: bool = True
    suggested: bool = False
    blocks: tuple[Block, ...] = ()


def render_preview(
    article: Article,
    shapes: Sequence[PreviewBlock],
    picture: Callable[[Figure], PicturePlacement | None],
) -> str:
    """Return an article's pieces as a page that has no script, no form and no address in it.

    ``picture`` gives the address of a figure's picture, which is the only one that the page names.
    """
    shown = []
    for shape in shapes:
        safe, _ = limit_article(replace(article, blocks=(_unlinked(shape.block),)))
        shown.append(replace(shape, blocks=safe.blocks))
    whole = replace(article, blocks=tuple(block for shape in shown for block in shape.blocks))
    return fill(
        load_theme("article"), "preview", part=_part(whole, ""), shapes=shown, picture=picture
    )  # fmt: skip


def _unlinked(value: Any) -> Any:
    """Return a block without its links."""
    if isinstance(value, tuple):
        return tuple(map(_unlinked, value))
    if isinstance(value, Span):
        return replace(value, href="", note="")
    if isinstance(value, Embed):
        value = replace(value, title=value.title or value.url, url="")
    if is_dataclass(value) and not isinstance(value, type):
        inner = {each.name: getattr(value, each.name) for each in fields(value)}
        changed = {name: _unlinked(v) for name, v in inner.items() if isinstance(v, tuple)}
        return replace(value, **changed) if changed else value
    return value
