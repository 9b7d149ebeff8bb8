"""What of an article is on paper: its words and things, against those that the layout holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
    Quote,
    Spans,
    Table,
    block_spans,
    child_blocks,
    walk,
)
from ..output import CompletenessReport, ContentCounts
from ..text import WORD
from .links import SCHEMES
from .weasy.layout_text import LayoutText

#: So many of the pieces that are missing are named, each by so many characters.
MOST_NAMED, NAMED = 5, 60

_KINDS = ("headings", "pictures", "tables", "code", "formulas", "notes")


def check_completeness(articles: Sequence[Article], laid: LayoutText) -> CompletenessReport:
    """Compare articles with what was laid out."""
    on_paper = _squeezed(laid.text)
    missing: list[str] = []
    words = printed = 0
    at = 0
    for piece in (piece for article in articles for piece in pieces(article)):
        count = len(WORD.findall(piece))
        words += count
        found, at = _find(_squeezed(piece), on_paper, at)
        if found:
            printed += count
        elif count:
            missing.append(" ".join(piece.split()))
    wanted = _things(articles)
    things = {kind: min(laid.counts.get(kind, 0), wanted[kind]) for kind in _KINDS}
    targets = {target for article in articles for target in _targets(article)}
    return CompletenessReport(
        article=ContentCounts(words=words, links=len(targets), **wanted),
        printed=ContentCounts(words=printed, links=_led_to(targets, laid.targets), **things),
        missing=tuple(_named(missing)),
    )


def _led_to(wanted: set[str], there: frozenset[str]) -> int:
    """Count the targets that links lead to, however their signs are written."""
    known = {_squeezed(unquote(target)) for target in there}
    return sum(_squeezed(unquote(target)) in known for target in wanted)


def _find(piece: str, text: str, at: int) -> tuple[bool, int]:
    """Tell whether a piece stands in the text, best after the place of the one before."""
    place = text.find(piece, at)
    if place < 0:
        return piece in text, at
    return True, place + len(piece)


def pieces(article: Article) -> Iterator[str]:
    """Yield the article's text in pieces that stand unbroken on paper, in reading order.

    A formula, the sign of a note and a reading over its word end a piece.
    """
    yield from body_pieces(article)
    yield from note_pieces(article)


def body_pieces(article: Article) -> Iterator[str]:
    """Yield the pieces of an article that are of no note."""
    yield article.title
    yield article.byline
    yield from _told(article.blocks)


def note_pieces(article: Article) -> Iterator[str]:
    """Yield the pieces of an article's notes."""
    for block in walk(article.blocks):
        if isinstance(block, Note):
            yield from _told(block.blocks)


def _told(blocks: tuple[Block, ...]) -> Iterator[str]:
    """Yield the pieces of blocks and of what is in them, as they stand on paper, without notes."""
    waiting: list[Block | Spans | str] = list(reversed(blocks))
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, tuple):
            yield from _unbroken(part)
        else:
            waiting.extend(reversed(list(_parts(part))))


def _parts(block: Block) -> Iterator[Block | Spans | str]:
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
        case Quote(blocks=said, cite=by):
            yield from (by, *said) if block.introduced else (*said, by)
            return
    for run in child_blocks(block):
        yield from run
    if isinstance(block, Embed):
        yield from (block.title, block.author, block.published)


def _unbroken(spans: Spans) -> Iterator[str]:
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


def _squeezed(text: str) -> str:
    """Return the letters and digits of a text, which no hyphen or line break comes between."""
    return "".join(filter(str.isalnum, text)).casefold()


def _things(articles: Sequence[Article]) -> dict[str, int]:
    found = dict.fromkeys(_KINDS, 0)
    notes: set[tuple[int, str]] = set()
    for number, article in enumerate(articles):
        for block in walk(article.blocks):
            for kind, type_ in _TYPES.items():
                found[kind] += isinstance(block, type_)
            found["formulas"] += sum(bool(s.math) for spans in block_spans(block) for s in spans)
            if isinstance(block, Note):
                notes.add((number, block.id))
    found["notes"] = len(notes)
    return found


_TYPES = {"headings": Heading, "pictures": Figure, "tables": Table, "code": Code, "formulas": Math}


def _targets(article: Article) -> Iterable[str]:
    for block in walk(article.blocks):
        for spans in block_spans(block):
            for span in spans:
                if span.href.lower().startswith(SCHEMES) and span.text.strip() and not span.note:
                    yield span.href


def _named(missing: list[str]) -> Iterator[str]:
    for piece in missing[:MOST_NAMED]:
        yield piece if len(piece) <= NAMED else piece[: NAMED - 1] + "…"
    if len(missing) > MOST_NAMED:
        yield f"and {len(missing) - MOST_NAMED} more"
