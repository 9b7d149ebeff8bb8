"""Articles in formats other than PDF: EPUB, a page of HTML, Markdown, JSON.

Like PDF, each is written from the article alone and contains none of the page's own markup.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from ..article import Article
from ..options import Format
from ..output import CompletenessReport, Picture


def export_articles(
    articles: Sequence[Article],
    format_: Format,
    pictures: Mapping[str, Picture],
    *,
    title: str = "",
    fetched: datetime | None = None,
) -> tuple[bytes, CompletenessReport]:
    """Return articles in a format, and a report of the content read back from the result.

    Args:
        articles: One or more articles: chapters of a book, parts of a page, items of a JSON list.
        format_: Any format but PDF.
        pictures: The prepared pictures by ``Figure.src``, or ``Figure.svg``.
        title: The title of several articles together.
        fetched: The time of fetching.
    """
    from .verify import compare_with_articles

    match format_:
        case "epub":
            from .epub import to_epub

            data = to_epub(articles, pictures, title=title, fetched=fetched)
        case "html":
            from .html import to_standalone_html

            text = to_standalone_html(articles, pictures, title=title, fetched=fetched)
            data = text.encode("utf-8", "replace")
        case "markdown":
            from .markdown import to_markdown

            data = to_markdown(*articles).encode("utf-8", "replace")
        case _:
            data = to_json(articles)
    return data, compare_with_articles(articles, format_, data)


def to_json(articles: Sequence[Article]) -> bytes:
    """Return an article as JSON, or several as a list."""
    data = [article.to_dict() for article in articles]
    text = json.dumps(data if len(data) > 1 else data[0], ensure_ascii=False, indent=2)
    return (text + "\n").encode("utf-8", "replace")
