"""A crawl: threads that lease URLs from the frontier, visit them and record the outcome.

A visit checks robots.txt, fetches the page and extracts its links and its article.  The agent of
Khade et al. (section III D) compares the stemmed terms of a page with those of a query.  Here the
same terms also order the frontier before a page is fetched: by the text of a link and of its URL,
and by the relevance of the page that has the link, as pages link to similar ones.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import NamedTuple, Self
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement
from sqlalchemy import select

from ..capture import Capture, PageSource
from ..db import decompress, open_engine
from ..errors import (
    TRANSIENT_STATUSES,
    BadURL,
    BlockedAddress,
    FetchError,
    HTTPStatusError,
    JobsError,
    NoArticle,
    NotHTML,
    TooLarge,
    UsageError,
    WebprintError,
)
from ..fetch.client import HttpClient
from ..fetch.ssrf import Resolver, resolve_host
from ..files import Closing
from ..html.metadata.metadata import read_head
from ..html.parse import base_url, decode, parse
from ..options import ExtractOptions, FetchOptions, Options
from ..output import ExtractedPage
from ..pipeline import Printer, RuleLookup
from ..settings import Settings, data_folder
from ..site_rules.store import rule_store
from ..summarize import Tokenizer
from ..text import count_words
from ..urls import canonical_url, normalize_url, origin_of, resolve
from .frontier import LINK_NAMES, Frontier, site_of
from .models import (
    ArticleInfo,
    CrawledArticle,
    CrawlOptions,
    CrawlSummary,
    Deferred,
    Failed,
    Lease,
    Link,
    Outcome,
    Redirected,
    Skipped,
    Visited,
)
from .robots import (
    MAX_ATTEMPTS,
    RETRY_FACTOR,
    RobotsRules,
    cached_rules,
    fetch_rules,
    parse_sitemap,
)
from .store import Store, addresses, articles

MAX_LINKS = 3_000
_MAX_LINK_TEXT = 300
MAX_SITEMAP_PAGES = 10_000

#: The kinds of pages that are kept; of others only the links are followed.
_ARTICLE_KINDS = frozenset({"article", "documentation", "forum"})

#: What a page needs at least to be kept as an article.
_MIN_WORDS = 60
_MIN_CONFIDENCE = 0.3

#: The score of sitemaps, which are visited before pages.
_SITEMAP_SCORE = 500.0


class _RedirectError(Exception):
    """Raised to end a fetch at a redirect."""

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.target = target


class Visitor:
    """Visits URLs; one per thread, with a shared client and store."""

    def __init__(
        self,
        store: Store,
        client: HttpClient,
        options: CrawlOptions,
        extract: ExtractOptions,
        rules: RuleLookup | None = None,
    ) -> None:
        self._store = store
        self._client = client
        self._options = options
        self._query = Query(options.query)
        self._score = partial(score_link, self._query)
        # Protego compares only the first word, the program name.
        self._user_agent = client.credentials.user_agent
        self._printer = Printer(
            Options(
                fetch=FetchOptions(render="never", follow=False, cache=False),
                extract=replace(extract, images="none"),
            ),
            probe_sizes=False,
            rules=rules,
        )

    def visit(self, lease: Lease) -> Outcome:
        """Visit a URL; every error becomes an outcome."""
        retry_delay = RETRY_FACTOR * self._options.retry_delay
        try:
            rules = cached_rules(self._store, lease.url, retry_delay)
            if rules is None:
                return self._fetch_rules(lease)
            if rules.state == "closed" and rules.failures < MAX_ATTEMPTS:
                return Deferred(retry_delay)
            if rules.state == "closed":
                return Skipped("robots.txt cannot be fetched")
            if not rules.allows(lease.url, self._user_agent):
                return Skipped("robots.txt forbids it")
            if lease.kind == "sitemap":
                return self._visit_sitemap(lease)
            return self._visit_page(lease, rules)
        except _RedirectError as redirect:
            return Redirected(redirect.target)
        except NotHTML as error:
            return Skipped(f"not a web page: {error.media_type or 'unknown type'}")
        except FetchError as error:
            return Failed(error, _is_temporary(error))
        except WebprintError as error:
            return Failed(error)

    def _fetch_rules(self, lease: Lease) -> Outcome:
        try:
            problem = fetch_rules(
                self._store, self._client, lease.url, self._user_agent, is_seed=lease.depth == 0
            )
        except WebprintError as error:
            return Failed(error)
        return Deferred(problem=problem)

    def _visit_page(self, lease: Lease, rules: RobotsRules) -> Visited:
        url = canonical_url(lease.url)

        def on_redirect(target: str) -> None:
            if canonical_url(target) != url:
                raise _RedirectError(target)

        capture = self._client.get_page(lease.url, on_redirect)
        page_links, canonical = extract_links(capture)
        page, reason = self._extract(capture)
        relevance, language = self._relevance(page, page_links)
        if self._query and not reason and relevance < self._options.min_relevance:
            reason = "not relevant to the query"
        depth = lease.depth + 1
        links = [
            Link(link.href, self._score(link.url, link.text, language, relevance, depth), depth)
            for link in page_links
        ]
        if lease.depth == 0 and self._options.sitemaps:
            sitemaps = rules.sitemaps() or [f"{origin_of(lease.url)}/sitemap.xml"]
            links[:0] = [Link(sitemap, _SITEMAP_SCORE, depth, "sitemap") for sitemap in sitemaps]
        if page is None or reason:
            return Visited(tuple(links), canonical, reason=reason)
        article = page.article
        info = ArticleInfo(
            title=article.title[:500],
            kind=page.kind,
            confidence=round(article.confidence, 4),
            words=count_words(article.text),
            language=article.language[:40],
            published=article.published[:40],
            site=article.site[:200],
            canonical=canonical,
            relevance=round(relevance, 4),
        )
        return Visited(tuple(links), canonical, info, article.text, capture)

    def _visit_sitemap(self, lease: Lease) -> Visited:
        sitemap = parse_sitemap(self._client.get_resource(lease.url).body)
        depth = lease.depth + 1
        pages = [Link(url, self._score(url, "", "", 0.0, depth), depth) for url in sitemap.pages]
        pages.sort(key=lambda link: -link.score)  # Stable: equal scores stay latest first.
        children = [Link(url, _SITEMAP_SCORE, depth, "sitemap") for url in sitemap.children]
        return Visited((*children, *pages[:MAX_SITEMAP_PAGES]), reason="a sitemap")

    def _extract(self, capture: Capture) -> tuple[ExtractedPage | None, str]:
        """Extract a page, if possible; return it, and why it is not kept, or ''."""
        try:
            page = self._printer.load(capture)[1]
        except NoArticle:
            return None, "no article"
        if page.article.obstacle:
            return page, NoArticle.behind(page.article.obstacle).message
        if page.kind not in _ARTICLE_KINDS:
            return page, f"a {page.kind} page"
        if page.article.confidence < _MIN_CONFIDENCE:
            return page, "probably not an article"
        return page, "too short" if count_words(page.article.text) < _MIN_WORDS else ""

    def _relevance(self, page: ExtractedPage | None, links: list[PageLink]) -> tuple[float, str]:
        if not self._query:
            return 0.0, ""
        if page is None:
            text = " ".join(link.text for link in links)
            return self._query.text_relevance("", text, ""), ""
        article = page.article
        relevance = self._query.text_relevance(article.title, article.text, article.language)
        return relevance, article.language


def _is_temporary(error: FetchError) -> bool:
    if isinstance(error, HTTPStatusError):
        return error.status in TRANSIENT_STATUSES
    return not isinstance(error, TooLarge | BlockedAddress)


# ---- links ----


class PageLink(NamedTuple):
    """A link of a page: its canonical URL, the URL as written, and its text."""

    url: str
    href: str
    text: str


def extract_links(capture: Capture) -> tuple[list[PageLink], str]:
    """Return the links of a page, each URL once, and the canonical URL that it names.

    There are none if robots should not follow them; a missing or its own canonical URL is ''.
    """
    tree = parse(decode(capture.body, capture.source.charset))
    base = base_url(tree, capture.url)
    canonical = _try_canonical(resolve(base, read_head(tree.iter("link")).canonical))
    if canonical == _try_canonical(capture.url):
        canonical = ""
    if _forbids_following(tree):
        return [], canonical
    links: dict[str, PageLink] = {}
    for count, element in enumerate(tree.iter("a", "area")):
        if count >= MAX_LINKS:
            break
        href = element.get("href")
        if not href or href.startswith("#") or "nofollow" in _tokenize(element.get("rel")):
            continue
        target = resolve(base, href[:4_000])
        url = _try_canonical(target)
        if url and url != capture.url:
            text = _link_text(element)
            if url not in links or len(text) > len(links[url].text):
                links[url] = PageLink(url, target, text)
    return list(links.values()), canonical


def _try_canonical(url: str) -> str:
    try:
        return canonical_url(url) if url else ""
    except BadURL:
        return ""


def _link_text(element: HtmlElement) -> str:
    """Return the text of a link, or else its title or the description of its picture."""
    pieces: list[str] = []
    length = 0
    for text in element.itertext():
        pieces.append(text[:_MAX_LINK_TEXT])
        length += len(text)
        if length > _MAX_LINK_TEXT:
            break
    words = " ".join(" ".join(pieces).split())
    if not words:
        picture = element.find(".//img")
        words = (picture.get("alt") or "") if picture is not None else element.get("title") or ""
    return words[:_MAX_LINK_TEXT]


def _forbids_following(tree: HtmlElement) -> bool:
    return any(
        {"nofollow", "none"} & _tokenize(element.get("content"))
        for element in tree.iter("meta")
        if (element.get("name") or "").strip().lower() == "robots"
    )


def _tokenize(value: str | None) -> set[str]:
    return set((value or "")[:500].lower().replace(",", " ").split())


#: The saturation of term frequency, k1 of BM25.
_SATURATION = 1.5
#: The length of a text, in words, that BM25 does not normalize.
_TYPICAL_LENGTH = 400.0
_TITLE_WEIGHT = 0.3
# Best-first order: the weights of the link's text, of its page's relevance and of the URL's look,
# and what each link from the seed takes off.
_TEXT_WEIGHT = 0.6
_PAGE_WEIGHT = 0.3
_LOOK_WEIGHT = 0.1
_DEPTH_PENALTY = 0.02

_MAX_TEXT = 200_000

_SPLIT = re.compile(r"[^\w]+|_+|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_DATE = re.compile(r"/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])(?:[/-]|$)")
_EXTENSION = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$", re.IGNORECASE)

#: First path segments that lead to forms and indexes.
_SERVICE_SECTIONS = frozenset(LINK_NAMES["service_sections"])

_tokenizer = lru_cache(maxsize=64)(Tokenizer)


def _terms(text: str, language: str) -> list[str]:
    return [term for term, _ in _tokenizer(language.split("-")[0].lower()).terms(text)]


def url_words(url: str) -> str:
    parts = urlsplit(url)
    return " ".join(filter(None, _SPLIT.split(unquote(f"{parts.path} {parts.query}"))))


class Query:
    """The words to look for, in the language of the text that they are compared with."""

    def __init__(self, words: str) -> None:
        self.words = words
        self._terms: dict[str, frozenset[str]] = {}

    def __bool__(self) -> bool:
        return bool(self.words.strip())

    def terms(self, language: str) -> frozenset[str]:
        if language not in self._terms:
            # A query that has only stop words looks for them.
            terms = _terms(self.words, language) or _terms(self.words, "")
            self._terms[language] = frozenset(terms)
        return self._terms[language]

    def text_relevance(self, title: str, text: str, language: str) -> float:
        """Return the relevance of a text, from 0 to 1.

        Each term of the query counts by its frequency, with saturation and length normalization as
        in BM25; terms in the title are weighted separately.
        """
        terms = self.terms(language)
        if not terms:
            return 0.0
        counts = Counter(_terms(text[:_MAX_TEXT], language))
        damping = _SATURATION * (0.25 + 0.75 * counts.total() / _TYPICAL_LENGTH)
        in_text = sum(counts[term] / (counts[term] + damping) for term in terms) / len(terms)
        in_title = self.word_share(title, language)
        return (1 - _TITLE_WEIGHT) * in_text + _TITLE_WEIGHT * in_title

    def word_share(self, words: str, language: str) -> float:
        """Return the share of the query's terms that occur in ``words``."""
        terms = self.terms(language)
        return len(terms.intersection(_terms(words[:500], language))) / len(terms) if terms else 0.0


def article_likeness(url: str, link_text: str) -> float:
    """Return how likely a link leads to an article, from 0 to 1, in any language."""
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    last = _EXTENSION.sub("", segments[-1]) if segments else ""
    words = [word for word in re.split(r"[-_+]|%20", last) if word]
    score = 0.3 if len(words) >= 4 else 0.15 if len(words) >= 2 else 0.0
    score += 0.2 if _DATE.search(parts.path) else 0.0
    score += 0.1 if re.search(r"\d{4,}", last) else 0.0
    score += min(0.4, 0.06 * len(link_text[:300].split()))
    if segments and segments[0].lower() in _SERVICE_SECTIONS:
        score -= 0.4
    if len(parts.query.split("&")) > 1:
        score -= 0.2
    return max(0.0, min(1.0, score))


def score_link(
    query: Query, url: str, link_text: str, language: str, page_relevance: float, depth: int
) -> float:  # fmt: skip
    """Return the priority of a link: best first with a query, else by depth and likeness."""
    likeness = article_likeness(url, link_text)
    if not query:
        return likeness - depth
    share = query.word_share(f"{link_text[:300]} {url_words(url)}", language)
    relevance = _TEXT_WEIGHT * share + _PAGE_WEIGHT * page_relevance
    return relevance + _LOOK_WEIGHT * likeness - _DEPTH_PENALTY * depth


#: Called after each visit, with the article if it is a new one.
OnVisit = Callable[[Lease, Outcome, CrawledArticle | None], None]

#: The seconds between two looks of an idle worker for URLs that others found.
_POLL_SECONDS = 0.5


class Crawl(Closing):
    """Finds articles, starting at seed URLs; a context manager.

        with Crawl(["https://example.org/"], database="crawl.sqlite") as crawl:
            crawl.run()
            for article, capture in crawl.captures():
                page = printer.read(capture)

    Several crawls can share a database, the path of an SQLite file or a postgresql:// URL, and
    several processes or machines can share a crawl: one with the same :meth:`CrawlOptions.crawl_id`
    is continued, unless ``fresh`` forgets what it found.  Seeds may be private addresses.
    ``on_visit`` is called after each visit, from any thread.

    Raise :class:`UsageError` without a seed, :class:`BadURL` for an invalid one, or
    :class:`JobsError`.
    """

    def __init__(
        self,
        seeds: Sequence[str],
        options: CrawlOptions | None = None,
        *,
        database: str,
        fetch: FetchOptions | None = None,
        extract: ExtractOptions | None = None,
        fresh: bool = False,
        on_visit: OnVisit = lambda _lease, _outcome, _article: None,
        resolve: Resolver = resolve_host,
        rules: RuleLookup | None = None,
    ) -> None:
        options = options or CrawlOptions()
        if not seeds:
            raise UsageError("a crawl needs an address to start at")
        urls = [normalize_url(seed) for seed in seeds]
        hosts = [normalize_url(host) for host in options.hosts]
        self.options = replace(options, hosts=tuple(sorted(map(site_of, hosts))))
        self.on_visit = on_visit
        self._extract, self._rules = extract or ExtractOptions(), rules
        self._changed = threading.Condition()
        self._errors: list[BaseException] = []
        # The frontier handles retries, and no page is fetched twice.
        fetch = replace(fetch or FetchOptions(), retries=0, cache=False, render="never")
        with ExitStack() as opened:
            client = HttpClient(fetch, user_urls=[*urls, *hosts], resolve=resolve)
            self._client = opened.enter_context(client)
            self.store = Store(open_engine(database))
            opened.callback(self.store.close)
            crawl_id = self.options.crawl_id(urls)
            self.frontier = Frontier(self.store, crawl_id, self.options, fetch.timeout)
            self.frontier.open(urls, fresh=fresh)
            opened.pop_all()

    @classmethod
    def from_settings(
        cls, settings: Settings, seeds: Sequence[str], options: CrawlOptions, *, database: str = "",
        fresh: bool = True,
    ) -> Self:  # fmt: skip
        """Return a crawl that fetches and extracts as the settings say, with their site rules."""
        return cls(
            seeds, options, fresh=fresh, fetch=settings.fetch_options(),
            database=database or settings.database or str(data_folder() / "crawl.sqlite"),
            extract=settings.extract_options(),
            rules=rule_store(not settings.no_rules, settings.rules),
        )  # fmt: skip

    def close(self) -> None:
        self._client.close()
        self.store.close()

    def run(self, stop: threading.Event | None = None) -> CrawlSummary:
        """Crawl until a limit is reached, nothing is left, or ``stop`` is set.

        What was found is kept if the database cannot be used, which raises :class:`JobsError`.
        """
        stop = stop or threading.Event()
        workers = [
            threading.Thread(target=self._work, args=(stop,), daemon=True)
            for _ in range(max(1, self.options.parallel))
        ]
        for worker in workers:
            worker.start()
        try:
            for worker in workers:
                while worker.is_alive():  # A join without a timeout would block interrupts.
                    worker.join(0.2)
        except BaseException:
            stop.set()
            raise
        finally:
            if stop.is_set():
                self._release(workers)
        if self._errors:
            raise self._errors[0]
        return self.summary()

    def articles(self) -> list[CrawledArticle]:
        """Return the articles found so far, best first."""
        of_crawl = (
            select(
                articles.c.address, articles.c.url, articles.c.score, addresses.c.depth,
                articles.c.info,
            )
            .join(addresses, addresses.c.id == articles.c.address)
            .where(articles.c.crawl == self.frontier.crawl)
            .order_by(articles.c.score.desc(), articles.c.address)
            .limit(self.options.articles)  # Visits in progress at the end may have found more.
        )  # fmt: skip
        with self.store.read() as connection:
            rows = connection.execute(of_crawl).all()
        try:
            return [CrawledArticle(*row[:4], ArticleInfo(**json.loads(row[4]))) for row in rows]
        except (TypeError, ValueError, RecursionError) as error:
            raise JobsError("the database of the crawl holds a damaged article") from error

    def capture(self, article: CrawledArticle) -> Capture:
        query = select(articles).where(articles.c.address == article.id)
        try:
            with self.store.read() as connection:
                row = connection.execute(query).one()
            fetched = datetime.fromtimestamp(row.fetched, UTC)
        except (TypeError, ValueError, OverflowError, OSError) as error:
            raise JobsError("the database of the crawl holds a damaged page") from error
        source = PageSource(row.url, row.url, "text/html", row.charset, fetched=fetched)
        return Capture(decompress(row.body), source)

    def captures(self) -> Iterator[tuple[CrawledArticle, Capture]]:
        """Yield the articles found so far with their pages, best first."""
        return ((article, self.capture(article)) for article in self.articles())

    def summary(self) -> CrawlSummary:
        return self.frontier.summary()

    def _work(self, stop: threading.Event) -> None:
        visitor = Visitor(self.store, self._client, self.options, self._extract, self._rules)
        try:
            while not stop.is_set():
                lease = self.frontier.lease()
                if lease is None:
                    break
                if isinstance(lease, float):
                    with self._changed:
                        self._changed.wait(min(max(lease, 0.005), _POLL_SECONDS))
                    continue
                outcome = visitor.visit(lease)
                article = self.frontier.record(lease, outcome)
                self.on_visit(lease, outcome, article)
                with self._changed:
                    self._changed.notify_all()
        except BaseException as error:  # noqa: BLE001 - raised by run, in the thread of its caller
            self._errors.append(error)
            stop.set()
        with self._changed:
            self._changed.notify_all()

    def _release(self, workers: Sequence[threading.Thread]) -> None:
        """Wait briefly for visits in progress, then release the remaining leases."""
        for worker in workers:
            worker.join(1.0)
        try:
            self.frontier.release()
        except WebprintError:
            if not self._errors:
                raise
