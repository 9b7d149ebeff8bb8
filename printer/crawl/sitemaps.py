"""Sitemaps and sitemap indexes, as XML or plain text, gzipped or not.

They are untrusted: decompression is bounded, entities are not resolved, and broken ones are used as
far as they can be parsed.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from lxml import etree

from ..urls import is_http

#: Limits of the protocol: bytes after decompression, pages per sitemap, characters per URL.
_MAX_BYTES, MAX_PAGES, _MAX_URL_CHARS = 50_000_000, 50_000, 2_048
#: The most sitemaps that one may name.
MAX_CHILDREN = 500


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The URLs in a sitemap, of pages and of other sitemaps, the latest modified first."""

    pages: tuple[str, ...] = ()
    children: tuple[str, ...] = ()


def parse_sitemap(data: bytes) -> Sitemap:
    """Parse a sitemap; the result is empty if the data is not one."""
    if data[:2] == b"\x1f\x8b":
        try:
            data = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, _MAX_BYTES)
        except zlib.error:
            return Sitemap()
    data = data[:_MAX_BYTES]
    if data.lstrip()[:1] != b"<":
        lines = data.decode("utf-8-sig", "replace").split("\n", MAX_PAGES)[:MAX_PAGES]
        return Sitemap(tuple(dict.fromkeys(filter(_is_valid, map(str.strip, lines)))))
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=False
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return Sitemap()
    pages: list[tuple[str, str]] = []
    children: list[tuple[str, str]] = []
    for element in () if root is None else root.iter("{*}loc"):
        url = (element.text or "").strip()[: _MAX_URL_CHARS + 1]
        parent = element.getparent()
        if parent is None or not _is_valid(url):
            continue
        modified = (parent.findtext("{*}lastmod") or "").strip()[:40]
        kind = str(parent.tag).rpartition("}")[2]
        if kind == "url" and len(pages) < MAX_PAGES:
            pages.append((modified, url))
        elif kind == "sitemap" and len(children) < MAX_CHILDREN:
            children.append((modified, url))
    return Sitemap(_latest_first(pages), _latest_first(children))


def _is_valid(url: str) -> bool:
    return is_http(url) and len(url) <= _MAX_URL_CHARS


def _latest_first(entries: list[tuple[str, str]]) -> tuple[str, ...]:
    """Return distinct URLs, the latest modified first (ISO 8601 dates sort as text)."""
    ordered = sorted(entries, key=lambda entry: entry[0], reverse=True)
    return tuple(dict.fromkeys(url for _, url in ordered))
