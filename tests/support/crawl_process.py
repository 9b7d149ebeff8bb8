"""Run crawls in processes that tests kill.

    python -m tests.support.crawl_process DATABASE SEED [HOST ...]

For each line on standard input it starts a crawl in a process, writes its id, and, when the process
has ended, how it ended: "killed", "finished" or "failed".  Slow imports are done once, before the
fork.
"""

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

ROOT = Path(__file__).parents[2]


class CrawlProcess:
    """The parent's handle of the process that starts crawls."""

    def __init__(self, database, *addresses):
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
        self.pid = 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.crawl_process", database, *addresses],
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
        """Start a crawl and return the id of its process."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.pid = int(self.process.stdout.readline())
        return self.pid

    def wait(self):
        """Return how the crawl ended."""
        outcome = self.process.stdout.readline().strip()
        self.pid = 0
        return outcome


def leased_urls(database):
    """Return the addresses that were being visited."""
    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT url FROM crawl_addresses WHERE state = 'taken'"
        return [url for (url,) in connection.execute(query)]


def stored_articles(database):
    with closing(sqlite3.connect(database)) as connection:
        return [article for (article,) in connection.execute("SELECT told FROM crawl_articles")]


def crawl_with_kills(web, database, kills, seed, within):
    """Crawl to the end, killed at random moments while the first ``within`` requests arrive.

    Return how often each address was being visited at a kill.
    """
    rng = random.Random(seed)
    interrupted = Counter()
    last = 0
    with CrawlProcess(database, web.home.url, *web.hosts) as crawler:
        for moment in sorted(rng.sample(range(3, within), kills)):
            moment = max(moment, last + 1)
            pid = crawler.start()
            until = time.monotonic() + 60
            while web.requests() < moment:
                assert time.monotonic() < until, f"the crawl stopped at {web.requests()}"
                time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.03))
            os.kill(pid, signal.SIGKILL)
            assert crawler.wait() == "killed"
            last = web.requests()
            interrupted.update(leased_urls(database))
        crawler.start()
        assert crawler.wait() == "finished"
    return interrupted


def _crawl(database, seed, *hosts):
    from printer.crawl.crawler import Crawl
    from printer.crawl.models import CrawlOptions
    from printer.options import FetchOptions

    options = CrawlOptions(
        hosts=hosts, delay=0.0, retry_delay=0.02, articles=100_000, pages=100_000, parallel=3
    )
    with Crawl([seed], options, database=database, fetch=FetchOptions(timeout=30)) as crawl:
        crawl.run()


def main():
    from printer.crawl import crawler
    from printer.extraction.classifier.model import load_default_model

    assert crawler
    load_default_model()
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            try:
                _crawl(*sys.argv[1:])
                sys.stdout.flush()
                os._exit(0)
            finally:
                os._exit(1)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        outcome = "finished" if status == 0 else "failed"
        print("killed" if os.WIFSIGNALED(status) else outcome, flush=True)


if __name__ == "__main__":
    main()
