"""What a crawl is asked for, and the values that pass between its parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..capture import Capture
from ..errors import WebprintError
from ..options import option

Kind = Literal["page", "sitemap"]

#: The kinds of pages that are kept; all others are only followed.
ARTICLE_KINDS = frozenset({"article", "documentation", "forum"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOptions:
    """What a crawl looks for, and where it stops.

    ``query`` are words that articles should be about ('': any article, breadth first), ``hosts``
    are crawled besides those of the seeds, ``path_prefix`` is what the paths of all pages but the
    seeds begin with.  ``articles`` and ``pages`` bound what is kept and what is fetched, ``depth``
    the links between a seed and a page.  ``delay`` is the pause between two requests to one host in
    seconds (robots.txt may ask for a longer one), ``parallel`` how many hosts are asked at once.
    ``relevance`` is what an article must score for the query, from 0 to 1, to be kept.  A page that
    fails and may not the next time is asked ``tries`` times, after a ``rest`` in seconds that
    doubles.
    """

    query: str = option("", "Words that articles should be about.")
    articles: int = option(100, "Articles to find at most.", flag="--max", min=1)
    pages: int = option(2_000, "Pages to fetch at most.", flag="--max-pages", min=1)
    depth: int = option(10, "Links to follow from a seed at most.", min=0)
    path_prefix: str = option("", "What the paths of all pages but the seeds begin with.")
    hosts: tuple[str, ...] = option(
        (), "Another host to crawl; repeatable.", flag="--also", metavar="HOST"
    )
    delay: float = option(1.0, "Seconds between two requests to one host.", min=0.0)
    parallel: int = option(4, "Hosts asked at once.", min=1, max=64)
    sitemaps: bool = option(True, "Read the sitemaps of the seeds.")
    min_relevance: float = 0.1
    max_attempts: int = 4
    retry_delay: float = 5.0

    def crawl_id(self, seeds: Iterable[str]) -> str:
        """Return a name that two crawls share only when they look for the same."""
        asked = [sorted(seeds), self.query, sorted(self.hosts), self.path_prefix]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Link:
    """An address to go to: how promising it is, and how many links from a seed."""

    url: str
    score: float
    depth: int
    kind: Kind = "page"


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to fetch an address: it ends when the visit is recorded, or its time is over.

    ``turn`` counts how often the address was taken, ``tries`` how often it failed.
    """

    id: int
    url: str
    kind: Kind
    depth: int
    host: str
    pattern: str
    number: int
    tries: int


@dataclass(frozen=True, slots=True)
class ArticleInfo:
    """What is known of an article that was found.

    ``relevance`` is to the query (0 without one), ``confidence`` how sure the extraction is.
    """

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
    """An article that a crawl found; ``score`` orders them, the best first."""

    id: int
    url: str
    score: float
    depth: int
    info: ArticleInfo

    def to_dict(self) -> Mapping[str, object]:
        """Return it as plain data, for JSON."""
        told = {name: getattr(self.info, name) for name in self.info.__dataclass_fields__}
        return {"url": self.url, "score": round(self.score, 4), "depth": self.depth, **told}


@dataclass(frozen=True, slots=True)
class Visited:
    """A page that was fetched and read: its links, and the article if it is one.

    ``canonical`` is where the page says that it belongs, in its normal form ('' when it says
    nothing or itself).
    """

    links: tuple[Link, ...] = ()
    canonical: str = ""
    info: ArticleInfo | None = None
    text: str = field(default="", repr=False)
    capture: Capture | None = field(default=None, repr=False)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Redirected:
    """A page that redirects to another address."""

    target: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A page that could not be had; ``passing`` says that it may be had later."""

    error: WebprintError
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """A page that is not fetched, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Deferred:
    """A page before which something else has to come: it waits again, for seconds of ``rest``."""

    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class CrawlSummary:
    """How a crawl stands; ``over`` says why it is over ('' while it is not)."""

    fetched: int
    waiting: int
    articles: int
    duplicates: int
    failed: int
    skipped: int
    stop_reason: str = ""
    failures: Mapping[str, int] = field(default_factory=dict)
