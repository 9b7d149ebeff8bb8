"""What belongs to a crawl: hosts, paths, depth; and no traps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..errors import BadURL
from ..urls import normalise, origin
from .model import CrawlOptions, Lead
from .shapes import is_trap
from .urls import normal_url

#: Endings of what is never a page.
_FILES = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|css|js|mjs|json|woff2?|ttf|otf|eot|mp[34]|m4[av]"
    r"|webm|og[agv]|wav|avi|mov|mkv|flac|zip|gz|bz2|xz|7z|rar|tar|tgz|exe|dmg|iso|apk|deb|rpm|msi|pdf"
    r"|docx?|xlsx?|pptx?|od[tsp]|epub|mobi|ics|rss|atom|csv|txt|swf|wasm|bin)",
    re.IGNORECASE,
)


def host_of(url: str) -> str:
    """Return the server an address is on, with its port unless that is the usual one."""
    where = origin(url)
    usual = {"http": 80, "https": 443}[where.scheme]
    host = f"[{where.host}]" if ":" in where.host else where.host
    return host if where.port == usual else f"{host}:{where.port}"


def same_host(host: str) -> str:
    """Return what a host is compared by: with or without ``www.`` it is one site."""
    return host.removeprefix("www.")


def named_host(text: str) -> str:
    """Return a host as a person writes it, alone or as an address, in its normal form."""
    return host_of(normalise(text))


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
        return cls(frozenset(map(same_host, hosts)), prefix, options.depth)

    def admits(self, lead: Lead) -> bool:
        """Tell whether an address, in its normal form, is worth keeping for a visit."""
        if lead.depth > self.depth or is_trap(lead.url):
            return False
        parts = urlsplit(lead.url)
        if not self.has(lead.url):
            return False
        if lead.kind == "sitemap":
            return True
        ending = _FILES.search(parts.path.rpartition("/")[2])
        return parts.path.startswith(self.prefix) and not (
            ending and parts.path.lower().endswith(ending[0].lower())
        )

    def has(self, url: str) -> bool:
        """Tell whether an address is on one of the hosts."""
        return same_host(host_of(url)) in self.hosts


def normal_lead(lead: Lead) -> tuple[Lead, str] | None:
    """Return a lead with its address in normal form, and the address to fetch; None if broken."""
    try:
        url = normal_url(lead.url)
    except BadURL:
        return None
    return Lead(url, lead.score, lead.depth, lead.kind), lead.url.partition("#")[0]
