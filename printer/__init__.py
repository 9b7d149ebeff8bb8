"""webprint: turn web pages into readable PDFs.

``extract(html, url)`` returns the :class:`Article` of a page; it needs no network.
``print_pages(sources)`` fetches pages and prints their articles.

Names are imported on first use, so that extraction alone loads nothing that fetches or renders.
"""

from __future__ import annotations

from importlib import import_module

# Importing typing would take most of the time before the command line can handle an interrupt.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .article import Article as Article
    from .capture import Capture as Capture
    from .errors import WebprintError as WebprintError
    from .extract_stage import extract as extract
    from .options import ExtractOptions as ExtractOptions
    from .options import FetchOptions as FetchOptions
    from .options import ImageOptions as ImageOptions
    from .options import Options as Options
    from .options import PrintOptions as PrintOptions
    from .output import Result as Result
    from .pipeline import Printer as Printer
    from .pipeline import print_pages as print_pages
    from .session import Session as Session

__version__ = "0.2.0"

#: The thresholds of garbage collection in the command and in worker processes.  The objects of a
#: page and of its layout live until the end, so that frequent collections find no garbage.
GC_THRESHOLDS = 100_000, 50, 100

_MODULES = {
    "Article": "article", "Capture": "capture", "ExtractOptions": "options",
    "FetchOptions": "options", "ImageOptions": "options", "Options": "options",
    "PrintOptions": "options", "Printer": "pipeline", "Result": "output", "Session": "session",
    "WebprintError": "errors", "extract": "extract_stage", "print_pages": "pipeline",
}  # fmt: skip
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    return value
