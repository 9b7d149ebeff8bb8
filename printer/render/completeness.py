"""Completeness: compare the text and the items of articles with those on the laid-out pages.

Only what is actually drawn is read from the pages: text dropped by the layout is missing.  Running
heads, contents, page numbers and generated content are not part of the article and are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any
from urllib.parse import unquote

from ..article import (
    Article,
    Block,
    Code,
    DefinitionList,
    Embed,
    Figure,
    Heading,
    Math,
    Note,
    Paragraph,
    Post,
    Quote,
    Spans,
    Table,
    child_blocks,
    iter_spans,
    walk,
)
from ..output import CompletenessReport, ContentCounts, PrintedContent
from ..text import comparison_key, count_words, truncate
from .links import SCHEMES
from .markup import HEADINGS

_TYPES = {"headings": Heading, "pictures": Figure, "tables": Table, "code": Code, "formulas": Math}
_KINDS = (*_TYPES, "notes")

#: In total, for pieces that are not after the previous one; pieces beyond this count as printed.
_MAX_SEARCHED_CHARS = 1_000_000_000


def check_completeness(articles: Sequence[Article], layout: PrintedContent) -> CompletenessReport:
    """Compare articles with a layout; a missing item makes all with its kind incomplete."""
    text = comparison_key(layout.text)
    pieces = [[(piece, comparison_key(piece)) for piece in iter_pieces(a)] for a in articles]
    needed = Counter(key for article_targets in pieces for _, key in article_targets)
    printed_targets = {comparison_key(unquote(target)) for target in layout.targets}
    missing: list[str] = []
    incomplete: set[int] = set()
    targets: set[str] = set()
    words = printed = position = searched = 0
    for index, article in enumerate(articles):
        for piece, key in pieces[index]:
            count = count_words(piece) if key else 0
            words += count
            # Search after the previous piece first, then everywhere.
            start = text.find(key, position) if searched < _MAX_SEARCHED_CHARS else position
            if start >= 0:
                position = start + len(key)
            else:
                searched += len(text)
            if start >= 0 or text.count(key) >= needed[key]:
                printed += count
            elif count:
                missing.append(" ".join(piece.split()))
                incomplete.add(index)
        article_targets = set(link_targets(article))
        if not printed_targets.issuperset(comparison_key(unquote(url)) for url in article_targets):
            incomplete.add(index)
        targets |= article_targets
    links = sum(comparison_key(unquote(target)) in printed_targets for target in targets)
    items = [count_items(article) for article in articles]
    expected = {kind: sum(counts[kind] for counts in items) for kind in _KINDS}
    actual = {kind: min(layout.counts.get(kind, 0), expected[kind]) for kind in _KINDS}
    short_kinds = [kind for kind in _KINDS if actual[kind] < expected[kind]]
    incomplete |= {n for n, counts in enumerate(items) if any(counts[kind] for kind in short_kinds)}
    return CompletenessReport(
        article=ContentCounts(words=words, links=len(targets), **expected),
        printed=ContentCounts(words=printed, links=links, **actual),
        missing_text=tuple(_quote(missing)),
        incomplete=frozenset(incomplete),
    )


def iter_pieces(article: Article) -> Iterator[str]:
    """Yield an article's text in pieces between formulas, note calls and annotations."""
    yield from body_pieces(article)
    yield from note_pieces(article)


def body_pieces(article: Article) -> Iterator[str]:
    """Yield the pieces of an article outside its notes, in the order in which they are printed."""
    yield article.title
    blocks = article.blocks
    standfirst = tuple(takewhile(lambda b: isinstance(b, Paragraph) and b.standfirst, blocks))
    yield from _block_pieces(standfirst)
    yield article.byline
    yield from _block_pieces(blocks[len(standfirst) :])


def note_pieces(article: Article) -> Iterator[str]:
    """Yield the pieces of an article's notes; a note is printed once, however often it occurs."""
    ids: set[str] = set()
    for block in walk(article.blocks):
        if isinstance(block, Note) and block.id not in ids:
            ids.add(block.id)
            yield from _block_pieces(block.blocks)


def _block_pieces(blocks: tuple[Block, ...]) -> Iterator[str]:
    """Yield the pieces of blocks at any depth, without notes."""
    stack: list[Block | Spans | str] = list(reversed(blocks))
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, tuple):
            yield from _span_pieces(item)
        else:
            stack.extend(reversed(list(_block_parts(item))))


def _block_parts(block: Block) -> Iterator[Block | Spans | str]:
    match block:
        case Note():
            return
        case Code(text=text):
            yield text
        case Figure():
            yield from (block.caption_spans, block.credit)
        case Table():
            yield block.caption_spans
        case Paragraph() | Heading():
            yield block.spans
        case DefinitionList(entries=entries):
            for entry in entries:
                yield from entry.terms
                for details in entry.details:
                    yield from details
            return
        case Quote(blocks=blocks, cite=cite):
            yield from (cite, *blocks) if block.introduced else (*blocks, cite)
            return
        case Post(author=author, published=published):
            yield from (author, published)
    for children in child_blocks(block):
        yield from children
    yield from (block.title, block.author, block.published) if isinstance(block, Embed) else ()


def _span_pieces(spans: Spans) -> Iterator[str]:
    piece: list[str] = []
    for span in spans:
        if span.math or span.note or span.ruby:
            yield "".join(piece)
            piece = []
            if span.ruby and not span.math:
                yield span.text
        else:
            piece.append(span.text)
    yield "".join(piece)


def count_items(article: Article) -> dict[str, int]:
    """Return the number of an article's headings, pictures and other items, by kind."""
    blocks = list(walk(article.blocks))
    counts = {kind: sum(isinstance(b, type_) for b in blocks) for kind, type_ in _TYPES.items()}
    counts["formulas"] += sum(bool(span.math) for span in iter_spans(article.blocks))
    counts["notes"] = len({block.id for block in blocks if isinstance(block, Note)})
    return counts


def link_targets(article: Article) -> Iterable[str]:
    """Yield the web addresses to which an article's text links."""
    for span in iter_spans(article.blocks):
        if span.href.lower().startswith(SCHEMES) and span.text.strip() and not span.note:
            yield span.href


MAX_QUOTES = 5
MAX_QUOTE_CHARS = 60


def _quote(missing: list[str]) -> Iterator[str]:
    for piece in missing[:MAX_QUOTES]:
        yield truncate(piece, MAX_QUOTE_CHARS)
    if len(missing) > MAX_QUOTES:
        yield f"and {len(missing) - MAX_QUOTES} more"


#: Classes of a line of code.
_CODE_LINES = frozenset({"line", "line head"})


def read_printed_content(pages: list[Any]) -> PrintedContent:
    """Read the pages of a document laid out by WeasyPrint."""
    texts: dict[int, list[str]] = {}
    elements: dict[str, set[int]] = {}
    targets: set[str] = set()
    for box, block in _iter_boxes(pages):
        element = box.element
        if "::" in (box.element_tag or ""):
            continue
        if hasattr(box, "text"):
            # Numbers and URLs of link targets are not part of the article.
            if element is None or element.get("class") not in ("link", "target"):
                texts.setdefault(block, []).append(box.text)
        elif element is not None:
            if kind := _element_kind(element):
                elements.setdefault(kind, set()).add(id(element))
            if box.element_tag == "a" and (href := element.get("href")):
                targets.add(href)
    page_types = [page._page_box.page_type for page in pages]
    return PrintedContent(
        "\n".join("".join(pieces) for pieces in texts.values()),
        {kind: len(ids) for kind, ids in elements.items()},
        frozenset(targets),
        # An element continued on other pages counts for its first page.
        {name: index for index, page in reversed(list(enumerate(pages))) for name in page.anchors},
        tuple(None if page_type.blank else str(page_type.name or "") for page_type in page_types),
    )


def _iter_boxes(pages: list[Any]) -> Iterator[tuple[Any, int]]:
    """Yield the boxes of pages, except in margins, with the ``id()`` of their block's element."""
    from weasyprint.formatting_structure import boxes

    block_types = boxes.BlockLevelBox | boxes.TableCellBox | boxes.InlineBlockBox
    for page in pages:
        stack: list[tuple[Any, int]] = [(page._page_box, 0)]
        while stack:
            box, block = stack.pop()
            box = getattr(box, "_box", box)  # Absolutely positioned boxes are in a placeholder.
            if isinstance(box, boxes.MarginBox) or box.element_tag == "nav":
                continue
            # All lines of code are one block.
            is_line = box.element is not None and box.element.get("class") in _CODE_LINES
            if isinstance(box, block_types) and box.element is not None and not is_line:
                block = id(box.element)
            yield box, block
            stack.extend((child, block) for child in reversed(getattr(box, "children", ())))


#: Classes of elements added by themes: QR codes, headings of notes.
_ADDED = frozenset({"qr", "section"})


def _element_kind(element: Any) -> str:
    """Return the kind of an element in the counts, '' for none."""
    classes = set((element.get("class") or "").split())
    if classes & _ADDED:
        return ""
    is_math = "math" in classes
    match element.tag:
        case tag if tag in HEADINGS:
            return "headings"
        case "img":
            return "formulas" if is_math else "pictures"
        case "pre":
            return "code"
        case "table":
            return "tables"
        case "span" if is_math:
            return "formulas"
        case tag:
            is_footnote = "footnote" in classes and element.get("role")
            is_endnote = tag == "div" and "note" in classes and element.get("data-note") is None
            return "notes" if is_footnote or is_endnote else ""
