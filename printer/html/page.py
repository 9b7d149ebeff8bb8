"""Parse a page into the input of all algorithms: its tree, index, metadata and layout."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import ParamSpec, TypeVar

from lxml.html import HtmlElement

from ..capture import Layout
from .decode import decode, fix_mojibake
from .embedded import find_embedded_article, insert_article
from .index import PageIndex, Segment, build_index, drop_unindexed
from .layout import PageLayout, attach_layout, strip_markers
from .metadata.metadata import Metadata, read_metadata
from .parse import EMAIL_ATTRIBUTE, base_url, decode_emails, parse
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
    """

    tree: HtmlElement
    url: str
    base: str
    metadata: Metadata
    index: PageIndex = field(repr=False)
    source: str = field(default="", repr=False)
    layout: PageLayout | None = None

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The page's text segments."""
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
    page_layout = None
    if layout is not None:
        page_layout = attach_layout(tree, layout)
        source = strip_markers(source, layout)
    if EMAIL_ATTRIBUTE in source:
        decode_emails(tree)
    hide_by_style(tree)
    name_structures(tree, source)
    base = base_url(tree, url)
    index = build_index(tree, page_layout)
    visible_chars = sum(len(segment.text) - segment.link_chars for segment in index.segments)
    if visible_chars < _SHELL:
        text = find_embedded_article(tree)
        if len(text) > max(_SHELL, 2 * visible_chars):
            insert_article(tree, text)
            index = build_index(tree, page_layout)
    lines = [segment.text for segment in index.segments[:_LINES] if not _is_cell(segment)]
    metadata = read_metadata(tree, url, base, lines)
    if index.truncated:
        drop_unindexed(index)
    return Page(tree, url, base, metadata, index, source, page_layout)
