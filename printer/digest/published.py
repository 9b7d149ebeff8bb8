"""A small Atom feed of the digests that lie in a folder."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime

from lxml import etree

from ..render.inline import printable

_ATOM = "http://www.w3.org/2005/Atom"
#: So many digests are in the feed.
_MOST = 50


@dataclass(frozen=True, slots=True)
class Issue:
    """A digest that was put somewhere, and the address it is read at."""

    title: str
    url: str
    when: datetime
    data: bytes = field(repr=False)
    media_type: str = "application/pdf"


def with_issue(old: bytes, title: str, identity: str, issue: Issue) -> bytes:
    """Return a feed (b'' for a new one) with one more issue, the newest first."""
    feed = etree.Element(_name("feed"), nsmap={None: _ATOM})  # type: ignore[dict-item]
    _add(feed, "title", title)
    _add(feed, "id", identity)
    _add(feed, "updated", issue.when.astimezone(UTC).isoformat())
    author = etree.SubElement(feed, _name("author"))
    _add(author, "name", "webprint")
    entry = etree.SubElement(feed, _name("entry"))
    _add(entry, "title", f"{issue.title}, {issue.when:%Y-%m-%d}")
    _add(entry, "id", f"urn:sha256:{hashlib.sha256(issue.data).hexdigest()}")
    _add(entry, "updated", issue.when.astimezone(UTC).isoformat())
    etree.SubElement(entry, _name("link"), rel="alternate", href=issue.url)
    etree.SubElement(
        entry,
        _name("link"),
        rel="enclosure",
        href=issue.url,
        type=issue.media_type,
        length=str(len(issue.data)),
    )
    for each in _entries(old)[: _MOST - 1]:
        feed.append(each)
    data: bytes = etree.tostring(feed, xml_declaration=True, encoding="utf-8", pretty_print=True)
    return data


def _entries(old: bytes) -> list[etree._Element]:
    """Return the issues in a feed that was written before; of a damaged one what can be read."""
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, remove_blank_text=True
    )
    try:
        root = etree.fromstring(old, parser) if old else None
    except etree.XMLSyntaxError:
        return []
    return root.findall(_name("entry")) if root is not None else []


def _add(parent: etree._Element, name: str, text: str) -> None:
    etree.SubElement(parent, _name(name)).text = printable(text)


def _name(name: str) -> str:
    return f"{{{_ATOM}}}{name}"
