"""webprint: give it a web page, get the article on paper.

``extract(html, url)`` returns the :class:`Article` of a page; it is pure and needs no network.
``print_pages(sources)`` fetches pages and prints their articles to a PDF.
"""

from __future__ import annotations

from .article import Article
from .errors import WebprintError
from .model import Capture, Result
from .options import ExtractOptions, FetchOptions, ImageOptions, PrintOptions
from .pipeline import Printer, extract, print_pages

__version__ = "0.1.0"

__all__ = [
    "Article",
    "Capture",
    "ExtractOptions",
    "FetchOptions",
    "ImageOptions",
    "PrintOptions",
    "Printer",
    "Result",
    "WebprintError",
    "extract",
    "print_pages",
]
