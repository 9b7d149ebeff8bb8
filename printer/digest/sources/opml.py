"""OPML: lists of feeds, as other feed readers import and export them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lxml import etree

from ...errors import UsageError
from ...html.parse import strip_invalid_references
from ...text import clean_line
from ...urls import is_http

_MAX_BYTES, _MAX_FEEDS = 5_000_000, 2_000


@dataclass(frozen=True, slots=True)
class Subscription:
    """A feed, its name, and the folder it is in."""

    feed: str
    name: str = ""
    section: str = ""


def parse_opml(data: bytes) -> list[Subscription]:
    """Return the feeds of an OPML file, each once; raises :class:`UsageError`."""
    if len(data) > _MAX_BYTES:
        raise UsageError("the file is too large for a list of feeds")
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(strip_invalid_references(data), parser)
    except etree.XMLSyntaxError as error:
        raise UsageError(f"the file is not OPML: {error}") from error
    if root is None or str(root.tag).rpartition("}")[2].lower() != "opml":
        raise UsageError("the file is not OPML")
    feeds: dict[str, Subscription] = {}
    for outline in root.iter("outline"):
        url = clean_line(outline.get("xmlUrl") or outline.get("xmlurl"), 4_000)
        if is_http(url) and len(feeds) < _MAX_FEEDS:
            parent = outline.getparent()
            section = _name(parent) if parent is not None and parent.tag == "outline" else ""
            feeds.setdefault(url, Subscription(url, _name(outline), section))
    return list(feeds.values())


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


def _name(outline: etree._Element) -> str:
    return clean_line(outline.get("title") or outline.get("text"), 300)
