"""Crawls: a frontier on disk, and polite, bounded visits that find articles.

:class:`Crawl` and what it imports are loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .models import CrawledArticle, CrawlOptions, CrawlSummary

if TYPE_CHECKING:
    from .crawler import Crawl

__all__ = ["Crawl", "CrawlOptions", "CrawlSummary", "CrawledArticle"]


def __getattr__(name: str) -> Any:
    if name == "Crawl":
        from .crawler import Crawl

        return Crawl
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
