"""Measure the crawler on a small web over loopback: what it finds, and in what order.

The web is that of the tests (tests/support/crawl_sites.py): a site with sections, duplicates, moved
pages, pages that robots.txt forbids and four endless traps, a slow host, and one that refuses each
page once.  First it is crawled completely, with kills (kill -9), and every request is counted.
Then a crawl with a query is compared with one without: how many pages each fetches until it has
found 10, 20 and 40 articles on the topic of the query.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from printer.crawl.crawler import Crawl
from printer.crawl.models import CrawlOptions
from tests.support.crawl_process import crawl_with_kills, stored_articles
from tests.support.crawl_sites import CrawlSites
from tests.support.warm_programs import WarmPrograms

from .protocol import Effort, Row, run_alone

TOPIC = "railway"


class Killed(NamedTuple):
    """The result of a crawl with kills; ``unexplained`` counts needlessly repeated requests."""

    articles: int
    expected: int
    addresses: int
    again: int
    unexplained: int


class Order(NamedTuple):
    """The number of pages fetched when each article on the topic was found, and the rate."""

    hits: list[int]
    pages: int
    rate: float


def killed(folder: Path, articles: int, kills: int, seed: int) -> Killed:
    database = str(folder / "killed.sqlite")
    with CrawlSites(articles=articles, pause=0.01) as web:
        with WarmPrograms() as warm:
            interrupted = crawl_with_kills(warm, web, database, kills, seed, within=articles)
        fetched = web.fetched()
        stored, expected = len(stored_articles(database)), len(web.articles)
        repeated = {
            url: times
            for url, times in fetched.items()
            if times > (2 if url.startswith(web.flaky.url) else 1)
        }
    unexplained = {url for url in repeated if not interrupted[url]}
    return Killed(stored, expected, len(fetched), len(repeated), len(unexplained))


def order(folder: Path, articles: int) -> dict[str, Order]:
    """Crawl with a query and without."""
    results = {}
    for name, query in (("with a query", f"{TOPIC} stations"), ("without", "")):
        with CrawlSites(articles=articles, pause=0.0) as web:
            options = CrawlOptions(
                query=query, delay=0.0, retry_delay=0.02, articles=100_000, pages=100_000,
                parallel=1, sitemaps=False,
            )  # fmt: skip
            visited = 0
            hits: list[int] = []

            def tell(_url: object, _outcome: object, article: Any, hits: list[int] = hits) -> None:
                nonlocal visited
                visited += 1
                if article is not None and TOPIC in article.info.title:
                    hits.append(visited)

            database = str(folder / f"{name}.sqlite")
            start = time.monotonic()
            with Crawl([web.home.url], options, database=database, on_visit=tell) as crawl:
                summary = crawl.run()
            seconds = time.monotonic() - start
        results[name] = Order(hits, summary.fetched, summary.fetched / seconds)
    return results


def rows(effort: Effort) -> Iterator[Row]:
    articles, kills = effort.of((400, 20), (400, 20), (60, 5))
    with tempfile.TemporaryDirectory() as folder:
        crawl = killed(Path(folder), articles, kills, seed=8)
        subject = f"killed {kills} times"
        yield Row(
            subject, "articles lost", crawl.expected - crawl.articles, n=crawl.expected, goal="≤ 0"
        )
        yield Row(subject, "addresses asked for again for no reason", crawl.unexplained,
                  n=crawl.addresses, goal="≤ 0")  # fmt: skip
        yield Row(subject, "addresses asked for again after a kill", crawl.again, n=crawl.addresses)
        results = order(Path(folder), articles)
    for name, result in results.items():
        for count in (10, 20, 40):
            if len(result.hits) >= count:
                figure = f"pages fetched until {count} articles of a topic were found"
                with_, without = (result.hits[count - 1] for result in results.values())
                ratio = with_ / without if name == "with a query" else None
                yield Row(name, figure, result.hits[count - 1], n=result.pages, ratio=ratio)
        yield Row(name, "pace", result.rate, "pages/s", n=result.pages)


if __name__ == "__main__":
    run_alone(rows)
