"""Site files in the style of full-text-rss: lines of ``directive: value``, their paths in XPath.

Read are body, title, author, date, strip, strip_id_or_class, strip_image_src and next_page_link.
What changes a page's source before it is parsed (find_string, replace_string), fetches something
else (single_page_link, http_header) or tunes that program is passed over.
"""

from __future__ import annotations

from collections import defaultdict

from ..options import SiteRule
from . import xpath
from .css import InvalidSelector

MOST_LINES = 1_000

_PATHS = {
    "body": "body", "title": "title", "author": "author", "date": "date", "strip": "drop",
    "next_page_link": "next_page",
}  # fmt: skip
_WORDS = {
    "strip_id_or_class": "//*[contains(@class, {0}) or contains(@id, {0})]",
    "strip_image_src": "//img[contains(@src, {0})]",
}


def read(text: str, host: str, name: str, *, subdomains: bool) -> SiteRule:
    """Return the rule that a site file holds; a line that cannot be used is among its faults."""
    found: dict[str, list[str]] = defaultdict(list)
    faults = []
    for number, line in enumerate(text.splitlines()[:MOST_LINES], 1):
        directive, colon, value = line.partition(":")
        directive, value = directive.strip().lower(), value.strip()
        if not colon or not value or line.lstrip().startswith("#"):
            continue
        if directive in _PATHS:
            part, path = _PATHS[directive], value
        elif directive in _WORDS:
            word = value.strip("\"'")
            quote = "'" if '"' in word else '"'
            part, path = "drop", _WORDS[directive].format(f"{quote}{word}{quote}")
        else:
            continue
        try:
            xpath.parse(path)
        except InvalidSelector as fault:
            faults.append(f"{name}, line {number}: {directive}: {fault}")
        else:
            found[part].append(path)
    paths = {part: tuple(values) for part, values in found.items()}
    return SiteRule(
        host=host, name=name, subdomains=subdomains, xpath=True, faults=tuple(faults), **paths
    )
