"""One visit: may it be fetched, what came, where it leads, is it an article."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lxml.html import HtmlElement

from ..capture import Capture
from ..errors import (
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
from ..fetch.errors import TRANSIENT_STATUSES
from ..html.metadata.metadata import read_head
from ..html.parse import base_url, decode, parse
from ..options import ExtractOptions, FetchOptions, SiteRule
from ..pipeline import ExtractedPage, Printer
from ..urls import origin_of, resolve
from .models import (
    KEPT_KINDS,
    CrawlOptions,
    Failed,
    Lead,
    Moved,
    NotYet,
    Refused,
    Taken,
    Told,
    Visited,
)  # fmt: skip
from .robots import MOST_TRIES, RETRY, Rules, known_rules, read_rules
from .scoring import Query, promise
from .sitemaps import read_sitemap
from .store import Store
from .urls import normal_url

#: Links of one page that are looked at, and characters of the words of one.
MOST_LINKS, _MOST_WORDS = 3_000, 300


@dataclass(frozen=True, slots=True)
class Link:
    """A link: where it leads, in normal form, as it is written, and its words."""

    url: str
    written: str
    words: str


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a page, each address once, and its canonical address ('' for its own)."""

    links: tuple[Link, ...] = ()
    canonical: str = ""


def read_links(capture: Capture) -> Links:
    """Read the links of a page; one that asks not to be followed has none."""
    tree = parse(decode(capture.body, capture.charset))
    base = base_url(tree, capture.url)
    head = read_head(tree)
    canonical = _normal(resolve(base, head.canonical)) if head.canonical else ""
    if canonical == _normal(capture.url):
        canonical = ""
    if _closed(tree):
        return Links((), canonical)
    found: dict[str, Link] = {}
    for count, element in enumerate(tree.iter("a", "area")):
        if count >= MOST_LINKS:
            break
        href = element.get("href")
        if not href or href.startswith("#") or "nofollow" in _words(element.get("rel")):
            continue
        written = resolve(base, href[:4_000])
        url = _normal(written) if written else ""
        if url and url != capture.url:
            words = _text(element)
            if url not in found or len(words) > len(found[url].words):
                found[url] = Link(url, written, words)
    return Links(tuple(found.values()), canonical)


def _normal(url: str) -> str:
    try:
        return normal_url(url) if url else ""
    except BadURL:
        return ""


def _text(element: HtmlElement) -> str:
    """Return the words of a link: its own, or those of its picture."""
    pieces: list[str] = []
    length = 0
    for text in element.itertext():
        pieces.append(text[:_MOST_WORDS])
        length += len(text)
        if length > _MOST_WORDS:
            break
    words = " ".join(" ".join(pieces).split())
    if not words:
        picture = element.find(".//img")
        words = (picture.get("alt") or "") if picture is not None else element.get("title") or ""
    return words[:_MOST_WORDS]


def _closed(tree: HtmlElement) -> bool:
    """Tell whether the page asks robots not to follow its links."""
    for element in tree.iter("meta"):
        if (element.get("name") or "").strip().lower() == "robots":
            said = _words(element.get("content"))
            if "nofollow" in said or "none" in said:
                return True
    return False


def _words(value: str | None) -> list[str]:
    return (value or "")[:500].lower().replace(",", " ").split()


Outcome = Visited | Moved | Failed | Refused | NotYet

#: Gives the rules for the site of an address.
SiteRules = Callable[[str], tuple[SiteRule, ...]]

#: An article has so many words, and the extraction is at least so sure of it.
_LEAST_WORDS, _LEAST_CONFIDENCE = 60, 0.3

#: Pages that are taken from one sitemap.
MOST_LISTED = 10_000

#: Sitemaps come before pages: they say at once what there is.
_SITEMAP_SCORE = 500.0


class _Elsewhere(Exception):
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
            fetch=FetchOptions(render="never", follow=False, cache=False),
            extract=replace(extract, images="none"),
            measure=False,
            rules=rules,
        )

    def visit(self, taken: Taken) -> Outcome:
        """Visit an address; every failure becomes an outcome."""
        try:
            rules = known_rules(self._store, taken.url, RETRY * self._options.rest)
            if rules is None:
                read_rules(self._store, self._web, taken.url, self._agent)
                return NotYet()
            if rules.state == "closed" and rules.tries < MOST_TRIES:
                return NotYet(RETRY * self._options.rest)
            if rules.state == "closed":
                return Refused("robots.txt cannot be had")
            if not rules.allows(taken.url, self._agent):
                return Refused("robots.txt")
            if taken.kind == "sitemap":
                return self._read_sitemap(taken)
            return self._read_page(taken, rules)
        except _Elsewhere as elsewhere:
            return Moved(elsewhere.target)
        except NotHTML as error:
            return Refused(f"no web page: {error.media_type or 'something else'}")
        except FetchError as error:
            return Failed(error, _passes(error))
        except WebprintError as error:
            return Failed(error)

    def _read_page(self, taken: Taken, rules: Rules) -> Visited:
        own = normal_url(taken.url)

        def onward(target: str) -> None:
            if normal_url(target) != own:
                raise _Elsewhere(target)

        capture = self._web.get_page(taken.url, onward)
        links = read_links(capture)
        reading, why = self._read(capture)
        told = _told(reading, links) if reading and not why else None
        relevance, language = self._relevance(reading, links)
        if told and self._query:
            told = replace(told, relevance=round(relevance, 4))
            if relevance < self._options.relevance:
                told, why = None, "not about what is looked for"
        depth = taken.depth + 1
        leads = tuple(
            Lead(
                link.written,
                promise(self._query, link.url, link.words, language, relevance, depth),
                depth,
            )
            for link in links.links
        )
        if taken.depth == 0 and self._options.sitemaps:
            leads = (*self._sitemaps(rules, taken), *leads)
        text = reading.article.text if reading and told else ""
        return Visited(leads, links.canonical, told, text, capture if told else None, why)

    def _read(self, capture: Capture) -> tuple[ExtractedPage | None, str]:
        """Return what a page holds, if anything, and why it is not to be kept."""
        try:
            reading = self._printer.read(capture)
        except NoArticle:
            return None, "no article"
        if reading.kind not in KEPT_KINDS:
            return reading, f"a {reading.kind} page"
        if reading.article.confidence < _LEAST_CONFIDENCE:
            return reading, "hardly an article"
        few = len(reading.article.text.split()) < _LEAST_WORDS
        return reading, "few words" if few else ""

    def _relevance(self, reading: ExtractedPage | None, links: Links) -> tuple[float, str]:
        """Return how much a page is about what is looked for, and its language.

        A page without text of its own is about what its links say.
        """
        if not self._query:
            return 0.0, ""
        if reading is None:
            words = " ".join(link.words for link in links.links)
            return self._query.of_text("", words, ""), ""
        article = reading.article
        relevance = self._query.of_text(article.title, article.text, article.language)
        return relevance, article.language

    def _sitemaps(self, rules: Rules, taken: Taken) -> tuple[Lead, ...]:
        """Return the sitemaps of a site: those its robots.txt names, or where one usually is."""
        named = rules.sitemaps() or [f"{origin_of(taken.url)}/sitemap.xml"]
        return tuple(Lead(url, _SITEMAP_SCORE, taken.depth + 1, "sitemap") for url in named)

    def _read_sitemap(self, taken: Taken) -> Visited:
        found = read_sitemap(self._web.get_resource(taken.url).body)
        depth = taken.depth + 1
        pages = [
            Lead(url, promise(self._query, url, "", "", 0.0, depth), depth) for url in found.pages
        ]
        # The newest come first, and those of one promise stay in that order.
        pages.sort(key=lambda lead: -lead.score)
        children = [Lead(url, _SITEMAP_SCORE, depth, "sitemap") for url in found.children]
        return Visited((*children, *pages[:MOST_LISTED]), why="a sitemap")


def _told(reading: ExtractedPage, links: Links) -> Told:
    article = reading.article
    return Told(
        title=article.title[:500],
        kind=reading.kind,
        confidence=round(article.confidence, 4),
        words=len(article.text.split()),
        language=article.language[:40],
        published=article.published[:40],
        site=article.site[:200],
        canonical=links.canonical,
    )


def _passes(error: FetchError) -> bool:
    """Tell whether a page may be had later that could not be had now."""
    if isinstance(error, HTTPStatusError):
        return error.status in TRANSIENT_STATUSES
    return not isinstance(error, TooLarge | BlockedAddress) or isinstance(error, FetchTimeout)
