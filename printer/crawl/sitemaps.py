"""Sitemaps: lists of a site's addresses, as XML or plain lines, packed or not, and lists of lists.

They come from strangers: what is unpacked is bounded, entities are not resolved, and a broken one
gives what can be read of it.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from lxml import etree

#: Bytes of a sitemap after unpacking, and addresses of one (the protocol's own limits).
_MAX_BYTES, MAX_PAGES = 50_000_000, 50_000
#: Other sitemaps that one may name.
MAX_CHILDREN = 500
_MAX_URL_CHARS = 2_048


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap lists: pages, the newest first where it says when, and other sitemaps."""

    pages: tuple[str, ...] = ()
    children: tuple[str, ...] = ()


def parse_sitemap(data: bytes) -> Sitemap:
    """Read a sitemap; what is none gives an empty one."""
    data = _decompress(data)
    if data.lstrip()[:1] != b"<":
        return Sitemap(pages=_parse_lines(data))
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=False
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return Sitemap()
    if root is None:
        return Sitemap()
    pages: list[tuple[str, str]] = []
    children: list[tuple[str, str]] = []
    for element in root.iter("{*}loc"):
        url = (element.text or "").strip()[: _MAX_URL_CHARS + 1]
        parent = element.getparent()
        if (
            parent is None
            or not url.startswith(("http://", "https://"))
            or len(url) > _MAX_URL_CHARS
        ):
            continue
        kind = str(parent.tag).rpartition("}")[2]
        if kind == "url" and len(pages) < MAX_PAGES:
            pages.append((_last_modified(parent), url))
        elif kind == "sitemap" and len(children) < MAX_CHILDREN:
            children.append((_last_modified(parent), url))
    return Sitemap(_newest_first(pages), _newest_first(children))


def _last_modified(entry: etree._Element) -> str:
    return (entry.findtext("{*}lastmod") or "").strip()[:40]


def _newest_first(entries: list[tuple[str, str]]) -> tuple[str, ...]:
    """Return the addresses once each, the newest first; ISO 8601 dates sort as they are written."""
    ordered = sorted(entries, key=lambda entry: entry[0], reverse=True)
    return tuple(dict.fromkeys(url for _, url in ordered))


def _decompress(data: bytes) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data[:_MAX_BYTES]
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, _MAX_BYTES)
    except zlib.error:
        return b""


def _parse_lines(data: bytes) -> tuple[str, ...]:
    lines = data.decode("utf-8-sig", "replace").split("\n", MAX_PAGES)[:MAX_PAGES]
    urls = (line.strip() for line in lines)
    sound = (url for url in urls if url.startswith(("http://", "https://")))
    return tuple(dict.fromkeys(url for url in sound if len(url) <= _MAX_URL_CHARS))
