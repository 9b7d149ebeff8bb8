"""Crawls as a source: the articles of a site, the best for the digest's query first."""

from __future__ import annotations

from ...crawl import Crawl, CrawlOptions
from ...settings import Settings, data_folder
from ...site_rules.store import rule_store
from .feeds import Entry, parse_date


def crawl_entries(url: str, options: CrawlOptions, settings: Settings) -> list[Entry]:
    """Crawl a site from scratch; return its articles with their pages.  Raises WebprintError."""
    with Crawl(
        [url],
        options,
        database=settings.database or str(data_folder() / "crawl.sqlite"),
        fetch=settings.fetch_options(),
        extract=settings.extract_options(),
        fresh=True,
        rules=rule_store(not settings.no_rules, settings.rules),
    ) as crawl:
        crawl.run()
        return [
            Entry(
                url=article.url,
                title=article.info.title,
                published=parse_date(article.info.published),
                capture=capture,
                source_name=article.info.site,
            )
            for article, capture in crawl.captures()
        ]
