"""Crawls in processes to be killed; run by tests as a process of its own.

    crawler.py DATABASE SEED [HOST ...]

For each line on standard input a crawl is started in a process whose id is written, and when that
has ended, how: "killed", "over" or "failed".  What is slow to load is loaded once, before the fork.
"""

import os
import sys

from printer.crawl import Crawl, CrawlOptions
from printer.extraction.ensemble import shipped
from printer.options import FetchOptions


def crawl(database, seed, *hosts):
    options = CrawlOptions(
        hosts=hosts, delay=0.0, rest=0.02, articles=100_000, pages=100_000, parallel=3
    )
    with Crawl([seed], options, database=database, fetch=FetchOptions(timeout=30)) as made:
        made.run()


def main():
    shipped()
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            try:
                crawl(*sys.argv[1:])
                sys.stdout.flush()
                os._exit(0)
            finally:
                os._exit(1)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        ended = "over" if status == 0 else "failed"
        print("killed" if os.WIFSIGNALED(status) else ended, flush=True)


if __name__ == "__main__":
    main()
