"""Which of a page's notes are set at the foot of their page, and which at the article's end.

A note goes to the foot of the page that it is called on when it is short running text and its
sign stands in a paragraph.  The layout does not break such a note over pages, and sets notes out
of headings, captions and cells badly; those go to the end, as all do when there are too many.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..article import (
    Article,
    Block,
    DefinitionList,
    List,
    Note,
    Paragraph,
    Quote,
    plain_text,
)
from .limits import walk_blocks

#: A longer note is set at the end, in characters.
LONGEST = 700

#: Notes that together are longer than this part of the text are all set at the end.
MOST = 0.5

#: More notes than these are set at the end: setting them under pages takes its time.
MOST_NOTES = 150

#: So many notes of a paragraph still fit under it.
MOST_IN_PARAGRAPH = 12


def paragraphs(blocks: tuple[Block, ...]) -> Iterator[Paragraph]:
    """Yield the paragraphs under which notes can be set: of the text, its lists and quotations."""
    for block in blocks:
        match block:
            case Paragraph():
                yield block
            case List(items=items):
                for item in items:
                    yield from paragraphs(item.blocks)
            case Quote(blocks=inside, pull=False):
                yield from paragraphs(inside)
            case DefinitionList(entries=entries):
                for entry in entries:
                    for details in entry.details:
                        yield from paragraphs(details)


def at_foot(article: Article) -> frozenset[str]:
    """Return the ids of the notes to set at the foot of the page; none or nearly all of them."""
    notes = [block for block in walk_blocks(article.blocks) if isinstance(block, Note)]
    if not notes or len(notes) > MOST_NOTES:
        return frozenset()
    called: set[str] = set()
    text = 0
    for paragraph in paragraphs(article.blocks):
        text += len(plain_text(paragraph.spans))
        signs = {span.note for span in paragraph.spans if span.note} - called
        if len(signs) <= MOST_IN_PARAGRAPH:
            called |= signs
    short = {note.id for note in notes if _is_short(note)}
    fit = short & called
    length = sum(sum(len(plain_text(p.spans)) for p in _text(note)) for note in notes)
    if length > MOST * text or len(fit) < 0.8 * len({note.id for note in notes}):
        return frozenset()
    return frozenset(fit)


def _text(note: Note) -> list[Paragraph]:
    return [block for block in note.blocks if isinstance(block, Paragraph)]


def _is_short(note: Note) -> bool:
    text = _text(note)
    length = sum(len(plain_text(paragraph.spans)) for paragraph in text)
    return bool(text) and len(text) == len(note.blocks) and length <= LONGEST
