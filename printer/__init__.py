"""webprint: give it a web page, get the article on paper.

``extract(html, url)`` returns the :class:`Article` of a page; it is pure and needs no network.
``print_pages(sources)`` fetches pages and prints their articles to a PDF.

What is named here is loaded when it is first used, so that a program that only asks for the
version, or for errors, waits for nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_MODULES = {
    "article": ["Article"],
    "errors": ["WebprintError"],
    "model": ["Capture", "Result"],
    "options": ["ExtractOptions", "FetchOptions", "ImageOptions", "PrintOptions"],
    "pipeline": ["Printer", "extract", "print_pages"],
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value
