"""Crawls of a small web on loopback."""

import sqlite3
import zlib

import pytest

from printer.crawl.crawler import Crawl
from printer.crawl.frontier import Frontier
from printer.crawl.models import CrawlOptions
from printer.crawl.store import Store
from printer.errors import JobsError, UsageError
from printer.options import SiteRule
from tests.support.crawl_sites import CrawlSites, article_text, title_of

QUICK = {"delay": 0.0, "retry_delay": 0.05}


@pytest.fixture(scope="module")
def web():
    with CrawlSites(articles=40, pause=0.01) as sites:
        yield sites


def crawl(web, tmp_path, **options):
    options = {**QUICK, "hosts": tuple(web.hosts), **options}
    return Crawl([web.home.url], CrawlOptions(**options), database=str(tmp_path / "c.sqlite"))


def titles(articles):
    return [article.info.title for article in articles]


def test_every_article_is_found_once_and_nothing_else(tmp_path):
    with CrawlSites(articles=20, pause=0.01) as web, crawl(web, tmp_path) as crawler:
        summary = crawler.run()
        listed = titles(crawler.articles())
        assert sorted(listed) == sorted(web.articles)
        assert summary.stop_reason == "nothing is left to visit"
        assert summary.duplicates == 2  # the copy, and the page to print
        fetched = web.fetched()
        twice = {url for url, times in fetched.items() if times > 1}
        # Only pages refused the first time were requested again.
        assert all(url.startswith(web.flaky.url) for url in twice), twice
        assert not [url for url in fetched if "/members" in url]
        assert sum("/calendar" in url for url in fetched) <= 30
        assert sum("/endless" in url for url in fetched) <= 30
        assert sum("/shop" in url for url in fetched) <= 30


def test_pages_on_the_query_come_first(web, tmp_path):
    with crawl(web, tmp_path, hosts=(), query="the railway at stations", articles=6) as crawler:
        summary = crawler.run()
        assert summary.stop_reason == "6 articles were found"
        articles = crawler.articles()
    assert all("railway" in article.info.title for article in articles), titles(articles)
    scores = [article.score for article in articles]
    assert scores == sorted(scores, reverse=True)
    # Breadth first all lists come before any article; here few pages were fetched in vain.
    assert summary.fetched <= 16


def test_the_rules_for_a_site_apply(web, tmp_path):
    rule = SiteRule(host="127.0.0.1", drop=("article p:first-of-type",))
    seeds = [f"{web.home.url}/garden/2026/02/the-story-1.html"]
    words = []
    for name, rules in (("plain", None), ("ruled", lambda _url: (rule,))):
        options = CrawlOptions(**QUICK, articles=1)
        database = str(tmp_path / name)
        with Crawl(seeds, options, database=database, rules=rules) as crawler:
            crawler.run()
            (article,) = crawler.articles()
            words.append(article.info.words)
    first = len(article_text(1, "garden")[0].split())
    assert words[0] - words[1] == first


def test_damaged_rows_are_errors_of_the_database(web, tmp_path, monkeypatch):
    with crawl(web, tmp_path, articles=1) as crawler:
        crawler.run()
        (article,) = crawler.articles()
        with monkeypatch.context() as limited:
            limited.setattr("printer.db.MAX_DECOMPRESSED", 100)
            with pytest.raises(JobsError, match="too large"):
                crawler.capture(article)
        table = sqlite3.connect(tmp_path / "c.sqlite", timeout=60)
        for info, body in (("{", b"x"), ("[]", zlib.compress(b"x")[:-1]), ('{"title": 1}', b"")):
            with table:
                table.execute("UPDATE crawl_found_articles SET info = ?, body = ?", (info, body))
            with pytest.raises(JobsError, match="database"):
                crawler.articles()
            with pytest.raises(JobsError, match="database"):
                crawler.capture(article)
        body = zlib.compress(b"x")
        for values in (("text", 0), (7, 0), (body, 1e300), (body, "x")):
            with table:
                table.execute("UPDATE crawl_found_articles SET body = ?, fetched = ?", values)
            with pytest.raises(JobsError, match="database"):
                crawler.capture(article)
        table.close()


def test_a_page_is_kept_as_it_was_fetched(web, tmp_path):
    with crawl(web, tmp_path, articles=1) as crawler:
        crawler.run()
        article = crawler.articles()[0]
        before = sum(web.fetched().values())
        capture = crawler.capture(article)
        assert article.info.title.encode() in capture.body
        assert capture.url == article.url
        assert sum(web.fetched().values()) == before


def test_a_crawl_goes_on_with_wider_bounds(web, tmp_path):
    before = web.fetched()
    with crawl(web, tmp_path, articles=3) as crawler:
        crawler.run()
        assert len(crawler.articles()) == 3
    with crawl(web, tmp_path, articles=9) as crawler:
        crawler.run()
        assert len(crawler.articles()) == 9
    requested = web.fetched() - before
    assert max(times for url, times in requested.items() if not url.startswith(web.flaky.url)) == 1


def test_scope_keeps_to_hosts_paths_and_depth(web, tmp_path):
    with crawl(web, tmp_path, hosts=(), path_prefix="/garden/", sitemaps=False) as crawler:
        crawler.run()
        assert {title_of(n, "garden") for n in range(1, 40, 5)} == set(titles(crawler.articles()))
    with crawl(web, tmp_path, hosts=(), depth=1, sitemaps=False) as crawler:
        crawler.run()
        assert crawler.articles() == []


def test_a_crawl_needs_a_seed(tmp_path):
    with pytest.raises(UsageError):
        Crawl([], database=str(tmp_path / "c.sqlite"))


def test_a_crawl_that_cannot_begin_closes_its_database(web, tmp_path, monkeypatch):
    def refuse(*_args, **_options):
        raise JobsError("the table is locked")

    closed = []
    monkeypatch.setattr(Frontier, "open", refuse)
    monkeypatch.setattr(Store, "close", lambda store: closed.append(store))
    with pytest.raises(JobsError):
        crawl(web, tmp_path)
    (store,) = closed
    monkeypatch.undo()
    store.close()
