"""Find the next page of an article that is split over several pages.

A page links to it by ``rel=next`` or by numbers.  Many pages link to other articles in the same
way, so a link counts only if its URL is that of this page with the next number.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ..urls import resolve
from .page import Page

#: The most links of a page to examine; a page with more is a list of links.
MAX_LINKS = 5_000

_PARAMETERS = frozenset({
    "page", "p", "pg", "pagenum", "page_number", "pagenumber", "part", "seite", "pagina", "página",
    "strona", "sida", "side", "stranka", "sayfa",
})  # fmt: skip
_PATH = re.compile(
    r"""^(?P<stem>.*?)
        (?: /(?:page|p|seite|pagina|part|teil|partie)?[-_/]?(?P<slash>[0-9]{1,3})(?P<end>/?)
          | [-_,](?P<dash>[0-9]{1,3})(?P<ending>\.[a-z]{3,5})
        )$""",
    re.VERBOSE | re.IGNORECASE,
)
_ENDING = re.compile(r"\.[a-z]{3,5}$", re.IGNORECASE)


def next_page_url(page: Page) -> str:
    """Return the URL of the article's next page, or ''."""
    current = split_page_number(page.url)
    if not current:
        return ""
    stem, number = current
    urls = (resolve(page.base, href).partition("#")[0] for href in _links(page))
    return next((url for url in urls if split_page_number(url) == (stem, number + 1)), "")


def split_page_number(url: str) -> tuple[str, int] | None:
    """Return a URL without its page number, and the number (1 if it has none)."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"}:
        return None
    number = 1
    query = []
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name.lower() in _PARAMETERS and value.isdecimal() and len(value) < 4:
            number = int(value)
        else:
            query.append((name, value))
    path = parts.path.rstrip("/")
    match = _PATH.match(path) if number == 1 and len(path) < 2_000 else None
    if match:
        number = int(match["slash"] or match["dash"])
        path = match["stem"].rstrip("/")
    stem = (parts.scheme, parts.netloc.lower(), _ENDING.sub("", path), urlencode(query), "")
    return urlunsplit(stem), number


def _links(page: Page) -> list[str]:
    """Return the page's links, those marked as next first."""
    marked: list[str] = []
    unmarked: list[str] = []
    for link in page.tree.iter("link", "a"):
        href = link.get("href")
        if href and "next" in (link.get("rel") or "").lower().split():
            marked.append(href)
        elif href and link.tag == "a" and len(unmarked) < MAX_LINKS:
            unmarked.append(href)
    return marked + unmarked
