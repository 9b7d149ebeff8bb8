"""The options of a crawl, and the values that pass between its parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal, TypeAlias

from ..capture import Capture
from ..errors import WebprintError
from ..options import option

Kind = Literal["page", "sitemap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOptions:
    """What a crawl looks for, and where it stops.

    ``min_relevance``, from 0 to 1, is the least relevance to the query of articles that are kept.
    A page that fails temporarily is tried up to ``max_attempts`` times, first after ``retry_delay``
    seconds, then after a delay that doubles.
    """

    query: str = option("", "Words that articles should be about.")
    articles: int = option(100, "Maximum number of articles.", flag="--max", min=1)
    pages: int = option(2_000, "Maximum number of pages to fetch.", flag="--max-pages", min=1)
    depth: int = option(10, "Maximum number of links to follow from a seed.", min=0)
    path_prefix: str = option("", "Prefix of the paths of all pages except the seeds.")
    hosts: tuple[str, ...] = option(
        (), "Another host to crawl; repeatable.", flag="--also", metavar="HOST"
    )
    delay: float = option(1.0, "Seconds between two requests to one host.", min=0.0)
    parallel: int = option(4, "Hosts to crawl in parallel.", min=1, max=64)
    sitemaps: bool = option(True, "Read the sitemaps of the seeds.")
    min_relevance: float = 0.1
    max_attempts: int = 4
    retry_delay: float = 5.0

    def crawl_id(self, seeds: Iterable[str]) -> str:
        """Return an id shared by crawls with the same seeds, query, hosts and path prefix."""
        key = [sorted(seeds), self.query, sorted(self.hosts), self.path_prefix]
        return hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Link:
    """A URL to visit: its priority, and the number of links from a seed."""

    url: str
    score: float
    depth: int
    kind: Kind = "page"


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to visit a URL for a time, with the numbers of its leases and failed visits."""

    id: int
    url: str
    kind: Kind
    depth: int
    host: str
    pattern: str
    number: int
    failures: int


@dataclass(frozen=True, slots=True)
class ArticleInfo:
    """The metadata of an article; ``relevance`` to the query is 0 without one."""

    title: str
    kind: str
    confidence: float
    words: int
    language: str = ""
    published: str = ""
    site: str = ""
    canonical: str = ""
    relevance: float = 0.0


@dataclass(frozen=True, slots=True)
class CrawledArticle:
    """An article found by a crawl; the best have the highest ``score``."""

    id: int
    url: str
    score: float
    depth: int
    info: ArticleInfo

    def to_dict(self) -> Mapping[str, object]:
        score = round(self.score, 4)
        return {"url": self.url, "score": score, "depth": self.depth, **asdict(self.info)}


# The outcomes of a visit.


@dataclass(frozen=True, slots=True)
class Visited:
    """A page that was read: its links, and its article if it has one.

    ``canonical`` is the canonical URL that the page names, or '' if it names none or its own;
    ``reason`` says why the page is not an article.
    """

    links: tuple[Link, ...] = ()
    canonical: str = ""
    info: ArticleInfo | None = None
    text: str = field(default="", repr=False)
    capture: Capture | None = field(default=None, repr=False)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Redirected:
    """A page that redirects to another URL."""

    target: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A page that could not be fetched; it is tried again if the failure is ``temporary``."""

    error: WebprintError
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """A page that must not be fetched, with the reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Deferred:
    """A page to visit later; ``problem`` says why robots.txt could not be fetched, or is ''."""

    delay: float = 0.0
    problem: str = ""


Outcome: TypeAlias = Visited | Redirected | Failed | Skipped | Deferred


@dataclass(frozen=True, slots=True)
class CrawlSummary:
    """The progress of a crawl; ``stop_reason`` is '' while it is not over."""

    fetched: int
    waiting: int
    articles: int
    duplicates: int
    failed: int
    skipped: int
    stop_reason: str = ""
    failures: Mapping[str, int] = field(default_factory=dict)
