"""The feed of a site: what its pages say, and where such things usually are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

import lxml.html
from lxml import etree

from ...capture import Capture
from ...errors import BadURL, FetchError, UsageError
from ...fetch.client import HttpClient
from .feeds import MAX_BYTES, Feed, parse_feed

#: What servers are asked for.
ACCEPT = (
    "application/atom+xml,application/rss+xml,application/feed+json,application/rdf+xml,"
    "application/xml;q=0.9,text/xml;q=0.9,application/json;q=0.8,*/*;q=0.5"
)

_TYPES = ("rss", "atom", "feed+json", "rdf+xml")
_USUAL_PATHS = ("/feed", "/feed.xml", "/rss.xml", "/atom.xml", "/index.xml", "/feed.json", "/rss")
_MAX_LINKS = 5_000
_MAX_FEEDS = 4


@dataclass(frozen=True, slots=True)
class DiscoveredFeed:
    """A feed and the address it is at."""

    url: str
    feed: Feed


def get_feed(web: HttpClient, url: str) -> DiscoveredFeed:
    """Get a feed, from the disk when it has not changed; raises :class:`FetchError`."""
    capture = web.get_fresh(url, ACCEPT)
    return DiscoveredFeed(capture.url, _parse(capture))


def find_feeds(web: HttpClient, url: str) -> list[DiscoveredFeed]:
    """Return the feed at an address, or those of the page there, the best first.

    Raises :class:`FetchError` for a page that cannot be had, :class:`UsageError` when nothing was
    found.
    """
    capture = web.get_fresh(url, ACCEPT)
    try:
        return [DiscoveredFeed(capture.url, _parse(capture))]
    except FetchError:
        stated = list(dict.fromkeys(feed_links(capture.body, capture.url)))
    found: list[DiscoveredFeed] = []
    for address in stated[:_MAX_FEEDS] or [urljoin(capture.url, place) for place in _USUAL_PATHS]:
        try:
            found.append(get_feed(web, address))
        except (FetchError, BadURL):
            continue
        if not stated:
            break
    if not found:
        raise UsageError(
            f"no feed was found at {capture.url}",
            hint="Give the feed's own address, or take the page itself as a source: page = ...",
        )
    return found


def feed_links(body: bytes, url: str) -> Iterator[str]:
    """Yield the addresses of the feeds that a page names, those in its head first.

    Feeds of comments come last.
    """
    try:
        tree = lxml.html.fromstring(body[:MAX_BYTES])
    except (etree.ParserError, ValueError):
        return
    stated: list[tuple[bool, str]] = []
    for number, link in enumerate(tree.iter("link", "a")):
        if number >= _MAX_LINKS:
            break
        kind = (link.get("type") or "").lower()
        rel = (link.get("rel") or "").lower().split()
        href = link.get("href")
        if href and "alternate" in rel and any(each in kind for each in _TYPES):
            said = f"{link.get('title') or ''} {href}".lower()
            stated.append(("comments" in said, href))
    for _, href in sorted(stated, key=lambda each: each[0]):
        try:
            yield urljoin(url, href.strip()[:4000])
        except ValueError:
            continue


def _parse(capture: Capture) -> Feed:
    return parse_feed(capture.body, capture.url, capture.source.charset)
