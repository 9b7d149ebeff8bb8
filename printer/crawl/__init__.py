"""Finding articles: addresses made one, a frontier on disk, polite and bounded crawling.

``Crawl`` is a crawl of its own or of a digest; ``normal_url`` and ``mark`` tell which addresses are
one, ``shingles`` which texts are.  What fetches and keeps is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..urls import canonical_url, url_key
from .models import CrawledArticle, CrawlOptions, CrawlSummary

if TYPE_CHECKING:
    from .crawler import Crawl

__all__ = ["Crawl", "CrawlOptions", "CrawlSummary", "CrawledArticle", "canonical_url", "url_key"]


def __getattr__(name: str) -> Any:
    if name == "Crawl":
        from .crawler import Crawl

        return Crawl
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
