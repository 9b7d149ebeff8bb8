"""Feeds: find them, parse them even if broken (RSS, Atom, RDF, JSON Feed), read and write OPML."""

from __future__ import annotations

import json
import re
from calendar import timegm
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape, unescape
from html.entities import html5
from typing import Any
from urllib.parse import quote, urlsplit

import lxml.html
from lxml import etree

from ..capture import Capture
from ..errors import BadURL, FetchError, UsageError, WebprintError
from ..fetch.client import HttpClient
from ..html.parse import codec_for_label, strip_invalid_references, xml_parser
from ..text import clean_line
from ..urls import is_http, origin_of, resolve

MAX_BYTES = 8_000_000
MAX_ENTRIES = 1_000

_MAX_ELEMENTS = 50_000
_MAX_ATTRIBUTES = 100
_MAX_TITLE_CHARS = 300
_MAX_SUMMARY_CHARS = 2_000
_TAG_ELEMENTS = frozenset({"category", "keywords", "subject", "tags"})
_PERSON_ELEMENTS = frozenset(
    {"author", "contributor", "creator", "editor", "email", "managingeditor", "name", "owner",
     "publisher", "webmaster"}
)  # fmt: skip
_MAX_URL_CHARS = 4_000
_HINT = "webprint digest add finds the feed of a site"
_NO_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_DECLARATION = re.compile(r"<\?xml[^>]{0,200}\?>")
_ENCODING = re.compile(rb"<\?xml[^>]{0,100}encoding=[\"']([A-Za-z0-9._-]{1,40})")
_ENTITY = re.compile(r"&(?!#\w{1,8};|(?:amp|lt|gt|quot|apos);)(?:(\w{1,30});)?")
_MARKUP = re.compile(r"<[^<>]{0,2000}>")


@dataclass(frozen=True, slots=True)
class Entry:
    """An article that a source offers: an entry of a feed, a mail, or a URL.

    ``html`` is the text that the source has, which is complete if ``is_full_text``; ``summary`` is
    plain text.  ``capture`` is the page if it need not be fetched, ``error`` why it cannot be read,
    and ``source_name`` the name of the source.
    """

    url: str
    title: str = ""
    published: datetime | None = None
    updated: datetime | None = None
    author: str = ""
    summary: str = ""
    html: str = field(default="", repr=False)
    is_full_text: bool = False
    capture: Capture | None = field(default=None, repr=False)
    source_name: str = ""
    error: WebprintError | None = None

    @property
    def date(self) -> datetime | None:
        """The date of publication, or else of the last update."""
        return self.published or self.updated


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed: its URL, its title, and its entries in its own order."""

    url: str
    title: str
    entries: tuple[Entry, ...]


def parse_feed(data: bytes, url: str, charset: str = "") -> Feed:
    """Parse a feed, given the charset of the HTTP header or ''; raise :class:`FetchError`."""
    if len(data) > MAX_BYTES:
        raise FetchError("the feed is too large", url=url)
    if data[:2000].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _parse_json(data, url)
    return _parse_xml(data, url, charset)


# ---- RSS, Atom, RDF ----


def _parse_xml(data: bytes, url: str, charset: str) -> Feed:
    import feedparser

    xml = _repair_xml(data, charset)
    if not xml:
        raise FetchError("this is not a feed", url=url, hint=_HINT)
    try:
        # Its sanitizer takes time quadratic in the depth of the markup and is not needed, because
        # entries are extracted like any page, which leaves no markup.
        parsed = feedparser.parse(
            xml,
            response_headers={"content-location": url, "content-type": "application/xml"},
            sanitize_html=False,
            resolve_relative_uris=False,
        )
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise FetchError(f"the feed cannot be read: {error}", url=url) from error
    if not parsed.get("version") and not parsed.entries:
        raise FetchError("this is not a feed", url=url, hint=_HINT)
    channel = parsed.get("feed", {})
    entries = (_parse_entry(item, url) for item in parsed.entries[:MAX_ENTRIES])
    title = _clean_title(channel.get("title"))
    return Feed(url, title, tuple(entry for entry in entries if entry.url))


def _repair_xml(data: bytes, charset: str) -> bytes:
    """Return a faulty feed as well-formed XML of bounded size and depth, b'' if it is not XML."""
    text = _NO_XML.sub(" ", _decode(data, charset))
    text = _DECLARATION.sub("", text.lstrip("\ufeff \t\r\n"), count=1)
    text = _ENTITY.sub(_numeric_reference, text)
    parser = xml_parser(recover=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(strip_invalid_references(text.encode()), parser)
    except etree.XMLSyntaxError:
        return b""
    if root is None:
        return b""
    for entry in list(root.iter("{*}item", "{*}entry"))[MAX_ENTRIES:]:
        parent = entry.getparent()
        if parent is not None:
            parent.remove(entry)
    for number, element in enumerate(root.iter(etree.Element)):
        if number == _MAX_ELEMENTS:  # feedparser reads some 10,000 elements per second.
            _remove_rest(element)
        # feedparser takes time quadratic in the number of attributes and of tags, which are not
        # needed, and in the length of the name of a person.
        for name in element.keys()[_MAX_ATTRIBUTES:]:
            del element.attrib[name]
        name = str(element.tag).rpartition("}")[2].lower()
        if name in _TAG_ELEMENTS:
            element.tag = "unused"
        elif name in _PERSON_ELEMENTS:
            element.text = (element.text or "")[:_MAX_TITLE_CHARS]
            for child in element:
                child.tail = None
    try:
        xml: bytes = etree.tostring(root, encoding="utf-8")
    except etree.SerialisationError:  # Names recovered from binary data cannot be serialized.
        return b""
    return xml


def _remove_rest(element: etree._Element) -> None:
    """Remove all elements after an element."""
    for node in (element, *element.iterancestors()):
        parent = node.getparent()
        if parent is not None:
            del parent[parent.index(node) + 1 :]


def _decode(data: bytes, charset: str) -> str:
    if data.startswith((b"\xfe\xff", b"\xff\xfe")):
        return data.decode("utf-16", "replace")
    match = _ENCODING.search(data[:200])
    for label in (charset, match[1].decode("ascii") if match else "", "utf-8"):
        try:
            if codec := codec_for_label(label):
                return data.decode(codec)
        except (LookupError, ValueError):
            continue
    return data.decode("cp1252", "replace")


def _numeric_reference(match: re.Match[str]) -> str:
    """Replace an HTML entity by numeric references, and escape a bare ampersand."""
    name = match[1]
    if name and (characters := html5.get(name + ";")):
        return "".join(f"&#{ord(c)};" for c in characters)
    return "&amp;" + match[0][1:]


def _parse_entry(item: dict[str, Any], base: str) -> Entry:
    contents = [content["value"] for content in item.get("content", ()) if content.get("value")]
    summary = str(item.get("summary", "") or "")
    html = max(contents, key=len, default="")
    link, identifier = str(item.get("link", "") or ""), str(item.get("id", "") or "")
    return Entry(
        url=_web_url(link or (identifier if is_http(identifier) else ""), base),
        title=_clean_title(item.get("title")),
        # feedparser's own get falls back from one date to the other, with a warning.
        published=_to_utc(dict.get(item, "published_parsed")),
        updated=_to_utc(dict.get(item, "updated_parsed")),
        author=_clean_title(item.get("author")),
        summary=_plain_text(summary or html, _MAX_SUMMARY_CHARS),
        html=html or summary,
        is_full_text=bool(html),
    )


def _to_utc(parts: Any) -> datetime | None:
    try:
        return datetime.fromtimestamp(timegm(parts), UTC) if parts else None
    except (ValueError, OverflowError, OSError, TypeError):
        return None


# ---- JSON Feed ----


def _parse_json(data: bytes, url: str) -> Feed:
    try:
        feed = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FetchError("the feed is not valid JSON", url=url) from error
    if not isinstance(feed, dict) or "jsonfeed.org" not in str(feed.get("version", ""))[:100]:
        raise FetchError("this is JSON, but not a feed", url=url)
    items = feed.get("items")
    entries = [
        _parse_json_entry(item, url)
        for item in (items if isinstance(items, list) else [])[:MAX_ENTRIES]
        if isinstance(item, dict)
    ]
    title = _clean_title(feed.get("title"))
    return Feed(url, title, tuple(entry for entry in entries if entry.url))


def _parse_json_entry(item: Mapping[str, Any], base: str) -> Entry:
    html, plain = _string(item.get("content_html")), _string(item.get("content_text"))
    authors = item.get("authors") or [item.get("author")]
    authors = authors if isinstance(authors, list) else []
    names = [_string(author.get("name")) for author in authors if isinstance(author, dict)]
    link = _string(item.get("url")) or _string(item.get("external_url")) or _string(item.get("id"))
    return Entry(
        url=_web_url(link, base),
        title=_clean_title(item.get("title")),
        published=parse_date(item.get("date_published")),
        updated=parse_date(item.get("date_modified")),
        author=_clean_title(", ".join(filter(None, names))),
        summary=_plain_text(_string(item.get("summary")) or html or plain, _MAX_SUMMARY_CHARS),
        html=html or "".join(f"<p>{escape(text, False)}</p>" for text in plain.split("\n\n")),
        is_full_text=bool(html or plain),
    )


# ---- text ----


def parse_date(value: object) -> datetime | None:
    """Parse an ISO 8601 date, in UTC if it has no time zone; return None for anything else."""
    try:
        date = datetime.fromisoformat(str(value)[:40]) if value else None
    except ValueError:
        return None
    return date.replace(tzinfo=UTC) if date and date.tzinfo is None else date


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _clean_title(value: object) -> str:
    return _plain_text(_string(value), _MAX_TITLE_CHARS)


def _plain_text(html: str, limit: int) -> str:
    return clean_line(unescape(_MARKUP.sub(" ", html[: limit * 10])), limit)


def _web_url(link: object, base: str) -> str:
    text = _string(link).strip()
    url = resolve(base, text) if text and len(text) <= _MAX_URL_CHARS else ""
    return url if urlsplit(url).netloc else ""


ACCEPT = (
    "application/atom+xml,application/rss+xml,application/feed+json,application/rdf+xml,"
    "application/xml;q=0.9,text/xml;q=0.9,application/json;q=0.8,*/*;q=0.5"
)

_TYPES = ("rss", "atom", "feed+json", "rdf+xml")
_COMMON_PATHS = ("/feed", "/feed.xml", "/rss.xml", "/atom.xml", "/index.xml", "/feed.json", "/rss")
_MAX_LINKS = 5_000
_MAX_FEEDS = 4


def get_feed(client: HttpClient, url: str) -> Feed:
    """Fetch a feed, from the cache if it has not changed; raise :class:`FetchError`."""
    capture = client.get_fresh(url, ACCEPT)
    return parse_feed(capture.body, capture.url, capture.source.charset)


def find_feeds(client: HttpClient, url: str) -> list[Feed]:
    """Return the feed at a URL, or those that the page there links to, best first."""
    capture = client.get_fresh(url, ACCEPT)
    try:
        return [parse_feed(capture.body, capture.url, capture.source.charset)]
    except FetchError:
        linked = list(dict.fromkeys(feed_links(capture.body, capture.url)))
    feeds: list[Feed] = []
    common_urls = [resolve(capture.url, path) for path in _COMMON_PATHS]
    for address in linked[:_MAX_FEEDS] or common_urls:
        try:
            feeds.append(get_feed(client, address))
        except (FetchError, BadURL):
            continue
        if not linked:
            break
    if not feeds:
        raise UsageError(
            f"no feed was found at {capture.url}",
            hint="Give the address of the feed, or use the page itself as a source: page = ...",
        )
    return feeds


def feed_links(body: bytes, url: str) -> Iterator[str]:
    """Yield the URLs of the feeds that a page links to, those of comments last."""
    try:
        tree = lxml.html.fromstring(body[:MAX_BYTES])
    except (etree.ParserError, ValueError):
        return
    links: list[tuple[bool, str]] = []
    for number, link in enumerate(tree.iter("link", "a")):
        if number >= _MAX_LINKS:
            break
        media_type = (link.get("type") or "").lower()
        href = link.get("href")
        is_feed = any(name in media_type for name in _TYPES)
        if href and is_feed and "alternate" in (link.get("rel") or "").lower().split():
            is_for_comments = "comments" in f"{link.get('title') or ''} {href}".lower()
            links.append((is_for_comments, href))
    for _, href in sorted(links, key=lambda link: link[0]):
        if address := resolve(url, href.strip()[:4000]):
            yield address


_MAX_OPML_BYTES = 5_000_000
_MAX_SUBSCRIPTIONS = 2_000


@dataclass(frozen=True, slots=True)
class Subscription:
    """A feed, its name, and the folder it is in."""

    feed: str
    name: str = ""
    section: str = ""


def parse_opml(data: bytes) -> list[Subscription]:
    """Return the feeds of an OPML file, each once; raise :class:`UsageError`."""
    if len(data) > _MAX_OPML_BYTES:
        raise UsageError("the file is too large for a list of feeds")
    try:
        root = etree.fromstring(strip_invalid_references(data), xml_parser(recover=True))
    except etree.XMLSyntaxError as error:
        raise UsageError(f"the file is not OPML: {error}") from error
    if root is None or str(root.tag).rpartition("}")[2].lower() != "opml":
        raise UsageError("the file is not OPML")
    feeds: dict[str, Subscription] = {}
    for outline in root.iter("outline"):
        url = clean_line(outline.get("xmlUrl") or outline.get("xmlurl"), 4_000)
        url = re.sub(r"\s", lambda space: quote(space[0]), url)
        if _has_origin(url) and len(feeds) < _MAX_SUBSCRIPTIONS:
            parent = outline.getparent()
            section = (
                _outline_name(parent) if parent is not None and parent.tag == "outline" else ""
            )
            feeds.setdefault(url, Subscription(url, _outline_name(outline), section))
    return list(feeds.values())


def _has_origin(url: str) -> bool:
    try:
        origin_of(url)
    except BadURL:
        return False
    return is_http(url)


def format_opml(title: str, subscriptions: Iterable[Subscription]) -> bytes:
    """Return an OPML file of feeds, with a folder for each section."""
    root = etree.Element("opml", version="2.0")
    etree.SubElement(etree.SubElement(root, "head"), "title").text = title
    body = etree.SubElement(root, "body")
    folders = {"": body}
    for feed in subscriptions:
        name, section = feed.name or feed.feed, feed.section
        if section not in folders:
            folders[section] = etree.SubElement(body, "outline", text=section, title=section)
        etree.SubElement(
            folders[section], "outline", type="rss", text=name, title=name, xmlUrl=feed.feed
        )
    data: bytes = etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True)
    return data


def _outline_name(outline: etree._Element) -> str:
    return clean_line(outline.get("title") or outline.get("text"), 300)
