"""What belongs to a crawl: hosts, paths, depth; and no traps."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..errors import BadURL
from ..urls import canonical_url, normalize_url, origin_of
from .models import CrawlOptions, Link

#: Longer or deeper addresses are traps, and so are those that say the same again and again.
MAX_CHARS, MAX_SEGMENTS, MAX_PARAMETERS, MAX_REPEATS = 1_000, 14, 8, 3

_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
#: A plain word names a part of a site; anything longer names a page.
_MAX_SECTION_NAME = 20


def url_pattern(url: str) -> str:
    """Return the shape of an address in its normal form, as a short name."""
    parts = urlsplit(url)
    path = "/".join(_segment_pattern(segment) for segment in parts.path.split("/"))
    query = "&".join(
        f"{name}={_value_pattern(value)}"
        for name, _, value in (pair.partition("=") for pair in parts.query.split("&") if pair)
    )
    return hashlib.sha256(f"{parts.netloc}{path}?{query}".encode()).hexdigest()[:32]


def is_trap(url: str) -> bool:
    """Tell whether an address in its normal form is one that no person would have made."""
    if len(url) > MAX_CHARS:
        return True
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > MAX_SEGMENTS or parts.query.count("&") >= MAX_PARAMETERS:
        return True
    return any(segments.count(segment) >= MAX_REPEATS for segment in set(segments))


def _segment_pattern(segment: str) -> str:
    name, dot, ending = segment.rpartition(".")
    if not dot or len(ending) > 5:
        name, dot, ending = segment, "", ""
    if len(name) <= _MAX_SECTION_NAME and name.isalpha():
        return name.lower() + dot + ending
    return _value_pattern(name) + dot + ending


def _value_pattern(text: str) -> str:
    """Write digits as one 0, words as one a: ``2024-05`` is ``0-0``, ``late-ferry-12`` ``a-0``."""
    plain = _LETTERS.sub("a", _DIGITS.sub("0", text[:200]))
    return re.sub(r"(a[-_+]?|%)(?:a[-_+]?|%0?)+", "a", plain)


#: Endings of what is never a page.
_FILES = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|css|js|mjs|json|woff2?|ttf|otf|eot|mp[34]|m4[av]"
    r"|webm|og[agv]|wav|avi|mov|mkv|flac|zip|gz|bz2|xz|7z|rar|tar|tgz|exe|dmg|iso|apk|deb|rpm|msi|pdf"
    r"|docx?|xlsx?|pptx?|od[tsp]|epub|mobi|ics|rss|atom|csv|txt|swf|wasm|bin)",
    re.IGNORECASE,
)


def netloc_of(url: str) -> str:
    """Return the host of a URL, with its port unless that is the usual one."""
    return origin_of(url).netloc


def without_www(host: str) -> str:
    """Return what a host is compared by: with or without ``www.`` it is one site."""
    return host.removeprefix("www.")


def parse_host(text: str) -> str:
    """Return a host as a person writes it, alone or as an address, in its normal form."""
    return netloc_of(normalize_url(text))


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a crawl may go: ``hosts`` as :func:`same_host` gives them, and the options' bounds."""

    hosts: frozenset[str]
    prefix: str = ""
    depth: int = 10

    @classmethod
    def of(cls, options: CrawlOptions, hosts: Iterable[str]) -> Scope:
        """Return the scope of a crawl of these hosts."""
        prefix = options.path_prefix
        prefix = prefix if not prefix or prefix.startswith("/") else "/" + prefix
        return cls(frozenset(map(without_www, hosts)), prefix, options.depth)

    def allows(self, link: Link) -> bool:
        """Tell whether an address, in its normal form, is worth keeping for a visit."""
        if link.depth > self.depth or is_trap(link.url):
            return False
        parts = urlsplit(link.url)
        if not self.has_host(link.url):
            return False
        if link.kind == "sitemap":
            return True
        ending = _FILES.search(parts.path.rpartition("/")[2])
        return parts.path.startswith(self.prefix) and not (
            ending and parts.path.lower().endswith(ending[0].lower())
        )

    def has_host(self, url: str) -> bool:
        """Tell whether an address is on one of the hosts."""
        return without_www(netloc_of(url)) in self.hosts


def canonical_link(link: Link) -> tuple[Link, str] | None:
    """Return a lead with its address in normal form, and the address to fetch; None if broken."""
    try:
        url = canonical_url(link.url)
    except BadURL:
        return None
    return Link(url, link.score, link.depth, link.kind), link.url.partition("#")[0]
