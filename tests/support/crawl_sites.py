"""A small web of sites on loopback, with everything that makes crawling hard.

    with CrawlSites(articles=300) as web:
        web.home.url                    the seed
        web.articles                    the titles of the articles that a crawl should find
        web.fetched()                   how often each page was requested, by its address

``home`` has sections with lists of articles, copies under other addresses, addresses that moved,
pages that robots.txt forbids, articles that only the sitemap names, and endless traps: a calendar, a
list that always has a next page, links with a new session id each, folders in folders.  ``slow``
responds slowly, ``flaky`` refuses the first request for each page.
"""

from __future__ import annotations

import gzip
import itertools
import random
import re
import threading
from collections import Counter
from contextlib import ExitStack
from typing import Self

from tests.support.web_server import Hit, Reply, WebServer

TOPICS = {
    "harbour": "ferry quay anchor tide sailor lighthouse cargo mooring pilot breakwater".split(),
    "garden": "seed soil compost orchard blossom pruning hedge tulip greenhouse rake".split(),
    "railway": "station signal platform locomotive timetable carriage tunnel viaduct guard".split(),
    "kitchen": "oven flour butter saucepan recipe dough pepper simmer cinnamon ladle".split(),
    "observatory": "telescope comet orbit eclipse lens galaxy meteor dome spectrum".split(),
}
_COMMON = """old new small large quiet early late broken careful patient local distant
    winter summer morning evening council neighbour letter market road bridge school window
    engineer teacher child visitor committee story question answer promise repair""".split()
_VERBS = """found watched repaired counted remembered opened closed carried measured described
    painted forgot asked lifted followed promised studied visited""".split()

PER_LIST = 10


def _sentence(rng: random.Random, words: list[str]) -> str:
    pick = [rng.choice(words), rng.choice(_COMMON), rng.choice(words), rng.choice(_COMMON)]
    return (
        f"The {pick[1]} {pick[0]} {rng.choice(_VERBS)} the {pick[3]} {pick[2]} near the"
        f" {rng.choice(_COMMON)} {rng.choice(_COMMON)}, and {rng.randint(2, 999)} people"
        f" {rng.choice(_VERBS)} the {rng.choice(words)} before the {rng.choice(_COMMON)} was gone."
    )


def article_text(number: int, topic: str) -> list[str]:
    """Return the paragraphs of an article: unique ones, and some about its topic."""
    rng = random.Random(f"{topic} {number}")
    words = TOPICS[topic]
    return [" ".join(_sentence(rng, words) for _ in range(4)) for _ in range(6)]


def title_of(number: int, topic: str) -> str:
    rng = random.Random(f"title {topic} {number}")
    return f"The {rng.choice(_COMMON)} {topic} and its {rng.choice(TOPICS[topic])}, part {number}"


def article_page(number: int, topic: str, footer: str = "", head: str = "") -> str:
    title = title_of(number, topic)
    body = "".join(f"<p>{paragraph}</p>" for paragraph in article_text(number, topic))
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title>{head}"
        f'<meta property="og:type" content="article"></head><body>'
        f"<nav><a href=/>Home</a> <a href=/{topic}/>All of {topic}</a></nav>"
        f"<main><article><h1>{title}</h1>{body}</article></main>"
        f"<footer>{footer}</footer></body></html>"
    )


def list_page(title: str, links: list[tuple[str, str]], after: str = "") -> str:
    entries = "".join(f"<li><h2><a href='{href}'>{words}</a></h2></li>" for href, words in links)
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title></head><body>"
        f"<nav><a href=/>Home</a></nav><h1>{title}</h1><ul>{entries}</ul>{after}</body></html>"
    )


class _Site(WebServer):
    """A site that can generate its pages on request, for addresses that match a pattern."""

    def __init__(self, host: str, pause: float = 0.0, flaky: bool = False) -> None:
        self._patterns: list[tuple[re.Pattern[str], object]] = []
        self._pause = pause
        self._flaky = flaky
        self._requests: Counter[str] = Counter()
        super().__init__(host)

    def pattern(self, pattern, make) -> None:
        self._patterns.append((re.compile(pattern), make))

    def answer(self, hit: Hit) -> Reply:
        if self._pause:
            threading.Event().wait(self._pause)
        self._requests[hit.path] += 1
        if self._flaky and self._requests[hit.path] == 1 and hit.path != "/robots.txt":
            super().answer(hit)
            return Reply("<h1>Come again</h1>", 503)
        for pattern, make in self._patterns:
            if match := pattern.fullmatch(hit.path):
                super().answer(hit)
                return Reply(make(hit, match))
        return super().answer(hit)


class CrawlSites:
    """The sites with their pages: ``articles`` on ``home``, a tenth of that on each of the others."""

    def __init__(self, articles: int = 300, pause: float = 0.05) -> None:
        self._stack = ExitStack()
        self.home = self._stack.enter_context(_Site("127.0.0.1"))
        self.slow = self._stack.enter_context(_Site("127.0.0.2", pause=pause))
        self.flaky = self._stack.enter_context(_Site("127.0.0.3", flaky=True))
        self.articles: set[str] = set()
        self._visits = itertools.count(1)
        self._sections(articles)
        self._add_other_sites(max(1, articles // 10))
        self._same()
        self._closed()
        self._traps()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def hosts(self) -> list[str]:
        """The hosts other than the seed's."""
        return [site.url for site in (self.slow, self.flaky)]

    def requests(self) -> int:
        """The number of requests so far."""
        return sum(len(site.hits()) for site in (self.home, self.slow, self.flaky))

    def fetched(self) -> Counter[str]:
        """Return how often each existing page was requested."""
        return Counter(
            site.url + hit.path + (f"?{hit.query}" if hit.query else "")
            for site in (self.home, self.slow, self.flaky)
            for hit in site.hits()
        )

    def _article(
        self, site: WebServer, path: str, number: int, topic: str, footer: str = ""
    ) -> str:
        site.add(path, article_page(number, topic, footer))
        self.articles.add(title_of(number, topic))
        return path

    def _sections(self, count: int) -> None:
        by_topic: dict[str, list[tuple[str, str]]] = {topic: [] for topic in TOPICS}
        for number in range(count):
            topic = list(TOPICS)[number % len(TOPICS)]
            path = self._article(
                self.home, f"/{topic}/2026/{number % 12 + 1:02d}/the-story-{number}.html",
                number, topic, f"<a href='/{topic}/'>More</a> <a href='?utm_source=foot'>Here</a>",
            )  # fmt: skip
            by_topic[topic].append((path, title_of(number, topic)))
        for topic, links in by_topic.items():
            parts = [
                links[index : index + PER_LIST] for index in range(0, len(links), PER_LIST)
            ] or [[]]
            for index, part in enumerate(parts):
                following = f"<a href='/{topic}/{index + 2}/'>Older</a>" * (index + 1 < len(parts))
                path = f"/{topic}/{index + 1}/" if index else f"/{topic}/"
                self.home.add(path, list_page(f"{topic} {index + 1}", part, following))
        doors = [(f"/{topic}/", f"All of {topic}") for topic in TOPICS]
        traps = [
            ("/calendar/2026/11/", "Calendar"), ("/endless?page=1", "Everything"),
            ("/shop/?visit=0", "Shop"), ("/deeper/", "Folders"), ("/copies/", "Copies"),
            ("/members/", "Members"), (self.slow.url + "/", "A slow site"),
            (self.flaky.url + "/", "A moody site"),
        ]  # fmt: skip
        self.home.add("/", list_page("Home of the small web", doors + traps))

    def _add_other_sites(self, count: int) -> None:
        for offset, site in ((10_000, self.slow), (20_000, self.flaky)):
            links = []
            for number in range(offset, offset + count):
                path = self._article(site, f"/notes/{number}", number, "garden")
                links.append((path, title_of(number, "garden")))
            site.add("/", list_page("Notes", links))
            site.add("/robots.txt", "User-agent: *\nAllow: /\n", media_type="text/plain")

    def _same(self) -> None:
        """Add pages with several addresses, and copies of articles."""
        first = "/harbour/2026/01/the-story-0.html"
        head = f"<link rel=canonical href='{first}'>"
        self.home.add("/print/story-0", article_page(0, "harbour", head=head))
        self.home.redirect("/old/story-0", first, 301)
        self.home.redirect("/go/garden", "/garden/", 302)
        copy = article_page(0, "harbour").replace("</article>", "<p>Copied here.</p></article>")
        self.home.add("/copied/of-the-story-0.html", copy)
        self.home.add(
            "/copies/",
            list_page(
                "Copies",
                [
                    ("/print/story-0", "To print"), ("/old/story-0", "As it was"),
                    ("/copied/of-the-story-0.html", "A copy"), ("/go/garden", "Gardens"),
                    (f"{first}?utm_source=copies#top", "With a source"),
                    (f"{first}?PHPSESSID=abcdef0123456789", "With a visit"),
                    ("/gone", "Gone"), ("/picture.png", "A picture"),
                ],
            ),
        )  # fmt: skip

    def _closed(self) -> None:
        """Add pages that robots.txt forbids, and pages that only the sitemap names."""
        self.home.add("/members/", list_page("Members", [("/members/secret-story.html", "No")]))
        self.home.add("/members/secret-story.html", article_page(666, "railway"))
        hidden = self._article(self.home, "/hidden/only-in-the-sitemap.html", 30_000, "railway")
        packed = self._article(self.home, "/hidden/only-in-the-packed-one.html", 30_001, "kitchen")
        url = self.home.url
        xml = "<?xml version='1.0'?><{0} xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{1}</{0}>"
        children = "".join(
            f"<sitemap><loc>{url}{name}</loc></sitemap>" for name in ("/a.xml", "/b.xml.gz")
        )
        self.home.add("/map.xml", xml.format("sitemapindex", children), media_type="text/xml")
        one, two = (f"<url><loc>{url}{path}</loc></url>" for path in (hidden, packed))
        self.home.add("/a.xml", xml.format("urlset", one), media_type="text/xml")
        self.home.add(
            "/b.xml.gz", gzip.compress(xml.format("urlset", two).encode()),
            media_type="application/gzip",
        )  # fmt: skip
        rules = f"User-agent: *\nDisallow: /members/\nSitemap: {url}/map.xml\n"
        self.home.add("/robots.txt", rules, media_type="text/plain")

    def _traps(self) -> None:
        def calendar(_hit, match):
            year, month = int(match[1]), int(match[2])
            year, month = (year + 1, 1) if month == 12 else (year, month + 1)
            days = "".join(f"<td>{day}</td>" for day in range(1, 29))
            links = [(f"/calendar/{year}/{month:02d}/", f"{year}-{month}")]
            return list_page(f"{match[1]}-{match[2]}", links, f"<table><tr>{days}</tr></table>")

        def endless(hit, _match):
            page = int(hit.query.rpartition("=")[2] or 1)
            links = [(f"/endless?page={page + step}", f"Page {page + step}") for step in (1, 2)]
            return list_page("Everything there is", links)

        def shop(_hit, _match):
            links = [(f"/shop/?visit={next(self._visits)}", "Look again") for _ in range(3)]
            return list_page("Shop", links)

        def deeper(hit, _match):
            return list_page("Folder", [(f"{hit.path}deeper/", "Deeper"), ("../", "Up")])

        self.home.pattern(r"/calendar/(\d{4})/(\d\d)/", calendar)
        self.home.pattern(r"/endless", endless)
        self.home.pattern(r"/shop/", shop)
        self.home.pattern(r"/deeper/(?:deeper/)*", deeper)
