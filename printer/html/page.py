"""Parse a page into the input of all algorithms: its tree, index, metadata and layout.

A page links to the next part of its article by ``rel=next`` or by numbers.  Many pages link to
other articles in the same way, so a link counts only if its URL is that of this page with the next
number.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from itertools import islice
from typing import ParamSpec, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from lxml.html import HtmlElement

from ..capture import ElementBox, Layout, PictureBox, TextBox, Visibility
from ..urls import resolve
from .embedded_article import find_embedded_article, insert_article
from .index import (
    IS_NAV,
    MAX_ELEMENTS,
    ElementsByTag,
    Leaf,
    PageIndex,
    Segment,
    build_index,
    drop_unindexed,
)
from .metadata.jsonld import read_linked_data
from .metadata.metadata import Metadata, read_metadata
from .metadata.titles import is_paragraph
from .parse import EMAIL_ATTRIBUTE, base_url, decode, decode_emails, fix_mojibake, parse
from .structure import retag_structures
from .visibility import HIDING_CLASSES, drop_hidden_on_all_screens, hide_by_style


@dataclass(frozen=True, slots=True, eq=False)
class PageLayout:
    """The layout of a page, by element of the tree and by text leaf.

    ``hidden`` are the outermost elements that are not displayed.
    """

    boxes: Mapping[HtmlElement, ElementBox] = field(repr=False)
    texts: Mapping[Leaf, TextBox] = field(repr=False)
    graphics: Mapping[HtmlElement, PictureBox] = field(repr=False)
    hidden: frozenset[HtmlElement] = field(repr=False)

    def breaks_line(self, element: HtmlElement) -> bool:
        """Return whether an element is a line-break node: ``br``, ``hr`` or by computed display."""
        if element.tag in {"br", "hr"}:
            return True
        box = self.boxes.get(element)
        return box is not None and box.display.startswith(_BREAKING)


#: Prefixes of ``display`` values that begin and end a line (including tables and their parts).
_BREAKING = ("block", "flex", "grid", "flow-root", "list-item", "table")


def attach_layout(tree: HtmlElement, layout: Layout) -> PageLayout:
    """Return the layout of a tree's elements, and remove their numbers from the tree.

    The attribute of the numbers has a random name for every capture, so that a page cannot forge
    it.  A parser may copy elements; the first with a number counts.
    """
    boxes: dict[HtmlElement, ElementBox] = {}
    texts: dict[Leaf, TextBox] = {}
    graphics: dict[HtmlElement, PictureBox] = {}
    hidden: set[HtmlElement] = set()
    numbers: set[int] = set()
    for element in tree.xpath("//*[@*[name()=$mark]]", mark=layout.id_attribute):
        value = element.attrib.pop(layout.id_attribute)
        number = int(value) if re.fullmatch("[0-9]{1,11}", value) else -1
        if number in numbers:
            continue
        numbers.add(number)
        if (box := layout.boxes.get(number)) is not None:
            boxes[element] = box
            if box.visibility & Visibility.NOT_DISPLAYED:
                hidden.add(element)
        for tail in (False, True):
            if (text := layout.texts.get((number, tail))) is not None:
                texts[Leaf(element, tail)] = text
        if (graphic := layout.pictures.get(number)) is not None:
            graphics[element] = graphic
    return PageLayout(boxes, texts, graphics, frozenset(hidden))


def strip_markers(source: str, layout: Layout) -> str:
    """Return a page's source without the numbers of its elements."""
    return re.sub(f' {re.escape(layout.id_attribute)}="[0-9]*"', "", source)


P = ParamSpec("P")
R = TypeVar("R")


def gc_paused(function: Callable[P, R]) -> Callable[P, R]:
    """Pause the garbage collector during a function; with several threads, until the first returns.

    Searching a page's many small values for cycles would take a quarter of the time.
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


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A parsed page; its tree must not be modified.

    ``url`` is '' if unknown, ``base`` the base URL of relative links, ``source`` the decoded HTML,
    ``linked_data`` the text of the scripts of JSON-LD.
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


def _metadata_lines(index: PageIndex) -> list[str]:
    """Return the lines to search for title, author and date, outside menus and rows of data."""
    segments = index.segments[:_MAX_METADATA_LINES]
    outside = [
        segment
        for segment, block in zip(segments, index.segment_blocks, strict=False)
        if not index.flags[block] & IS_NAV
    ]
    has_text = any(is_paragraph(segment.text) for segment in outside)
    return [s.text for s in (outside if has_text else segments) if not _is_cell(s)]


def _is_cell(segment: Segment) -> bool:
    """Return whether a segment is in a row of data, which may be about other dates and names."""
    block = segment.block
    row = block.getparent() if block.tag == "td" else None
    return block.tag in {"dd", "th"} or (row is not None and row.find("th") is not None)


#: Pages with fewer characters of text outside links may carry their text as data.
_MAX_SHELL_CHARS = 500
#: The most lines to search for the author and the date.
_MAX_METADATA_LINES = 500


@gc_paused
def read_page(
    html: bytes | str, url: str = "", charset: str = "", layout: Layout | None = None
) -> Page:
    """Parse a page; never raises.

    ``charset`` is that of the HTTP header, ``layout`` the layout of this very HTML in a browser.
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
    if any(name in source for name in HIDING_CLASSES):
        drop_hidden_on_all_screens(tree)
        elements = list(islice(tree.iter(), MAX_ELEMENTS))  # without the contents dropped
    hide_by_style(tree, elements)
    retag_structures(tree, elements, source)
    base = base_url(tree, url)
    index = build_index(tree, page_layout)
    visible_chars = sum(len(segment.text) - segment.link_chars for segment in index.segments)
    if visible_chars < _MAX_SHELL_CHARS:
        text = find_embedded_article(tree)
        if len(text) > max(_MAX_SHELL_CHARS, 2 * visible_chars):
            insert_article(tree, text)
            index = build_index(tree, page_layout)
    lines = _metadata_lines(index)
    by_tag = ElementsByTag(tree)
    metadata = read_metadata(tree, url, base, lines, by_tag)
    if index.truncated:
        drop_unindexed(index)
        by_tag = ElementsByTag(tree)
    linked_data = read_linked_data(by_tag.find("script"))
    del elements
    return Page(tree, url, base, metadata, index, by_tag, source, page_layout, linked_data)


def next_page_url(page: Page) -> str:
    current = split_page_number(page.url)
    if not current:
        return ""
    stem, number = current
    urls = (resolve(page.base, href).partition("#")[0] for href in _links(page))
    return next((url for url in urls if split_page_number(url) == (stem, number + 1)), "")


_PAGE_PARAMETERS = frozenset({
    "page", "p", "pg", "pagenum", "page_number", "pagenumber", "part", "seite", "pagina", "página",
    "strona", "sida", "side", "stranka", "sayfa",
})  # fmt: skip
_NUMBERED_PATH = re.compile(
    r"""^(?P<stem>.*?)
        (?: /(?:page|p|seite|pagina|part|teil|partie)?[-_/]?(?P<slash>[0-9]{1,3})(?P<end>/?)
          | [-_,](?P<dash>[0-9]{1,3})(?P<ending>\.[a-z]{3,5})
        )$""",
    re.VERBOSE | re.IGNORECASE,
)
_FILE_ENDING = re.compile(r"\.[a-z]{3,5}$", re.IGNORECASE)


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
        if name.lower() in _PAGE_PARAMETERS and value.isdecimal() and len(value) < 4:
            number = int(value)
        else:
            query.append((name, value))
    path = parts.path.rstrip("/")
    match = _NUMBERED_PATH.match(path) if number == 1 and len(path) < 2_000 else None
    if match:
        number = int(match["slash"] or match["dash"])
        path = match["stem"].rstrip("/")
    stem = (parts.scheme, parts.netloc.lower(), _FILE_ENDING.sub("", path), urlencode(query), "")
    return urlunsplit(stem), number


#: The most links of a page to examine; a page with more is a list of links.
MAX_LINKS = 5_000


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
