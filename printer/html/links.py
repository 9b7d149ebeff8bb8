"""Addresses that a page names."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit


def resolve(base: str, href: str, schemes: frozenset[str] = frozenset({"http", "https"})) -> str:
    """Return an absolute address, or '' for one that is broken or of another scheme."""
    try:
        url = urljoin(base, href.strip())
        return url if urlsplit(url).scheme.lower() in schemes else ""
    except ValueError:
        return ""
