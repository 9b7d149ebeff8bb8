"""A parsed page: the tree, and what every algorithm reads from it."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml.html import HtmlElement

from ..gc_paused import uncollected
from ..layout import Layout
from .embedded import embedded_text, restore
from .index import Outline, Segment, drop_rest, outline
from .layout import Drawn, join, unmark
from .metadata.metadata import Metadata, read_metadata
from .parse import base_url, decode, parse
from .protected import ATTRIBUTE, show_addresses
from .twice_encoded import mended

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
    outline: Outline = field(repr=False)
    source: str = field(default="", repr=False)
    drawn: Drawn | None = None


@uncollected
def read_page(
    html: bytes | str, url: str = "", charset: str = "", layout: Layout | None = None
) -> Page:
    """Parse a page.

    ``charset`` is what the HTTP header declared, ``layout`` what a browser drew of this very HTML.
    """
    source = mended(html if isinstance(html, str) else decode(html, charset))
    tree = parse(source)
    drawn = None
    if layout is not None:
        drawn = join(tree, layout)
        source = unmark(source, layout)
    if ATTRIBUTE in source:
        show_addresses(tree)
    base = base_url(tree, url)
    found = outline(tree, drawn)
    shown = sum(len(segment.text) - segment.link_chars for segment in found.segments)
    if shown < _SHELL:
        text = embedded_text(tree)
        if len(text) > max(_SHELL, 2 * shown):
            restore(tree, text)
            found = outline(tree, drawn)
    metadata = read_metadata(tree, url, base)
    if found.cut:
        drop_rest(found)
    return Page(tree, url, base, found.segments, metadata, found, source, drawn)
