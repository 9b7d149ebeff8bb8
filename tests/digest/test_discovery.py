import pytest

from printer.digest.feeds import (
    Subscription,
    feed_links,
    find_feeds,
    format_opml,
    get_feed,
    parse_opml,
)
from printer.errors import UsageError
from printer.fetch.client import HttpClient
from printer.options import FetchOptions
from tests.support.web_server import Reply

RSS = "<rss version='2.0'><channel><title>News</title><item><link>/a</link></item></channel></rss>"


@pytest.fixture
def client(web):
    with HttpClient(FetchOptions(), user_urls=[web.url]) as client:
        yield client


def test_a_page_names_its_feed(web, client):
    web.add("/comments", RSS)
    feed = web.add("/news.xml", RSS, media_type="application/rss+xml")
    link = '<link rel="alternate" type="application/rss+xml" href='
    page = web.add("/", f"{link}/comments title=Comments>{link}/news.xml><p>Hello")
    assert find_feeds(client, page)[0].url == feed


def test_a_feed_is_its_own_feed(web, client):
    feed = web.add("/news.xml", RSS)
    assert [feed_link.url for feed_link in find_feeds(client, feed)] == [feed]


def test_common_places_are_tried(web, client):
    web.add("/atom.xml", RSS)
    page = web.add("/blog/", "<p>Hello")
    assert [feed_link.url for feed_link in find_feeds(client, page)] == [f"{web.url}/atom.xml"]


def test_a_site_without_a_feed_says_so(web, client):
    page = web.add("/", "<p>Hello")
    with pytest.raises(UsageError, match="no feed was found"):
        find_feeds(client, page)


def test_endless_pages_and_broken_addresses_are_no_trouble():
    page = b'<link rel=alternate type=application/rss+xml href="http://[">' + b"<a>" * 100_000
    assert list(feed_links(page, "https://example.org/")) == []
    assert list(feed_links(b"", "https://example.org/")) == []


def test_a_feed_that_did_not_change_is_not_sent_again(web):
    def answer(hit):
        fresh = hit.headers.get("if-none-match") == '"1"'
        head = (("ETag", '"1"'), ("Last-Modified", "Mon, 05 Jan 2026 07:30:00 GMT"))
        return Reply("" if fresh else RSS, 304 if fresh else 200, "application/xml", head)

    feed = web.add("/feed", answer)
    for _ in range(3):
        with HttpClient(FetchOptions(), user_urls=[web.url]) as client:
            assert get_feed(client, feed).title == "News"
    conditions = [hit.headers.get("if-none-match") for hit in web.hits("/feed")]
    assert conditions == [None, '"1"', '"1"']


def test_opml_goes_out_and_comes_back():
    feeds = [
        Subscription("https://example.org/a?b=1&c=2", 'Ann "A" <Example>', "News"),
        Subscription("https://example.org/b", "B", "News"),
        Subscription("https://example.org/c", "https://example.org/c"),
    ]
    assert parse_opml(format_opml("Feeds", feeds)) == feeds


@pytest.mark.parametrize("data", [b"", b"<html/>", b"not xml", b"<rss/>"])
def test_other_documents_than_opml_are_refused(data):
    with pytest.raises(UsageError):
        parse_opml(data)


def test_opml_reads_no_file(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    feed = '<outline text="&f;" xmlUrl="https://example.org/"/>'
    entity = f'<!DOCTYPE o [<!ENTITY f SYSTEM "{secret.as_uri()}">]>'
    data = f"{entity}<opml><body>{feed}</body></opml>"
    assert "hunter2" not in repr(parse_opml(data.encode()))


def test_opml_with_broken_addresses_gives_the_others():
    addresses = (
        "https://a.test/my feed",
        "http://[bad/",
        "http://",
        "file:///f",
        "https://b.test/f",
    )
    outlines = "".join(f'<outline xmlUrl="{address}"/>' for address in addresses)
    feeds = parse_opml(f"<opml><body>{outlines}</body></opml>".encode())
    assert [feed.feed for feed in feeds] == ["https://a.test/my%20feed", "https://b.test/f"]
