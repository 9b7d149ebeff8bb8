"""What a page says of itself: title, byline, date, site, language, direction, lead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from ...text import clean_attribute, clean_line
from ...urls import resolve
from ..parse import element_line
from .bylines import join_names
from .dates import parse_date
from .jsonld import SchemaMetadata, read_json_ld, read_schema
from .language import choose_language, text_direction
from .markup_hints import main_headings, read_markup_hints
from .titles import SiteNames, choose_title

#: Elements looked at; a page with more states nothing that matters in the rest.
MOST_ELEMENTS = 2_000
_MOST_VALUES = 20
_KINDS = frozenset({"property", "name", "itemprop", "http-equiv"})
_DRAWINGS = frozenset({"svg", "symbol", "g", "path", "use"})


@dataclass(frozen=True, slots=True)
class Head:
    """A page's statements by lower-case name, in document order, as they stand there."""

    title: str = ""
    canonical: str = ""
    metas: dict[str, list[str]] = field(default_factory=dict)

    def all(self, *names: str, limit: int = 500) -> list[str]:
        """Return every value of the first of ``names`` that states one."""
        for name in names:
            stated = self.metas.get(name)
            if stated:
                values = [value for raw in stated if (value := clean_attribute(raw, limit))]
                if values:
                    return values
        return []

    def each(self, names: Iterable[str], limit: int = 500) -> Iterator[list[str]]:
        """Yield the values stated under each of ``names`` that is stated."""
        for name in names:
            if name in self.metas:
                yield self.all(name, limit=limit)

    def first(self, *names: str, limit: int = 500) -> str:
        """Return the first value stated under ``names``, or ''."""
        return next(iter(self.all(*names, limit=limit)), "")


def read_head(tree: HtmlElement) -> Head:
    """Read a page's head; such elements in the body count as well, as browsers put them there."""
    metas: dict[str, list[str]] = {}
    canonical = ""
    for number, element in enumerate(tree.iter("meta", "link")):
        if number >= MOST_ELEMENTS:
            break
        if element.tag == "link":
            if not canonical and "canonical" in (element.get("rel") or "").lower().split():
                canonical = element.get("href") or ""
            continue
        content = element.get("content")
        if content:
            for kind, names in element.items():
                if kind in _KINDS:
                    _add(metas, names, content)
    return Head(_title(tree), canonical, metas)


def _title(tree: HtmlElement) -> str:
    """Return the document's title, which is never that of a drawing."""
    for element in tree.iter("title"):
        parent = element.getparent()
        if parent is None or parent.tag not in _DRAWINGS:
            text = clean_attribute("".join(element.itertext()))
            if text:
                return text
    return ""


def _add(metas: dict[str, list[str]], names: str, content: str) -> None:
    for name in names[:200].lower().split():
        values = metas.setdefault(name, [])
        if len(values) < _MOST_VALUES:
            values.append(content)


_TITLES = (
    "og:title", "twitter:title", "dc.title", "dc:title", "dcterms.title", "parsely-title",
    "sailthru.title", "citation_title", "cxenseparse:title", "headline", "title",
)  # fmt: skip
_AUTHORS = (
    "citation_author", "dc.creator", "dc:creator", "author", "article:author_name",
    "dcterms.creator", "parsely-author", "sailthru.author", "cxenseparse:author", "byl",
    "og:author", "creator", "dcsext.author", "vr:author", "article:author",
    "shareaholic:article_author_name",
)  # fmt: skip
_DATES = (
    "article:published_time", "datepublished", "og:article:published_time", "citation_date",
    "citation_publication_date", "citation_online_date", "dc.date.issued", "dcterms.issued",
    "dc.date.created", "dcterms.created", "parsely-pub-date", "sailthru.date", "article:published",
    "cxenseparse:recs:publishtime", "cxenseparse:publishtime", "shareaholic:article_published_time",
    "published_time", "publish_date", "publish-date", "publishdate", "pubdate", "pub_date",
    "publication_date", "og:publish_date", "og:pubdate", "dc.date", "dcterms.date", "pdate",
    "ptime", "displaydate", "vr:published-time", "dcsext.articlefirstpublished", "date",
)  # fmt: skip
_SITES = ("application-name", "apple-mobile-web-app-title", "dc.publisher",
          "dcterms.publisher", "citation_journal_title", "al:android:app_name")  # fmt: skip
_LEADS = ("og:description", "description", "twitter:description", "dc.description",
          "dcterms.description", "sailthru.description")  # fmt: skip
_LANGUAGES = ("content-language", "og:locale", "dc.language", "dcterms.language", "language",
              "inlanguage", "citation_language")  # fmt: skip
_IMAGES = ("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src",
           "parsely-image-url", "sailthru.image.full", "image", "thumbnailurl")  # fmt: skip

#: Characters of a lead, of an address; of a text that tells the language, of enough of them.
_LEAD = 1_000
_ADDRESS = 2_000
_MOST_DATES, _FEW, _DAY = 20, 3, len("2024-02-29")
_SHORTEST, _PLENTY = 20, 300
#: So many elements are looked at for it, of each sort.
_MOST_SAMPLED = 10_000


@dataclass(frozen=True, slots=True)
class Metadata:
    """A page's statements about itself; '' for what it does not state.

    ``published`` is an ISO 8601 date or date-time, ``language`` a BCP 47 tag, ``direction`` 'ltr'
    or 'rtl', ``canonical`` and ``image`` are absolute http(s) addresses.
    """

    title: str = ""
    byline: str = ""
    published: str = ""
    site: str = ""
    lead: str = ""
    language: str = ""
    direction: str = ""
    canonical: str = ""
    image: str = ""


def read_metadata(tree: HtmlElement, url: str, base: str) -> Metadata:
    """Read a page's metadata from JSON-LD, OpenGraph, Dublin Core, meta, microdata, the page."""
    head = read_head(tree)
    canonical = _canonical(head, url, base)
    described = read_schema(read_json_ld(tree), (url, canonical))
    heads = main_headings(tree)
    sites = _sites(head, described)
    known = SiteNames(sites, url)
    article = described.article or head.first("og:type").lower() == "article"
    stated = [*map(clean_attribute, described.titles), *_flat(head.each(_TITLES))]
    title = choose_title(head.title, heads, stated, known, article=article)
    site = (
        next(iter(sites), "")
        or known.find_in_title(head.title, heads)
        or head.first(*_SITES, limit=100)
    )
    language = choose_language(
        _languages(tree, head, described), lambda enough: sample_text(tree, enough)
    )
    names, published = _authors(head, described, language, site, title), _published(head, described)
    if not names or not published:
        marks = read_markup_hints(tree)
        names = names or join_names(marks.authors, language, site, title)
        published = published or next(iter(marks.dates), "")
    return Metadata(
        title=title,
        byline=names,
        published=published,
        site=site,
        lead=head.first(*_LEADS, limit=_LEAD)
        or clean_attribute(next(iter(described.leads), ""), _LEAD),
        language=language,
        direction=_direction(tree) or text_direction(language),
        canonical=canonical,
        image=_image(head, described, base),
    )


def _flat(lists: Iterable[list[str]]) -> Iterator[str]:
    return chain.from_iterable(lists)


def _canonical(head: Head, url: str, base: str) -> str:
    """Return the address the page gives as its own; a story's is not that of the front page."""
    for stated in (head.canonical, head.first("og:url", limit=_ADDRESS)):
        found = _address(stated, base)
        if found and (_path(found) or not _path(url)):
            return found
    return ""


def _path(url: str) -> str:
    try:
        return urlsplit(url).path.strip("/")
    except ValueError:  # a bracket that opens no IPv6 address
        return ""


def _sites(head: Head, described: SchemaMetadata) -> list[str]:
    stated = head.all("og:site_name", limit=100) + [
        clean_attribute(each, 100) for each in described.sites
    ]
    return [each for each in stated if any(map(str.isalnum, each)) and "://" not in each]


def sample_text(tree: HtmlElement, enough: int) -> str:
    """Return text of a page's paragraphs, or where it has none of whatever holds text."""
    found: list[str] = []
    length = 0
    for tags in (("p",), ("div", "td", "li", "dd", "font", "span"), ("a", "h1", "h2", "option")):
        for element in islice(tree.iter(*tags), _MOST_SAMPLED):
            if tags[0] == "p":
                text = element_line(element, limit=enough)
            else:
                text = " ".join(filter(None, (element.text, *(each.tail for each in element))))
            if len(text) > _SHORTEST and not text.isspace():
                found.append(text[:enough])
                length += len(found[-1])
                if length > enough:
                    return clean_line(" ".join(found), enough)
        if length > _PLENTY:
            break
    return clean_line(" ".join(found), enough)


def _address(stated: str, base: str) -> str:
    stated = clean_line(stated[:_ADDRESS], _ADDRESS)
    return resolve(base, stated) if stated and " " not in stated else ""


def _image(head: Head, described: SchemaMetadata, base: str) -> str:
    described_images = (clean_attribute(each, _ADDRESS) for each in described.images)
    stated = chain(_flat(head.each(_IMAGES, limit=_ADDRESS)), described_images)
    return next((found for each in stated if (found := _address(each, base))), "")


def _languages(tree: HtmlElement, head: Head, described: SchemaMetadata) -> list[str]:
    """Return what a page states as its language, the surest first."""
    body = tree.find("body")
    stated = [
        each.get(name) or ""
        for each in (tree, body)
        if each is not None
        for name in ("lang", "xml:lang")
    ]
    return [*stated, *_flat(head.each(_LANGUAGES, limit=60)), *described.languages]


def _authors(head: Head, described: SchemaMetadata, language: str, *others: str) -> str:
    """Return the byline that a page's statements give, JSON-LD's first."""
    every = chain((described.authors,), head.each(_AUTHORS))
    return next((found for each in every if (found := join_names(each, language, *others))), "")


def _published(head: Head, described: SchemaMetadata) -> str:
    """Return the first date stated, with the time that another statement of the same day gives."""
    dates = _dates(described.published)
    for stated in head.each(_DATES):
        dates += _dates(stated)
    day = dates[0] if dates else ""
    return next((date for date in dates if len(date) > _DAY and date.startswith(day)), day)


def _dates(stated: Sequence[str]) -> list[str]:
    """Return dates as ISO 8601, unless they are those of a list of stories, the newest first.

    A discussion has as many, and its first is the oldest.
    """
    dates = [found for each in stated[:_MOST_DATES] if (found := parse_date(each))]
    if len(set(dates)) > _FEW and dates[0] > min(dates):
        return []
    return dates


def _direction(tree: HtmlElement) -> str:
    for each in (tree, tree.find("body")):
        stated = "" if each is None else (each.get("dir") or "").strip().lower()
        if stated in {"ltr", "rtl"}:
            return stated
    return ""
