"""webprint: give it a web page, get the article on paper.

``extract(html, url)`` returns the :class:`Article` of a page; it is pure and needs no network.
"""

from __future__ import annotations

from .article import Article
from .errors import WebprintError
from .options import ExtractOptions, FetchOptions, PrintOptions
from .pipeline import extract

__version__ = "0.1.0"

__all__ = [
    "Article",
    "ExtractOptions",
    "FetchOptions",
    "PrintOptions",
    "WebprintError",
    "extract",
]
