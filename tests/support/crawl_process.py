"""Crawls in processes that tests kill."""

import random
import sqlite3
import sys
import time
from collections import Counter
from contextlib import closing
from urllib.parse import urljoin

PROGRAM = "tests.support.crawl_process:crawl"


def crawl():
    """Crawl to the end: the program ``DATABASE SEED [HOST ...]``."""
    from printer.crawl.crawler import Crawl
    from printer.crawl.models import CrawlOptions
    from printer.options import FetchOptions

    database, seed, *hosts = sys.argv[1:]
    options = CrawlOptions(
        hosts=tuple(hosts), delay=0.0, retry_delay=0.02, articles=100_000, pages=100_000, parallel=3
    )
    with Crawl([seed], options, database=database, fetch=FetchOptions(timeout=30)) as crawler:
        crawler.run()


def leased_urls(database):
    """Return the addresses that were being visited."""
    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT url FROM crawl_urls WHERE state = 'taken'"
        return [url for (url,) in connection.execute(query)]


def stored_articles(database):
    with closing(sqlite3.connect(database)) as connection:
        return [
            article for (article,) in connection.execute("SELECT info FROM crawl_found_articles")
        ]


def crawl_with_kills(warm, web, database, kills, seed, within):
    """Crawl to the end, killed at random moments while the first ``within`` requests arrive.

    Return how often each address was being visited at a kill.
    """
    rng = random.Random(seed)
    interrupted = Counter()
    requests_before = 0
    command = (PROGRAM, database, web.home.url, *web.hosts)
    for moment in sorted(rng.sample(range(3, within), kills)):
        moment = max(moment, requests_before + 1)
        crawler = warm.start(*command)
        try:
            deadline = time.monotonic() + 60
            while web.requests() < moment:
                assert time.monotonic() < deadline, f"the crawl stopped at {web.requests()}"
                time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.15))
            assert crawler.poll() is None, "the crawl ended before it was killed"
        finally:
            crawler.kill()
            crawler.wait()
        requests_before = web.requests()
        urls = leased_urls(database)
        # A visit reads the robots.txt of its host first.
        interrupted.update({*urls, *(urljoin(url, "/robots.txt") for url in urls)})
    assert warm.start(*command).wait() == 0
    return interrupted
