"""Bytes to tree: find the charset, parse with bounds, resolve the base address."""

from __future__ import annotations

import codecs
import re
from urllib.parse import urljoin, urlsplit

from lxml import etree
from lxml.html import HtmlElement, HTMLParser

_META_CHARSET = re.compile(
    rb"""<meta[^>]{0,500}?charset\s*=\s*["']?\s*([a-zA-Z0-9_.:-]{2,40})""", re.IGNORECASE
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(body: bytes, declared: str = "") -> str:
    """Return a page's text: charset by BOM, HTTP header, meta element, then detection."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(name, "replace")
    meta = _META_CHARSET.search(body[:4096])
    for label in (declared, meta.group(1).decode("ascii") if meta else "", "utf-8"):
        try:
            return body.decode(label)
        except (LookupError, UnicodeDecodeError):
            continue
    from charset_normalizer import from_bytes

    best = from_bytes(body[:200_000]).best()
    return body.decode(best.encoding if best else "windows-1252", "replace")


def parse(text: str) -> HtmlElement:
    """Return the tree of a page; an empty page gives an empty body."""
    parser = HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    tree = etree.fromstring(text.encode("utf-8", "replace") or b"<html/>", parser)
    return tree if tree is not None else etree.fromstring(b"<html><body/></html>", parser)


def base_url(tree: HtmlElement, url: str) -> str:
    """Return the address that relative links of the page start from."""
    for base in tree.iter("base"):
        href = (base.get("href") or "").strip()
        if href:
            joined = urljoin(url, href)
            return joined if urlsplit(joined).scheme in {"http", "https"} else url
    return url
