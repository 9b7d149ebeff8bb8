"""One visit: may it be fetched, what came, where it leads, is it an article."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

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
from ..html.metadata.metadata import read_head
from ..html.parse import base_url, decode, parse
from ..options import ExtractOptions, FetchOptions, Options, SiteRule
from ..pipeline import ExtractedPage, Printer
from ..urls import canonical_url, origin_of, resolve
from .models import (
    ARTICLE_KINDS,
    ArticleInfo,
    CrawlOptions,
    Deferred,
    Failed,
    Lease,
    Link,
    Redirected,
    Skipped,
    Visited,
)  # fmt: skip
from .robots import MAX_ATTEMPTS, RETRY_FACTOR, RobotsRules, cached_rules, fetch_rules
from .scoring import Query, score_link
from .sitemaps import parse_sitemap
from .store import Store

#: Links of one page that are looked at, and characters of the words of one.
MAX_LINKS, _MAX_LINK_TEXT = 3_000, 300


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link: where it leads, in normal form, as it is written, and its words."""

    url: str
    href: str
    text: str


@dataclass(frozen=True, slots=True)
class PageLinks:
    """The links of a page, each address once, and its canonical address ('' for its own)."""

    links: tuple[PageLink, ...] = ()
    canonical: str = ""


def extract_links(capture: Capture) -> PageLinks:
    """Read the links of a page; one that asks not to be followed has none."""
    tree = parse(decode(capture.body, capture.source.charset))
    base = base_url(tree, capture.url)
    head = read_head(tree)
    canonical = _canonical(resolve(base, head.canonical)) if head.canonical else ""
    if canonical == _canonical(capture.url):
        canonical = ""
    if _forbids_following(tree):
        return PageLinks((), canonical)
    found: dict[str, PageLink] = {}
    for count, element in enumerate(tree.iter("a", "area")):
        if count >= MAX_LINKS:
            break
        href = element.get("href")
        if not href or href.startswith("#") or "nofollow" in _tokens(element.get("rel")):
            continue
        written = resolve(base, href[:4_000])
        url = _canonical(written) if written else ""
        if url and url != capture.url:
            words = _link_text(element)
            if url not in found or len(words) > len(found[url].text):
                found[url] = PageLink(url, written, words)
    return PageLinks(tuple(found.values()), canonical)


def _canonical(url: str) -> str:
    try:
        return canonical_url(url) if url else ""
    except BadURL:
        return ""


def _link_text(element: HtmlElement) -> str:
    """Return the words of a link: its own, or those of its picture."""
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
    """Tell whether the page asks robots not to follow its links."""
    for element in tree.iter("meta"):
        if (element.get("name") or "").strip().lower() == "robots":
            said = _tokens(element.get("content"))
            if "nofollow" in said or "none" in said:
                return True
    return False


def _tokens(value: str | None) -> list[str]:
    return (value or "")[:500].lower().replace(",", " ").split()


Outcome = Visited | Redirected | Failed | Skipped | Deferred

#: Gives the rules for the site of an address.
SiteRules = Callable[[str], tuple[SiteRule, ...]]

#: An article has so many words, and the extraction is at least so sure of it.
_MIN_WORDS, _MIN_CONFIDENCE = 60, 0.3

#: Pages that are taken from one sitemap.
MAX_SITEMAP_PAGES = 10_000

#: Sitemaps come before pages: they say at once what there is.
_SITEMAP_SCORE = 500.0


class _Redirected(Exception):
    """The page redirects to another address."""

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.target = target


class Visitor:
    """Visits addresses; one a thread.  ``web`` and ``store`` are shared."""

    def __init__(
        self,
        store: Store,
        web: HttpClient,
        options: CrawlOptions,
        extract: ExtractOptions,
        rules: SiteRules | None = None,
    ) -> None:
        self._store = store
        self._web = web
        self._options = options
        self._query = Query(options.query)
        # What identifies the program to robots.txt is its name, the first word of what it sends.
        self._agent = web.credentials.user_agent
        self._printer = Printer(
            Options(
                fetch=FetchOptions(render="never", follow=False, cache=False),
                extract=replace(extract, images="none"),
            ),
            probe_sizes=False,
            rules=rules,
        )

    def visit(self, lease: Lease) -> Outcome:
        """Visit an address; every failure becomes an outcome."""
        try:
            rules = cached_rules(self._store, lease.url, RETRY_FACTOR * self._options.retry_delay)
            if rules is None:
                fetch_rules(self._store, self._web, lease.url, self._agent)
                return Deferred()
            if rules.state == "closed" and rules.tries < MAX_ATTEMPTS:
                return Deferred(RETRY_FACTOR * self._options.retry_delay)
            if rules.state == "closed":
                return Skipped("robots.txt cannot be had")
            if not rules.allows(lease.url, self._agent):
                return Skipped("robots.txt")
            if lease.kind == "sitemap":
                return self._read_sitemap(lease)
            return self._read_page(lease, rules)
        except _Redirected as elsewhere:
            return Redirected(elsewhere.target)
        except NotHTML as error:
            return Skipped(f"no web page: {error.media_type or 'something else'}")
        except FetchError as error:
            return Failed(error, _is_temporary(error))
        except WebprintError as error:
            return Failed(error)

    def _read_page(self, lease: Lease, rules: RobotsRules) -> Visited:
        own = canonical_url(lease.url)

        def on_redirect(target: str) -> None:
            if canonical_url(target) != own:
                raise _Redirected(target)

        capture = self._web.get_page(lease.url, on_redirect)
        page = extract_links(capture)
        reading, why = self._read(capture)
        info = _article_info(reading, page) if reading and not why else None
        relevance, language = self._relevance(reading, page)
        if info and self._query:
            info = replace(info, relevance=round(relevance, 4))
            if relevance < self._options.min_relevance:
                info, why = None, "not about what is looked for"
        depth = lease.depth + 1
        links = tuple(
            Link(
                link.href,
                score_link(self._query, link.url, link.text, language, relevance, depth),
                depth,
            )
            for link in page.links
        )
        if lease.depth == 0 and self._options.sitemaps:
            links = (*self._sitemaps(rules, lease), *links)
        text = reading.article.text if reading and info else ""
        return Visited(links, page.canonical, info, text, capture if info else None, why)

    def _read(self, capture: Capture) -> tuple[ExtractedPage | None, str]:
        """Return what a page holds, if anything, and why it is not to be kept."""
        try:
            reading = self._printer.read(capture)
        except NoArticle:
            return None, "no article"
        if reading.kind not in ARTICLE_KINDS:
            return reading, f"a {reading.kind} page"
        if reading.article.confidence < _MIN_CONFIDENCE:
            return reading, "hardly an article"
        few = len(reading.article.text.split()) < _MIN_WORDS
        return reading, "few words" if few else ""

    def _relevance(self, reading: ExtractedPage | None, links: PageLinks) -> tuple[float, str]:
        """Return how much a page is about what is looked for, and its language.

        A page without text of its own is about what its links say.
        """
        if not self._query:
            return 0.0, ""
        if reading is None:
            words = " ".join(link.text for link in links.links)
            return self._query.text_relevance("", words, ""), ""
        article = reading.article
        relevance = self._query.text_relevance(article.title, article.text, article.language)
        return relevance, article.language

    def _sitemaps(self, rules: RobotsRules, lease: Lease) -> tuple[Link, ...]:
        """Return the sitemaps of a site: those its robots.txt names, or where one usually is."""
        named = rules.sitemaps() or [f"{origin_of(lease.url)}/sitemap.xml"]
        return tuple(Link(url, _SITEMAP_SCORE, lease.depth + 1, "sitemap") for url in named)

    def _read_sitemap(self, lease: Lease) -> Visited:
        found = parse_sitemap(self._web.get_resource(lease.url).body)
        depth = lease.depth + 1
        pages = [
            Link(url, score_link(self._query, url, "", "", 0.0, depth), depth)
            for url in found.pages
        ]
        # The newest come first, and those of one promise stay in that order.
        pages.sort(key=lambda lead: -lead.score)
        children = [Link(url, _SITEMAP_SCORE, depth, "sitemap") for url in found.children]
        return Visited((*children, *pages[:MAX_SITEMAP_PAGES]), reason="a sitemap")


def _article_info(reading: ExtractedPage, links: PageLinks) -> ArticleInfo:
    article = reading.article
    return ArticleInfo(
        title=article.title[:500],
        kind=reading.kind,
        confidence=round(article.confidence, 4),
        words=len(article.text.split()),
        language=article.language[:40],
        published=article.published[:40],
        site=article.site[:200],
        canonical=links.canonical,
    )


def _is_temporary(error: FetchError) -> bool:
    """Tell whether a page may be had later that could not be had now."""
    if isinstance(error, HTTPStatusError):
        return error.status in TRANSIENT_STATUSES
    return not isinstance(error, TooLarge | BlockedAddress) or isinstance(error, FetchTimeout)
