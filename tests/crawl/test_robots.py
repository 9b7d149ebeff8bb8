"""robots.txt is read once, cached and obeyed."""

import pytest

from printer.crawl.crawler import Crawl
from printer.crawl.models import CrawlOptions
from printer.crawl.robots import RobotsRules
from tests.support.crawl_sites import article_page, list_page
from tests.support.web_server import Reply


def crawl(web, tmp_path, **options):
    quick = {"delay": 0.0, "retry_delay": 0.01, "sitemaps": False, **options}
    return Crawl([web.url], CrawlOptions(**quick), database=str(tmp_path / "c.sqlite"))


def fill(web, count=3):
    links = [
        (web.add(f"/story/{n}", article_page(n, "garden")), f"Story {n}") for n in range(count)
    ]
    web.add("/", list_page("All", links))


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        ("User-agent: *\nDisallow: /story/1", {0, 2}),
        ("User-agent: *\nDisallow: /story/\n\nUser-agent: webprint\nDisallow: /story/2", {0, 1}),
        ("User-agent: *\nDisallow: /*/0$\nAllow: /", {1, 2}),
        ("\x00\xff\xfe what is this\nDisallow", {0, 1, 2}),
    ],
    ids=["forbidden", "by name", "pattern", "broken"],
)
def test_forbidden_pages_are_not_requested(web, tmp_path, body, allowed):
    fill(web)
    web.add("/robots.txt", body.encode("latin-1"), media_type="text/plain")
    with crawl(web, tmp_path) as crawler:
        crawler.run()
    assert {n for n in range(3) if web.hits(f"/story/{n}")} == allowed
    assert len(web.hits("/robots.txt")) == 1


@pytest.mark.parametrize("delay", [0.01, 0.0])
@pytest.mark.parametrize(("status", "articles"), [(404, 3), (403, 3), (500, 0), (503, 0)])
def test_a_robots_txt_that_cannot_be_had(web, tmp_path, status, articles, delay):
    fill(web)
    web.add("/robots.txt", Reply("", status))
    with crawl(web, tmp_path, retry_delay=delay) as crawler:
        summary = crawler.run()
        assert len(crawler.articles()) == articles
    # A server in trouble is asked again before its pages are given up.
    assert len(web.hits("/robots.txt")) == (1 if articles else 4)
    assert summary.skipped == (0 if articles else 1)


def test_one_that_comes_at_last_is_obeyed(web, tmp_path):
    fill(web)
    requested = []

    def answer(hit):
        requested.append(hit)
        return Reply("", 503) if len(requested) < 3 else Reply("User-agent: *\nDisallow: /story/0")

    web.add("/robots.txt", answer)
    with crawl(web, tmp_path) as crawler:
        crawler.run()
        assert len(crawler.articles()) == 2


def test_the_pause_it_asks_for_is_kept(web, tmp_path):
    fill(web)
    web.add("/robots.txt", "User-agent: *\nCrawl-delay: 90\n", media_type="text/plain")
    with crawl(web, tmp_path) as crawler:
        lease = crawler.frontier.lease()
        from printer.crawl.crawler import Visitor
        from printer.options import ExtractOptions

        visitor = Visitor(crawler.store, crawler._client, crawler.options, ExtractOptions())
        crawler.frontier.record(lease, visitor.visit(lease))
        wait = crawler.frontier.lease()
        assert isinstance(wait, float)
        assert 30 < wait <= 90


def test_pauses_are_bounded_and_rates_are_pauses():
    assert RobotsRules("read", "User-agent: *\nCrawl-delay: 86400").delay("webprint") == 300
    assert RobotsRules("read", "User-agent: *\nCrawl-delay: -3").delay("webprint") == 0
    assert RobotsRules("read", "User-agent: *\nCrawl-delay: soon").delay("webprint") == 0
    assert RobotsRules("read", "User-agent: *\nRequest-rate: 1/10").delay("webprint") == 10
    many = "\n".join(f"Sitemap: https://example.org/{n}.xml" for n in range(500))
    assert len(RobotsRules("read", many).sitemaps()) == 20
