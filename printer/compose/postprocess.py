"""What only the whole article shows: its levels of headings, repetitions, links within it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from ..article import (
    Block,
    Embed,
    Figure,
    Heading,
    List,
    Note,
    Paragraph,
    Quote,
    Rule,
    Span,
    Spans,
    iter_text,
    plain_text,
    walk,
)
from ..text import continues_drop_cap
from .inline import split_labels

_SCENE = re.compile(r"(?:[*•·⁂❦✻∗~_=#-]\s?){3,40}|⁂|❦|✻")
_BULLET = re.compile(r"[\s|•·◦▪‣●○■□►▶▸»«›‹>/\\,.;:…_=~*+–—-]{1,5}")
#: What a list item that is none begins with.
_CARD = (Heading, Figure, Rule, Embed)
#: The title is sought in so many blocks from the beginning.
_HEAD = 6


def postprocess(
    blocks: tuple[Block, ...], title: str, aliases: dict[str, str], *, linked: bool
) -> tuple[Block, ...]:
    """Put right what single blocks do not show; ``linked`` says that links may lead within."""
    kept = [block for block in map(_worth, _without_cards(blocks)) if block is not None]
    kept = [part for block in _without_title(kept, title) for part in _labelled(block)]
    kept = _without_echoes(kept)
    kept = _trimmed(_without_note_headings(kept))
    kept = _levelled(kept)
    return _linked(tuple(kept), aliases) if linked else tuple(kept)


def _worth(block: Block) -> Block | None:
    """Drop a paragraph of nothing but a bullet; a row of stars is a break between scenes."""
    if not isinstance(block, Paragraph) or _begins_with_word(block.spans):
        return block
    if not any(span.math for span in block.spans):
        text = plain_text(block.spans)
        if _SCENE.fullmatch(text):
            return Rule()
        if not text or _BULLET.fullmatch(text):
            return None
    return block


def _begins_with_word(spans: Spans) -> bool:
    return bool(spans) and spans[0].text[:1].isalnum()


def _labelled(block: Block) -> Iterable[Block]:
    """Yield a paragraph with the bold lines apart that head lines of it."""
    if not isinstance(block, Paragraph):
        return [block]
    first, *others = split_labels(block.spans)
    return [replace(block, spans=first), *(replace(block, spans=each, id="") for each in others)]


def _without_cards(blocks: Iterable[Block]) -> Iterable[Block]:
    """Yield blocks with the items of a list in its place when they are cards, not list items.

    Pages set teasers and sections as lists without bullets; such an item begins with a heading, a
    picture or a rule.
    """
    for block in blocks:
        if not isinstance(block, List) or block.ordered:
            yield block
            continue
        cards = sum(isinstance(item.blocks[0], _CARD) for item in block.items if item.blocks)
        if cards * 2 > len(block.items):
            yield from (inner for item in block.items for inner in item.blocks)
        else:
            yield block


def _key(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _without_title(blocks: list[Block], title: str) -> list[Block]:
    """Leave out the first block that only repeats the title, unless there is no other."""
    key = _key(title)
    if not key or len(blocks) == 1:
        return blocks
    for at, block in enumerate(blocks[:_HEAD]):
        if isinstance(block, Heading | Paragraph):
            mine = _key(plain_text(block.spans))
            if mine == key or (isinstance(block, Heading) and _same(mine, key, block.level)):
                return blocks[:at] + blocks[at + 1 :]
            line, _, more = plain_text(block.spans).partition("\n")
            if more.strip() and _key(line) == key:
                cut = replace(block, spans=_below_first(block.spans))
                return [*blocks[:at], cut, *blocks[at + 1 :]]
    return blocks


def _below_first(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return what stands below the first line of several."""
    at, broken = next((at, span) for at, span in enumerate(spans) if "\n" in span.text)
    rest = broken.text.partition("\n")[2]
    return ((replace(broken, text=rest),) if rest else ()) + spans[at + 1 :]


def _same(mine: str, title: str, level: int) -> bool:
    """Tell whether a heading is the title with a little more or less."""
    if level != 1 or min(len(mine), len(title)) < 12:
        return False
    return mine.startswith(title) or title.startswith(mine) or mine in title


def _without_echoes(blocks: list[Block]) -> list[Block]:
    """Leave out pull quotes that repeat a line of the text."""
    if not any(isinstance(block, Quote) and block.pull for block in walk(tuple(blocks))):
        return blocks
    others = (b for b in blocks if not (isinstance(b, Quote) and b.pull))
    text = _key(" ".join(piece for block in others for piece in iter_text(block)))
    return [
        block
        for block in blocks
        if not (isinstance(block, Quote) and block.pull and _repeats(block, text))
    ]


def _repeats(quote: Quote, text: str) -> bool:
    said = _key(" ".join(piece for block in quote.blocks for piece in iter_text(block)))
    return bool(said) and said in text


def _trimmed(blocks: list[Block]) -> list[Block]:
    """Leave out rules that part nothing, and a short heading at the end with nothing under it."""
    kept: list[Block] = []
    for block in blocks:
        if isinstance(block, Rule) and (not kept or isinstance(kept[-1], Rule | Heading)):
            continue
        kept.append(block)
    while kept and (isinstance(kept[-1], Rule) or _left_over(kept)):
        kept.pop()
    return kept


def _without_note_headings(blocks: list[Block]) -> list[Block]:
    """Leave out a heading or rule above nothing but notes: the theme sets notes apart itself."""
    kept: list[Block] = []
    below = ""  # what stands between here and the next heading: '', 'notes' alone, 'text'
    for block in reversed(blocks):
        if isinstance(block, Note):
            below = below or "notes"
        elif isinstance(block, Heading | Rule):
            if below == "notes":
                continue
            below = "" if isinstance(block, Heading) else below
        else:
            below = "text"
        kept.append(block)
    return kept[::-1]


def _left_over(blocks: list[Block]) -> bool:
    last = blocks[-1]
    if len(blocks) < 3:
        return False
    if isinstance(last, Heading):
        return not isinstance(blocks[-2], Heading) and len(plain_text(last.spans)) <= 40
    return isinstance(last, Embed) and not last.blocks and len(blocks) > 8


def _levelled(blocks: list[Block]) -> list[Block]:
    """Begin headings at level 2 and skip no level on the way down."""
    open_levels: list[int] = []

    def level(block: Block) -> Block:
        if not isinstance(block, Heading):
            return block
        while open_levels and open_levels[-1] >= block.level:
            open_levels.pop()
        open_levels.append(block.level)
        return replace(block, level=min(len(open_levels) + 1, 6))

    return [level(block) for block in blocks]


def _linked(blocks: tuple[Block, ...], aliases: dict[str, str]) -> tuple[Block, ...]:
    """Lead links within the article to blocks that are in it, and end those that lead nowhere."""
    spans = [span for block in blocks for span in _spans(block)]
    wanted = {span.href[1:] for span in spans if span.href.startswith("#")}
    notes = {span.note for span in spans if span.note}
    present = {name for block in walk(blocks) if (name := getattr(block, "id", ""))}
    there = {block.id for block in walk(blocks) if isinstance(block, Note)}
    if wanted <= present and notes <= there:
        return blocks

    def mend(span: Span) -> Span:
        if span.href.startswith("#") and (name := span.href[1:]) not in present:
            name = aliases.get(name, "")
            span = replace(span, href=f"#{name}" if name in present else "")
        return replace(span, note="") if span.note and span.note not in there else span

    mended: tuple[Block, ...] = _mapped(blocks, mend)
    return mended


def _spans(value: object) -> Iterable[Span]:
    if isinstance(value, Span):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _spans(each)
    elif is_dataclass(value) and not isinstance(value, type):
        for name in _names(type(value)):
            inside = getattr(value, name)
            if isinstance(inside, tuple):
                yield from _spans(inside)


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def _mapped(value: Any, change: Callable[[Span], Span]) -> Any:
    if isinstance(value, Span):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_mapped(each, change) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        inner = {each.name: getattr(value, each.name) for each in fields(value)}
        changed = {k: _mapped(v, change) for k, v in inner.items() if isinstance(v, tuple)}
        return replace(value, **changed) if changed else value
    return value


#: What may be a word of one letter, in some language written in Latin letters.
_ONE_LETTER_WORDS = frozenset("AEIOUYÀÉÓÅÖ")
_LETTERS = re.compile(r"[^\W\d_]+")


def join_drop_caps(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return the blocks with each such letter and the paragraph after it as one."""
    joined: list[Block] = []
    for block in blocks:
        before = joined[-1] if joined else None
        if isinstance(block, Paragraph) and isinstance(before, Paragraph):
            initial, text = plain_text(before.spans), plain_text(block.spans)
            if continues_drop_cap(initial, text) and not before.id:
                glue = " " if _is_word(initial[-1], text, joined) else ""
                first, *rest = block.spans
                joined[-1] = replace(
                    block, spans=(replace(first, text=initial + glue + first.text.lstrip()), *rest)
                )
                continue
        joined.append(block)
    return tuple(joined)


def _is_word(letter: str, text: str, said: Iterable[Block]) -> bool:
    """Tell whether the letter is a word: what follows it is one that is met elsewhere too."""
    if letter not in _ONE_LETTER_WORDS:
        return False
    first, *others = _LETTERS.findall(text)
    before = (
        word for block in said for piece in iter_text(block) for word in _LETTERS.findall(piece)
    )
    return first in others or first in set(before)
