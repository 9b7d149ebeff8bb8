"""What a crawl of a site offers: the articles it finds, the best for the query first."""

from __future__ import annotations

from ...crawl import Crawl, CrawlOptions
from ...settings import Settings, data_folder
from ...site_rules.store import rule_store
from ..candidates import Find
from ..config import Source, moment

#: So many articles are looked for where the description has no limit.
ARTICLES = 20


def crawled(source: Source, place: int, query: str, settings: Settings) -> list[Find]:
    """Crawl from a source's address, anew each time; raises :class:`WebprintError`."""
    options = CrawlOptions(
        query=query,
        # Those that were printed are found again, so that more are looked for than are wanted.
        articles=3 * (source.limit or ARTICLES),
        pages=source.pages,
        depth=source.depth,
        delay=source.delay,
    )
    database = settings.database or str(data_folder() / "crawl.sqlite")
    with Crawl(
        [source.where],
        options,
        database=database,
        fetch=settings.fetch_options(),
        extract=settings.extract_options(),
        fresh=True,
        rules=rule_store(not settings.no_rules, settings.rules),
    ) as crawl:
        crawl.run()
        return [
            Find(
                url=found.url,
                source=source,
                place=place,
                name=source.name or found.info.site,
                title=found.info.title,
                when=moment(found.info.published),
                capture=capture,
            )
            for found, capture in crawl.captures()
        ]
