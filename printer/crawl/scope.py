"""The scope of a crawl (hosts, paths, depth), crawler traps, and the patterns of URLs.

A site makes its URLs from few patterns: all days of a calendar share one, and so do all pages of
an endless list.  Whether a pattern is worth following is learned from what its pages gave.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from ..errors import BadURL
from ..urls import canonical_url, normalize_url, origin_of
from .models import CrawlOptions, Link

#: Limits of a URL: longer, deeper and repetitive ones are traps.
MAX_CHARS, MAX_SEGMENTS, MAX_PARAMETERS, MAX_REPEATS = 1_000, 14, 8, 3

#: A longer path segment names a page, and not a section of a site.
_MAX_SECTION_NAME = 20

_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
#: Extensions of files that are never pages.
_FILES = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|css|js|mjs|json|woff2?|ttf|otf|eot|mp[34]|m4[av]"
    r"|webm|og[agv]|wav|avi|mov|mkv|flac|zip|gz|bz2|xz|7z|rar|tar|tgz|exe|dmg|iso|apk|deb|rpm|msi|pdf"
    r"|docx?|xlsx?|pptx?|od[tsp]|epub|mobi|ics|rss|atom|csv|txt|swf|wasm|bin)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a crawl may go; ``hosts`` are as :func:`site_of` returns them."""

    hosts: frozenset[str]
    prefix: str = ""
    depth: int = 10

    @classmethod
    def of(cls, options: CrawlOptions, hosts: Iterable[str]) -> Scope:
        """Return the scope of a crawl of some hosts."""
        prefix = options.path_prefix
        prefix = prefix if not prefix or prefix.startswith("/") else "/" + prefix
        return cls(frozenset(hosts), prefix, options.depth)

    def allows(self, link: Link) -> bool:
        """Return whether to visit a link with a canonical URL."""
        if link.depth > self.depth or is_trap(link.url) or site_of(link.url) not in self.hosts:
            return False
        path = urlsplit(link.url).path
        extension = _FILES.search(path.rpartition("/")[2])
        is_file = extension is not None and path.lower().endswith(extension[0].lower())
        return link.kind == "sitemap" or (path.startswith(self.prefix) and not is_file)


def site_of(url: str) -> str:
    """Return the host of a URL without ``www.``, with its port if unusual; raises BadURL."""
    return origin_of(url).netloc.removeprefix("www.")


def parse_host(text: str) -> str:
    """Return the host that a person named, alone or as a URL, with its port if unusual."""
    return origin_of(normalize_url(text)).netloc


def canonical_link(link: Link) -> Link | None:
    """Return a link with its canonical URL, or None if its URL is not valid."""
    try:
        return replace(link, url=canonical_url(link.url))
    except BadURL:
        return None


def is_trap(url: str) -> bool:
    """Return whether a canonical URL is one that no person would have made."""
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    return (
        len(url) > MAX_CHARS
        or len(segments) > MAX_SEGMENTS
        or parts.query.count("&") >= MAX_PARAMETERS
        or any(segments.count(segment) >= MAX_REPEATS for segment in set(segments))
    )


def url_pattern(url: str) -> str:
    """Return a hash of a canonical URL with its numbers and names replaced."""
    parts = urlsplit(url)
    path = "/".join(_segment_pattern(segment) for segment in parts.path.split("/"))
    query = "&".join(
        f"{name}={_value_pattern(value)}"
        for name, _, value in (pair.partition("=") for pair in parts.query.split("&") if pair)
    )
    return hashlib.sha256(f"{parts.netloc}{path}?{query}".encode()).hexdigest()[:32]


def _segment_pattern(segment: str) -> str:
    name, dot, extension = segment.rpartition(".")
    if not dot or len(extension) > 5:
        name, dot, extension = segment, "", ""
    is_section = len(name) <= _MAX_SECTION_NAME and name.isalpha()
    return (name.lower() if is_section else _value_pattern(name)) + dot + extension


def _value_pattern(text: str) -> str:
    """Replace numbers by 0 and words by a: ``2024-05`` is ``0-0``, ``late-ferry-12`` ``a-0``."""
    plain = _LETTERS.sub("a", _DIGITS.sub("0", text[:200]))
    return re.sub(r"(a[-_+]?|%)(?:a[-_+]?|%0?)+", "a", plain)
