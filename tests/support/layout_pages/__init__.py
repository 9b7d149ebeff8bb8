"""Pages with style sheets and scripts, every segment of which is labeled.

``PAGES`` are functions that write a page on a :class:`~tests.support.layout_pages.sheet.Sheet`; ``python -m
benchmarks.layout`` serves them, captures them and measures the extractors by their labels.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.support.layout_pages import news, other, scripted
from tests.support.layout_pages.sheet import LabeledPage

PAGES: list[Callable[[LabeledPage], str]] = [*news.PAGES, *other.PAGES, *scripted.PAGES]
