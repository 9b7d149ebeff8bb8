"""A crawl that is killed repeatedly finds everything, and requests nothing twice."""

import pytest

from tests.support.crawl_process import crawl_with_kills, stored_articles
from tests.support.crawl_sites import CrawlSites
from tests.support.effort import THOROUGH

KILLS = 20 if THOROUGH else 5


@pytest.mark.slow
def test_a_crawl_killed_at_random_moments_misses_nothing_and_asks_for_nothing_twice(tmp_path, warm):
    database = str(tmp_path / "crawl.sqlite")
    with CrawlSites(articles=30, pause=0.01) as web:
        interrupted = crawl_with_kills(warm, web, database, kills=KILLS, seed=8, within=100)
        fetched = web.fetched()
    assert len(stored_articles(database)) == len(web.articles)
    for url, times in fetched.items():
        if url.endswith("/robots.txt"):
            continue
        # The flaky site refuses each page once; requests in progress at a kill are repeated.
        fair = 2 if url.startswith(web.flaky.url) else 1
        assert times <= fair + interrupted[url], url
    again = sum(times - 1 for times in fetched.values())
    assert sum(interrupted.values()) <= KILLS * 3, again
