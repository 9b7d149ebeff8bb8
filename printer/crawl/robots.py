"""robots.txt (RFC 9309), parsed by Protego and cached with the crawl, and sitemaps.

Sitemaps are untrusted: decompression is bounded, entities are not resolved, and broken ones are
used as far as they can be parsed.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal

from lxml import etree
from protego import Protego
from sqlalchemy import delete, select

from ..errors import TRANSIENT_STATUSES, HTTPStatusError, WebprintError
from ..fetch.client import HttpClient
from ..html.parse import xml_parser
from ..urls import is_http, origin_of
from .store import Store, change, hosts, robots

#: The attempts to fetch robots.txt before the site is skipped.
MAX_ATTEMPTS = 4
#: The delay between them as a multiple of a page's.
RETRY_FACTOR = 6.0

#: Seconds for which a site's rules are used.
_MAX_AGE = 86_400.0
#: Seconds before a site that was given up is tried again.
_MAX_CLOSED_AGE = 3_600.0
_MAX_BYTES = 500_000
_MAX_SITEMAPS = 20

#: The longest delay that a site may ask for, in seconds.
_MAX_DELAY = 300.0


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The rules of one origin.

    The state ``none`` permits everything, ``closed`` nothing, after ``failures`` failed fetches.
    """

    state: Literal["read", "none", "closed"]
    body: str
    failures: int = 0

    def allows(self, url: str, user_agent: str) -> bool:
        if self.state != "read":
            return self.state == "none"
        return bool(_parse_rules(self.body).can_fetch(url, user_agent))

    def delay(self, user_agent: str) -> float:
        rules = _parse_rules(self.body if self.state == "read" else "")
        delay = rules.crawl_delay(user_agent) or 0.0
        if rate := rules.request_rate(user_agent):
            delay = max(delay, rate.seconds / max(rate.requests, 1))
        return float(min(max(delay, 0.0), _MAX_DELAY))

    def sitemaps(self) -> list[str]:
        urls = list(_parse_rules(self.body if self.state == "read" else "").sitemaps)
        return [str(url) for url in urls[:_MAX_SITEMAPS]]


_parse_rules = lru_cache(maxsize=32)(Protego.parse)


def cached_rules(store: Store, url: str, retry_delay: float) -> RobotsRules | None:
    """Return the cached rules for a URL, or None if they must be fetched (again)."""
    with store.read() as connection:
        now = store.now(connection)
        query = select(robots).where(robots.c.origin == str(origin_of(url)))
        row = connection.execute(query).first()
    if row is None:
        return None
    max_age = _MAX_AGE
    if row.state == "closed":
        max_age = retry_delay if row.failures < MAX_ATTEMPTS else _MAX_CLOSED_AGE
    if now - row.fetched >= max_age:
        return None
    return RobotsRules(row.state, bytes(row.body).decode(), row.failures)


def fetch_rules(
    store: Store, client: HttpClient, url: str, user_agent: str, *, is_seed: bool = False
) -> str:
    """Fetch the rules for a URL; cache them and the delay that they ask for.

    Return why the server could not be reached, '' if it could.  Raise :class:`WebprintError`.
    """
    origin, body, problem = origin_of(url), b"", ""
    state: Literal["read", "none", "closed"] = "read"
    try:
        body = client.get_resource(f"{origin}/robots.txt").body[:_MAX_BYTES]
    except HTTPStatusError as error:
        # A missing or refused file forbids nothing; that of a failing server might forbid anything.
        state = "closed" if error.status in TRANSIENT_STATUSES or error.status >= 500 else "none"
    except WebprintError as error:
        if is_seed:  # A user is waiting, and can correct the address or start the crawl again.
            raise
        state, problem = "closed", error.message
    text = body.decode("utf-8-sig", "replace").replace("\0", "")
    is_origin = robots.c.origin == str(origin)
    with store.write() as connection:
        earlier_failures = (
            connection.execute(select(robots.c.failures).where(is_origin)).scalar() or 0
        )
        rules = RobotsRules(state, text, earlier_failures + 1 if state == "closed" else 0)
        connection.execute(delete(robots).where(is_origin))
        connection.execute(
            robots.insert().values(
                origin=str(origin), state=state, body=text.encode(), fetched=store.now(connection),
                failures=rules.failures,
            )
        )  # fmt: skip
        host = hosts.c.name == origin.netloc
        change(connection, hosts, host, delay=rules.delay(user_agent))
    return problem


# Limits of the sitemap protocol.
_MAX_SITEMAP_BYTES = 50_000_000
MAX_LISTED_PAGES = 50_000
_MAX_URL_CHARS = 2_048
MAX_CHILDREN = 500

#: The most tags of a sitemap: an element takes many times the memory of its four letters.
_MAX_TAGS = 40 * MAX_LISTED_PAGES


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The URLs in a sitemap, of pages and of other sitemaps, the latest modified first."""

    pages: tuple[str, ...] = ()
    children: tuple[str, ...] = ()


def parse_sitemap(data: bytes) -> Sitemap:
    """Parse a sitemap; the result is empty if the data is not one."""
    if data[:2] == b"\x1f\x8b":
        try:
            data = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, _MAX_SITEMAP_BYTES)
        except zlib.error:
            return Sitemap()
    data = data[:_MAX_SITEMAP_BYTES]
    if data.lstrip()[:1] != b"<":
        lines = data.decode("utf-8-sig", "replace").split("\n", MAX_LISTED_PAGES)[:MAX_LISTED_PAGES]
        return Sitemap(tuple(dict.fromkeys(filter(_is_valid, map(str.strip, lines)))))
    try:
        root = etree.fromstring(_cut_tags(data), xml_parser(recover=True))
    except etree.XMLSyntaxError:
        return Sitemap()
    pages: list[tuple[str, str]] = []
    children: list[tuple[str, str]] = []
    elements = () if root is None else root.iter("{*}url", "{*}sitemap")
    for element in islice(elements, MAX_LISTED_PAGES + MAX_CHILDREN):
        url = (element.findtext("{*}loc") or "").strip()[: _MAX_URL_CHARS + 1]
        if not _is_valid(url):
            continue
        modified = (element.findtext("{*}lastmod") or "").strip()[:40]
        found, limit = (
            (pages, MAX_LISTED_PAGES) if element.tag.endswith("url") else (children, MAX_CHILDREN)
        )
        if len(found) < limit:
            found.append((modified, url))
    return Sitemap(_latest_first(pages), _latest_first(children))


def _cut_tags(data: bytes) -> bytes:
    """Return XML up to the last tag that is allowed."""
    position = -1
    for _ in range(_MAX_TAGS):
        position = data.find(b"<", position + 1)
        if position < 0:
            return data
    return data[:position]


def _is_valid(url: str) -> bool:
    return is_http(url) and len(url) <= _MAX_URL_CHARS


def _latest_first(entries: list[tuple[str, str]]) -> tuple[str, ...]:
    """Return distinct URLs, the latest modified first (ISO 8601 dates sort as text)."""
    ordered = sorted(entries, key=lambda entry: entry[0], reverse=True)
    return tuple(dict.fromkeys(url for _, url in ordered))
