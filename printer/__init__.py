"""webprint: give it a web page, get the article on paper.

``extract(html, url)`` returns the :class:`Article` of a page; it is pure and needs no network.
``print_pages(sources)`` fetches pages and prints their articles to a PDF.

What is named here is loaded when it is first asked for, so that the command line can have
WeasyPrint loading beside it before it loads anything else, and extraction alone loads nothing that
prints or fetches.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .article import Article
    from .capture import Capture
    from .errors import WebprintError
    from .extract_stage import extract
    from .options import ExtractOptions, FetchOptions, ImageOptions, PrintOptions
    from .output import Result
    from .pipeline import Printer, print_pages

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

_HOMES = {
    "Article": "article",
    "WebprintError": "errors",
    "Capture": "capture",
    "Result": "output",
    "ExtractOptions": "options",
    "FetchOptions": "options",
    "ImageOptions": "options",
    "PrintOptions": "options",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(f".{_HOMES.get(name, 'pipeline')}", __name__)
    value = globals()[name] = getattr(home, name)
    return value


class _Package(ModuleType):
    """Keeps the name ``extract`` for the function: the folder of that name is given it too."""

    @property
    def extract(self) -> Any:
        from .extract_stage import extract

        return extract

    @extract.setter
    def extract(self, part: ModuleType) -> None:
        """Leave the folder to be found where modules are."""


sys.modules[__name__].__class__ = _Package
