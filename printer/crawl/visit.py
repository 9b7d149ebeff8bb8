"""One visit: check robots.txt, fetch the page, extract its links and its article."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from lxml.html import HtmlElement

from ..capture import Capture
from ..errors import (
    TRANSIENT_STATUSES,
    BadURL,
    BlockedAddress,
    FetchError,
    FetchTimeout,
    HTTPStatusError,
    NoArticle,
    NotHTML,
    TooLarge,
    WebprintError,
)  # fmt: skip
from ..fetch.client import HttpClient
from ..html.decode import decode
from ..html.metadata.metadata import read_head
from ..html.parse import base_url, parse
from ..options import ExtractOptions, FetchOptions, Options, SiteRule
from ..pipeline import ExtractedPage, Printer
from ..text import count_words
from ..urls import canonical_url, origin_of, resolve
from .models import (
    ArticleInfo,
    CrawlOptions,
    Deferred,
    Failed,
    Lease,
    Link,
    Outcome,
    Redirected,
    Skipped,
    Visited,
)  # fmt: skip
from .robots import MAX_ATTEMPTS, RETRY_FACTOR, RobotsRules, cached_rules, fetch_rules
from .scoring import Query, score_link
from .sitemaps import parse_sitemap
from .store import Store

#: Returns the rules for the site of a URL.
SiteRules = Callable[[str], tuple[SiteRule, ...]]

#: The most links per page, characters per link text, and pages per sitemap that are used.
MAX_LINKS, _MAX_LINK_TEXT, MAX_SITEMAP_PAGES = 3_000, 300, 10_000

#: The kinds of pages that are kept; of others only the links are followed.
_ARTICLE_KINDS = frozenset({"article", "documentation", "forum"})

#: The fewest words of an article, and the lowest confidence of its extraction.
_MIN_WORDS, _MIN_CONFIDENCE = 60, 0.3

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
        rules: SiteRules | None = None,
    ) -> None:
        self._store = store
        self._client = client
        self._options = options
        self._query = Query(options.query)
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
        info = _article_info(page, canonical, relevance)
        return Visited(tuple(links), canonical, info, page.article.text, capture)

    def _visit_sitemap(self, lease: Lease) -> Visited:
        sitemap = parse_sitemap(self._client.get_resource(lease.url).body)
        depth = lease.depth + 1
        pages = [Link(url, self._score(url, "", "", 0.0, depth), depth) for url in sitemap.pages]
        pages.sort(key=lambda link: -link.score)  # Stable: equal scores stay latest first.
        children = [Link(url, _SITEMAP_SCORE, depth, "sitemap") for url in sitemap.children]
        return Visited((*children, *pages[:MAX_SITEMAP_PAGES]), reason="a sitemap")

    def _score(
        self, url: str, text: str, language: str, page_relevance: float, depth: int
    ) -> float:
        return score_link(self._query, url, text, language, page_relevance, depth)

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
        """Return the relevance and language of a page, judged by its links if it has no text."""
        if not self._query:
            return 0.0, ""
        if page is None:
            text = " ".join(link.text for link in links)
            return self._query.text_relevance("", text, ""), ""
        article = page.article
        relevance = self._query.text_relevance(article.title, article.text, article.language)
        return relevance, article.language


def _article_info(page: ExtractedPage, canonical: str, relevance: float) -> ArticleInfo:
    article = page.article
    return ArticleInfo(
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


def _is_temporary(error: FetchError) -> bool:
    if isinstance(error, HTTPStatusError):
        return error.status in TRANSIENT_STATUSES
    return not isinstance(error, TooLarge | BlockedAddress) or isinstance(error, FetchTimeout)


# ---- links ----


class PageLink(NamedTuple):
    """A link of a page: its canonical URL, the URL as written, and its text."""

    url: str
    href: str
    text: str


def extract_links(capture: Capture) -> tuple[list[PageLink], str]:
    """Return the links of a page, each URL once, and the canonical URL that it names.

    There are no links if the page asks robots not to follow them; the canonical URL is '' if the
    page names none or its own.
    """
    tree = parse(decode(capture.body, capture.source.charset))
    base = base_url(tree, capture.url)
    canonical = _canonical(resolve(base, read_head(tree).canonical))
    if canonical == _canonical(capture.url):
        canonical = ""
    if _forbids_following(tree):
        return [], canonical
    links: dict[str, PageLink] = {}
    for count, element in enumerate(tree.iter("a", "area")):
        if count >= MAX_LINKS:
            break
        href = element.get("href")
        if not href or href.startswith("#") or "nofollow" in _tokens(element.get("rel")):
            continue
        target = resolve(base, href[:4_000])
        url = _canonical(target)
        if url and url != capture.url:
            text = _link_text(element)
            if url not in links or len(text) > len(links[url].text):
                links[url] = PageLink(url, target, text)
    return list(links.values()), canonical


def _canonical(url: str) -> str:
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
        {"nofollow", "none"} & _tokens(element.get("content"))
        for element in tree.iter("meta")
        if (element.get("name") or "").strip().lower() == "robots"
    )


def _tokens(value: str | None) -> set[str]:
    return set((value or "")[:500].lower().replace(",", " ").split())
