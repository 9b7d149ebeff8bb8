"""Parse a page into the input of all algorithms: its tree, index, metadata and layout.

A page links to the next part of its article by ``rel=next`` or by numbers.  Many pages link to
other articles in the same way, so a link counts only if its URL is that of this page with the next
number.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from itertools import islice
from typing import ParamSpec, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from lxml.html import HtmlElement

from ..capture import Layout
from ..urls import resolve
from .elements import ElementsByTag
from .embedded import find_embedded_article, insert_article
from .index import MAX_ELEMENTS, PageIndex, Segment, build_index, drop_unindexed
from .layout import PageLayout, attach_layout, strip_markers
from .metadata.jsonld import read_linked_data
from .metadata.metadata import Metadata, read_metadata
from .parse import EMAIL_ATTRIBUTE, base_url, decode, decode_emails, fix_mojibake, parse
from .structure import name_structures
from .visibility import hide_by_style

P = ParamSpec("P")
R = TypeVar("R")


def gc_paused(function: Callable[P, R]) -> Callable[P, R]:
    """Pause the garbage collector during a function; with several threads, until the first returns.

    A page of several megabytes becomes some hundred thousand small values that live until its
    article is built; searching them repeatedly for cycles takes a quarter of the time.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if not gc.isenabled():
            return function(*args, **kwargs)
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            gc.enable()

    return run


#: Pages with fewer characters of text outside links may carry their text as data.
_SHELL = 500
#: The most lines to search for the author and the date.
_LINES = 500


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A parsed page; its tree must not be modified.

    Attributes:
        tree: The root element.
        url: The page's URL, '' if unknown.
        base: The base URL of relative links.
        metadata: What the page states about itself.
        index: The tree's elements and text segments in document order.
        source: The decoded HTML.
        layout: The layout in a browser, None without one.
        linked_data: The text of its scripts of JSON-LD.
        elements: The tree's elements by name.
    """

    tree: HtmlElement
    url: str
    base: str
    metadata: Metadata
    index: PageIndex = field(repr=False)
    elements: ElementsByTag = field(repr=False)
    source: str = field(default="", repr=False)
    layout: PageLayout | None = None
    linked_data: Sequence[str] = field(default=(), repr=False)

    @property
    def segments(self) -> tuple[Segment, ...]:
        return self.index.segments


def _is_cell(segment: Segment) -> bool:
    """Return whether a segment is in a row of data, which may be about other dates and names."""
    block = segment.block
    row = block.getparent() if block.tag == "td" else None
    return block.tag in {"dd", "th"} or (row is not None and row.find("th") is not None)


@gc_paused
def read_page(
    html: bytes | str, url: str = "", charset: str = "", layout: Layout | None = None
) -> Page:
    """Parse a page; never raises.

    Args:
        html: The page, as bytes or decoded.
        url: Its URL.
        charset: The charset that the HTTP header declares.
        layout: The layout of this very HTML in a browser.
    """
    source = fix_mojibake(html if isinstance(html, str) else decode(html, charset))
    tree = parse(source)
    # As long as these exist, no pass over the tree has to create the elements' objects again.
    elements = list(islice(tree.iter(), MAX_ELEMENTS))
    page_layout = None
    if layout is not None:
        page_layout = attach_layout(tree, layout)
        source = strip_markers(source, layout)
    if EMAIL_ATTRIBUTE in source:
        decode_emails(tree)
    hide_by_style(tree, elements)
    name_structures(tree, elements, source)
    base = base_url(tree, url)
    index = build_index(tree, page_layout)
    visible_chars = sum(len(segment.text) - segment.link_chars for segment in index.segments)
    if visible_chars < _SHELL:
        text = find_embedded_article(tree)
        if len(text) > max(_SHELL, 2 * visible_chars):
            insert_article(tree, text)
            index = build_index(tree, page_layout)
    lines = [segment.text for segment in index.segments[:_LINES] if not _is_cell(segment)]
    by_tag = ElementsByTag(tree)
    metadata = read_metadata(tree, url, base, lines, by_tag)
    if index.truncated:
        drop_unindexed(index)
        by_tag = ElementsByTag(tree)
    linked_data = read_linked_data(by_tag.find("script"))
    del elements
    return Page(tree, url, base, metadata, index, by_tag, source, page_layout, linked_data)


# Pagination

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
