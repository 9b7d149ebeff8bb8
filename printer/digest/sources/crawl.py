"""What a crawl of a site offers: the articles it finds, the best for the query first."""

from __future__ import annotations

from ...crawl import Crawl, CrawlOptions
from ...settings import Settings, data_folder
from ...site_rules.store import rule_store
from ..candidates import Candidate
from ..config import Source, parse_datetime

#: So many articles are looked for where the description has no limit.
DEFAULT_LIMIT = 20


def crawl_source(source: Source, place: int, query: str, settings: Settings) -> list[Candidate]:
    """Crawl from a source's address, anew each time; raises :class:`WebprintError`."""
    options = CrawlOptions(
        query=query,
        # Those that were printed are found again, so that more are looked for than are wanted.
        articles=3 * (source.limit or DEFAULT_LIMIT),
        pages=source.pages,
        depth=source.depth,
        delay=source.delay,
    )
    database = settings.database or str(data_folder() / "crawl.sqlite")
    with Crawl(
        [source.location],
        options,
        database=database,
        fetch=settings.fetch_options(),
        extract=settings.extract_options(),
        fresh=True,
        rules=rule_store(not settings.no_rules, settings.rules),
    ) as crawl:
        crawl.run()
        return [
            Candidate(
                url=found.url,
                source=source,
                source_index=place,
                source_name=source.name or found.info.site,
                title=found.info.title,
                when=parse_datetime(found.info.published),
                capture=capture,
            )
            for found, capture in crawl.captures()
        ]
