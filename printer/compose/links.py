"""Where links lead: absolute addresses that are safe to print, and places in the article."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement

from ..html.page import Page
from .footnotes import Anchors, fragment

_SCHEMES = frozenset({"http", "https", "mailto"})
_MAX_HREF = 2000
#: An absolute address that joining would leave as it is.
_PLAIN = re.compile(r"https?://[\w.-]+(?::\d+)?/(?!.*/\.)", re.ASCII)
#: One that joining would set behind the site's, and the address of a site.
_ROOTED = re.compile(r"/(?:[\w~%+@:,-][\w.~%+@:,-]*/?)*+(?:\?[\w.~%+@:,=&/-]+)?", re.ASCII)
_SITE = re.compile(r"https?://[\w.-]+(?::\d+)?(?=/)", re.ASCII)


class Links:
    """Resolves the addresses of one page."""

    def __init__(self, page: Page, anchors: Anchors) -> None:
        self.page = page
        self.known = set(anchors.places.values())
        self._resolved: dict[str, str] = {}
        site = _SITE.match(page.base)
        self._site = site[0] if site else ""

    def of(self, element: HtmlElement) -> str:
        """Return where a link leads, '' when that is nowhere a reader could go."""
        href = (element.get("href") or "").strip()
        if not href:
            return ""
        name = fragment(href, self.page)
        if name:
            return f"#{name}" if name in self.known else ""
        return "" if href.startswith("#") else self.resolve(href)

    def resolve(self, href: str) -> str:
        """Return an absolute http(s) or mailto address, '' for any other."""
        found = self._resolved.get(href)
        if found is None:
            found = self._resolved[href] = self._resolve(href)
        return found

    def _resolve(self, href: str) -> str:
        href = href.strip()
        if len(href) > _MAX_HREF:
            return ""
        if not href.isprintable() or " " in href:
            href = "".join(filter(str.isprintable, "".join(href.split())))
        if _PLAIN.match(href):
            return href
        if self._site and _ROOTED.fullmatch(href):
            return self._site + href
        try:
            parts = urlsplit(urljoin(self.page.base, href))
        except ValueError:  # a bracket that opens no IPv6 address
            return ""
        named = parts.netloc or parts.scheme == "mailto"
        return parts.geturl() if parts.scheme in _SCHEMES and named else ""
