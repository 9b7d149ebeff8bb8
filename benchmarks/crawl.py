"""Measure the crawler on a small web over loopback: what it finds, and in what order.

usage: python -m benchmarks.crawl [--articles N] [--kills N] [--seed N]

The web is that of the tests (tests/small_web.py): a site with sections, copies, moved pages, pages
that robots.txt forbids and four traps without end, a slow host and one that refuses each page once.
First it is crawled whole, killed (kill -9) so many times, and every request is counted.  Then a
crawl with a query is compared with one without: how many pages each fetches until it has found 10,
20 and 40 articles of the one topic that is looked for.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "crawl")]

from small_web import SmallWeb  # noqa: E402
from test_crawl_killed import kept, kill_and_go_on  # noqa: E402

from printer.crawl import Crawl, CrawlOptions  # noqa: E402

TOPIC = "railway"


def killed(folder: Path, articles: int, kills: int, seed: int) -> None:
    database = str(folder / "killed.sqlite")
    with SmallWeb(articles=articles, pause=0.01) as web:
        began = time.monotonic()
        on_its_way = kill_and_go_on(web, database, kills, seed, within=articles)
        took = time.monotonic() - began
        fetched = web.fetched()
        found, wanted = len(kept(database)), len(web.articles)
        again = {
            url: times
            for url, times in fetched.items()
            if times > (2 if url.startswith(web.flaky.url) else 1)
        }
    unexplained = {url for url in again if not on_its_way[url]}
    print(f"{kills} kills: {found} of {wanted} articles in {took:.1f} s")
    print(f"  {sum(fetched.values())} requests for {len(fetched)} addresses")
    print(f"  {len(again)} asked for again after a kill, {len(unexplained)} of them for no reason")


def order(folder: Path, articles: int) -> None:
    print("pages fetched until so many articles of one topic in five were found:")
    for name, query in (("with a query", f"{TOPIC} stations"), ("without", "")):
        with SmallWeb(articles=articles, pause=0.0) as web:
            options = CrawlOptions(
                query=query, delay=0.0, rest=0.02, articles=100_000, pages=100_000, parallel=1,
                sitemaps=False,
            )  # fmt: skip
            visited, hits = 0, []

            def tell(
                _taken: object, _outcome: object, found: object, hits: list[int] = hits
            ) -> None:
                nonlocal visited
                visited += 1
                if found is not None and TOPIC in found.told.title:
                    hits.append(visited)

            database = str(folder / f"{name}.sqlite")
            began = time.monotonic()
            with Crawl([web.home.url], options, database=database, notify=tell) as crawl:
                summary = crawl.run()
            took = time.monotonic() - began
        counts = ", ".join(f"{n}: {hits[n - 1]}" for n in (10, 20, 40) if len(hits) >= n)
        rate = summary.fetched / took
        print(f"  {name:14} {counts}   ({summary.fetched} pages, {rate:.0f} a second)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--articles", type=int, default=400)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=8)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        killed(Path(folder), asked.articles, asked.kills, asked.seed)
        order(Path(folder), asked.articles)


if __name__ == "__main__":
    main()
