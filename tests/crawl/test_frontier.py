"""The frontier: each address once, each host in turn, nothing lost."""

import time
from itertools import pairwise

import pytest
from sqlalchemy import event, select, update

from printer.capture import Capture, PageSource
from printer.crawl import frontier as frontiers
from printer.crawl.frontier import MAX_BARREN_PAGES, Frontier
from printer.crawl.models import (
    ArticleInfo,
    CrawlOptions,
    Failed,
    Lease,
    Link,
    Redirected,
    Visited,
)
from printer.crawl.store import MAX_DELAY, HostDelays, Store, addresses, hosts
from printer.db import open_engine
from printer.errors import FetchError, HTTPStatusError

WORDS = [
    "the",
    "ferry",
    "leaves",
    "the",
    "harbour",
    "at",
    "dawn",
    "and",
    "nobody",
    "on",
    "the",
    "quay",
    "is",
    "late",
]


class Clock:
    def __init__(self):
        self.time = 1_000_000.0

    def __call__(self):
        return self.time


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def start(tmp_path, clock):
    stores = []

    def make(seeds=("https://a.test/",), **options):
        options = CrawlOptions(**{"delay": 10.0, "retry_delay": 4.0, **options})
        store = Store(open_engine(str(tmp_path / "c.sqlite")), clock)
        stores.append(store)
        frontier = Frontier(store, "one", options, timeout=30)
        frontier.open(list(seeds))
        return frontier

    yield make
    for store in stores:
        store.close()


def page(*links, article=None, text="", canonical="", depth=1):
    leads = tuple(Link(url, score, depth) for url, score in links)
    capture = Capture(b"<p>x", PageSource("https://a.test/x", "https://a.test/x", "text/html"))
    return Visited(leads, canonical, article, text, capture)


def article(seed, canonical="", links=()):
    text = " ".join(f"{word}{seed}{n}" for n in range(12) for word in WORDS)
    return page(
        *links,
        article=ArticleInfo(f"Title {seed}", "article", 0.9, 100),
        text=text,
        canonical=canonical,
    )


def visit_all(frontier, clock, outcome):
    """Visit everything; return the addresses in the order they were leased."""
    order = []
    while (lease := frontier.lease()) is not None:
        if isinstance(lease, float):
            clock.time += lease + 0.001
            continue
        order.append(lease.url)
        frontier.record(lease, outcome(lease))
    return order


def test_the_promising_come_first_and_each_once(start, clock):
    frontier = start()
    pages = {
        "https://a.test/": page(("https://a.test/low", 1.0), ("https://a.test/high", 5.0),
                                ("https://a.test/low#again", 1.0), ("https://A.TEST/low?utm_x=1", 1.0)),
        "https://a.test/high": page(("https://a.test/", 9.0), ("https://a.test/late", 3.0)),
    }  # fmt: skip
    order = visit_all(frontier, clock, lambda lease: pages.get(lease.url, page()))
    assert order == [
        "https://a.test/",
        "https://a.test/high",
        "https://a.test/late",
        "https://a.test/low",
    ]


def test_an_address_is_as_promising_as_the_best_link_to_it(start, clock):
    frontier = start()
    pages = {
        "https://a.test/": page(
            ("https://a.test/x", 1.0), ("https://a.test/y", 2.0), ("https://a.test/z", 3.0)
        ),
        "https://a.test/z": page(("https://a.test/x", 2.5)),
    }
    order = visit_all(frontier, clock, lambda lease: pages.get(lease.url, page()))
    assert [url[-1] for url in order] == ["/", "z", "x", "y"]


def test_a_host_gets_one_request_at_a_time_and_then_a_pause(start, clock):
    frontier = start(("https://a.test/", "https://b.test/", "https://a.test/2"))
    one, two = frontier.lease(), frontier.lease()
    assert {one.host, two.host} == {"a.test", "b.test"}
    wait = frontier.lease()
    assert wait > 10  # as long as an answer may take, unless it comes before
    frontier.record(one, page())
    assert frontier.lease() == pytest.approx(10.0)
    clock.time += 9.9
    assert frontier.lease() == pytest.approx(0.1)
    clock.time += 0.2
    assert frontier.lease().url == "https://a.test/2"


def test_leases_of_a_lost_worker_expire_and_its_results_are_refused(start, clock):
    frontier = start()
    lost = frontier.lease()
    clock.time += 91
    again = frontier.lease()
    assert (again.url, again.number) == (lost.url, 2)
    frontier.record(lost, page(("https://a.test/late", 1.0)))
    assert frontier.summary().waiting == 1
    frontier.record(again, page(("https://a.test/new", 1.0)))
    clock.time += 11
    assert frontier.lease().url == "https://a.test/new"


def test_failures_are_retried_with_growing_delays_and_then_given_up(start, clock):
    frontier = start(max_attempts=3, delay=0.0)
    times = []

    def fail(lease):
        times.append(clock.time)
        return Failed(FetchError("it did not answer"), temporary=True)

    assert len(visit_all(frontier, clock, fail)) == 3
    assert [round(b - a) for a, b in pairwise(times)] == [4, 8]
    assert frontier.summary().failures == {"it did not answer": 1}


def test_a_host_that_asks_to_wait_is_left_alone_so_long(start, clock):
    frontier = start(delay=1.0)
    times = {}

    def busy(lease):
        times.setdefault(lease.url, []).append(clock.time)
        if lease.url == "https://a.test/":
            return page(("https://a.test/1", 2.0), ("https://a.test/2", 1.0))
        if lease.url == "https://a.test/1" and len(times[lease.url]) == 1:
            error = HTTPStatusError("busy", status=503, retry_after=100.0)
            return Failed(error, temporary=True)
        return page()

    visit_all(frontier, clock, busy)
    first, again = times["https://a.test/1"]
    assert again - first >= 100
    assert times["https://a.test/2"][0] - first >= 100, "it is said of the host"


def test_permanent_failures_are_not_retried(start, clock):
    frontier = start()
    assert len(visit_all(frontier, clock, lambda lease: Failed(FetchError("gone")))) == 1


def test_a_page_that_moved_is_one_with_where_it_went(start, clock):
    frontier = start()
    pages = {
        "https://a.test/": page(("https://a.test/old", 2.0), ("https://a.test/older", 1.0)),
        "https://a.test/old": Redirected("https://a.test/new"),
        "https://a.test/older": Redirected("https://a.test/new#part"),
    }
    order = visit_all(frontier, clock, lambda lease: pages.get(lease.url, article(1)))
    assert [url[-3:] for url in order] == ["st/", "old", "new", "der"]
    assert frontier.summary().articles == 1


def test_a_seed_that_moves_to_another_host_is_followed_there(start, clock):
    frontier = start()
    pages = {
        "https://a.test/": Redirected("https://www.b.test/"),
        "https://www.b.test/": page(("https://b.test/x", 1.0), ("https://c.test/x", 1.0)),
    }
    order = visit_all(frontier, clock, lambda lease: pages.get(lease.url, page()))
    assert order == ["https://a.test/", "https://www.b.test/", "https://b.test/x"]


def test_a_canonical_address_is_not_visited_again(start, clock):
    frontier = start()
    pages = {
        "https://a.test/": page(("https://a.test/print/1", 5.0), ("https://a.test/1", 1.0)),
        "https://a.test/print/1": article(1, canonical="https://a.test/1"),
    }
    order = visit_all(frontier, clock, lambda lease: pages.get(lease.url, article(2)))
    assert "https://a.test/1" not in order
    assert frontier.summary().articles == 1


def test_a_canonical_address_that_different_pages_name_is_not_believed(start, clock):
    frontier = start()
    pages = {
        "https://a.test/": page(
            ("https://a.test/1", 5.0), ("https://a.test/2", 4.0), ("https://a.test/all", 1.0)
        ),
        "https://a.test/1": article(1, canonical="https://a.test/all"),
        "https://a.test/2": article(2, canonical="https://a.test/all"),
        "https://a.test/all": article(3),
    }
    visit_all(frontier, clock, lambda lease: pages[lease.url])
    assert frontier.summary().articles == 3


def test_a_copy_is_no_second_article(start, clock):
    frontier = start()
    pages = {"https://a.test/": page(("https://a.test/1", 2.0), ("https://a.test/2", 1.0))}
    visit_all(frontier, clock, lambda lease: pages.get(lease.url, article(1)))
    summary = frontier.summary()
    assert (summary.articles, summary.duplicates) == (1, 1)


def test_a_shape_that_gives_nothing_waits_until_nothing_else_does(start, clock):
    frontier = start(delay=0.0)
    days = [(f"https://a.test/day/{n}", 5.0) for n in range(3 * MAX_BARREN_PAGES)]
    stories = [(f"https://a.test/story/{n}", 1.0) for n in range(5)]
    pages = {"https://a.test/": page(*days, *stories)}

    def outcome(lease):
        if "/story/" in lease.url:
            return article(lease.id)
        return pages.get(lease.url, page())

    order = visit_all(frontier, clock, outcome)
    assert sum("/day/" in url for url in order) == MAX_BARREN_PAGES
    assert order.index("https://a.test/story/0") == MAX_BARREN_PAGES + 1


@pytest.mark.parametrize("reason", ["parked", "too many"])
def test_thousands_of_urls_of_a_pattern_are_skipped_at_once(start, clock, monkeypatch, reason):
    """The database is locked meanwhile, and other threads and processes wait five seconds."""
    if reason == "too many":
        monkeypatch.setattr(frontiers, "MAX_PER_PATTERN", 20)
    frontier = start(delay=0.0)
    days = [(f"https://a.test/day/{n}", 5.0) for n in range(2_000)]
    links = {"https://a.test/": page(*days, ("https://a.test/last", 1.0))}
    statements = []
    engine = frontier.store._engine
    event.listen(engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
    longest = 0
    while (lease := frontier.lease()) is not None:
        longest = max(longest, len(statements))
        if isinstance(lease, float):
            clock.time += lease + 0.001
        else:
            frontier.record(lease, links.get(lease.url, page()))
        statements.clear()
    assert longest < 50, f"{longest} statements in one transaction"
    visited = 20 if reason == "too many" else MAX_BARREN_PAGES
    summary = frontier.summary()
    assert (summary.fetched, summary.skipped) == (visited + 2, 2_000 - visited)


def test_urls_of_a_pattern_have_one_limit_however_they_are_written(start, clock, monkeypatch):
    monkeypatch.setattr(frontiers, "MAX_PER_QUERY_PATTERN", 2)
    frontier = start(delay=0.0)
    days = [(f"https://a.test/day/{n}?utm_source=x", 5.0) for n in range(10)]
    pages = {"https://a.test/": page(*days)}
    order = visit_all(frontier, clock, lambda lease: pages.get(lease.url, page()))
    assert len(order) == 11


def test_lists_that_lead_to_articles_later_are_not_given_up(start, clock):
    """All lists are visited before any article: they wait, are credited, and go on."""
    frontier = start(delay=0.0)
    lists = [(f"https://a.test/list/{n}", 50.0) for n in range(2 * MAX_BARREN_PAGES)]

    def outcome(lease):
        if lease.url == "https://a.test/":
            return page(*lists)
        if "/list/" in lease.url:
            return page((f"https://a.test/story/{lease.url[20:]}", 1.0), depth=2)
        return article(lease.id)

    order = visit_all(frontier, clock, outcome)
    assert sum("/list/" in url for url in order) == 2 * MAX_BARREN_PAGES
    assert frontier.summary().articles == 2 * MAX_BARREN_PAGES


def test_bounds_end_a_crawl_and_wider_ones_go_on(start, clock):
    links = [(f"https://a.test/{n}-of-many", 1.0) for n in range(30)]
    frontier = start(pages=5, delay=0.0)
    assert len(visit_all(frontier, clock, lambda lease: page(*links))) == 5
    assert frontier.summary().stop_reason == "5 pages were fetched"
    frontier = start(pages=8, delay=0.0)
    assert len(visit_all(frontier, clock, lambda lease: page(*links))) == 3


def test_hosts_beyond_the_scope_are_not_gone_to(start, clock):
    frontier = start(path_prefix="/in")
    seed = page(("https://b.test/in", 1.0), ("https://a.test/out", 1.0), ("https://a.test/in/1", 1.0),
                ("https://a.test/in/1.pdf", 1.0), ("https://www.a.test/in/2", 0.5),
                ("https://a.test:8080/in/3", 0.5), ("javascript:1", 1.0))  # fmt: skip
    pages = {"https://a.test/": seed}
    order = visit_all(frontier, clock, lambda lease: pages.get(lease.url, page()))
    assert set(order) == {"https://a.test/", "https://a.test/in/1", "https://www.a.test/in/2"}


@pytest.mark.parametrize("seconds", [1e308, float("inf"), -1.0])
@pytest.mark.parametrize("column", [hosts.c.next_at, addresses.c.due, addresses.c.lease_until])
def test_an_impossible_time_in_the_database_does_not_stop_a_crawl(start, clock, column, seconds):
    frontier = start()
    if column is addresses.c.lease_until:
        assert frontier.lease()
    with frontier.store.write() as connection:
        connection.execute(update(column.table).values({column.name: seconds}))
        connection.execute(update(hosts).values(worker=""))
    if isinstance(wait := frontier.lease(), float):
        assert 0 < wait <= MAX_DELAY
        clock.time += wait + 1
        wait = frontier.lease()
    assert isinstance(wait, Lease)


def test_an_impossible_time_in_the_database_does_not_stop_a_batch(tmp_path):
    delays = HostDelays(str(tmp_path / "d.sqlite"), 1.0)
    try:
        assert delays.acquire("https://a.test/")
        with delays._store.write() as connection:
            connection.execute(update(hosts).values(next_at=1e308))
        assert delays.waiting_hosts() == {"a.test"}
        with delays._store.read() as connection:
            assert connection.execute(select(hosts.c.next_at)).scalar() <= time.time() + MAX_DELAY
    finally:
        delays.close()
