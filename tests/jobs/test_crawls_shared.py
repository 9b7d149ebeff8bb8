"""A crawl shared by two processes in PostgreSQL, one of which is killed."""

import signal
import time

import pytest

from printer.crawl.crawler import Crawl
from printer.crawl.models import CrawlOptions
from tests.support.crawl_process import PROGRAM
from tests.support.crawl_sites import CrawlSites


@pytest.mark.slow
def test_two_processes_share_a_crawl_and_one_finishes_it(fresh_postgres, warm):
    with CrawlSites(articles=15, pause=0.01) as web:
        command = (PROGRAM, fresh_postgres, web.home.url, *web.hosts)
        one = warm.start(*command)
        until = time.monotonic() + 60
        while web.requests() < 10:
            assert time.monotonic() < until, "the crawl did not begin"
            time.sleep(0.005)
        other = warm.start(*command)
        while web.requests() < 40:
            assert time.monotonic() < until, "the crawl stood still"
            time.sleep(0.005)
        one.kill()
        assert one.wait() == -signal.SIGKILL
        assert other.wait() == 0
        options = CrawlOptions(hosts=tuple(web.hosts), articles=100_000)
        with Crawl([web.home.url], options, database=fresh_postgres) as crawler:
            articles = crawler.articles()
        assert sorted(article.info.title for article in articles) == sorted(web.articles)
        fetched = web.fetched()
    again = {
        url: times for url, times in fetched.items()
        if times > (2 if url.startswith(web.flaky.url) else 1)
    }  # fmt: skip
    # Requests in progress in the killed process: at most one page of each host.
    assert sum(times - 1 for times in again.values()) <= 3 + len(again), again
    assert len(again) <= 3, again
