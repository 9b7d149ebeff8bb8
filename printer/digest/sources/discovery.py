"""Feed discovery: the feeds that a page links to, or those at the usual paths of a site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import lxml.html
from lxml import etree

from ...errors import BadURL, FetchError, UsageError
from ...fetch.client import HttpClient
from ...urls import resolve
from .feeds import MAX_BYTES, Feed, parse_feed

#: The Accept header for feeds.
ACCEPT = (
    "application/atom+xml,application/rss+xml,application/feed+json,application/rdf+xml,"
    "application/xml;q=0.9,text/xml;q=0.9,application/json;q=0.8,*/*;q=0.5"
)

_TYPES = ("rss", "atom", "feed+json", "rdf+xml")
_USUAL_PATHS = ("/feed", "/feed.xml", "/rss.xml", "/atom.xml", "/index.xml", "/feed.json", "/rss")
_MAX_LINKS, _MAX_FEEDS = 5_000, 4


class DiscoveredFeed(NamedTuple):
    """A feed and its URL."""

    url: str
    feed: Feed


def get_feed(client: HttpClient, url: str) -> DiscoveredFeed:
    """Fetch a feed, from the cache if it has not changed; raises :class:`FetchError`."""
    capture = client.get_fresh(url, ACCEPT)
    return DiscoveredFeed(
        capture.url, parse_feed(capture.body, capture.url, capture.source.charset)
    )


def find_feeds(client: HttpClient, url: str) -> list[DiscoveredFeed]:
    """Return the feed at a URL, or those of the page there, the best first.

    Raises:
        FetchError: the page cannot be fetched.
        UsageError: there is no feed.
    """
    capture = client.get_fresh(url, ACCEPT)
    try:
        feed = parse_feed(capture.body, capture.url, capture.source.charset)
        return [DiscoveredFeed(capture.url, feed)]
    except FetchError:
        linked = list(dict.fromkeys(feed_links(capture.body, capture.url)))
    feeds: list[DiscoveredFeed] = []
    usual = [resolve(capture.url, path) for path in _USUAL_PATHS]
    for address in linked[:_MAX_FEEDS] or usual:
        try:
            feeds.append(get_feed(client, address))
        except (FetchError, BadURL):
            continue
        if not linked:
            break
    if not feeds:
        raise UsageError(
            f"no feed was found at {capture.url}",
            hint="Give the address of the feed, or use the page itself as a source: page = ...",
        )
    return feeds


def feed_links(body: bytes, url: str) -> Iterator[str]:
    """Yield the URLs of the feeds that a page links to, those of comments last."""
    try:
        tree = lxml.html.fromstring(body[:MAX_BYTES])
    except (etree.ParserError, ValueError):
        return
    links: list[tuple[bool, str]] = []
    for number, link in enumerate(tree.iter("link", "a")):
        if number >= _MAX_LINKS:
            break
        media_type = (link.get("type") or "").lower()
        href = link.get("href")
        is_feed = any(name in media_type for name in _TYPES)
        if href and is_feed and "alternate" in (link.get("rel") or "").lower().split():
            of_comments = "comments" in f"{link.get('title') or ''} {href}".lower()
            links.append((of_comments, href))
    for _, href in sorted(links, key=lambda link: link[0]):
        if address := resolve(url, href.strip()[:4000]):
            yield address
