"""Documents of articles without contents, for WeasyPrint and as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from printer.article import Article
from printer.export.html import to_html
from printer.options import PrintOptions
from printer.output import Picture
from printer.render.context import Document, RenderContext, build_document


def render_html(
    articles: Sequence[Article],
    pictures: Mapping[str, Picture],
    options: PrintOptions | None = None,
    fetched: datetime | None = None,
) -> Document:
    """Return articles as one document; ``pictures`` is keyed by ``Figure.src`` or ``.svg``."""
    context = RenderContext.of(articles, options or PrintOptions(), fetched)
    targets = context.new_targets()
    document = build_document(context, range(len(articles)), pictures, targets, targets)
    return replace(document, warnings=context.warnings)


def html_page(article: Article) -> str:
    """Return an article as a page of HTML without pictures."""
    return to_html([article], {})


def text_of(line: Any) -> str:
    """Return the text of a line that WeasyPrint has laid out."""
    return "".join(getattr(box, "text", "") for box in line.descendants())
