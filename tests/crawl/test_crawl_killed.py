"""A crawl that is killed again and again finds everything, and asks for nothing twice."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from small_web import SmallWeb

CRAWLER = Path(__file__).parent / "crawler.py"


class Crawler:
    """A process that starts crawls; see crawler.py."""

    def __init__(self, database, *addresses):
        environ = {**os.environ, "PYTHONPATH": str(CRAWLER.parents[2]), "OPENBLAS_NUM_THREADS": "1"}
        self.pid = 0
        self.process = subprocess.Popen(
            [sys.executable, CRAWLER, database, *addresses],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ,
        )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.pid:  # The test failed before it ended.
            os.kill(self.pid, signal.SIGKILL)
        self.process.kill()
        self.process.communicate()

    def start(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.pid = int(self.process.stdout.readline())
        return self.pid

    def ended(self):
        how = self.process.stdout.readline().strip()
        self.pid = 0
        return how


def taken(database):
    """The addresses that were being visited."""
    with closing(sqlite3.connect(database)) as connection:
        asked = "SELECT url FROM crawl_addresses WHERE state = 'taken'"
        return [url for (url,) in connection.execute(asked)]


def kept(database):
    with closing(sqlite3.connect(database)) as connection:
        return [told for (told,) in connection.execute("SELECT told FROM crawl_articles")]


def kill_and_go_on(web, database, kills, seed, within):
    """Crawl to the end, killed at random moments while the first ``within`` requests come.

    Return how often each address was on its way at a kill.
    """
    rng = random.Random(seed)
    on_its_way = Counter()
    last = 0
    with Crawler(database, web.home.url, *web.hosts) as crawler:
        for moment in sorted(rng.sample(range(3, within), kills)):
            moment = max(moment, last + 1)
            pid = crawler.start()
            until = time.monotonic() + 60
            while web.requests() < moment:
                assert time.monotonic() < until, f"the crawl stood still at {web.requests()}"
                time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.03))
            os.kill(pid, signal.SIGKILL)
            assert crawler.ended() == "killed"
            last = web.requests()
            on_its_way.update(taken(database))
        crawler.start()
        assert crawler.ended() == "over"
    return on_its_way


@pytest.mark.slow
def test_a_crawl_killed_at_20_moments_misses_nothing_and_asks_for_nothing_twice(tmp_path):
    database = str(tmp_path / "crawl.sqlite")
    with SmallWeb(articles=30, pause=0.01) as web:
        on_its_way = kill_and_go_on(web, database, kills=20, seed=8, within=100)
        fetched = web.fetched()
    assert len(kept(database)) == len(web.articles)
    for url, times in fetched.items():
        if url.endswith("/robots.txt"):
            continue
        # The moody site refuses each page once; what was on its way at a kill is asked for again.
        fair = 2 if url.startswith(web.flaky.url) else 1
        assert times <= fair + on_its_way[url], url
    again = sum(times - 1 for times in fetched.values())
    assert sum(on_its_way.values()) <= 20 * 3, again
