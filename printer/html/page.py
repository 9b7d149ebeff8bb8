"""A parsed page: the tree, and what every algorithm reads from it."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml.html import HtmlElement

from ..gc_paused import gc_paused
from ..layout import Layout
from .decode import fix_mojibake
from .embedded import find_embedded_article, insert_article
from .index import PageIndex, Segment, build_index, drop_unindexed
from .layout import PageLayout, attach_layout, strip_markers
from .metadata.metadata import Metadata, read_metadata
from .parse import EMAIL_ATTRIBUTE, base_url, decode, decode_emails, parse

#: A page that shows fewer characters than this outside links may carry its text as data.
_SHELL = 500


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """What the stages after parsing start from; nothing may change the tree.

    ``base`` is the address relative links start from, ``source`` the decoded HTML, ``outline`` the
    tree's elements in document order as parallel lists, ``drawn`` what a browser drew, if one did.
    """

    tree: HtmlElement
    url: str
    base: str
    segments: tuple[Segment, ...]
    metadata: Metadata
    index: PageIndex = field(repr=False)
    source: str = field(default="", repr=False)
    layout: PageLayout | None = None


@gc_paused
def read_page(
    html: bytes | str, url: str = "", charset: str = "", layout: Layout | None = None
) -> Page:
    """Parse a page.

    ``charset`` is what the HTTP header declared, ``layout`` what a browser drew of this very HTML.
    """
    source = fix_mojibake(html if isinstance(html, str) else decode(html, charset))
    tree = parse(source)
    drawn = None
    if layout is not None:
        drawn = attach_layout(tree, layout)
        source = strip_markers(source, layout)
    if EMAIL_ATTRIBUTE in source:
        decode_emails(tree)
    base = base_url(tree, url)
    found = build_index(tree, drawn)
    shown = sum(len(segment.text) - segment.link_chars for segment in found.segments)
    if shown < _SHELL:
        text = find_embedded_article(tree)
        if len(text) > max(_SHELL, 2 * shown):
            insert_article(tree, text)
            found = build_index(tree, drawn)
    metadata = read_metadata(tree, url, base)
    if found.truncated:
        drop_unindexed(found)
    return Page(tree, url, base, found.segments, metadata, found, source, drawn)
