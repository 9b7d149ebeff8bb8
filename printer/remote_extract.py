"""Articles found in other processes: that takes a processor, and there are several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from .capture import Capture
from .options import ExtractOptions, FetchOptions, ImageOptions
from .pipeline import ExtractedPage, Printer

if TYPE_CHECKING:
    from .render.worker_pool import RenderPool


def apart(
    presses: RenderPool, fetch: FetchOptions, pictures: ImageOptions, named: tuple[str, ...]
) -> Callable[[Capture, ExtractOptions], ExtractedPage]:
    """Return what finds the articles of pages in the processes of presses.

    A page that takes longer than a print may costs itself alone.
    """
    alone = replace(fetch, render="never")

    def read(capture: Capture, options: ExtractOptions) -> ExtractedPage:
        # What is called there sends back what it was sent: less of it is sooner done.
        small = replace(capture, screenshot=b"")
        doing = "finding the article"
        reading: ExtractedPage = presses.run(doing, _read, alone, pictures, named, small, options)
        return replace(reading, capture=capture)

    return read


def _read(
    fetch: FetchOptions,
    pictures: ImageOptions,
    named: tuple[str, ...],
    capture: Capture,
    options: ExtractOptions,
) -> ExtractedPage:
    """Find the article of a page, with connections that are kept for the next one."""
    printer = _printer(fetch, pictures, named)
    printer.extract = options
    return printer.read(capture)


@lru_cache(maxsize=1)
def _printer(fetch: FetchOptions, pictures: ImageOptions, named: tuple[str, ...]) -> Printer:
    return Printer(fetch=fetch, pictures=pictures, named=named)
