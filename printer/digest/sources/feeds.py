"""Feeds: RSS, Atom, RDF and JSON Feed, from bytes that were fetched elsewhere.

Whatever their kind and however broken they are, they give the same values.
"""

from __future__ import annotations

import json
import re
from calendar import timegm
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from html.entities import html5
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml import etree

from ...errors import FetchError
from ...html.decode import codec_for_label
from ...html.parse import strip_invalid_references
from ...text import clean_line
from ..config import parse_datetime

#: The largest feed that is read, in bytes, and the most entries of one.
MAX_BYTES = 8_000_000
MAX_ENTRIES = 1_000

_MAX_ATTRIBUTES = 100
_MAX_TITLE, _MAX_URL = 300, 4_000
_HINT = "webprint digest add finds the feed of a site"
_NO_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_DECLARATION = re.compile(r"<\?xml[^>]{0,200}\?>")
_ENCODING = re.compile(rb"<\?xml[^>]{0,100}encoding=[\"']([A-Za-z0-9._-]{1,40})")
_ENTITY = re.compile(r"&(?!#\w{1,8};|(?:amp|lt|gt|quot|apos);)(?:(\w{1,30});)?")
_MARKUP = re.compile(r"<[^<>]{0,2000}>")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a feed.

    ``html`` is its full text or what it gives of it, as it stands there; ``summary`` plain text.
    ``full`` says that it is meant to be the whole text.
    """

    url: str
    title: str = ""
    published: datetime | None = None
    updated: datetime | None = None
    author: str = ""
    summary: str = ""
    html: str = ""
    is_full_text: bool = False

    @property
    def when(self) -> datetime | None:
        """When it was published, or at least changed."""
        return self.published or self.updated


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed's title, the page it belongs to, and its entries in its own order."""

    title: str
    link: str
    entries: tuple[Entry, ...]


def parse_feed(data: bytes, url: str, charset: str = "") -> Feed:
    """Return the feed that was found at ``url``; raises :class:`FetchError` when it is none."""
    if len(data) > MAX_BYTES:
        raise FetchError("the feed is too large", url=url)
    start = data[:2000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        return _parse_json(data, url)
    return _parse_xml(data, url, charset)


# ---- RSS, Atom, RDF ----


def _parse_xml(data: bytes, url: str, charset: str) -> Feed:
    import feedparser

    tidy = _repair_xml(data, charset)
    if not tidy:
        raise FetchError("this is no feed", url=url, hint=_HINT)
    try:
        # Its own cleaning of HTML takes time that grows with the square of what is open, and what
        # an entry holds goes the way of every page, of which no markup is left.
        parsed = feedparser.parse(
            tidy,
            response_headers={"content-location": url, "content-type": "application/xml"},
            sanitize_html=False,
            resolve_relative_uris=False,
        )
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise FetchError(f"the feed cannot be read: {error}", url=url) from error
    if not parsed.get("version") and not parsed.entries:
        raise FetchError("this is no feed", url=url, hint=_HINT)
    channel = parsed.get("feed", {})
    entries = [_entry(each, url) for each in parsed.entries[:MAX_ENTRIES]]
    return Feed(
        _title(channel.get("title", "")),
        _web_url(channel.get("link", ""), url),
        tuple(each for each in entries if each.url),
    )


def _repair_xml(data: bytes, charset: str) -> bytes:
    """Return a feed as XML without fault, no deeper than XML may be, and of bounded length.

    Publishers forget to escape, cut feeds off in the middle and lie about their charset.
    """
    text = _NO_XML.sub(" ", _decode(data, charset))
    text = _DECLARATION.sub("", text.lstrip("\ufeff \t\r\n"), count=1)
    text = _ENTITY.sub(_numeric_reference, text)
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
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
    for element in root.iter(etree.Element):
        # The parser that reads this next takes time that grows with the square of them.
        if len(element.attrib) > _MAX_ATTRIBUTES:
            kept = {name: element.attrib[name] for name in element.keys()[:_MAX_ATTRIBUTES]}
            element.attrib.clear()
            element.attrib.update(kept)
    try:
        tidy: bytes = etree.tostring(root, encoding="utf-8")
    except etree.SerialisationError:  # names that were mended from what is no text
        return b""
    return tidy


def _decode(data: bytes, charset: str) -> str:
    if data.startswith((b"\xfe\xff", b"\xff\xfe")):
        return data.decode("utf-16", "replace")
    match = _ENCODING.search(data[:200])
    stated = (charset, match[1].decode("ascii") if match else "", "utf-8")
    for name in stated:
        try:
            if codec := codec_for_label(name):
                return data.decode(codec)
        except (LookupError, ValueError):
            continue
    return data.decode("cp1252", "replace")


def _numeric_reference(match: re.Match[str]) -> str:
    """Write a character that HTML has a name for as XML can; a bare & is itself."""
    name = match[1]
    if name and (sign := html5.get(name + ";")):
        return "".join(f"&#{ord(c)};" for c in sign)
    return "&amp;" + match[0][1:]


def _entry(each: dict[str, Any], base: str) -> Entry:
    contents = [c.get("value", "") for c in each.get("content", ()) if c.get("value")]
    summary = str(each.get("summary", "") or "")
    html = max(contents, key=len, default="")
    link = str(each.get("link", "") or "")
    identity = str(each.get("id", "") or "")
    if not link and identity.startswith(("http://", "https://")):
        link = identity
    return Entry(
        url=_web_url(link, base),
        title=_title(each.get("title", "")),
        # Its own get answers for one with the other, and warns that it will not always do so.
        published=_parse_time(dict.get(each, "published_parsed")),
        updated=_parse_time(dict.get(each, "updated_parsed")),
        author=_title(each.get("author", "")),
        summary=_plain_text(summary or html),
        html=html or summary,
        is_full_text=bool(html),
    )


def _parse_time(parts: Any) -> datetime | None:
    """Return a moment that feedparser read, which is in UTC."""
    try:
        return datetime.fromtimestamp(timegm(parts), UTC) if parts else None
    except (ValueError, OverflowError, OSError, TypeError):
        return None


# ---- JSON Feed ----


def _parse_json(data: bytes, url: str) -> Feed:
    try:
        feed = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FetchError("the feed is no valid JSON", url=url) from error
    if not isinstance(feed, dict) or "jsonfeed.org" not in str(feed.get("version", ""))[:100]:
        raise FetchError("this is JSON, but no feed", url=url)
    items = feed.get("items")
    entries = [_json_entry(i, url) for i in (items if isinstance(items, list) else [])[:MAX_ENTRIES]
               if isinstance(i, dict)]  # fmt: skip
    return Feed(
        _title(feed.get("title", "")),
        _web_url(feed.get("home_page_url", ""), url),
        tuple(each for each in entries if each.url),
    )


def _json_entry(item: Mapping[str, Any], base: str) -> Entry:
    html = _text(item.get("content_html"))
    plain = _text(item.get("content_text"))
    authors = item.get("authors") or [item.get("author")]
    names = (a.get("name") for a in authors if isinstance(a, dict)) if _is_list(authors) else ()
    link = _text(item.get("url")) or _text(item.get("external_url")) or _text(item.get("id"))
    return Entry(
        url=_web_url(link, base),
        title=_title(item.get("title", "")),
        published=_iso(item.get("date_published")),
        updated=_iso(item.get("date_modified")),
        author=_title(", ".join(_text(name) for name in names if name)),
        summary=_plain_text(_text(item.get("summary")) or html or plain),
        html=html or "".join(f"<p>{_escaped(p)}</p>" for p in plain.split("\n\n")),
        is_full_text=bool(html or plain),
    )


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _iso(text: object) -> datetime | None:
    return parse_datetime(str(text)[:40] if text else "")


# ---- text ----


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _title(value: object) -> str:
    """Return a title as one line of text, its markup and character references read."""
    return _plain_text(_text(value), _MAX_TITLE)


def _plain_text(html: str, longest: int = 2_000) -> str:
    text = unescape(_MARKUP.sub(" ", html[: longest * 10]))
    return clean_line(text, longest)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _web_url(link: object, base: str) -> str:
    """Return an absolute web address, '' for what is none."""
    text = _text(link).strip()
    if not text or len(text) > _MAX_URL:
        return ""
    try:
        url = urljoin(base, text)
        return url if urlsplit(url).scheme in ("http", "https") and urlsplit(url).netloc else ""
    except ValueError:
        return ""


def unique_entries(entries: tuple[Entry, ...]) -> Iterator[Entry]:
    """Yield entries, of those with one address only the first."""
    seen: set[str] = set()
    for each in entries:
        if each.url not in seen:
            seen.add(each.url)
            yield each
